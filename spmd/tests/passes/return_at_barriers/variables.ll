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

@frame.size = internal constant i64 192

declare void @keep(ptr)

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #0

define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) #1 {
enter:
  %0 = getelementptr i8, ptr %round, i64 72
  %1 = load ptr, ptr %0, align 8
  %2 = load i64, ptr @frame.size, align 8
  %3 = zext i32 %warp to i64
  %4 = mul i64 %2, %3
  %5 = getelementptr i8, ptr %1, i64 %4
  %6 = getelementptr i8, ptr %5, i64 64
  %7 = alloca [16 x i32], align 4
  %8 = getelementptr i8, ptr %5, i64 128
  %9 = load i32, ptr %5, align 4
  switch i32 %9, label %slots [
    i32 1, label %resume
  ]

slots:                                            ; preds = %enter
  %place = getelementptr i32, ptr %6, i32 %warp
  store i32 1, ptr %place, align 4
  call void @keep(ptr %8)
  store i32 1, ptr %5, align 4
  ret void

behind1:                                          ; preds = %resume
  %10 = getelementptr i32, ptr %6, i32 %mask
  %11 = load i32, ptr %10, align 4
  %12 = getelementptr i32, ptr %7, i32 %mask
  store i32 %11, ptr %12, align 4
  %13 = load i32, ptr %7, align 4
  store i32 %13, ptr %block, align 4
  %14 = shl i32 1, %warp
  %15 = getelementptr i8, ptr %round, i64 0
  %16 = load i32, ptr %15, align 8
  %17 = or i32 %16, %14
  %18 = getelementptr i8, ptr %round, i64 0
  store i32 %17, ptr %18, align 8
  ret void

resume:                                           ; preds = %enter
  br label %behind1
}

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #1 = { "warp-returns"="warp" }
