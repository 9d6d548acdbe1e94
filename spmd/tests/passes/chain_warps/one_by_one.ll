; stack: flat
; cpu: x86-64-v4
; Warps go on one by one where an address is made of the warp's number, where what they write is not in the frame, and where what they
; read is volatile.
define void @other_rows(ptr %block, i32 %warp, i32 %mask, ptr %round) "warp-returns"="other_rows" {
enter:
  %frames = load ptr, ptr %round
  %wide = zext i32 %warp to i64
  %frame = getelementptr i8, ptr %frames, i64 %wide
  %place = load i32, ptr %frame
  %is.first = icmp eq i32 %place, 0
  br i1 %is.first, label %first, label %second

first:
  store i32 1, ptr %frame
  ret void

second:
  %rows.at = getelementptr i8, ptr %frame, i64 8
  %held = load ptr, ptr %rows.at
  %rows = getelementptr i8, ptr %held, i32 %warp
  %a = load <32 x i32>, ptr %rows
  %b.at = getelementptr i8, ptr %rows, i64 128
  %b = load <32 x i32>, ptr %b.at
  %c.at = getelementptr i8, ptr %rows, i64 256
  %c = load <32 x i32>, ptr %c.at
  %d.at = getelementptr i8, ptr %rows, i64 384
  %d = load <32 x i32>, ptr %d.at
  %ab = xor <32 x i32> %a, %b
  %cd = xor <32 x i32> %c, %d
  %all = xor <32 x i32> %ab, %cd
  %sum.at = getelementptr i8, ptr %frame, i64 64
  store <32 x i32> %all, ptr %sum.at
  ret void
}

define void @elsewhere(ptr %block, i32 %warp, i32 %mask, ptr %round) "warp-returns"="elsewhere" {
enter:
  %frames = load ptr, ptr %round
  %wide = zext i32 %warp to i64
  %frame = getelementptr i8, ptr %frames, i64 %wide
  %place = load i32, ptr %frame
  %is.first = icmp eq i32 %place, 0
  br i1 %is.first, label %first, label %second

first:
  store i32 1, ptr %frame
  ret void

second:
  %rows.at = getelementptr i8, ptr %frame, i64 8
  %rows = load ptr, ptr %rows.at
  %a = load <32 x i32>, ptr %rows
  %b.at = getelementptr i8, ptr %rows, i64 128
  %b = load <32 x i32>, ptr %b.at
  %c.at = getelementptr i8, ptr %rows, i64 256
  %c = load <32 x i32>, ptr %c.at
  %d.at = getelementptr i8, ptr %rows, i64 384
  %d = load <32 x i32>, ptr %d.at
  %ab = xor <32 x i32> %a, %b
  %cd = xor <32 x i32> %c, %d
  %all = xor <32 x i32> %ab, %cd
  %sum.at = getelementptr i8, ptr %rows, i64 64
  store <32 x i32> %all, ptr %sum.at
  ret void
}

define void @volatile_rows(ptr %block, i32 %warp, i32 %mask, ptr %round) "warp-returns"="volatile_rows" {
enter:
  %frames = load ptr, ptr %round
  %wide = zext i32 %warp to i64
  %frame = getelementptr i8, ptr %frames, i64 %wide
  %place = load i32, ptr %frame
  %is.first = icmp eq i32 %place, 0
  br i1 %is.first, label %first, label %second

first:
  store i32 1, ptr %frame
  ret void

second:
  %rows.at = getelementptr i8, ptr %frame, i64 8
  %rows = load ptr, ptr %rows.at
  %a = load volatile <32 x i32>, ptr %rows
  %b.at = getelementptr i8, ptr %rows, i64 128
  %b = load <32 x i32>, ptr %b.at
  %c.at = getelementptr i8, ptr %rows, i64 256
  %c = load <32 x i32>, ptr %c.at
  %d.at = getelementptr i8, ptr %rows, i64 384
  %d = load <32 x i32>, ptr %d.at
  %ab = xor <32 x i32> %a, %b
  %cd = xor <32 x i32> %c, %d
  %all = xor <32 x i32> %ab, %cd
  %sum.at = getelementptr i8, ptr %frame, i64 64
  store <32 x i32> %all, ptr %sum.at
  ret void
}

