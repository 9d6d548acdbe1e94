; The stack is LLVM's, whose pointers have 32 bits; alignments below 8 become 8.
declare i64 @zluda.lane.alloca(i64, i64, i64)
declare i64 @zluda.lane.stacksave(i64)
declare i64 @zluda.lane.stackrestore(i64, i64)

define void @k(i64 %thread, i64 %bytes, ptr addrspace(1) %place) #0 {
  %before = call i64 @zluda.lane.stacksave(i64 %thread)
  %small = call i64 @zluda.lane.alloca(i64 %thread, i64 %bytes, i64 4)
  %large = call i64 @zluda.lane.alloca(i64 %thread, i64 %bytes, i64 64)
  store i64 %small, ptr addrspace(1) %place
  store i64 %large, ptr addrspace(1) %place
  %gone = call i64 @zluda.lane.stackrestore(i64 %thread, i64 %before)
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

declare i64 @zluda.lane.alloca(i64, i64, i64)

declare i64 @zluda.lane.stacksave(i64)

declare i64 @zluda.lane.stackrestore(i64, i64)

define void @k(i64 %thread, i64 %bytes, ptr addrspace(1) %place) #0 {
  %1 = call ptr addrspace(5) @llvm.stacksave.p5()
  %2 = ptrtoint ptr addrspace(5) %1 to i32
  %3 = zext i32 %2 to i64
  %4 = trunc i64 %bytes to i32
  %5 = alloca i8, i32 %4, align 8, addrspace(5)
  %6 = addrspacecast ptr addrspace(5) %5 to ptr
  %7 = ptrtoint ptr %6 to i64
  %8 = trunc i64 %bytes to i32
  %9 = alloca i8, i32 %8, align 64, addrspace(5)
  %10 = addrspacecast ptr addrspace(5) %9 to ptr
  %11 = ptrtoint ptr %10 to i64
  store i64 %7, ptr addrspace(1) %place, align 4
  store i64 %11, ptr addrspace(1) %place, align 4
  %12 = trunc i64 %3 to i32
  %13 = inttoptr i32 %12 to ptr addrspace(5)
  call void @llvm.stackrestore.p5(ptr addrspace(5) %13)
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare ptr addrspace(5) @llvm.stacksave.p5() #1

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.stackrestore.p5(ptr addrspace(5)) #1

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
attributes #1 = { nocallback nofree nosync nounwind willreturn }
