; The blocks of a cluster are the product of its sizes, and its shared memory is theirs.
declare i32 @zluda.cluster_nctarank()
declare i1 @zluda.isspacep.shared.cluster(ptr)

define void @k(ptr %address, ptr addrspace(1) %place) #0 {
  %blocks = call i32 @zluda.cluster_nctarank()
  store i32 %blocks, ptr addrspace(1) %place
  %inside = call i1 @zluda.isspacep.shared.cluster(ptr %address)
  store i1 %inside, ptr addrspace(1) %place
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

define void @k(ptr %address, ptr addrspace(1) %place) #0 {
  %1 = call i32 @zluda.cluster_nctaid.x()
  %2 = call i32 @zluda.cluster_nctaid.y()
  %3 = call i32 @zluda.cluster_nctaid.z()
  %4 = mul i32 %1, %2
  %5 = mul i32 %4, %3
  store i32 %5, ptr addrspace(1) %place, align 4
  %6 = ptrtoint ptr %address to i64
  %7 = call i64 @zluda.cpu.cluster_shared()
  %8 = sub i64 %6, %7
  %9 = lshr i64 %8, 19
  %10 = call i32 @zluda.cluster_nctaid.x()
  %11 = call i32 @zluda.cluster_nctaid.y()
  %12 = call i32 @zluda.cluster_nctaid.z()
  %13 = mul i32 %10, %11
  %14 = mul i32 %13, %12
  %15 = zext i32 %14 to i64
  %16 = icmp ult i64 %9, %15
  store i1 %16, ptr addrspace(1) %place, align 1
  ret void
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @zluda.cluster_nctaid.x() #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @zluda.cluster_nctaid.y() #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @zluda.cluster_nctaid.z() #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i64 @zluda.cpu.cluster_shared() #1

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
