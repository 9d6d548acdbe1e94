; cpu: x86-64-v4
; features: +avx512fp16
; Vectors and scalars.
declare <32 x half> @half.fma.32(<32 x half>, <32 x half>, <32 x half>)
declare half @half.fma.1(half, half, half)

define <32 x half> @vectors(<32 x half> %x, <32 x half> %y) {
  %sum = call <32 x half> @half.fma.32(<32 x half> %x, <32 x half> %y, <32 x half> %x)
  ret <32 x half> %sum
}

define half @scalars(half %x) {
  %sum = call half @half.fma.1(half %x, half %x, half %x)
  ret half %sum
}

; becomes

define <32 x half> @vectors(<32 x half> %x, <32 x half> %y) {
  %1 = call <32 x half> @llvm.fma.v32f16(<32 x half> %x, <32 x half> %y, <32 x half> %x)
  ret <32 x half> %1
}

define half @scalars(half %x) {
  %1 = call half @llvm.fma.f16(half %x, half %x, half %x)
  ret half %1
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <32 x half> @llvm.fma.v32f16(<32 x half>, <32 x half>, <32 x half>) #0

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare half @llvm.fma.f16(half, half, half) #0

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
