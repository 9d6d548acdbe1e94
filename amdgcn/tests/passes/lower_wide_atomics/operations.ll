; Operations on 128 bits are calls with the fences of their orderings; narrower ones and plain ones stay.
define void @k(ptr addrspace(1) %place, ptr %generic, i128 %x, i128 %y) #0 {
  %loaded = load atomic i128, ptr addrspace(1) %place syncscope("agent") acquire, align 16
  store atomic i128 %loaded, ptr %generic syncscope("agent") release, align 16
  %old = atomicrmw xchg ptr addrspace(1) %place, i128 %x syncscope("agent") monotonic, align 16
  %both = cmpxchg ptr addrspace(1) %place, i128 %old, i128 %y syncscope("agent") acq_rel monotonic, align 16
  %equal = extractvalue { i128, i1 } %both, 1
  %plain = load i128, ptr addrspace(1) %place, align 16
  %narrow = atomicrmw add ptr addrspace(1) %place, i64 1 syncscope("agent") monotonic, align 8
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

define void @k(ptr addrspace(1) %place, ptr %generic, i128 %x, i128 %y) #0 {
  %1 = addrspacecast ptr addrspace(1) %place to ptr
  %2 = call <2 x i64> @zluda.amd.wide.load(ptr %1)
  fence syncscope("agent") acquire
  %3 = bitcast <2 x i64> %2 to i128
  %4 = bitcast i128 %3 to <2 x i64>
  fence syncscope("agent") release
  call void @zluda.amd.wide.store(ptr %generic, <2 x i64> %4)
  %5 = addrspacecast ptr addrspace(1) %place to ptr
  %6 = bitcast i128 %x to <2 x i64>
  %7 = call <2 x i64> @zluda.amd.wide.exchange(ptr %5, <2 x i64> %6)
  %8 = bitcast <2 x i64> %7 to i128
  %9 = addrspacecast ptr addrspace(1) %place to ptr
  %10 = bitcast i128 %8 to <2 x i64>
  %11 = bitcast i128 %y to <2 x i64>
  fence syncscope("agent") release
  %12 = call <2 x i64> @zluda.amd.wide.compare(ptr %9, <2 x i64> %10, <2 x i64> %11)
  fence syncscope("agent") acquire
  %13 = bitcast <2 x i64> %12 to i128
  %14 = icmp eq i128 %13, %8
  %15 = insertvalue { i128, i1 } poison, i128 %13, 0
  %16 = insertvalue { i128, i1 } %15, i1 %14, 1
  %equal = extractvalue { i128, i1 } %16, 1
  %plain = load i128, ptr addrspace(1) %place, align 16
  %narrow = atomicrmw add ptr addrspace(1) %place, i64 1 syncscope("agent") monotonic, align 8
  ret void
}

; Function Attrs: convergent nounwind
declare <2 x i64> @zluda.amd.wide.load(ptr) #1

; Function Attrs: convergent nounwind
declare void @zluda.amd.wide.store(ptr, <2 x i64>) #1

; Function Attrs: convergent nounwind
declare <2 x i64> @zluda.amd.wide.exchange(ptr, <2 x i64>) #1

; Function Attrs: convergent nounwind
declare <2 x i64> @zluda.amd.wide.compare(ptr, <2 x i64>, <2 x i64>) #1

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
attributes #1 = { convergent nounwind }
