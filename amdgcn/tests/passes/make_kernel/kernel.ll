; 32 bytes of parameters, and blocks of 256 threads at most.
declare ptr addrspace(4) @zluda.params()

define void @k() #0 {
  %buffer = call ptr addrspace(4) @zluda.params()
  %word = load i32, ptr addrspace(4) %buffer
  %zero = icmp eq i32 %word, 0
  br i1 %zero, label %end, label %store

store:
  store i32 %word, ptr addrspace(1) null
  br label %end

end:
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

declare ptr addrspace(4) @zluda.params()

; Function Attrs: nounwind
define amdgpu_kernel void @k(ptr addrspace(4) byref([32 x i8]) align 16 %0) #0 {
  %buffer = call ptr addrspace(4) @zluda.params()
  %word = load i32, ptr addrspace(4) %buffer, align 4
  %zero = icmp eq i32 %word, 0
  br i1 %zero, label %end, label %store

store:                                            ; preds = %1
  store i32 %word, ptr addrspace(1) null, align 4
  br label %end

end:                                              ; preds = %store, %1
  ret void
}

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="1,256" "uniform-work-group-size"="true" }

!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
