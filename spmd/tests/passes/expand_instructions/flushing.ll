; cpu: x86-64-v3
; Operations of vectors and scalars. What is multiplied by one, or added to nothing, is flushed by its bits: LLVM would see no
; operation there.
declare <32 x float> @flushing.fma.32(<32 x float>, <32 x float>, <32 x float>)
declare <32 x float> @flushing.mul.32(<32 x float>, <32 x float>)
declare float @flushing.rcp.1(float)
declare float @flushing.sub.1(float, float)

define <32 x float> @vectors(<32 x float> %x, <32 x float> %y) {
  %sum = call <32 x float> @flushing.fma.32(<32 x float> %x, <32 x float> %y, <32 x float> splat (float 1.0))
  %product = call <32 x float> @flushing.mul.32(<32 x float> %sum, <32 x float> splat (float -1.0))
  ret <32 x float> %product
}

define float @scalars(float %x) {
  %reciprocal = call float @flushing.rcp.1(float %x)
  %difference = call float @flushing.sub.1(float %reciprocal, float 0.0)
  ret float %difference
}

; becomes

define <32 x float> @vectors(<32 x float> %x, <32 x float> %y) {
  %1 = call <32 x float> @llvm.fma.v32f32(<32 x float> %x, <32 x float> %y, <32 x float> splat (float 1.000000e+00))
  %2 = bitcast <32 x float> %1 to <32 x i32>
  %3 = and <32 x i32> %2, splat (i32 2147483647)
  %4 = icmp ult <32 x i32> %3, splat (i32 8388608)
  %5 = and <32 x i32> %2, splat (i32 -2147483648)
  %6 = select <32 x i1> %4, <32 x i32> %5, <32 x i32> %2
  %7 = bitcast <32 x i32> %6 to <32 x float>
  %8 = fmul <32 x float> %7, splat (float -1.000000e+00)
  ret <32 x float> %8
}

define float @scalars(float %x) {
  %1 = fdiv float 1.000000e+00, %x
  %2 = bitcast float %1 to i32
  %3 = and i32 %2, 2147483647
  %4 = icmp ult i32 %3, 8388608
  %5 = and i32 %2, -2147483648
  %6 = select i1 %4, i32 %5, i32 %2
  %7 = bitcast i32 %6 to float
  %8 = fsub float %7, 0.000000e+00
  ret float %8
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <32 x float> @llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>) #0

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
