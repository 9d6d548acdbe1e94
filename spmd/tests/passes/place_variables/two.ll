; The second variable begins at a multiple of its alignment; dynamic memory begins behind both, at a multiple of 16.
@first = internal addrspace(3) global [5 x i8] poison, align 1
@second = internal addrspace(3) global [8 x i8] poison, align 8
@dynamic = external addrspace(3) global [0 x i8], align 4

define void @k(i64 %x) #0 {
  store i8 1, ptr addrspace(3) @first
  store i64 %x, ptr addrspace(3) @second
  store i32 2, ptr addrspace(3) @dynamic
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

define void @k(i64 %x) #0 {
  %1 = call ptr addrspace(3) @zluda.cpu.shared()
  %2 = getelementptr i8, ptr addrspace(3) %1, i64 0
  store i8 1, ptr addrspace(3) %2, align 1
  %3 = call ptr addrspace(3) @zluda.cpu.shared()
  %4 = getelementptr i8, ptr addrspace(3) %3, i64 8
  store i64 %x, ptr addrspace(3) %4, align 4
  %5 = call ptr addrspace(3) @zluda.cpu.shared()
  %6 = getelementptr i8, ptr addrspace(3) %5, i64 16
  store i32 2, ptr addrspace(3) %6, align 4
  ret void
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare ptr addrspace(3) @zluda.cpu.shared() #1

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
