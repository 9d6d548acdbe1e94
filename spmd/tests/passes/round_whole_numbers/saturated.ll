; cpu: x86-64-v3
; A factor from 0 to 1, and numbers of which some are too small, or too large, or may be negative.
define internal float @directed.fma.rm(float %a, float %b, float %c) alwaysinline {
  ret float %c
}

define float @kernel(float %x) {
  %above = fcmp ogt float %x, 0.000000e+00
  %positive = select i1 %above, float %x, float 0.000000e+00
  %below = fcmp olt float %positive, 1.000000e+00
  %a = select i1 %below, float %positive, float 1.000000e+00
  %whole = call float @directed.fma.rm(float %a, float 2.520000e+02, float 0x4168000020000000)
  %large = call float @directed.fma.rm(float %a, float 2.560000e+02, float 0x416FFFFF00000000)
  %small = call float @directed.fma.rm(float %a, float 2.520000e+02, float 8.388607e+06)
  %negative = call float @directed.fma.rm(float %a, float -2.520000e+02, float 0x4168000020000000)
  %any = call float @directed.fma.rm(float %positive, float 2.520000e+02, float 0x4168000020000000)
  %sum.0 = fadd float %whole, %large
  %sum.1 = fadd float %sum.0, %small
  %sum.2 = fadd float %sum.1, %negative
  %sum.3 = fadd float %sum.2, %any
  ret float %sum.3
}

; becomes

; Function Attrs: alwaysinline
define internal float @directed.fma.rm(float %a, float %b, float %c) #0 {
  ret float %c
}

define float @kernel(float %x) {
  %above = fcmp ogt float %x, 0.000000e+00
  %positive = select i1 %above, float %x, float 0.000000e+00
  %below = fcmp olt float %positive, 1.000000e+00
  %a = select i1 %below, float %positive, float 1.000000e+00
  %1 = call float @llvm.fma.f32(float %a, float 2.520000e+02, float 0x4168000020000000)
  %2 = fsub float %1, 0x4168000020000000
  %3 = fneg float %2
  %4 = call float @llvm.fma.f32(float %a, float 2.520000e+02, float %3)
  %5 = fcmp olt float %4, 0.000000e+00
  %6 = fsub float %1, 1.000000e+00
  %7 = select i1 %5, float %6, float %1
  %large = call float @directed.fma.rm(float %a, float 2.560000e+02, float 0x416FFFFF00000000)
  %small = call float @directed.fma.rm(float %a, float 2.520000e+02, float 0x415FFFFFC0000000)
  %negative = call float @directed.fma.rm(float %a, float -2.520000e+02, float 0x4168000020000000)
  %any = call float @directed.fma.rm(float %positive, float 2.520000e+02, float 0x4168000020000000)
  %sum.0 = fadd float %7, %large
  %sum.1 = fadd float %sum.0, %small
  %sum.2 = fadd float %sum.1, %negative
  %sum.3 = fadd float %sum.2, %any
  ret float %sum.3
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #1

attributes #0 = { alwaysinline }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
