; cpu: x86-64-v4
; No level of x86-64 has arithmetic of halves: the body stays.
define internal half @half.fma(half %a, half %b, half %c) alwaysinline {
  %product = fmul half %a, %b
  %sum = fadd half %product, %c
  ret half %sum
}

define half @kernel(half %x) {
  %sum = call half @half.fma(half %x, half 2.0, half 1.0)
  ret half %sum
}

; becomes

; Function Attrs: alwaysinline
define internal half @half.fma(half %a, half %b, half %c) #0 {
  %product = fmul half %a, %b
  %sum = fadd half %product, %c
  ret half %sum
}

define half @kernel(half %x) {
  %sum = call half @half.fma(half %x, half 0xH4000, half 0xH3C00)
  ret half %sum
}

attributes #0 = { alwaysinline }
