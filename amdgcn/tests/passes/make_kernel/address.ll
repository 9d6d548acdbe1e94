; Whose address is taken stays a function, too.
@place = external addrspace(1) global ptr

define void @k() #0 {
  store ptr @k, ptr addrspace(1) @place
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

@place = external addrspace(1) global ptr

; Function Attrs: alwaysinline
define internal void @zluda.body() #0 {
  store ptr @zluda.body, ptr addrspace(1) @place, align 8
  ret void
}

; Function Attrs: nounwind
define amdgpu_kernel void @k(ptr addrspace(4) byref([32 x i8]) align 16 %0) #1 {
entry:
  call void @zluda.body()
  ret void
}

attributes #0 = { alwaysinline "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
attributes #1 = { nounwind "amdgpu-flat-work-group-size"="1,256" "uniform-work-group-size"="true" }

!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
