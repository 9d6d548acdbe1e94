; cpu: x86-64-v3
; A comparison of what may be subnormal: nothing changes.
define internal float @flushing.mul(float %a, float %b) alwaysinline {
  %product = fmul float %a, %b
  ret float %product
}

define i1 @kernel(float %x, float %y) {
  %product = call float @flushing.mul(float %x, float %y)
  %less = fcmp olt float %product, %y
  ret i1 %less
}

; becomes

; Function Attrs: alwaysinline
define internal float @flushing.mul(float %a, float %b) #0 {
  %product = fmul float %a, %b
  ret float %product
}

define i1 @kernel(float %x, float %y) {
  %product = call float @flushing.mul(float %x, float %y)
  %less = fcmp olt float %product, %y
  ret i1 %less
}

attributes #0 = { alwaysinline }
