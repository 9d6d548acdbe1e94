; stack: flat
; Variables on the stack: one that is used on both sides, one behind the wait alone, and one whose address goes somewhere.
declare void @wait.for.warps()
declare void @keep(ptr)
declare void @llvm.lifetime.start.p0(ptr)

define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) {
slots:
  %both = alloca [8 x i32], align 4
  %behind = alloca [16 x i32], align 4
  %seen = alloca i64, align 8
  call void @llvm.lifetime.start.p0(ptr %both)
  %place = getelementptr i32, ptr %both, i32 %warp
  store i32 1, ptr %place
  call void @keep(ptr %seen)
  call void @wait.for.warps()
  %again = getelementptr i32, ptr %both, i32 %mask
  %value = load i32, ptr %again
  %other = getelementptr i32, ptr %behind, i32 %mask
  store i32 %value, ptr %other
  %result = load i32, ptr %behind
  store i32 %result, ptr %block
  ret void
}

; becomes

declare void @keep(ptr)

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #0

define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) {
enter:
  %0 = getelementptr i8, ptr %round, i64 64
  %1 = load ptr, ptr %0, align 8
  %2 = getelementptr i8, ptr %1, i64 64
  %3 = alloca [16 x i32], align 4
  %4 = getelementptr i8, ptr %1, i64 128
  %5 = load i32, ptr %1, align 4
  switch i32 %5, label %slots [
    i32 1, label %resume
  ]

slots:                                            ; preds = %enter
  %place = getelementptr i32, ptr %2, i32 %warp
  store i32 1, ptr %place, align 4
  call void @keep(ptr %4)
  store i32 1, ptr %1, align 4
  ret void

behind1:                                          ; preds = %resume
  %6 = getelementptr i32, ptr %2, i32 %mask
  %7 = load i32, ptr %6, align 4
  %8 = getelementptr i32, ptr %3, i32 %mask
  store i32 %7, ptr %8, align 4
  %9 = load i32, ptr %3, align 4
  store i32 %9, ptr %block, align 4
  %10 = shl i32 1, %warp
  %11 = getelementptr i8, ptr %round, i64 0
  %12 = load i32, ptr %11, align 8
  %13 = or i32 %12, %10
  %14 = getelementptr i8, ptr %round, i64 0
  store i32 %13, ptr %14, align 8
  ret void

resume:                                           ; preds = %enter
  br label %behind1
}

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
