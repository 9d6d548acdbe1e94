; The way that traps goes on where the other one goes.
declare void @zluda.trap()

define void @k(i1 %wrong, ptr addrspace(1) %place) #0 {
  br i1 %wrong, label %trap, label %good

trap:
  call void @zluda.trap()
  unreachable

good:
  store i32 1, ptr addrspace(1) %place
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

declare void @zluda.trap()

define void @k(i1 %wrong, ptr addrspace(1) %place) #0 {
  br i1 %wrong, label %trap, label %good

trap:                                             ; preds = %0
  call void @zluda.trap()
  br label %good

good:                                             ; preds = %trap, %0
  store i32 1, ptr addrspace(1) %place, align 4
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
