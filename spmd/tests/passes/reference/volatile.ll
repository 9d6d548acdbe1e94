; One lane, of which the engine says who it is; the thread yields before an access through which it may wait for another one.
declare ptr addrspace(4) @zluda.params()
declare i32 @zluda.tid.x()

define void @k() #0 {
  %buffer = call ptr addrspace(4) @zluda.params()
  %out = load ptr addrspace(1), ptr addrspace(4) %buffer
  %lane = call i32 @zluda.tid.x()
  %old = load volatile i32, ptr addrspace(1) %out
  %sum = add i32 %old, %lane
  store i32 %sum, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

@k.kd = constant { i32, i32, i32, i32, ptr, i32, i32, i32, i32, i32 } { i32 1514947396, i32 20, i32 1, i32 1, ptr @k.entry, i32 32, i32 0, i32 0, i32 256, i32 0 }, align 8

declare ptr addrspace(4) @zluda.params()

declare i32 @zluda.tid.x()

; Function Attrs: nounwind
define internal void @k.entry(ptr %0, ptr %1) #0 {
  %3 = getelementptr i8, ptr %0, i64 0
  %4 = load ptr addrspace(4), ptr %3, align 8, !invariant.load !0
  %5 = load ptr addrspace(1), ptr addrspace(4) %4, align 8
  %6 = getelementptr i8, ptr %1, i64 0
  %7 = load i32, ptr %6, align 4, !invariant.load !0
  %8 = getelementptr i8, ptr %1, i64 16
  %9 = load i32, ptr %8, align 4, !invariant.load !0
  %10 = getelementptr i8, ptr %0, i64 16
  %11 = load ptr, ptr %10, align 8, !invariant.load !0
  %12 = getelementptr i8, ptr %11, i64 24
  %13 = load ptr, ptr %12, align 8, !invariant.load !0
  call void %13(ptr %0, i32 %9, i32 0)
  %14 = load volatile i32, ptr addrspace(1) %5, align 4
  %15 = add i32 %14, %7
  store i32 %15, ptr addrspace(1) %5, align 4
  ret void
}

attributes #0 = { nounwind }

!0 = !{}
