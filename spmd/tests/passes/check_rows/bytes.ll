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
  %1 = freeze i32 %x
  %2 = add i32 %1, 1
  %3 = and i32 %2, 1023
  %4 = icmp ule i32 %3, 992
  %5 = add i32 %3, 31
  %6 = icmp sle i32 %3, %5
  %7 = and i1 %4, %6
  br i1 %7, label %row, label %apart

8:                                                ; preds = %apart1, %two.rows, %row
  %9 = phi <32 x i8> [ %13, %row ], [ %35, %two.rows ], [ %42, %apart1 ]
  ret <32 x i8> %9

row:                                              ; preds = %0
  %10 = sext i32 %3 to i64
  %11 = mul i64 %10, 1
  %12 = getelementptr i8, ptr %base, i64 %11
  %13 = load <32 x i8>, ptr %12, align 1
  br label %8

apart:                                            ; preds = %0
  %14 = sext i32 %3 to i64
  %15 = sub i64 %14, 1024
  %16 = mul i64 %14, 1
  %17 = getelementptr i8, ptr %base, i64 %16
  %18 = mul i64 %15, 1
  %19 = getelementptr i8, ptr %base, i64 %18
  %20 = ptrtoint ptr %17 to i64
  %21 = and i64 %20, 4095
  %22 = icmp ule i64 %21, 4064
  %23 = ptrtoint ptr %19 to i64
  %24 = and i64 %23, 4095
  %25 = icmp ule i64 %24, 4064
  %26 = and i1 %22, %25
  %27 = and i1 true, %26
  br i1 %27, label %two.rows, label %apart1

two.rows:                                         ; preds = %apart
  %28 = sub i32 1023, %3
  %29 = trunc i32 %28 to i8
  %30 = insertelement <32 x i8> poison, i8 %29, i32 0
  %31 = shufflevector <32 x i8> %30, <32 x i8> poison, <32 x i32> zeroinitializer
  %32 = icmp ule <32 x i8> <i8 0, i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7, i8 8, i8 9, i8 10, i8 11, i8 12, i8 13, i8 14, i8 15, i8 16, i8 17, i8 18, i8 19, i8 20, i8 21, i8 22, i8 23, i8 24, i8 25, i8 26, i8 27, i8 28, i8 29, i8 30, i8 31>, %31
  %33 = load <32 x i8>, ptr %17, align 1
  %34 = load <32 x i8>, ptr %19, align 1
  %35 = select <32 x i1> %32, <32 x i8> %33, <32 x i8> %34
  br label %8

apart1:                                           ; preds = %apart
  %36 = insertelement <32 x i32> poison, i32 %x, i64 0
  %37 = shufflevector <32 x i32> %36, <32 x i32> poison, <32 x i32> zeroinitializer
  %38 = add <32 x i32> %37, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %39 = and <32 x i32> %38, splat (i32 1023)
  %40 = sext <32 x i32> %39 to <32 x i64>
  %41 = getelementptr i8, ptr %base, <32 x i64> %40
  %42 = call <32 x i8> @spmd.gather.8(<32 x ptr> %41, i32 -1) #0
  br label %8
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
