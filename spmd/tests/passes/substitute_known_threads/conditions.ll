; A number is known where it is one of several things that are all asked for, and where none of several is that would have to be;
; not where one of two is enough.
declare i32 @zluda.tid.x()

define void @k(i32 %first, ptr addrspace(1) %p, i1 %also) #0 {
  %x = call i32 @zluda.tid.x()
  %i = add nsw i32 %first, %x
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %is.0 = icmp eq i32 %x, 0
  %both = and i1 %is.0, %also
  %not = xor i1 %both, true
  br i1 %not, label %second, label %is

is:
  store i32 0, ptr addrspace(1) %at
  br label %second

second:
  %not.31 = icmp ne i32 %x, 31
  %neither = or i1 %also, %not.31
  br i1 %neither, label %third, label %is.31

is.31:
  store i32 31, ptr addrspace(1) %at
  br label %third

third:
  %is.5 = icmp eq i32 %x, 5
  %chosen = select i1 %also, i1 %is.5, i1 false
  br i1 %chosen, label %by.select, label %fourth

by.select:
  store i32 5, ptr addrspace(1) %at
  br label %fourth

fourth:
  %is.6 = icmp eq i32 %x, 6
  %enough = or i1 %is.6, %also
  br i1 %enough, label %unknown, label %end

unknown:
  store i32 6, ptr addrspace(1) %at
  br label %end

end:
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

declare i32 @zluda.tid.x()

define void @k(i32 %first, ptr addrspace(1) %p, i1 %also) #0 {
  %x = call i32 @zluda.tid.x()
  %i = add nsw i32 %first, %x
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %is.0 = icmp eq i32 %x, 0
  %both = and i1 %is.0, %also
  %not = xor i1 %both, true
  br i1 %not, label %second, label %is

is:                                               ; preds = %0
  %1 = add nsw i32 %first, 0
  %2 = getelementptr i32, ptr addrspace(1) %p, i32 %1
  store i32 0, ptr addrspace(1) %2, align 4
  br label %second

second:                                           ; preds = %is, %0
  %not.31 = icmp ne i32 %x, 31
  %neither = or i1 %also, %not.31
  br i1 %neither, label %third, label %is.31

is.31:                                            ; preds = %second
  %3 = add nsw i32 %first, 31
  %4 = getelementptr i32, ptr addrspace(1) %p, i32 %3
  store i32 31, ptr addrspace(1) %4, align 4
  br label %third

third:                                            ; preds = %is.31, %second
  %is.5 = icmp eq i32 %x, 5
  %chosen = select i1 %also, i1 %is.5, i1 false
  br i1 %chosen, label %by.select, label %fourth

by.select:                                        ; preds = %third
  %5 = add nsw i32 %first, 5
  %6 = getelementptr i32, ptr addrspace(1) %p, i32 %5
  store i32 5, ptr addrspace(1) %6, align 4
  br label %fourth

fourth:                                           ; preds = %by.select, %third
  %is.6 = icmp eq i32 %x, 6
  %enough = or i1 %is.6, %also
  br i1 %enough, label %unknown, label %end

unknown:                                          ; preds = %fourth
  store i32 6, ptr addrspace(1) %at, align 4
  br label %end

end:                                              ; preds = %unknown, %fourth
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
