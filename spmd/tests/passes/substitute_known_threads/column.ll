; The first column's threads load and store by addresses made of 0; those behind both ways, and those of others, stay.
declare i32 @zluda.tid.x()
declare i32 @llvm.smax.i32(i32, i32)

define void @k(i32 %first, ptr addrspace(1) %p) #0 {
  %x = call i32 @zluda.tid.x()
  %i = add nsw i32 %first, %x
  %before = add i32 %i, -1
  %inside = call i32 @llvm.smax.i32(i32 %before, i32 0)
  %wide = sext i32 %inside to i64
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %wide
  %other = icmp ne i32 %x, 0
  br i1 %other, label %all, label %one

one:
  %value = load i32, ptr addrspace(1) %at
  %deep = icmp eq i32 %value, 0
  br i1 %deep, label %more, label %all

more:
  %up = getelementptr i8, ptr addrspace(1) %at, i64 64
  store i32 %value, ptr addrspace(1) %up
  store i32 %value, ptr addrspace(1) %p
  br label %all

all:
  store i32 1, ptr addrspace(1) %at
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

declare i32 @zluda.tid.x()

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #0

define void @k(i32 %first, ptr addrspace(1) %p) #1 {
  %x = call i32 @zluda.tid.x()
  %i = add nsw i32 %first, %x
  %before = add i32 %i, -1
  %inside = call i32 @llvm.smax.i32(i32 %before, i32 0)
  %wide = sext i32 %inside to i64
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %wide
  %other = icmp ne i32 %x, 0
  br i1 %other, label %all, label %one

one:                                              ; preds = %0
  %1 = add nsw i32 %first, 0
  %2 = add i32 %1, -1
  %3 = call i32 @llvm.smax.i32(i32 %2, i32 0)
  %4 = sext i32 %3 to i64
  %5 = getelementptr i32, ptr addrspace(1) %p, i64 %4
  %value = load i32, ptr addrspace(1) %5, align 4
  %deep = icmp eq i32 %value, 0
  br i1 %deep, label %more, label %all

more:                                             ; preds = %one
  %up = getelementptr i8, ptr addrspace(1) %at, i64 64
  %6 = add nsw i32 %first, 0
  %7 = add i32 %6, -1
  %8 = call i32 @llvm.smax.i32(i32 %7, i32 0)
  %9 = sext i32 %8 to i64
  %10 = getelementptr i32, ptr addrspace(1) %p, i64 %9
  %11 = getelementptr i8, ptr addrspace(1) %10, i64 64
  store i32 %value, ptr addrspace(1) %11, align 4
  store i32 %value, ptr addrspace(1) %p, align 4
  br label %all

all:                                              ; preds = %more, %one, %0
  store i32 1, ptr addrspace(1) %at, align 4
  ret void
}

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #1 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
