; A kernel has the buffer as its argument, a function finds it before the implicit arguments.
declare ptr addrspace(4) @zluda.params()

define void @function(ptr addrspace(1) %place) {
  %buffer = call ptr addrspace(4) @zluda.params()
  store ptr addrspace(4) %buffer, ptr addrspace(1) %place
  ret void
}

define amdgpu_kernel void @k(ptr addrspace(4) %parameters) #0 {
  %buffer = call ptr addrspace(4) @zluda.params()
  %place = load ptr addrspace(1), ptr addrspace(4) %buffer
  call void @function(ptr addrspace(1) %place)
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

declare ptr addrspace(4) @zluda.params()

define void @function(ptr addrspace(1) %place) {
  %1 = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %2 = getelementptr i8, ptr addrspace(4) %1, i64 -32
  store ptr addrspace(4) %2, ptr addrspace(1) %place, align 8
  ret void
}

define amdgpu_kernel void @k(ptr addrspace(4) %parameters) #0 {
  %place = load ptr addrspace(1), ptr addrspace(4) %parameters, align 8
  call void @function(ptr addrspace(1) %place)
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef align 4 ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr() #1

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
