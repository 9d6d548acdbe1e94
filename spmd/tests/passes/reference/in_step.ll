; Threads that keep step wait for each other before what others of the warp may have still to read or to write. Places in the loop
; come before the one behind it, where threads wait that have left it, although that stands first.
; threads: in step
declare ptr addrspace(4) @zluda.params()
declare i32 @zluda.activemask(i32)

define void @k() #0 {
entry:
  %buffer = call ptr addrspace(4) @zluda.params()
  %out = load ptr addrspace(1), ptr addrspace(4) %buffer
  br label %loop
behind:
  %active = call i32 @zluda.activemask(i32 77)
  store i32 %active, ptr addrspace(1) %out
  ret void
loop:
  %old = load i32, ptr addrspace(1) %out
  %more = add i32 %old, 1
  store i32 %more, ptr addrspace(1) %out
  %new = load i32, ptr addrspace(1) %out
  %next = getelementptr i32, ptr addrspace(1) %out, i32 1
  %same = load i32, ptr addrspace(1) %next
  %again = icmp ult i32 %new, %same
  br i1 %again, label %loop, label %behind
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

@k.kd = constant { i32, i32, i32, i32, ptr, i32, i32, i32, i32, i32 } { i32 1514947396, i32 20, i32 1, i32 129, ptr @k.entry, i32 32, i32 0, i32 0, i32 256, i32 0 }, align 8

declare ptr addrspace(4) @zluda.params()

declare i32 @zluda.activemask(i32)

; Function Attrs: nounwind
define internal void @k.entry(ptr %0, ptr %1) #0 {
entry:
  %2 = getelementptr i8, ptr %0, i64 0
  %3 = load ptr addrspace(4), ptr %2, align 8, !invariant.load !0
  %4 = load ptr addrspace(1), ptr addrspace(4) %3, align 8
  br label %loop

behind:                                           ; preds = %loop
  %5 = getelementptr i8, ptr %0, i64 16
  %6 = load ptr, ptr %5, align 8, !invariant.load !0
  %7 = getelementptr i8, ptr %6, i64 168
  %8 = load ptr, ptr %7, align 8, !invariant.load !0
  %9 = call i64 %8(ptr %1, i32 1, i64 8, i32 -1)
  %10 = trunc i64 %9 to i32
  %11 = getelementptr i8, ptr %0, i64 16
  %12 = load ptr, ptr %11, align 8, !invariant.load !0
  %13 = getelementptr i8, ptr %12, i64 168
  %14 = load ptr, ptr %13, align 8, !invariant.load !0
  %15 = call i64 %14(ptr %1, i32 1, i64 10, i32 -1)
  store i32 %10, ptr addrspace(1) %4, align 4
  ret void

loop:                                             ; preds = %loop, %entry
  %16 = addrspacecast ptr addrspace(1) %4 to ptr
  %17 = getelementptr i8, ptr %0, i64 16
  %18 = load ptr, ptr %17, align 8, !invariant.load !0
  %19 = getelementptr i8, ptr %18, i64 184
  %20 = load ptr, ptr %19, align 8, !invariant.load !0
  %21 = call ptr %20(ptr %1, i32 0, ptr %16, i32 4)
  %22 = addrspacecast ptr %21 to ptr addrspace(1)
  %23 = load i32, ptr addrspace(1) %22, align 4
  %24 = add i32 %23, 1
  %25 = getelementptr i8, ptr %0, i64 16
  %26 = load ptr, ptr %25, align 8, !invariant.load !0
  %27 = getelementptr i8, ptr %26, i64 168
  %28 = load ptr, ptr %27, align 8, !invariant.load !0
  %29 = call i64 %28(ptr %1, i32 1, i64 2, i32 -1)
  store i32 %24, ptr addrspace(1) %4, align 4
  %30 = addrspacecast ptr addrspace(1) %4 to ptr
  %31 = getelementptr i8, ptr %0, i64 16
  %32 = load ptr, ptr %31, align 8, !invariant.load !0
  %33 = getelementptr i8, ptr %32, i64 184
  %34 = load ptr, ptr %33, align 8, !invariant.load !0
  %35 = call ptr %34(ptr %1, i32 4, ptr %30, i32 4)
  %36 = addrspacecast ptr %35 to ptr addrspace(1)
  %37 = load i32, ptr addrspace(1) %36, align 4
  %38 = getelementptr i32, ptr addrspace(1) %4, i32 1
  %39 = addrspacecast ptr addrspace(1) %38 to ptr
  %40 = getelementptr i8, ptr %0, i64 16
  %41 = load ptr, ptr %40, align 8, !invariant.load !0
  %42 = getelementptr i8, ptr %41, i64 184
  %43 = load ptr, ptr %42, align 8, !invariant.load !0
  %44 = call ptr %43(ptr %1, i32 6, ptr %39, i32 4)
  %45 = addrspacecast ptr %44 to ptr addrspace(1)
  %46 = load i32, ptr addrspace(1) %45, align 4
  %47 = icmp ult i32 %37, %46
  br i1 %47, label %loop, label %behind
}

attributes #0 = { nounwind }

!0 = !{}
