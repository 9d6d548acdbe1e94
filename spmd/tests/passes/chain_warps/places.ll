; stack: flat
; Warps that wait at two places. At each end the next warp goes on, if there is one; where it waits at the place that control
; comes to this end from, it goes straight on behind it.
define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) "warp-returns"="warp" {
enter:
  %frames.at = getelementptr i8, ptr %round, i64 72
  %frames = load ptr, ptr %frames.at
  %wide = zext i32 %warp to i64
  %offset = mul i64 %wide, 64
  %frame = getelementptr i8, ptr %frames, i64 %offset
  %place = load i32, ptr %frame
  switch i32 %place, label %first [
    i32 1, label %second
    i32 2, label %third
  ]

first:
  %kept = getelementptr i8, ptr %frame, i64 8
  store i32 %warp, ptr %kept
  store i32 1, ptr %frame
  br label %common.ret

second:
  store i32 2, ptr %frame
  br label %common.ret

third:
  %bit = shl i32 1, %warp
  store i32 %bit, ptr %round
  br label %common.ret

common.ret:
  ret void
}

; becomes

define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) #0 {
begin:
  %0 = alloca i32, align 4
  %1 = alloca i32, align 4
  %2 = alloca ptr, align 8
  store i32 %warp, ptr %0, align 4
  %3 = getelementptr i8, ptr %round, i64 64
  %4 = load i32, ptr %3, align 8
  store i32 %4, ptr %1, align 4
  br label %enter

enter:                                            ; preds = %begin, %more4, %more3, %more
  %5 = load i32, ptr %0, align 4
  %frames.at = getelementptr i8, ptr %round, i64 72
  %frames = load ptr, ptr %frames.at, align 8
  %wide = zext i32 %5 to i64
  %offset = mul i64 %wide, 64
  %frame = getelementptr i8, ptr %frames, i64 %offset
  store ptr %frame, ptr %2, align 8
  %place = load i32, ptr %frame, align 4
  switch i32 %place, label %first [
    i32 1, label %second
    i32 2, label %third
  ]

first:                                            ; preds = %more, %enter
  %6 = load i32, ptr %0, align 4
  %7 = load ptr, ptr %2, align 8
  %kept = getelementptr i8, ptr %7, i64 8
  store i32 %6, ptr %kept, align 4
  store i32 1, ptr %7, align 4
  br label %waits

second:                                           ; preds = %more3, %enter
  %8 = load ptr, ptr %2, align 8
  store i32 2, ptr %8, align 4
  br label %waits1

third:                                            ; preds = %more4, %enter
  %9 = load i32, ptr %0, align 4
  %bit = shl i32 1, %9
  store i32 %bit, ptr %round, align 4
  br label %waits2

common.ret:                                       ; No predecessors!
  unreachable

waits:                                            ; preds = %first
  %10 = load i32, ptr %1, align 4
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %done, label %more

waits1:                                           ; preds = %second
  %12 = load i32, ptr %1, align 4
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %done, label %more3

waits2:                                           ; preds = %third
  %14 = load i32, ptr %1, align 4
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %done, label %more4

done:                                             ; preds = %waits2, %waits1, %waits
  %16 = getelementptr i8, ptr %round, i64 64
  store i32 0, ptr %16, align 8
  ret void

more:                                             ; preds = %waits
  %17 = call i32 @llvm.cttz.i32(i32 %10, i1 true)
  store i32 %17, ptr %0, align 4
  %18 = sub i32 %10, 1
  %19 = and i32 %10, %18
  store i32 %19, ptr %1, align 4
  %20 = getelementptr i8, ptr %round, i64 72
  %21 = load ptr, ptr %20, align 8
  %22 = zext i32 %17 to i64
  %23 = mul i64 %22, 64
  %24 = getelementptr i8, ptr %21, i64 %23
  %25 = load i32, ptr %24, align 4
  store ptr %24, ptr %2, align 8
  switch i32 %25, label %enter [
    i32 0, label %first
  ]

more3:                                            ; preds = %waits1
  %26 = call i32 @llvm.cttz.i32(i32 %12, i1 true)
  store i32 %26, ptr %0, align 4
  %27 = sub i32 %12, 1
  %28 = and i32 %12, %27
  store i32 %28, ptr %1, align 4
  %29 = getelementptr i8, ptr %round, i64 72
  %30 = load ptr, ptr %29, align 8
  %31 = zext i32 %26 to i64
  %32 = mul i64 %31, 64
  %33 = getelementptr i8, ptr %30, i64 %32
  %34 = load i32, ptr %33, align 4
  store ptr %33, ptr %2, align 8
  switch i32 %34, label %enter [
    i32 1, label %second
  ]

more4:                                            ; preds = %waits2
  %35 = call i32 @llvm.cttz.i32(i32 %14, i1 true)
  store i32 %35, ptr %0, align 4
  %36 = sub i32 %14, 1
  %37 = and i32 %14, %36
  store i32 %37, ptr %1, align 4
  %38 = getelementptr i8, ptr %round, i64 72
  %39 = load ptr, ptr %38, align 8
  %40 = zext i32 %35 to i64
  %41 = mul i64 %40, 64
  %42 = getelementptr i8, ptr %39, i64 %41
  %43 = load i32, ptr %42, align 4
  store ptr %42, ptr %2, align 8
  switch i32 %43, label %enter [
    i32 2, label %third
  ]
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.cttz.i32(i32, i1 immarg) #1

attributes #0 = { "warp-returns"="warp" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
