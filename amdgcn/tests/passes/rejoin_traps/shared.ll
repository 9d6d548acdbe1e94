; Each way to a trap that several share gets one of its own.
declare void @zluda.trap()

define void @k(i1 %first, i1 %second, ptr addrspace(1) %place) #0 {
  br i1 %first, label %trap, label %on

on:
  br i1 %second, label %trap, label %good

trap:
  call void @zluda.trap()
  unreachable

good:
  %from = phi i32 [ 7, %on ]
  store i32 %from, ptr addrspace(1) %place
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

declare void @zluda.trap()

define void @k(i1 %first, i1 %second, ptr addrspace(1) %place) #0 {
  br i1 %first, label %trap1, label %on

on:                                               ; preds = %trap1, %0
  br i1 %second, label %trap2, label %good

trap:                                             ; No predecessors!
  call void @zluda.trap()
  unreachable

trap2:                                            ; preds = %on
  call void @zluda.trap()
  br label %good

trap1:                                            ; preds = %0
  call void @zluda.trap()
  br label %on

good:                                             ; preds = %trap2, %on
  %from = phi i32 [ 7, %on ], [ poison, %trap2 ]
  store i32 %from, ptr addrspace(1) %place, align 4
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
