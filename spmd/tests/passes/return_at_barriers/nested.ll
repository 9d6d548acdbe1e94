; stack: flat
; Two loops with a place to wait in the inner one: what is made before both is stored there, what is made in the outer one in each
; of its rounds. What is made in a loop that has ended is stored where the warp waits, and so is what the loop itself makes.
declare void @wait.for.warps()
declare void @use(i32)

define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) {
start:
  %before = load i32, ptr %block
  br label %first

first:
  %made = load volatile i32, ptr %block
  %more = icmp ult i32 %made, %before
  br i1 %more, label %first, label %outer

outer:
  %o = phi i32 [ 0, %first ], [ %o.next, %latch ]
  %row = load volatile i32, ptr %block
  br label %inner

inner:
  %i = phi i32 [ 0, %outer ], [ %i.next, %inner ]
  call void @wait.for.warps()
  call void @use(i32 %before)
  call void @use(i32 %made)
  call void @use(i32 %row)
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, 4
  br i1 %again, label %inner, label %latch

latch:
  %o.next = add i32 %o, 1
  %on = icmp ult i32 %o.next, 4
  br i1 %on, label %outer, label %end

end:
  ret void
}

; becomes

@frame.size = internal constant i64 64

declare void @use(i32)

define void @warp(ptr %block, i32 %warp, i32 %mask, ptr %round) #0 {
enter:
  %0 = getelementptr i8, ptr %round, i64 72
  %1 = load ptr, ptr %0, align 8
  %2 = load i64, ptr @frame.size, align 8
  %3 = zext i32 %warp to i64
  %4 = mul i64 %2, %3
  %5 = getelementptr i8, ptr %1, i64 %4
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = load i32, ptr %5, align 4
  switch i32 %11, label %start [
    i32 1, label %resume
  ]

start:                                            ; preds = %enter
  %before = load i32, ptr %block, align 4
  %12 = getelementptr i8, ptr %5, i64 8
  store i32 %before, ptr %12, align 4
  store i32 %before, ptr %6, align 4
  br label %first

first:                                            ; preds = %first, %start
  %13 = load i32, ptr %6, align 4
  %made = load volatile i32, ptr %block, align 4
  store i32 %made, ptr %7, align 4
  %more = icmp ult i32 %made, %13
  br i1 %more, label %first, label %outer

outer:                                            ; preds = %latch, %first
  %o = phi i32 [ 0, %first ], [ %o.next, %latch ]
  %14 = getelementptr i8, ptr %5, i64 16
  store i32 %o, ptr %14, align 4
  store i32 %o, ptr %8, align 4
  %row = load volatile i32, ptr %block, align 4
  %15 = getelementptr i8, ptr %5, i64 20
  store i32 %row, ptr %15, align 4
  store i32 %row, ptr %9, align 4
  br label %inner

inner:                                            ; preds = %behind, %outer
  %16 = phi i32 [ 0, %outer ], [ %25, %behind ]
  store i32 %16, ptr %10, align 4
  %17 = load i32, ptr %7, align 4
  %18 = getelementptr i8, ptr %5, i64 12
  store i32 %17, ptr %18, align 4
  %19 = load i32, ptr %10, align 4
  %20 = getelementptr i8, ptr %5, i64 24
  store i32 %19, ptr %20, align 4
  store i32 1, ptr %5, align 4
  ret void

behind:                                           ; preds = %resume
  %21 = load i32, ptr %10, align 4
  %22 = load i32, ptr %9, align 4
  %23 = load i32, ptr %7, align 4
  %24 = load i32, ptr %6, align 4
  call void @use(i32 %24)
  call void @use(i32 %23)
  call void @use(i32 %22)
  %25 = add i32 %21, 1
  %26 = icmp ult i32 %25, 4
  br i1 %26, label %inner, label %latch

latch:                                            ; preds = %behind
  %27 = load i32, ptr %8, align 4
  %o.next = add i32 %27, 1
  %on = icmp ult i32 %o.next, 4
  br i1 %on, label %outer, label %end

end:                                              ; preds = %latch
  %28 = shl i32 1, %warp
  %29 = getelementptr i8, ptr %round, i64 0
  %30 = load i32, ptr %29, align 8
  %31 = or i32 %30, %28
  %32 = getelementptr i8, ptr %round, i64 0
  store i32 %31, ptr %32, align 8
  ret void

resume:                                           ; preds = %enter
  %33 = getelementptr i8, ptr %5, i64 8
  %34 = load i32, ptr %33, align 4
  %35 = getelementptr i8, ptr %5, i64 12
  %36 = load i32, ptr %35, align 4
  %37 = getelementptr i8, ptr %5, i64 16
  %38 = load i32, ptr %37, align 4
  %39 = getelementptr i8, ptr %5, i64 20
  %40 = load i32, ptr %39, align 4
  %41 = getelementptr i8, ptr %5, i64 24
  %42 = load i32, ptr %41, align 4
  store i32 %34, ptr %6, align 4
  store i32 %36, ptr %7, align 4
  store i32 %38, ptr %8, align 4
  store i32 %40, ptr %9, align 4
  store i32 %42, ptr %10, align 4
  br label %behind
}

attributes #0 = { "warp-returns"="warp" }