; becomes

define void @other_rows(ptr %block, i32 %warp, i32 %mask, ptr %round) #0 {
begin:
  %0 = alloca i32, align 4
  %1 = alloca i32, align 4
  %2 = alloca ptr, align 8
  store i32 %warp, ptr %0, align 4
  %3 = getelementptr i8, ptr %round, i64 64
  %4 = load i32, ptr %3, align 8
  store i32 %4, ptr %1, align 4
  br label %enter

enter:                                            ; preds = %begin, %more1, %more
  %5 = load i32, ptr %0, align 4
  %frames = load ptr, ptr %round, align 8
  %wide = zext i32 %5 to i64
  %frame = getelementptr i8, ptr %frames, i64 %wide
  store ptr %frame, ptr %2, align 8
  %place = load i32, ptr %frame, align 4
  %is.first = icmp eq i32 %place, 0
  br i1 %is.first, label %first, label %second

first:                                            ; preds = %more, %enter
  %6 = load ptr, ptr %2, align 8
  store i32 1, ptr %6, align 4
  %7 = load i32, ptr %1, align 4
  %8 = icmp eq i32 %7, 0
  br i1 %8, label %done, label %more

second:                                           ; preds = %more1, %enter
  %9 = load i32, ptr %0, align 4
  %10 = load ptr, ptr %2, align 8
  %rows.at = getelementptr i8, ptr %10, i64 8
  %held = load ptr, ptr %rows.at, align 8
  %rows = getelementptr i8, ptr %held, i32 %9
  %a = load <32 x i32>, ptr %rows, align 128
  %b.at = getelementptr i8, ptr %rows, i64 128
  %b = load <32 x i32>, ptr %b.at, align 128
  %c.at = getelementptr i8, ptr %rows, i64 256
  %c = load <32 x i32>, ptr %c.at, align 128
  %d.at = getelementptr i8, ptr %rows, i64 384
  %d = load <32 x i32>, ptr %d.at, align 128
  %ab = xor <32 x i32> %a, %b
  %cd = xor <32 x i32> %c, %d
  %all = xor <32 x i32> %ab, %cd
  %sum.at = getelementptr i8, ptr %10, i64 64
  store <32 x i32> %all, ptr %sum.at, align 128
  %11 = load i32, ptr %1, align 4
  %12 = icmp eq i32 %11, 0
  br i1 %12, label %done, label %more1

done:                                             ; preds = %second, %first
  %13 = getelementptr i8, ptr %round, i64 64
  store i32 0, ptr %13, align 8
  ret void

more:                                             ; preds = %first
  %14 = call i32 @llvm.cttz.i32(i32 %7, i1 true)
  store i32 %14, ptr %0, align 4
  %15 = sub i32 %7, 1
  %16 = and i32 %7, %15
  store i32 %16, ptr %1, align 4
  %17 = load ptr, ptr %round, align 8
  %18 = zext i32 %14 to i64
  %19 = getelementptr i8, ptr %17, i64 %18
  %20 = load i32, ptr %19, align 4
  %21 = icmp eq i32 %20, 0
  store ptr %19, ptr %2, align 8
  br i1 %21, label %first, label %enter

more1:                                            ; preds = %second
  %22 = call i32 @llvm.cttz.i32(i32 %11, i1 true)
  store i32 %22, ptr %0, align 4
  %23 = sub i32 %11, 1
  %24 = and i32 %11, %23
  store i32 %24, ptr %1, align 4
  %25 = load ptr, ptr %round, align 8
  %26 = zext i32 %22 to i64
  %27 = getelementptr i8, ptr %25, i64 %26
  %28 = load i32, ptr %27, align 4
  %29 = icmp eq i32 %28, 0
  store ptr %27, ptr %2, align 8
  br i1 %29, label %enter, label %second
}

