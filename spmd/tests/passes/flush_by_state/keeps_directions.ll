; cpu: x86-64-v4
; An operation that rounds in a direction: nothing changes.
define internal float @flushing.fma.rm(float %a, float %b, float %c) alwaysinline {
  ret float %c
}

define float @kernel(float %x, float %y) {
  %sum = call float @flushing.fma.rm(float %x, float %y, float %x)
  ret float %sum
}

; becomes

; Function Attrs: alwaysinline
define internal float @flushing.fma.rm(float %a, float %b, float %c) #0 {
  ret float %c
}

define float @kernel(float %x, float %y) {
  %sum = call float @flushing.fma.rm(float %x, float %y, float %x)
  ret float %sum
}

attributes #0 = { alwaysinline }
