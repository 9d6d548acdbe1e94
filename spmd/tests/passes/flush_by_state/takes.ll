; cpu: x86-64-v3
; All that could tell the state flushes. Flushes of what flushing operations take go, that of what is stored stays.
declare float @zluda.ftz.f32(float)
declare float @zluda.div.approx.ftz.f32(float, float)
declare float @zluda.canonical.f32(float)

define internal float @flushing.mul(float %a, float %b) alwaysinline {
  %product = fmul float %a, %b
  ret float %product
}

define float @kernel(float %x, float %y, i1 %which, ptr %place) {
  %a = call float @zluda.ftz.f32(float %x)
  %b = call float @zluda.ftz.f32(float %y)
  %product = call float @flushing.mul(float %a, float %b)
  %quotient = call float @zluda.div.approx.ftz.f32(float %product, float %a)
  %nan = fcmp uno float %x, %y
  %less = fcmp olt float %product, %quotient
  %and = and i1 %nan, %less
  %chosen = select i1 %and, float %product, float %quotient
  store float %b, ptr %place
  ret float %chosen
}

; becomes

declare float @zluda.ftz.f32(float)

declare float @zluda.div.approx.ftz.f32(float, float)

declare float @zluda.canonical.f32(float)

define float @kernel(float %x, float %y, i1 %which, ptr %place) #0 {
  %b = call float @zluda.ftz.f32(float %y)
  %1 = call float @zluda.flushing.mul(float %x, float %b)
  %2 = call float @zluda.flushing.div(float %1, float %x)
  %3 = call float @llvm.fabs.f32(float %x)
  %4 = fcmp ogt float %3, 0x47D0000000000000
  %5 = fcmp olt float %3, 0x7FF0000000000000
  %6 = call float @llvm.copysign.f32(float 0.000000e+00, float %x)
  %7 = call float @zluda.flushing.mul(float %1, float %6)
  %8 = and i1 %4, %5
  %9 = select i1 %8, float %7, float %2
  %nan = fcmp uno float %x, %y
  %less = fcmp olt float %1, %9
  %and = and i1 %nan, %less
  %chosen = select i1 %and, float %1, float %9
  store float %b, ptr %place, align 4
  ret float %chosen
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @zluda.flushing.div(float, float) #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.copysign.f32(float, float) #2

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @zluda.flushing.mul(float, float) #1

attributes #0 = { "denormal-fp-math"="preserve-sign,preserve-sign" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
