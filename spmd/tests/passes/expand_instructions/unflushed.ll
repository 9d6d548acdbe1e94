; cpu: x86-64-v3
; stack: flat
; The default state is that of one operation, which stays between the changes.
declare <32 x float> @unflushed.fma.32(<32 x float>, <32 x float>, <32 x float>)
declare float @unflushed.sqrt.1(float)

define <32 x float> @vectors(<32 x float> %x, <32 x float> %y) {
  %sum = call <32 x float> @unflushed.fma.32(<32 x float> %x, <32 x float> %y, <32 x float> %x)
  %product = call <32 x float> @unflushed.fma.32(<32 x float> %sum, <32 x float> %y, <32 x float> %x)
  ret <32 x float> %product
}

define float @scalars(float %x) {
  %root = call float @unflushed.sqrt.1(float %x)
  ret float %root
}

; becomes

define <32 x float> @vectors(<32 x float> %x, <32 x float> %y) {
  %1 = call <32 x float> @spmd.unflushed.fma.32(<32 x float> %x, <32 x float> %y, <32 x float> %x)
  %2 = call <32 x float> @spmd.unflushed.fma.32(<32 x float> %1, <32 x float> %y, <32 x float> %x)
  ret <32 x float> %2
}

define float @scalars(float %x) {
  %1 = call float @spmd.unflushed.sqrt.1(float %x)
  ret float %1
}

; Function Attrs: noinline nounwind
define internal <32 x float> @spmd.unflushed.fma.32(<32 x float> %0, <32 x float> %1, <32 x float> %2) #0 {
entry:
  %3 = alloca <32 x float>, align 128
  %4 = alloca <32 x float>, align 128
  %5 = alloca <32 x float>, align 128
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  store i32 8064, ptr %7, align 4
  store <32 x float> %0, ptr %3, align 128
  store <32 x float> %1, ptr %4, align 128
  store <32 x float> %2, ptr %5, align 128
  call void @llvm.x86.sse.stmxcsr(ptr %6)
  call void @llvm.x86.sse.ldmxcsr(ptr %7)
  %8 = load volatile <32 x float>, ptr %3, align 128
  %9 = load volatile <32 x float>, ptr %4, align 128
  %10 = load volatile <32 x float>, ptr %5, align 128
  %11 = call <32 x float> @llvm.fma.v32f32(<32 x float> %8, <32 x float> %9, <32 x float> %10)
  store volatile <32 x float> %11, ptr %3, align 128
  call void @llvm.x86.sse.ldmxcsr(ptr %6)
  %12 = load <32 x float>, ptr %3, align 128
  ret <32 x float> %12
}

; Function Attrs: nounwind memory(argmem: write)
declare void @llvm.x86.sse.stmxcsr(ptr) #1

; Function Attrs: nounwind
declare void @llvm.x86.sse.ldmxcsr(ptr) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <32 x float> @llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>) #3

; Function Attrs: noinline nounwind
define internal float @spmd.unflushed.sqrt.1(float %0) #0 {
entry:
  %1 = alloca float, align 4
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 8064, ptr %3, align 4
  store float %0, ptr %1, align 4
  call void @llvm.x86.sse.stmxcsr(ptr %2)
  call void @llvm.x86.sse.ldmxcsr(ptr %3)
  %4 = load volatile float, ptr %1, align 4
  %5 = call float @llvm.sqrt.f32(float %4)
  store volatile float %5, ptr %1, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr %2)
  %6 = load float, ptr %1, align 4
  ret float %6
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.sqrt.f32(float) #3

attributes #0 = { noinline nounwind }
attributes #1 = { nounwind memory(argmem: write) }
attributes #2 = { nounwind }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