define void @elsewhere(ptr %block, i32 %warp, i32 %mask, ptr %round) #1 {
begin:
  %0 = alloca i32, align 4
  %1 = alloca i32, align 4
  %2 = alloca ptr, align 8
  store i32 %warp, ptr %0, align 4
  %3 = getelementptr i8, ptr %round, i64 64
  %4 = load i32, ptr %3, align 8
  store i32 %4, ptr %1, align 4
  br label %enter

enter:                                            ; preds = %begin, %more1, %more
  %5 = load i32, ptr %0, align 4
  %frames = load ptr, ptr %round, align 8
  %wide = zext i32 %5 to i64
  %frame = getelementptr i8, ptr %frames, i64 %wide
  store ptr %frame, ptr %2, align 8
  %place = load i32, ptr %frame, align 4
  %is.first = icmp eq i32 %place, 0
  br i1 %is.first, label %first, label %second

first:                                            ; preds = %more, %enter
  %6 = load ptr, ptr %2, align 8
  store i32 1, ptr %6, align 4
  %7 = load i32, ptr %1, align 4
  %8 = icmp eq i32 %7, 0
  br i1 %8, label %done, label %more

second:                                           ; preds = %more1, %enter
  %9 = load ptr, ptr %2, align 8
  %rows.at = getelementptr i8, ptr %9, i64 8
  %rows = load ptr, ptr %rows.at, align 8
  %a = load <32 x i32>, ptr %rows, align 128
  %b.at = getelementptr i8, ptr %rows, i64 128
  %b = load <32 x i32>, ptr %b.at, align 128
  %c.at = getelementptr i8, ptr %rows, i64 256
  %c = load <32 x i32>, ptr %c.at, align 128
  %d.at = getelementptr i8, ptr %rows, i64 384
  %d = load <32 x i32>, ptr %d.at, align 128
  %ab = xor <32 x i32> %a, %b
  %cd = xor <32 x i32> %c, %d
  %all = xor <32 x i32> %ab, %cd
  %sum.at = getelementptr i8, ptr %rows, i64 64
  store <32 x i32> %all, ptr %sum.at, align 128
  %10 = load i32, ptr %1, align 4
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %done, label %more1

done:                                             ; preds = %second, %first
  %12 = getelementptr i8, ptr %round, i64 64
  store i32 0, ptr %12, align 8
  ret void

more:                                             ; preds = %first
  %13 = call i32 @llvm.cttz.i32(i32 %7, i1 true)
  store i32 %13, ptr %0, align 4
  %14 = sub i32 %7, 1
  %15 = and i32 %7, %14
  store i32 %15, ptr %1, align 4
  %16 = load ptr, ptr %round, align 8
  %17 = zext i32 %13 to i64
  %18 = getelementptr i8, ptr %16, i64 %17
  %19 = load i32, ptr %18, align 4
  %20 = icmp eq i32 %19, 0
  store ptr %18, ptr %2, align 8
  br i1 %20, label %first, label %enter

more1:                                            ; preds = %second
  %21 = call i32 @llvm.cttz.i32(i32 %10, i1 true)
  store i32 %21, ptr %0, align 4
  %22 = sub i32 %10, 1
  %23 = and i32 %10, %22
  store i32 %23, ptr %1, align 4
  %24 = load ptr, ptr %round, align 8
  %25 = zext i32 %21 to i64
  %26 = getelementptr i8, ptr %24, i64 %25
  %27 = load i32, ptr %26, align 4
  %28 = icmp eq i32 %27, 0
  store ptr %26, ptr %2, align 8
  br i1 %28, label %enter, label %second
}

