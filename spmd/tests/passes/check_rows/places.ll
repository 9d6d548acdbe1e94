; Behind a mask, one comparison of the first place; behind a bound, of all; with other steps, none.
declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>)
declare <32 x i32> @llvm.smin.v32i32(<32 x i32>, <32 x i32>)

define <32 x i32> @masked(ptr %base, i32 %x) {
  %first = insertelement <32 x i32> poison, i32 %x, i64 0
  %all = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %next = add <32 x i32> %all, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %masked = and <32 x i32> %next, splat (i32 1023)
  %wide = sext <32 x i32> %masked to <32 x i64>
  %places = getelementptr i32, ptr %base, <32 x i64> %wide
  %values = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places, <32 x i1> splat (i1 true), <32 x i32> poison)
  ret <32 x i32> %values
}

define <32 x i32> @bounded(ptr %base, i32 %x, <32 x i1> %mask) {
  %first = insertelement <32 x i32> poison, i32 %x, i64 0
  %all = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %next = add <32 x i32> %all, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %least = call <32 x i32> @llvm.smin.v32i32(<32 x i32> %next, <32 x i32> splat (i32 500))
  %wide = sext <32 x i32> %least to <32 x i64>
  %places = getelementptr i32, ptr %base, <32 x i64> %wide
  %values = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places, <32 x i1> %mask, <32 x i32> poison)
  ret <32 x i32> %values
}

define <32 x i32> @steps(ptr %base, i32 %x, <32 x i32> %loaded) {
  %first = insertelement <32 x i32> poison, i32 %x, i64 0
  %all = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %next = add <32 x i32> %all, <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %masked = and <32 x i32> %next, splat (i32 1023)
  %wide = sext <32 x i32> %masked to <32 x i64>
  %places = getelementptr i32, ptr %base, <32 x i64> %wide
  %values = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places, <32 x i1> splat (i1 true), <32 x i32> poison)
  ret <32 x i32> %values
}

; becomes

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>) #0

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <32 x i32> @llvm.smin.v32i32(<32 x i32>, <32 x i32>) #1

define <32 x i32> @masked(ptr %base, i32 %x) {
  %1 = freeze i32 %x
  %2 = add i32 %1, 1
  %3 = and i32 %2, 1023
  %4 = icmp ule i32 %3, 992
  %5 = add i32 %3, 31
  %6 = icmp sle i32 %3, %5
  %7 = and i1 %4, %6
  br i1 %7, label %row, label %apart

8:                                                ; preds = %apart1, %two.rows, %row
  %9 = phi <32 x i32> [ %13, %row ], [ %30, %two.rows ], [ %37, %apart1 ]
  ret <32 x i32> %9

row:                                              ; preds = %0
  %10 = sext i32 %3 to i64
  %11 = mul i64 %10, 4
  %12 = getelementptr i8, ptr %base, i64 %11
  %13 = load <32 x i32>, ptr %12, align 4
  br label %8

apart:                                            ; preds = %0
  %14 = sext i32 %3 to i64
  %15 = sub i64 %14, 1024
  %16 = mul i64 %14, 4
  %17 = getelementptr i8, ptr %base, i64 %16
  %18 = mul i64 %15, 4
  %19 = getelementptr i8, ptr %base, i64 %18
  br i1 true, label %two.rows, label %apart1

two.rows:                                         ; preds = %apart
  %20 = sub i32 1023, %3
  %21 = trunc i32 %20 to i8
  %22 = insertelement <32 x i8> poison, i8 %21, i32 0
  %23 = shufflevector <32 x i8> %22, <32 x i8> poison, <32 x i32> zeroinitializer
  %24 = icmp ule <32 x i8> <i8 0, i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7, i8 8, i8 9, i8 10, i8 11, i8 12, i8 13, i8 14, i8 15, i8 16, i8 17, i8 18, i8 19, i8 20, i8 21, i8 22, i8 23, i8 24, i8 25, i8 26, i8 27, i8 28, i8 29, i8 30, i8 31>, %23
  %25 = and <32 x i1> splat (i1 true), %24
  %26 = xor <32 x i1> %24, splat (i1 true)
  %27 = and <32 x i1> splat (i1 true), %26
  %28 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 4 %17, <32 x i1> %25, <32 x i32> poison)
  %29 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 4 %19, <32 x i1> %27, <32 x i32> poison)
  %30 = select <32 x i1> %24, <32 x i32> %28, <32 x i32> %29
  br label %8

