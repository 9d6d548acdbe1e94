; cpu: x86-64-v3
; Two products that do not flush beside sixteen operations that do: nothing changes.
define internal float @flushing.add(float %a, float %b) alwaysinline {
  %sum = fadd float %a, %b
  ret float %sum
}

define float @kernel(float %x, float %y, ptr addrspace(1) %place, i32 %handle) {
  %s1 = call float @flushing.add(float %x, float %y)
  %s2 = call float @flushing.add(float %s1, float %y)
  %s3 = call float @flushing.add(float %s2, float %y)
  %s4 = call float @flushing.add(float %s3, float %y)
  %s5 = call float @flushing.add(float %s4, float %y)
  %s6 = call float @flushing.add(float %s5, float %y)
  %s7 = call float @flushing.add(float %s6, float %y)
  %s8 = call float @flushing.add(float %s7, float %y)
  %s9 = call float @flushing.add(float %s8, float %y)
  %s10 = call float @flushing.add(float %s9, float %y)
  %s11 = call float @flushing.add(float %s10, float %y)
  %s12 = call float @flushing.add(float %s11, float %y)
  %s13 = call float @flushing.add(float %s12, float %y)
  %s14 = call float @flushing.add(float %s13, float %y)
  %s15 = call float @flushing.add(float %s14, float %y)
  %s16 = call float @flushing.add(float %s15, float %y)
  %product = call float @llvm.fma.f32(float %s16, float %y, float %x)
  %another = fmul float %product, %y
  ret float %another
}

; becomes

; Function Attrs: alwaysinline
define internal float @flushing.add(float %a, float %b) #0 {
  %sum = fadd float %a, %b
  ret float %sum
}

define float @kernel(float %x, float %y, ptr addrspace(1) %place, i32 %handle) {
  %s1 = call float @flushing.add(float %x, float %y)
  %s2 = call float @flushing.add(float %s1, float %y)
  %s3 = call float @flushing.add(float %s2, float %y)
  %s4 = call float @flushing.add(float %s3, float %y)
  %s5 = call float @flushing.add(float %s4, float %y)
  %s6 = call float @flushing.add(float %s5, float %y)
  %s7 = call float @flushing.add(float %s6, float %y)
  %s8 = call float @flushing.add(float %s7, float %y)
  %s9 = call float @flushing.add(float %s8, float %y)
  %s10 = call float @flushing.add(float %s9, float %y)
  %s11 = call float @flushing.add(float %s10, float %y)
  %s12 = call float @flushing.add(float %s11, float %y)
  %s13 = call float @flushing.add(float %s12, float %y)
  %s14 = call float @flushing.add(float %s13, float %y)
  %s15 = call float @flushing.add(float %s14, float %y)
  %s16 = call float @flushing.add(float %s15, float %y)
  %product = call float @llvm.fma.f32(float %s16, float %y, float %x)
  %another = fmul float %product, %y
  ret float %another
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #1

attributes #0 = { alwaysinline }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
