; A loaded address and an offset; a sum of two arguments, either of which may be the pointer, stays.
define void @k(ptr addrspace(4) %buffer, i64 %x, i64 %y) #0 {
  %base = load i64, ptr addrspace(4) %buffer
  %offset = shl i64 %x, 2
  %sum = add i64 %offset, %base
  %place = add i64 %sum, 8
  %pointer = inttoptr i64 %place to ptr addrspace(1)
  store i8 0, ptr addrspace(1) %pointer
  %either = add i64 %x, %y
  %other = inttoptr i64 %either to ptr addrspace(1)
  store i8 0, ptr addrspace(1) %other
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

define void @k(ptr addrspace(4) %buffer, i64 %x, i64 %y) #0 {
  %base = load i64, ptr addrspace(4) %buffer, align 4
  %offset = shl i64 %x, 2
  %sum = add i64 %offset, %base
  %place = add i64 %sum, 8
  %1 = inttoptr i64 %base to ptr addrspace(1)
  %2 = getelementptr i8, ptr addrspace(1) %1, i64 %offset
  %3 = getelementptr i8, ptr addrspace(1) %2, i64 8
  store i8 0, ptr addrspace(1) %3, align 1
  %either = add i64 %x, %y
  %other = inttoptr i64 %either to ptr addrspace(1)
  store i8 0, ptr addrspace(1) %other, align 1
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
