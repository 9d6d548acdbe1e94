; Two lanes of a warp have a case each; the case of two others says nothing.
declare i32 @zluda.tid.x()

define void @k(i32 %first, ptr addrspace(1) %p) #0 {
  %x = call i32 @zluda.tid.x()
  %lane = and i32 %x, 31
  %i = or i32 %lane, %first
  %wide = zext i32 %i to i64
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %wide
  switch i32 %lane, label %end [
    i32 0, label %low
    i32 31, label %high
    i32 4, label %both
    i32 5, label %both
  ]

low:
  store i32 1, ptr addrspace(1) %at
  br label %end

high:
  store i32 2, ptr addrspace(1) %at
  br label %end

both:
  store i32 3, ptr addrspace(1) %at
  br label %end

end:
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

declare i32 @zluda.tid.x()

define void @k(i32 %first, ptr addrspace(1) %p) #0 {
  %x = call i32 @zluda.tid.x()
  %lane = and i32 %x, 31
  %i = or i32 %lane, %first
  %wide = zext i32 %i to i64
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %wide
  switch i32 %lane, label %end [
    i32 0, label %low
    i32 31, label %high
    i32 4, label %both
    i32 5, label %both
  ]

low:                                              ; preds = %0
  %1 = or i32 0, %first
  %2 = zext i32 %1 to i64
  %3 = getelementptr i32, ptr addrspace(1) %p, i64 %2
  store i32 1, ptr addrspace(1) %3, align 4
  br label %end

high:                                             ; preds = %0
  %4 = or i32 31, %first
  %5 = zext i32 %4 to i64
  %6 = getelementptr i32, ptr addrspace(1) %p, i64 %5
  store i32 2, ptr addrspace(1) %6, align 4
  br label %end

both:                                             ; preds = %0, %0
  store i32 3, ptr addrspace(1) %at, align 4
  br label %end

end:                                              ; preds = %both, %high, %low, %0
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
