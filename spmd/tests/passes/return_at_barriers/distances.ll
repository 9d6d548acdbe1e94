; stack: flat
; Addresses at constant distances from one that lives across a place to wait are made again of it.
declare void @wait.for.warps()

define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) {
slots:
  %data = load ptr, ptr %block
  %second = getelementptr i8, ptr %data, i64 64
  %third = getelementptr i8, ptr %second, i64 64
  %a = load i32, ptr %second
  store i32 %a, ptr %third
  call void @wait.for.warps()
  %b = load i32, ptr %second
  store i32 %b, ptr %data
  %c = load i32, ptr %third
  store i32 %c, ptr %second
  ret void
}

; becomes

@frame.size = internal constant i64 64

define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) #0 {
enter:
  %0 = getelementptr i8, ptr %round, i64 72
  %1 = load ptr, ptr %0, align 8
  %2 = load i64, ptr @frame.size, align 8
  %3 = zext i32 %warp to i64
  %4 = mul i64 %2, %3
  %5 = getelementptr i8, ptr %1, i64 %4
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = load i32, ptr %5, align 4
  switch i32 %9, label %slots [
    i32 1, label %resume
  ]

slots:                                            ; preds = %enter
  %data = load ptr, ptr %block, align 8
  store ptr %data, ptr %6, align 8
  %second = getelementptr i8, ptr %data, i64 64
  store ptr %second, ptr %7, align 8
  %third = getelementptr i8, ptr %second, i64 64
  store ptr %third, ptr %8, align 8
  %a = load i32, ptr %second, align 4
  store i32 %a, ptr %third, align 4
  %10 = load ptr, ptr %6, align 8
  %11 = getelementptr i8, ptr %5, i64 8
  store ptr %10, ptr %11, align 8
  store i32 1, ptr %5, align 4
  ret void

behind:                                           ; preds = %resume
  %12 = load ptr, ptr %8, align 8
  %13 = load ptr, ptr %7, align 8
  %14 = load ptr, ptr %6, align 8
  %15 = load i32, ptr %13, align 4
  store i32 %15, ptr %14, align 4
  %16 = load i32, ptr %12, align 4
  store i32 %16, ptr %13, align 4
  %17 = shl i32 1, %warp
  %18 = getelementptr i8, ptr %round, i64 0
  %19 = load i32, ptr %18, align 8
  %20 = or i32 %19, %17
  %21 = getelementptr i8, ptr %round, i64 0
  store i32 %20, ptr %21, align 8
  ret void

resume:                                           ; preds = %enter
  %22 = getelementptr i8, ptr %5, i64 8
  %23 = load ptr, ptr %22, align 8
  %24 = getelementptr i8, ptr %23, i64 64
  %25 = getelementptr i8, ptr %24, i64 64
  store ptr %23, ptr %6, align 8
  store ptr %24, ptr %7, align 8
  store ptr %25, ptr %8, align 8
  br label %behind
}

attributes #0 = { "warp-returns"="warp" }
