; cpu: x86-64-v4
; There is an instruction for it.
define internal float @directed.fma.rm(float %a, float %b, float %c) alwaysinline {
  ret float %c
}

define float @kernel(float %x) {
  %above = fcmp ogt float %x, 0.000000e+00
  %positive = select i1 %above, float %x, float 0.000000e+00
  %below = fcmp olt float %positive, 1.000000e+00
  %a = select i1 %below, float %positive, float 1.000000e+00
  %whole = call float @directed.fma.rm(float %a, float 2.520000e+02, float 0x4168000020000000)
  ret float %whole
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
  %whole = call float @directed.fma.rm(float %a, float 2.520000e+02, float 0x4168000020000000)
  ret float %whole
}

attributes #0 = { alwaysinline }
