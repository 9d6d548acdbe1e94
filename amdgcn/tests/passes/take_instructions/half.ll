; The body goes, and an instruction takes its place.
define internal half @half.fma(half %a, half %b, half %c) alwaysinline {
  %product = fmul half %a, %b
  %sum = fadd half %product, %c
  ret half %sum
}

define void @k(half %x, ptr addrspace(1) %place) #0 {
  %sum = call half @half.fma(half %x, half 2.0, half 1.0)
  store half %sum, ptr addrspace(1) %place
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

define void @k(half %x, ptr addrspace(1) %place) #0 {
  %1 = call half @llvm.fma.f16(half %x, half 0xH4000, half 0xH3C00)
  store half %1, ptr addrspace(1) %place, align 2
  ret void
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare half @llvm.fma.f16(half, half, half) #1

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
