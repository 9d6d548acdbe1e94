; cpu: x86-64-v2
; Without the instruction, double precision holds the product, and the sum is rounded to odd before it is rounded to float.
declare float @llvm.fma.f32(float, float, float)

define float @warp(float %x, float %y, float %z) {
  %product = call float @llvm.fma.f32(float %x, float %y, float %z)
  ret float %product
}

; becomes

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #0

define float @warp(float %x, float %y, float %z) {
  %1 = call float @spmd.fma.f32.1(float %x, float %y, float %z)
  ret float %1
}

; Function Attrs: noinline nounwind uwtable
define internal float @spmd.fma.f32.1(float %0, float %1, float %2) #1 {
  %4 = fpext float %0 to double
  %5 = fpext float %1 to double
  %6 = fpext float %2 to double
  %7 = fmul double %4, %5
  %8 = fadd double %7, %6
  %9 = fcmp uno double %6, %6
  %10 = select i1 %9, double %6, double %8
  %11 = fsub double %10, %7
  %12 = fsub double %10, %11
  %13 = fsub double %7, %12
  %14 = fsub double %6, %11
  %15 = fadd double %13, %14
  %16 = bitcast double %10 to i64
  %17 = fcmp one double %15, 0.000000e+00
  %18 = and i64 %16, 1
  %19 = icmp eq i64 %18, 0
  %20 = icmp slt i64 %16, 0
  %21 = fcmp ogt double %15, 0.000000e+00
  %22 = xor i1 %20, %21
  %23 = select i1 %22, i64 1, i64 -1
  %24 = and i1 %17, %19
  %25 = add i64 %16, %23
  %26 = select i1 %24, i64 %25, i64 %16
  %27 = bitcast i64 %26 to double
  %28 = fptrunc double %27 to float
  ret float %28
}

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #1 = { noinline nounwind uwtable }
