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

@k.kd = constant { i32, i32, i32, i32, ptr, i32, i32, i32, i32, i32 } { i32 1514947396, i32 17, i32 1, i32 129, ptr @k.entry, i32 32, i32 0, i32 0, i32 256, i32 0 }, align 8

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
  %9 = call i64 %8(ptr %1, i32 1, i64 6, i32 -1)
  %10 = trunc i64 %9 to i32
  %11 = getelementptr i8, ptr %0, i64 16
  %12 = load ptr, ptr %11, align 8, !invariant.load !0
  %13 = getelementptr i8, ptr %12, i64 168
  %14 = load ptr, ptr %13, align 8, !invariant.load !0
  %15 = call i64 %14(ptr %1, i32 1, i64 8, i32 -1)
  store i32 %10, ptr addrspace(1) %4, align 4
  ret void

loop:                                             ; preds = %loop, %entry
  %16 = getelementptr i8, ptr %0, i64 16
  %17 = load ptr, ptr %16, align 8, !invariant.load !0
  %18 = getelementptr i8, ptr %17, i64 168
  %19 = load ptr, ptr %18, align 8, !invariant.load !0
  %20 = call i64 %19(ptr %1, i32 1, i64 0, i32 -1)
  %21 = load i32, ptr addrspace(1) %4, align 4
  %22 = add i32 %21, 1
  %23 = getelementptr i8, ptr %0, i64 16
  %24 = load ptr, ptr %23, align 8, !invariant.load !0
  %25 = getelementptr i8, ptr %24, i64 168
  %26 = load ptr, ptr %25, align 8, !invariant.load !0
  %27 = call i64 %26(ptr %1, i32 1, i64 2, i32 -1)
  store i32 %22, ptr addrspace(1) %4, align 4
  %28 = getelementptr i8, ptr %0, i64 16
  %29 = load ptr, ptr %28, align 8, !invariant.load !0
  %30 = getelementptr i8, ptr %29, i64 168
  %31 = load ptr, ptr %30, align 8, !invariant.load !0
  %32 = call i64 %31(ptr %1, i32 1, i64 4, i32 -1)
  %33 = load i32, ptr addrspace(1) %4, align 4
  %34 = getelementptr i32, ptr addrspace(1) %4, i32 1
  %35 = load i32, ptr addrspace(1) %34, align 4
  %36 = icmp ult i32 %33, %35
  br i1 %36, label %loop, label %behind
}

attributes #0 = { nounwind }

!0 = !{}
