; A kernel that says nothing of clusters.
declare i32 @zluda.is_explicit_cluster()

define void @k(ptr addrspace(1) %place) #0 {
  %explicit = call i32 @zluda.is_explicit_cluster()
  store i32 %explicit, ptr addrspace(1) %place
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

; Function Attrs: alwaysinline
define i32 @zluda.is_explicit_cluster() #0 {
entry:
  ret i32 0
}

define void @k(ptr addrspace(1) %place) #1 {
  %explicit = call i32 @zluda.is_explicit_cluster()
  store i32 %explicit, ptr addrspace(1) %place, align 4
  ret void
}

attributes #0 = { alwaysinline }
attributes #1 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
