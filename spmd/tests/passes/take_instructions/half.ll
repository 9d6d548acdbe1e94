; cpu: x86-64-v4
; features: +avx512fp16
; As fma.ll, for halves.
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

define half @kernel(half %x) {
  %1 = call half @zluda.half.fma(half %x, half 0xH4000, half 0xH3C00)
  ret half %1
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare half @zluda.half.fma(half, half, half) #0

attributes #0 = { nounwind speculatable willreturn memory(none) }
