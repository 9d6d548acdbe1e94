; stack: flat
; Four rows by an address that the frame holds: two warps (four if they kept less) go on side by side if the next one has not been
; called, waits at the same place, and has the same address. The factor may be another one for each.
define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) "warp-returns"="warp" {
enter:
  %frames.at = getelementptr i8, ptr %round, i64 72
  %frames = load ptr, ptr %frames.at
  %wide = zext i32 %warp to i64
  %offset = mul i64 %wide, 320
  %frame = getelementptr i8, ptr %frames, i64 %offset
  %place = load i32, ptr %frame
  switch i32 %place, label %first [
    i32 1, label %second
    i32 2, label %third
  ]

first:
  store i32 1, ptr %frame
  br label %common.ret

second:
  %rows.at = getelementptr i8, ptr %frame, i64 8
  %rows = load ptr, ptr %rows.at
  %factor.at = getelementptr i8, ptr %frame, i64 16
  %factor = load i32, ptr %factor.at
  %some = insertelement <32 x i32> poison, i32 %factor, i64 0
  %factors = shufflevector <32 x i32> %some, <32 x i32> poison, <32 x i32> zeroinitializer
  %sum.at = getelementptr i8, ptr %frame, i64 64
  %sum = load <32 x i32>, ptr %sum.at
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
  %product = mul <32 x i32> %all, %factors
  %more = add <32 x i32> %sum, %product
  store <32 x i32> %more, ptr %sum.at
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

enter:                                            ; preds = %begin, %more6, %more5, %more4, %more3
  %5 = load i32, ptr %0, align 4
  %frames.at = getelementptr i8, ptr %round, i64 72
  %frames = load ptr, ptr %frames.at, align 8
  %wide = zext i32 %5 to i64
  %offset = mul i64 %wide, 320
  %frame = getelementptr i8, ptr %frames, i64 %offset
  store ptr %frame, ptr %2, align 8
  %place = load i32, ptr %frame, align 4
  switch i32 %place, label %first [
    i32 1, label %ask
    i32 2, label %third
  ]

first:                                            ; preds = %more3, %enter
  %6 = load ptr, ptr %2, align 8
  store i32 1, ptr %6, align 4
  br label %waits

second:                                           ; preds = %look, %ask
  %7 = load ptr, ptr %2, align 8
  %rows.at = getelementptr i8, ptr %7, i64 8
  %rows = load ptr, ptr %rows.at, align 8
  %factor.at = getelementptr i8, ptr %7, i64 16
  %factor = load i32, ptr %factor.at, align 4
  %some = insertelement <32 x i32> poison, i32 %factor, i64 0
  %factors = shufflevector <32 x i32> %some, <32 x i32> poison, <32 x i32> zeroinitializer
  %sum.at = getelementptr i8, ptr %7, i64 64
  %sum = load <32 x i32>, ptr %sum.at, align 128
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
  %product = mul <32 x i32> %all, %factors
  %more = add <32 x i32> %sum, %product
  store <32 x i32> %more, ptr %sum.at, align 128
  store i32 2, ptr %7, align 4
  br label %waits1

third:                                            ; preds = %more5, %enter
  %8 = load i32, ptr %0, align 4
  %bit = shl i32 1, %8
  store i32 %bit, ptr %round, align 4
  br label %waits2

common.ret:                                       ; No predecessors!
  unreachable

waits:                                            ; preds = %first
  %9 = load i32, ptr %1, align 4
  %10 = icmp eq i32 %9, 0
  br i1 %10, label %done, label %more3

waits1:                                           ; preds = %second
  %11 = load i32, ptr %1, align 4
  %12 = icmp eq i32 %11, 0
  br i1 %12, label %done, label %more4

waits2:                                           ; preds = %third
  %13 = load i32, ptr %1, align 4
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %done, label %more5

ask:                                              ; preds = %more6, %more4, %enter
  %15 = load i32, ptr %0, align 4
  %16 = load i32, ptr %1, align 4
  %17 = lshr i32 %16, %15
  %18 = and i32 %17, 2
  %19 = icmp eq i32 %18, 2
  br i1 %19, label %look, label %second

look:                                             ; preds = %ask
  %20 = load i32, ptr %0, align 4
  %21 = load ptr, ptr %2, align 8
  %22 = add i32 %20, 1
  %23 = getelementptr i8, ptr %round, i64 72
  %24 = load ptr, ptr %23, align 8
  %25 = zext i32 %22 to i64
  %26 = mul i64 %25, 320
  %27 = getelementptr i8, ptr %24, i64 %26
  %28 = load i32, ptr %27, align 4
  %29 = icmp eq i32 %28, 1
  %30 = and i1 true, %29
  %31 = getelementptr i8, ptr %21, i64 8
  %32 = load ptr, ptr %31, align 8
  %33 = getelementptr i8, ptr %27, i64 8
  %34 = load ptr, ptr %33, align 8
  %35 = icmp eq ptr %32, %34
  %36 = and i1 %30, %35
  br i1 %36, label %side.by.side, label %second

side.by.side:                                     ; preds = %look
  %37 = load i32, ptr %0, align 4
  %38 = load ptr, ptr %2, align 8
  %39 = shl i32 2, %37
  %40 = xor i32 %39, -1
  %41 = and i32 %16, %40
  store i32 %41, ptr %1, align 4
  %42 = getelementptr i8, ptr %38, i64 16
  %43 = getelementptr i8, ptr %27, i64 16
  %44 = load i32, ptr %42, align 4
  %45 = load i32, ptr %43, align 4
  %46 = insertelement <32 x i32> poison, i32 %44, i64 0
  %47 = insertelement <32 x i32> poison, i32 %45, i64 0
  %48 = shufflevector <32 x i32> %46, <32 x i32> poison, <32 x i32> zeroinitializer
  %49 = shufflevector <32 x i32> %47, <32 x i32> poison, <32 x i32> zeroinitializer
  %50 = getelementptr i8, ptr %38, i64 64
  %51 = getelementptr i8, ptr %27, i64 64
  %52 = load <32 x i32>, ptr %50, align 128
  %53 = load <32 x i32>, ptr %51, align 128
  %54 = load <32 x i32>, ptr %32, align 128
  %55 = getelementptr i8, ptr %32, i64 128
  %56 = load <32 x i32>, ptr %55, align 128
  %57 = getelementptr i8, ptr %32, i64 256
  %58 = load <32 x i32>, ptr %57, align 128
  %59 = getelementptr i8, ptr %32, i64 384
  %60 = load <32 x i32>, ptr %59, align 128
  %61 = xor <32 x i32> %54, %56
  %62 = xor <32 x i32> %58, %60
  %63 = xor <32 x i32> %61, %62
  %64 = mul <32 x i32> %63, %48
  %65 = mul <32 x i32> %63, %49
  %66 = add <32 x i32> %52, %64
  %67 = add <32 x i32> %53, %65
  store <32 x i32> %66, ptr %50, align 128
  store <32 x i32> %67, ptr %51, align 128
  store i32 2, ptr %38, align 4
  store i32 2, ptr %27, align 4
  %68 = load i32, ptr %1, align 4
  %69 = icmp eq i32 %68, 0
  br i1 %69, label %done, label %more6

done:                                             ; preds = %side.by.side, %waits2, %waits1, %waits
  %70 = getelementptr i8, ptr %round, i64 64
  store i32 0, ptr %70, align 8
  ret void

more3:                                            ; preds = %waits
  %71 = call i32 @llvm.cttz.i32(i32 %9, i1 true)
  store i32 %71, ptr %0, align 4
  %72 = sub i32 %9, 1
  %73 = and i32 %9, %72
  store i32 %73, ptr %1, align 4
  %74 = getelementptr i8, ptr %round, i64 72
  %75 = load ptr, ptr %74, align 8
  %76 = zext i32 %71 to i64
  %77 = mul i64 %76, 320
  %78 = getelementptr i8, ptr %75, i64 %77
  %79 = load i32, ptr %78, align 4
  store ptr %78, ptr %2, align 8
  switch i32 %79, label %enter [
    i32 0, label %first
  ]

more4:                                            ; preds = %waits1
  %80 = call i32 @llvm.cttz.i32(i32 %11, i1 true)
  store i32 %80, ptr %0, align 4
  %81 = sub i32 %11, 1
  %82 = and i32 %11, %81
  store i32 %82, ptr %1, align 4
  %83 = getelementptr i8, ptr %round, i64 72
  %84 = load ptr, ptr %83, align 8
  %85 = zext i32 %80 to i64
  %86 = mul i64 %85, 320
  %87 = getelementptr i8, ptr %84, i64 %86
  %88 = load i32, ptr %87, align 4
  store ptr %87, ptr %2, align 8
  switch i32 %88, label %enter [
    i32 1, label %ask
  ]

more5:                                            ; preds = %waits2
  %89 = call i32 @llvm.cttz.i32(i32 %13, i1 true)
  store i32 %89, ptr %0, align 4
  %90 = sub i32 %13, 1
  %91 = and i32 %13, %90
  store i32 %91, ptr %1, align 4
  %92 = getelementptr i8, ptr %round, i64 72
  %93 = load ptr, ptr %92, align 8
  %94 = zext i32 %89 to i64
  %95 = mul i64 %94, 320
  %96 = getelementptr i8, ptr %93, i64 %95
  %97 = load i32, ptr %96, align 4
  store ptr %96, ptr %2, align 8
  switch i32 %97, label %enter [
    i32 2, label %third
  ]

more6:                                            ; preds = %side.by.side
  %98 = call i32 @llvm.cttz.i32(i32 %68, i1 true)
  store i32 %98, ptr %0, align 4
  %99 = sub i32 %68, 1
  %100 = and i32 %68, %99
  store i32 %100, ptr %1, align 4
  %101 = getelementptr i8, ptr %round, i64 72
  %102 = load ptr, ptr %101, align 8
  %103 = zext i32 %98 to i64
  %104 = mul i64 %103, 320
  %105 = getelementptr i8, ptr %102, i64 %104
  %106 = load i32, ptr %105, align 4
  store ptr %105, ptr %2, align 8
  switch i32 %106, label %enter [
    i32 1, label %ask
  ]
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.cttz.i32(i32, i1 immarg) #1

attributes #0 = { "warp-returns"="warp" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