define void @volatile_rows(ptr %block, i32 %warp, i32 %mask, ptr %round) #2 {
begin:
  %0 = alloca i32, align 4
  %1 = alloca i32, align 4
  %2 = alloca ptr, align 8
  store i32 %warp, ptr %0, align 4
  %3 = getelementptr i8, ptr %round, i64 64
  %4 = load i32, ptr %3, align 8
  store i32 %4, ptr %1, align 4
  br label %enter

enter:                                            ; preds = %begin, %more1, %more
  %5 = load i32, ptr %0, align 4
  %frames = load ptr, ptr %round, align 8
  %wide = zext i32 %5 to i64
  %frame = getelementptr i8, ptr %frames, i64 %wide
  store ptr %frame, ptr %2, align 8
  %place = load i32, ptr %frame, align 4
  %is.first = icmp eq i32 %place, 0
  br i1 %is.first, label %first, label %second

first:                                            ; preds = %more, %enter
  %6 = load ptr, ptr %2, align 8
  store i32 1, ptr %6, align 4
  %7 = load i32, ptr %1, align 4
  %8 = icmp eq i32 %7, 0
  br i1 %8, label %done, label %more

second:                                           ; preds = %more1, %enter
  %9 = load ptr, ptr %2, align 8
  %rows.at = getelementptr i8, ptr %9, i64 8
  %rows = load ptr, ptr %rows.at, align 8
  %a = load volatile <32 x i32>, ptr %rows, align 128
  %b.at = getelementptr i8, ptr %rows, i64 128
  %b = load <32 x i32>, ptr %b.at, align 128
  %c.at = getelementptr i8, ptr %rows, i64 256
  %c = load <32 x i32>, ptr %c.at, align 128
  %d.at = getelementptr i8, ptr %rows, i64 384
  %d = load <32 x i32>, ptr %d.at, align 128
  %ab = xor <32 x i32> %a, %b
  %cd = xor <32 x i32> %c, %d
  %all = xor <32 x i32> %ab, %cd
  %sum.at = getelementptr i8, ptr %9, i64 64
  store <32 x i32> %all, ptr %sum.at, align 128
  %10 = load i32, ptr %1, align 4
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %done, label %more1

done:                                             ; preds = %second, %first
  %12 = getelementptr i8, ptr %round, i64 64
  store i32 0, ptr %12, align 8
  ret void

more:                                             ; preds = %first
  %13 = call i32 @llvm.cttz.i32(i32 %7, i1 true)
  store i32 %13, ptr %0, align 4
  %14 = sub i32 %7, 1
  %15 = and i32 %7, %14
  store i32 %15, ptr %1, align 4
  %16 = load ptr, ptr %round, align 8
  %17 = zext i32 %13 to i64
  %18 = getelementptr i8, ptr %16, i64 %17
  %19 = load i32, ptr %18, align 4
  %20 = icmp eq i32 %19, 0
  store ptr %18, ptr %2, align 8
  br i1 %20, label %first, label %enter

more1:                                            ; preds = %second
  %21 = call i32 @llvm.cttz.i32(i32 %10, i1 true)
  store i32 %21, ptr %0, align 4
  %22 = sub i32 %10, 1
  %23 = and i32 %10, %22
  store i32 %23, ptr %1, align 4
  %24 = load ptr, ptr %round, align 8
  %25 = zext i32 %21 to i64
  %26 = getelementptr i8, ptr %24, i64 %25
  %27 = load i32, ptr %26, align 4
  %28 = icmp eq i32 %27, 0
  store ptr %26, ptr %2, align 8
  br i1 %28, label %enter, label %second
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.cttz.i32(i32, i1 immarg) #3

attributes #0 = { "warp-returns"="other_rows" }
attributes #1 = { "warp-returns"="elsewhere" }
attributes #2 = { "warp-returns"="volatile_rows" }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
