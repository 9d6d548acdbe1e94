; ModuleID = 'globals'
source_filename = "globals"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-A5"
target triple = "x86_64-unknown-linux-gnu"

@dynamic = external addrspace(3) global [0 x i8], align 16
@own = internal addrspace(3) global [64 x i8] poison, align 8

; Function Attrs: nounwind
define void @globals() #0 {
entry:
  %0 = call ptr addrspace(4) @zluda.params()
  %1 = getelementptr i8, ptr addrspace(4) %0, i64 8
  %2 = load ptr addrspace(1), ptr addrspace(4) %1, align 8, !invariant.load !0
  %3 = load i64, ptr addrspace(4) %0, align 8, !invariant.load !0
  %4 = atomicrmw add ptr addrspace(1) %2, i32 1 syncscope("agent") monotonic, align 4
  %5 = getelementptr i8, ptr addrspace(1) %2, i64 4
  %6 = getelementptr i8, ptr addrspace(1) %5, i64 4
  %7 = ptrtoint ptr addrspace(1) %6 to i64
  %8 = inttoptr i64 %7 to ptr addrspace(4)
  %9 = load float, ptr addrspace(4) %8, align 4, !invariant.load !0
  store float %9, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @dynamic, i64 8), align 4
  call void @zluda.barrier.sync(i32 0, i32 0)
  %10 = load i32, ptr addrspace(3) @own, align 4
  %11 = inttoptr i64 %3 to ptr addrspace(1)
  %12 = insertelement <2 x i32> poison, i32 %4, i32 0
  %13 = insertelement <2 x i32> %12, i32 %10, i32 1
  store <2 x i32> %13, ptr addrspace(1) %11, align 8
  ret void
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare ptr addrspace(4) @zluda.params() #1

; Function Attrs: convergent nounwind
declare void @zluda.barrier.sync(i32, i32) #2

attributes #0 = { nounwind "zluda-kernel" "zluda-max-threads"="1024" "zluda-param-size"="32" "zluda-static-shared"="64" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nounwind }

!0 = !{}
