; stack: flat
; cpu: x86-64-v2
; A row of bytes or words that all lanes read or write needs no mask; where some lanes do, this processor has none for it.
declare <32 x i8> @spmd.gather.8(<32 x ptr>, i32)
declare void @spmd.scatter.32(<32 x i32>, <32 x ptr>, i32)

define <32 x i8> @whole(ptr %base, i32 %x) {
  %first = insertelement <32 x i32> poison, i32 %x, i64 0
  %all = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %next = add <32 x i32> %all, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %masked = and <32 x i32> %next, splat (i32 1023)
  %wide = sext <32 x i32> %masked to <32 x i64>
  %places = getelementptr i8, ptr %base, <32 x i64> %wide
  %values = call <32 x i8> @spmd.gather.8(<32 x ptr> %places, i32 -1)
  ret <32 x i8> %values
}

define void @stored(ptr %base, i32 %x, <32 x i32> %values) {
  %first = insertelement <32 x i32> poison, i32 %x, i64 0
  %all = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %next = add <32 x i32> %all, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %masked = and <32 x i32> %next, splat (i32 1023)
  %wide = sext <32 x i32> %masked to <32 x i64>
  %places = getelementptr i32, ptr %base, <32 x i64> %wide
  call void @spmd.scatter.32(<32 x i32> %values, <32 x ptr> %places, i32 -1)
  ret void
}

define <32 x i8> @some(ptr %base, i32 %x, i32 %active) {
  %first = insertelement <32 x i32> poison, i32 %x, i64 0
  %all = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %next = add <32 x i32> %all, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %masked = and <32 x i32> %next, splat (i32 1023)
  %wide = sext <32 x i32> %masked to <32 x i64>
  %places = getelementptr i8, ptr %base, <32 x i64> %wide
  %values = call <32 x i8> @spmd.gather.8(<32 x ptr> %places, i32 %active)
  ret <32 x i8> %values
}

; becomes

declare <32 x i8> @spmd.gather.8(<32 x ptr>, i32)

declare void @spmd.scatter.32(<32 x i32>, <32 x ptr>, i32)

define <32 x i8> @whole(ptr %base, i32 %x) {
  %1 = alloca [2 x <32 x i8>], align 32
  %2 = freeze i32 %x
  %3 = add i32 %2, 1
  %4 = and i32 %3, 1023
  %5 = icmp ule i32 %4, 992
  %6 = add i32 %4, 31
  %7 = icmp sle i32 %4, %6
  %8 = and i1 %5, %7
  br i1 %8, label %row, label %apart

9:                                                ; preds = %apart1, %two.rows, %row
  %10 = phi <32 x i8> [ %14, %row ], [ %32, %two.rows ], [ %39, %apart1 ]
  ret <32 x i8> %10

row:                                              ; preds = %0
  %11 = sext i32 %4 to i64
  %12 = mul i64 %11, 1
  %13 = getelementptr i8, ptr %base, i64 %12
  %14 = load <32 x i8>, ptr %13, align 1
  br label %9

apart:                                            ; preds = %0
  %15 = getelementptr i8, ptr %base, i64 992
  %16 = getelementptr i8, ptr %base, i64 0
  %17 = ptrtoint ptr %15 to i64
  %18 = and i64 %17, 4095
  %19 = icmp ule i64 %18, 4064
  %20 = ptrtoint ptr %16 to i64
  %21 = and i64 %20, 4095
  %22 = icmp ule i64 %21, 4064
  %23 = and i1 %19, %22
  %24 = and i1 true, %23
  br i1 %24, label %two.rows, label %apart1

two.rows:                                         ; preds = %apart
  %25 = getelementptr i8, ptr %1, i64 32
  %26 = load <32 x i8>, ptr %15, align 1
  store <32 x i8> %26, ptr %1, align 1
  %27 = load <32 x i8>, ptr %16, align 1
  store <32 x i8> %27, ptr %25, align 1
  %28 = sub i32 %4, 992
  %29 = zext i32 %28 to i64
  %30 = mul i64 %29, 1
  %31 = getelementptr i8, ptr %1, i64 %30
  %32 = load <32 x i8>, ptr %31, align 1
  br label %9

apart1:                                           ; preds = %apart
  %33 = insertelement <32 x i32> poison, i32 %x, i64 0
  %34 = shufflevector <32 x i32> %33, <32 x i32> poison, <32 x i32> zeroinitializer
  %35 = add <32 x i32> %34, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %36 = and <32 x i32> %35, splat (i32 1023)
  %37 = sext <32 x i32> %36 to <32 x i64>
  %38 = getelementptr i8, ptr %base, <32 x i64> %37
  %39 = call <32 x i8> @spmd.gather.8(<32 x ptr> %38, i32 -1) #0
  br label %9
}

define void @stored(ptr %base, i32 %x, <32 x i32> %values) {
  %1 = freeze i32 %x
  %2 = add i32 %1, 1
  %3 = and i32 %2, 1023
  %4 = icmp ule i32 %3, 992
  %5 = add i32 %3, 31
  %6 = icmp sle i32 %3, %5
  %7 = and i1 %4, %6
  br i1 %7, label %row, label %apart

8:                                                ; preds = %apart, %row
  ret void

row:                                              ; preds = %0
  %9 = sext i32 %3 to i64
  %10 = mul i64 %9, 4
  %11 = getelementptr i8, ptr %base, i64 %10
  store <32 x i32> %values, ptr %11, align 4
  br label %8

apart:                                            ; preds = %0
  %12 = insertelement <32 x i32> poison, i32 %x, i64 0
  %13 = shufflevector <32 x i32> %12, <32 x i32> poison, <32 x i32> zeroinitializer
  %14 = add <32 x i32> %13, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %15 = and <32 x i32> %14, splat (i32 1023)
  %16 = sext <32 x i32> %15 to <32 x i64>
  %17 = getelementptr i32, ptr %base, <32 x i64> %16
  call void @spmd.scatter.32(<32 x i32> %values, <32 x ptr> %17, i32 -1) #0
  br label %8
}

define <32 x i8> @some(ptr %base, i32 %x, i32 %active) {
  %first = insertelement <32 x i32> poison, i32 %x, i64 0
  %all = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %next = add <32 x i32> %all, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %masked = and <32 x i32> %next, splat (i32 1023)
  %wide = sext <32 x i32> %masked to <32 x i64>
  %places = getelementptr i8, ptr %base, <32 x i64> %wide
  %values = call <32 x i8> @spmd.gather.8(<32 x ptr> %places, i32 %active)
  ret <32 x i8> %values
}

attributes #0 = { cold }
