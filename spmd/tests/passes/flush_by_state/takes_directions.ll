; cpu: x86-64-v4
; AVX-512 has one.
define internal float @flushing.fma.rm(float %a, float %b, float %c) alwaysinline {
  ret float %c
}

define float @kernel(float %x, float %y) {
  %sum = call float @flushing.fma.rm(float %x, float %y, float %x)
  ret float %sum
}

; becomes

define float @kernel(float %x, float %y) #0 {
  %1 = call float @zluda.flushing.fma.rm(float %x, float %y, float %x)
  ret float %1
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @zluda.flushing.fma.rm(float, float, float) #1

attributes #0 = { "denormal-fp-math"="preserve-sign,preserve-sign" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
