; cpu: x86-64-v3
; A sum that does not flush: nothing changes.
define internal float @flushing.mul(float %a, float %b) alwaysinline {
  %product = fmul float %a, %b
  ret float %product
}

define float @kernel(float %x, float %y) {
  %product = call float @flushing.mul(float %x, float %y)
  %sum = fadd float %product, %y
  ret float %sum
}

; becomes

; Function Attrs: alwaysinline
define internal float @flushing.mul(float %a, float %b) #0 {
  %product = fmul float %a, %b
  ret float %product
}

define float @kernel(float %x, float %y) {
  %product = call float @flushing.mul(float %x, float %y)
  %sum = fadd float %product, %y
  ret float %sum
}

attributes #0 = { alwaysinline }
