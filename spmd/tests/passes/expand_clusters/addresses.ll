; Shared memory of a cluster's blocks lies side by side, 512 KiB apart.
declare i64 @zluda.mapa(i64, i32)
declare i32 @zluda.getctarank(i64)

define void @k(i64 %address, i32 %block, ptr addrspace(1) %place) #0 {
  %other = call i64 @zluda.mapa(i64 %address, i32 %block)
  store i64 %other, ptr addrspace(1) %place
  %rank = call i32 @zluda.getctarank(i64 %address)
  store i32 %rank, ptr addrspace(1) %place
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

define void @k(i64 %address, i32 %block, ptr addrspace(1) %place) #0 {
  %1 = call i64 @zluda.cpu.cluster_shared()
  %2 = sub i64 %address, %1
  %3 = and i64 %2, 524287
  %4 = zext i32 %block to i64
  %5 = shl i64 %4, 19
  %6 = add i64 %1, %5
  %7 = add i64 %6, %3
  store i64 %7, ptr addrspace(1) %place, align 4
  %8 = call i64 @zluda.cpu.cluster_shared()
  %9 = sub i64 %address, %8
  %10 = lshr i64 %9, 19
  %11 = trunc i64 %10 to i32
  store i32 %11, ptr addrspace(1) %place, align 4
  ret void
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i64 @zluda.cpu.cluster_shared() #1

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
