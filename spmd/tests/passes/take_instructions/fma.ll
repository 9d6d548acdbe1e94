; cpu: x86-64-v4
; The body goes, and an intrinsic is called instead.
define internal float @directed.fma.rm(float %a, float %b, float %c) alwaysinline {
  %product = fmul float %a, %b
  %sum = fadd float %product, %c
  ret float %sum
}

define float @kernel(float %x) {
  %sum = call float @directed.fma.rm(float %x, float 2.520000e+02, float 1.258291e+07)
  ret float %sum
}

; becomes

define float @kernel(float %x) {
  %1 = call float @zluda.directed.fma.rm(float %x, float 2.520000e+02, float 0x4167FFFFC0000000)
  ret float %1
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @zluda.directed.fma.rm(float, float, float) #0

attributes #0 = { nounwind speculatable willreturn memory(none) }
