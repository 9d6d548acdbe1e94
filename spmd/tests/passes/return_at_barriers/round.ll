; stack: flat
; A loop with a place to wait in it: a sum and a number live across, and a row of numbers that is made again of one, which
; is stored before the loop.
declare void @wait.for.warps()
declare void @use(<32 x i32>)

define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) {
slots:
  %first = load i32, ptr %block
  %some = insertelement <32 x i32> poison, i32 %first, i64 0
  %row = shufflevector <32 x i32> %some, <32 x i32> poison, <32 x i32> zeroinitializer
  br label %loop

loop:
  %i = phi i32 [ 0, %slots ], [ %next, %loop ]
  %sum = phi <32 x i32> [ zeroinitializer, %slots ], [ %more, %loop ]
  call void @wait.for.warps()
  %more = add <32 x i32> %sum, %row
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 4
  br i1 %again, label %loop, label %end

end:
  call void @use(<32 x i32> %more)
  ret void
}

; becomes

@frame.size = internal constant i64 192

declare void @use(<32 x i32>)

define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) #0 {
enter:
  %0 = getelementptr i8, ptr %round, i64 72
  %1 = load ptr, ptr %0, align 8
  %2 = load i64, ptr @frame.size, align 8
  %3 = zext i32 %warp to i64
  %4 = mul i64 %2, %3
  %5 = getelementptr i8, ptr %1, i64 %4
  %6 = alloca <32 x i32>, align 128
  %7 = alloca i32, align 4
  %8 = alloca <32 x i32>, align 128
  %9 = alloca i32, align 4
  %10 = load i32, ptr %5, align 4
  switch i32 %10, label %slots [
    i32 1, label %resume
  ]

slots:                                            ; preds = %enter
  %first = load i32, ptr %block, align 4
  %11 = getelementptr i8, ptr %5, i64 8
  store i32 %first, ptr %11, align 4
  store i32 %first, ptr %9, align 4
  %some = insertelement <32 x i32> poison, i32 %first, i64 0
  %row = shufflevector <32 x i32> %some, <32 x i32> poison, <32 x i32> zeroinitializer
  store <32 x i32> %row, ptr %6, align 128
  br label %loop

loop:                                             ; preds = %behind, %slots
  %12 = phi i32 [ 0, %slots ], [ %22, %behind ]
  %13 = phi <32 x i32> [ zeroinitializer, %slots ], [ %21, %behind ]
  store <32 x i32> %13, ptr %8, align 128
  store i32 %12, ptr %7, align 4
  %14 = load i32, ptr %7, align 4
  %15 = getelementptr i8, ptr %5, i64 12
  store i32 %14, ptr %15, align 4
  %16 = load <32 x i32>, ptr %8, align 128
  %17 = getelementptr i8, ptr %5, i64 64
  store <32 x i32> %16, ptr %17, align 64
  store i32 1, ptr %5, align 4
  ret void

behind:                                           ; preds = %resume
  %18 = load <32 x i32>, ptr %8, align 128
  %19 = load i32, ptr %7, align 4
  %20 = load <32 x i32>, ptr %6, align 128
  %21 = add <32 x i32> %18, %20
  %22 = add i32 %19, 1
  %23 = icmp ult i32 %22, 4
  br i1 %23, label %loop, label %end

end:                                              ; preds = %behind
  call void @use(<32 x i32> %21)
  %24 = shl i32 1, %warp
  %25 = getelementptr i8, ptr %round, i64 0
  %26 = load i32, ptr %25, align 8
  %27 = or i32 %26, %24
  %28 = getelementptr i8, ptr %round, i64 0
  store i32 %27, ptr %28, align 8
  ret void

resume:                                           ; preds = %enter
  %29 = getelementptr i8, ptr %5, i64 8
  %30 = load i32, ptr %29, align 4
  %31 = getelementptr i8, ptr %5, i64 12
  %32 = load i32, ptr %31, align 4
  %33 = getelementptr i8, ptr %5, i64 64
  %34 = load <32 x i32>, ptr %33, align 64
  %35 = insertelement <32 x i32> poison, i32 %30, i64 0
  %36 = shufflevector <32 x i32> %35, <32 x i32> poison, <32 x i32> zeroinitializer
  store <32 x i32> %36, ptr %6, align 128
  store i32 %32, ptr %7, align 4
  store <32 x i32> %34, ptr %8, align 128
  store i32 %30, ptr %9, align 4
  br label %behind
}

attributes #0 = { "warp-returns"="warp" }