apart1:                                           ; preds = %apart
  %31 = insertelement <32 x i32> poison, i32 %x, i64 0
  %32 = shufflevector <32 x i32> %31, <32 x i32> poison, <32 x i32> zeroinitializer
  %33 = add <32 x i32> %32, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %34 = and <32 x i32> %33, splat (i32 1023)
  %35 = sext <32 x i32> %34 to <32 x i64>
  %36 = getelementptr i32, ptr %base, <32 x i64> %35
  %37 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %36, <32 x i1> splat (i1 true), <32 x i32> poison) #4
  br label %8
}

define <32 x i32> @bounded(ptr %base, i32 %x, <32 x i1> %mask) {
  %1 = insertelement <32 x i32> poison, i32 %x, i64 0
  %2 = shufflevector <32 x i32> %1, <32 x i32> poison, <32 x i32> zeroinitializer
  %3 = add <32 x i32> %2, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %4 = call <32 x i32> @llvm.smin.v32i32(<32 x i32> %3, <32 x i32> splat (i32 500))
  %5 = sext <32 x i32> %4 to <32 x i64>
  %6 = getelementptr i32, ptr %base, <32 x i64> %5
  %7 = freeze <32 x i32> %4
  %8 = bitcast <32 x i1> %mask to i32
  %9 = call i32 @llvm.cttz.i32(i32 %8, i1 false)
  %10 = and i32 %9, 31
  %11 = mul i32 %10, 1
  %12 = extractelement <32 x i32> %7, i32 %10
  %13 = sub i32 %12, %11
  %14 = insertelement <32 x i32> poison, i32 %13, i32 0
  %15 = shufflevector <32 x i32> %14, <32 x i32> poison, <32 x i32> zeroinitializer
  %16 = add <32 x i32> %15, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %17 = icmp eq <32 x i32> %7, %16
  %18 = select <32 x i1> %mask, <32 x i1> %17, <32 x i1> splat (i1 true)
  %19 = bitcast <32 x i1> %18 to i32
  %20 = icmp eq i32 %19, -1
  %21 = add i32 %13, 31
  %22 = icmp sle i32 %13, %21
  %23 = and i1 %20, %22
  br i1 %23, label %row, label %apart

24:                                               ; preds = %apart, %row
  %25 = phi <32 x i32> [ %29, %row ], [ %30, %apart ]
  ret <32 x i32> %25

row:                                              ; preds = %0
  %26 = sext i32 %13 to i64
  %27 = mul i64 %26, 4
  %28 = getelementptr i8, ptr %base, i64 %27
  %29 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 4 %28, <32 x i1> %mask, <32 x i32> poison)
  br label %24

apart:                                            ; preds = %0
  %30 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %6, <32 x i1> %mask, <32 x i32> poison) #4
  br label %24
}

define <32 x i32> @steps(ptr %base, i32 %x, <32 x i32> %loaded) {
  %first = insertelement <32 x i32> poison, i32 %x, i64 0
  %all = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %next = add <32 x i32> %all, <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %masked = and <32 x i32> %next, splat (i32 1023)
  %wide = sext <32 x i32> %masked to <32 x i64>
  %places = getelementptr i32, ptr %base, <32 x i64> %wide
  %values = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places, <32 x i1> splat (i1 true), <32 x i32> poison)
  ret <32 x i32> %values
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr captures(none), <32 x i1>, <32 x i32>) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.cttz.i32(i32, i1 immarg) #3

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(read) }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(argmem: read) }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { cold }
