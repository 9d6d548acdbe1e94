; A subnormal number becomes a zero of its sign.
declare float @zluda.ftz.f32(float)

define void @k(ptr addrspace(1) %place, float %x) #0 {
  %flushed = call float @zluda.ftz.f32(float %x)
  store float %flushed, ptr addrspace(1) %place
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

define void @k(ptr addrspace(1) %place, float %x) #0 {
  %1 = bitcast float %x to i32
  %2 = and i32 %1, 2147483647
  %3 = icmp ult i32 %2, 8388608
  %4 = and i32 %1, -2147483648
  %5 = bitcast i32 %4 to float
  %6 = select i1 %3, float %5, float %x
  store float %6, ptr addrspace(1) %place, align 4
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
