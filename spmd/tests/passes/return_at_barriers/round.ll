; stack: flat
; A loop with a place to wait in it: a sum and a number live across, and a row of numbers that is made again of one.
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

declare void @use(<32 x i32>)

define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) {
enter:
  %0 = getelementptr i8, ptr %round, i64 64
  %1 = load ptr, ptr %0, align 8
  %2 = alloca <32 x i32>, align 128
  %3 = alloca i32, align 4
  %4 = alloca <32 x i32>, align 128
  %5 = alloca i32, align 4
  %6 = load i32, ptr %1, align 4
  switch i32 %6, label %slots [
    i32 1, label %resume
  ]

slots:                                            ; preds = %enter
  %first = load i32, ptr %block, align 4
  store i32 %first, ptr %5, align 4
  %some = insertelement <32 x i32> poison, i32 %first, i64 0
  %row = shufflevector <32 x i32> %some, <32 x i32> poison, <32 x i32> zeroinitializer
  store <32 x i32> %row, ptr %2, align 128
  br label %loop

loop:                                             ; preds = %behind, %slots
  %7 = phi i32 [ 0, %slots ], [ %19, %behind ]
  %8 = phi <32 x i32> [ zeroinitializer, %slots ], [ %18, %behind ]
  store <32 x i32> %8, ptr %4, align 128
  store i32 %7, ptr %3, align 4
  %9 = load i32, ptr %5, align 4
  %10 = getelementptr i8, ptr %1, i64 8
  store i32 %9, ptr %10, align 4
  %11 = load i32, ptr %3, align 4
  %12 = getelementptr i8, ptr %1, i64 12
  store i32 %11, ptr %12, align 4
  %13 = load <32 x i32>, ptr %4, align 128
  %14 = getelementptr i8, ptr %1, i64 64
  store <32 x i32> %13, ptr %14, align 64
  store i32 1, ptr %1, align 4
  ret void

behind:                                           ; preds = %resume
  %15 = load <32 x i32>, ptr %4, align 128
  %16 = load i32, ptr %3, align 4
  %17 = load <32 x i32>, ptr %2, align 128
  %18 = add <32 x i32> %15, %17
  %19 = add i32 %16, 1
  %20 = icmp ult i32 %19, 4
  br i1 %20, label %loop, label %end

end:                                              ; preds = %behind
  call void @use(<32 x i32> %18)
  %21 = shl i32 1, %warp
  %22 = getelementptr i8, ptr %round, i64 0
  %23 = load i32, ptr %22, align 8
  %24 = or i32 %23, %21
  %25 = getelementptr i8, ptr %round, i64 0
  store i32 %24, ptr %25, align 8
  ret void

resume:                                           ; preds = %enter
  %26 = getelementptr i8, ptr %1, i64 8
  %27 = load i32, ptr %26, align 4
  %28 = getelementptr i8, ptr %1, i64 12
  %29 = load i32, ptr %28, align 4
  %30 = getelementptr i8, ptr %1, i64 64
  %31 = load <32 x i32>, ptr %30, align 64
  %32 = insertelement <32 x i32> poison, i32 %27, i64 0
  %33 = shufflevector <32 x i32> %32, <32 x i32> poison, <32 x i32> zeroinitializer
  store <32 x i32> %33, ptr %2, align 128
  store i32 %29, ptr %3, align 4
  store <32 x i32> %31, ptr %4, align 128
  store i32 %27, ptr %5, align 4
  br label %behind
}
