; cpu: x86-64-v3
; One product that does not flush beside sixteen operations that do, a sum in global memory, and a texture.
declare { i32, i32, i32, i32, i32 } @zluda.texture.2(i64, i32, i32)

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
  %old = atomicrmw fadd ptr addrspace(1) %place, float %product syncscope("agent") monotonic, align 4
  %texels = call { i32, i32, i32, i32, i32 } @zluda.texture.2(i64 67240192, i32 %handle, i32 0)
  ret float %product
}

; becomes

declare { i32, i32, i32, i32, i32 } @zluda.texture.2(i64, i32, i32)

define float @kernel(float %x, float %y, ptr addrspace(1) %place, i32 %handle) #0 {
  %1 = call float @zluda.flushing.add(float %x, float %y)
  %2 = call float @zluda.flushing.add(float %1, float %y)
  %3 = call float @zluda.flushing.add(float %2, float %y)
  %4 = call float @zluda.flushing.add(float %3, float %y)
  %5 = call float @zluda.flushing.add(float %4, float %y)
  %6 = call float @zluda.flushing.add(float %5, float %y)
  %7 = call float @zluda.flushing.add(float %6, float %y)
  %8 = call float @zluda.flushing.add(float %7, float %y)
  %9 = call float @zluda.flushing.add(float %8, float %y)
  %10 = call float @zluda.flushing.add(float %9, float %y)
  %11 = call float @zluda.flushing.add(float %10, float %y)
  %12 = call float @zluda.flushing.add(float %11, float %y)
  %13 = call float @zluda.flushing.add(float %12, float %y)
  %14 = call float @zluda.flushing.add(float %13, float %y)
  %15 = call float @zluda.flushing.add(float %14, float %y)
  %16 = call float @zluda.flushing.add(float %15, float %y)
  %17 = call float @zluda.unflushed.fma(float %16, float %y, float %x)
  %old = atomicrmw fadd ptr addrspace(1) %place, float %17 syncscope("agent") monotonic, align 4
  %texels = call { i32, i32, i32, i32, i32 } @zluda.texture.2(i64 67240192, i32 %handle, i32 0)
  ret float %17
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @zluda.unflushed.fma(float, float, float) #2

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @zluda.flushing.add(float, float) #2

attributes #0 = { "denormal-fp-math"="preserve-sign,preserve-sign" }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind speculatable willreturn memory(none) }
