; ModuleID = 'vector_add'
source_filename = "vector_add"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-A5"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: nounwind
define void @vector_add() #0 {
entry:
  %0 = call ptr addrspace(4) @zluda.params()
  %1 = load i64, ptr addrspace(4) %0, align 8, !invariant.load !0
  %2 = getelementptr i8, ptr addrspace(4) %0, i64 8
  %3 = load i64, ptr addrspace(4) %2, align 8, !invariant.load !0
  %4 = getelementptr i8, ptr addrspace(4) %0, i64 16
  %5 = load i32, ptr addrspace(4) %4, align 4, !invariant.load !0
  %6 = call i32 @zluda.ctaid.x()
  %7 = call i32 @zluda.ntid.x()
  %8 = call i32 @zluda.tid.x()
  %9 = mul i32 %6, %7
  %10 = add i32 %9, %8
  %11 = icmp sge i32 %10, %5
  br i1 %11, label %end, label %next

next:                                             ; preds = %entry
  %12 = sext i32 %10 to i64
  %13 = mul i64 %12, 4
  %14 = add i64 %1, %13
  %15 = add i64 %3, %13
  %16 = inttoptr i64 %14 to ptr addrspace(1)
  %17 = load float, ptr addrspace(1) %16, align 4
  %18 = inttoptr i64 %15 to ptr addrspace(1)
  %19 = load float, ptr addrspace(1) %18, align 4
  %20 = fadd float %17, %19
  %21 = bitcast float %20 to i32
  %22 = fcmp uno float %20, %20
  %23 = select i1 %22, i32 2147483647, i32 %21
  %24 = bitcast i32 %23 to float
  store float %24, ptr addrspace(1) %18, align 4
  br label %end

end:                                              ; preds = %entry, %next
  ret void
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare ptr addrspace(4) @zluda.params() #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @zluda.ctaid.x() #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @zluda.ntid.x() #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare range(i32 0, 256) i32 @zluda.tid.x() #1

attributes #0 = { nounwind "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="48" "zluda-static-shared"="0" }
attributes #1 = { nounwind speculatable willreturn memory(none) }

!0 = !{}
