; A lane that has the lock is in another place than those that wait for it, so that it can give the lock back.
declare i32 @zluda.laneid()

define void @k(ptr addrspace(1) %lock, ptr addrspace(1) %sum) #0 {
entry:
  br label %try

try:
  %old = cmpxchg volatile ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %has = extractvalue { i32, i1 } %old, 1
  br i1 %has, label %inside, label %try

inside:
  %before = load volatile i32, ptr addrspace(1) %sum
  %after = add i32 %before, 1
  store volatile i32 %after, ptr addrspace(1) %sum
  store atomic volatile i32 0, ptr addrspace(1) %lock monotonic, align 4
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

declare i32 @zluda.laneid()

define void @k(ptr addrspace(1) %lock, ptr addrspace(1) %sum) #0 {
entry:
  %0 = call i32 @zluda.amd.hidden(i32 0)
  br label %round

try:                                              ; preds = %gate1
  %old = cmpxchg volatile ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic, align 4
  %has = extractvalue { i32, i1 } %old, 1
  br i1 %has, label %inside, label %way2

inside:                                           ; preds = %try
  %before = load volatile i32, ptr addrspace(1) %sum, align 4
  %after = add i32 %before, 1
  store volatile i32 %after, ptr addrspace(1) %sum, align 4
  store atomic volatile i32 0, ptr addrspace(1) %lock monotonic, align 4
  %1 = call i32 @zluda.amd.hidden(i32 -1)
  br label %round

round:                                            ; preds = %gate1, %entry, %inside, %way2
  %.08 = phi i32 [ 0, %entry ], [ %14, %inside ], [ %14, %way2 ], [ %14, %gate1 ]
  %.07 = phi i32 [ 0, %entry ], [ %8, %inside ], [ %8, %way2 ], [ %8, %gate1 ]
  %.0 = phi i32 [ %0, %entry ], [ %1, %inside ], [ %7, %way2 ], [ %.1, %gate1 ]
  %2 = icmp ne i32 %.0, -1
  %3 = call i64 @zluda.amd.wave_ballot(i1 %2)
  %4 = icmp eq i64 %3, 0
  br i1 %4, label %end, label %go

gate1:                                            ; preds = %go, %way
  %.1 = phi i32 [ %6, %way ], [ %.0, %go ]
  %5 = icmp eq i32 %.1, 1
  br i1 %5, label %try, label %round

way:                                              ; preds = %go
  %6 = call i32 @zluda.amd.hidden(i32 1)
  br label %gate1

way2:                                             ; preds = %try
  %7 = call i32 @zluda.amd.hidden(i32 1)
  br label %round

go:                                               ; preds = %round
  %8 = add i32 %.07, 1
  call void @zluda.amd.end_waiting(i32 %8)
  %9 = icmp uge i32 %.0, 2
  %10 = and i1 %2, %9
  %11 = call i64 @zluda.amd.wave_ballot(i1 %10)
  %12 = icmp eq i64 %11, %3
  %13 = add i32 %.08, 1
  %14 = select i1 %12, i32 %13, i32 0
  %15 = icmp eq i32 %.0, 0
  br i1 %15, label %way, label %gate1

end:                                              ; preds = %round
  ret void
}

; Function Attrs: convergent nounwind
declare i32 @zluda.amd.hidden(i32) #1

; Function Attrs: convergent nounwind
declare i64 @zluda.amd.wave_ballot(i1) #1

; Function Attrs: convergent nounwind
declare void @zluda.amd.end_waiting(i32) #1

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
attributes #1 = { convergent nounwind }
