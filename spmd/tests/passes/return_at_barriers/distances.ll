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

define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) {
enter:
  %0 = getelementptr i8, ptr %round, i64 64
  %1 = load ptr, ptr %0, align 8
  %2 = alloca ptr, align 8
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = load i32, ptr %1, align 4
  switch i32 %5, label %slots [
    i32 1, label %resume
  ]

slots:                                            ; preds = %enter
  %data = load ptr, ptr %block, align 8
  store ptr %data, ptr %2, align 8
  %second = getelementptr i8, ptr %data, i64 64
  store ptr %second, ptr %3, align 8
  %third = getelementptr i8, ptr %second, i64 64
  store ptr %third, ptr %4, align 8
  %a = load i32, ptr %second, align 4
  store i32 %a, ptr %third, align 4
  %6 = load ptr, ptr %2, align 8
  %7 = getelementptr i8, ptr %1, i64 8
  store ptr %6, ptr %7, align 8
  store i32 1, ptr %1, align 4
  ret void

behind:                                           ; preds = %resume
  %8 = load ptr, ptr %4, align 8
  %9 = load ptr, ptr %3, align 8
  %10 = load ptr, ptr %2, align 8
  %11 = load i32, ptr %9, align 4
  store i32 %11, ptr %10, align 4
  %12 = load i32, ptr %8, align 4
  store i32 %12, ptr %9, align 4
  %13 = shl i32 1, %warp
  %14 = getelementptr i8, ptr %round, i64 0
  %15 = load i32, ptr %14, align 8
  %16 = or i32 %15, %13
  %17 = getelementptr i8, ptr %round, i64 0
  store i32 %16, ptr %17, align 8
  ret void

resume:                                           ; preds = %enter
  %18 = getelementptr i8, ptr %1, i64 8
  %19 = load ptr, ptr %18, align 8
  %20 = getelementptr i8, ptr %19, i64 64
  %21 = getelementptr i8, ptr %20, i64 64
  store ptr %19, ptr %2, align 8
  store ptr %20, ptr %3, align 8
  store ptr %21, ptr %4, align 8
  br label %behind
}
