; The services are the third hidden parameter: of 32 bytes of parameters those from 24 on.
declare ptr addrspace(1) @zluda.amd.services()

define void @k() #0 {
  %services = call ptr addrspace(1) @zluda.amd.services()
  store i32 1, ptr addrspace(1) %services
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

; Function Attrs: alwaysinline
define ptr addrspace(1) @zluda.amd.services() #0 {
entry:
  %0 = call ptr addrspace(4) @zluda.params()
  %1 = getelementptr i8, ptr addrspace(4) %0, i64 24
  %2 = load ptr addrspace(1), ptr addrspace(4) %1, align 8, !invariant.load !0
  ret ptr addrspace(1) %2
}

define void @k() #1 {
  %services = call ptr addrspace(1) @zluda.amd.services()
  store i32 1, ptr addrspace(1) %services, align 4
  ret void
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare ptr addrspace(4) @zluda.params() #2

attributes #0 = { alwaysinline }
attributes #1 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
attributes #2 = { nounwind speculatable willreturn memory(none) }

!0 = !{}
