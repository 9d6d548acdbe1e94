; A loop that another thread ends looks for errors, a loop that counts does not.
define void @k(ptr addrspace(1) %flag, i32 %rounds) #0 {
entry:
  br label %wait

wait:
  %value = load volatile i32, ptr addrspace(1) %flag
  %again = icmp eq i32 %value, 0
  br i1 %again, label %wait, label %count

count:
  %round = phi i32 [ 0, %wait ], [ %next, %count ]
  %next = add i32 %round, 1
  %more = icmp ult i32 %next, %rounds
  br i1 %more, label %count, label %end

end:
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

define void @k(ptr addrspace(1) %flag, i32 %rounds) #0 {
entry:
  br label %wait

wait:                                             ; preds = %wait, %entry
  %0 = phi i32 [ 0, %entry ], [ %1, %wait ]
  %1 = add i32 %0, 1
  call void @zluda.amd.end_waiting(i32 %1)
  %value = load volatile i32, ptr addrspace(1) %flag, align 4
  %again = icmp eq i32 %value, 0
  br i1 %again, label %wait, label %count

count:                                            ; preds = %count, %wait
  %round = phi i32 [ 0, %wait ], [ %next, %count ]
  %next = add i32 %round, 1
  %more = icmp ult i32 %next, %rounds
  br i1 %more, label %count, label %end

end:                                              ; preds = %count
  ret void
}

; Function Attrs: convergent nounwind
declare void @zluda.amd.end_waiting(i32) #1

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
attributes #1 = { convergent nounwind }
