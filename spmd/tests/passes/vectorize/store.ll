; 32 lanes store their numbers, those below a bound: a masked store of one vector.
declare ptr addrspace(4) @zluda.params()
declare i32 @zluda.tid.x()

define void @k() #0 {
  %buffer = call ptr addrspace(4) @zluda.params()
  %out = load i64, ptr addrspace(4) %buffer
  %lane = call i32 @zluda.tid.x()
  %below = icmp ult i32 %lane, 40
  br i1 %below, label %store, label %end

store:
  %index = zext i32 %lane to i64
  %offset = shl i64 %index, 2
  %address = add i64 %out, %offset
  %place = inttoptr i64 %address to ptr addrspace(1)
  store i32 %lane, ptr addrspace(1) %place
  br label %end

end:
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

@k.kd = constant { i32, i32, i32, i32, ptr, i32, i32, i32, i32, i32 } { i32 1514947396, i32 19, i32 0, i32 14, ptr @k.block, i32 32, i32 0, i32 0, i32 256, i32 0 }, align 8

declare ptr addrspace(4) @zluda.params()

declare i32 @zluda.tid.x()

; Function Attrs: uwtable
define internal void @k.warp(ptr noalias nonnull readonly align 8 dereferenceable(120) %0, i32 %1, i32 %2, ptr %3) #0 {
slots:
  %4 = alloca <32 x i1>, align 4
  br label %start

start:                                            ; preds = %slots
  %5 = getelementptr i8, ptr %0, i64 24
  %6 = load i32, ptr %5, align 4, !invariant.load !0
  %7 = getelementptr i8, ptr %0, i64 28
  %8 = load i32, ptr %7, align 4, !invariant.load !0
  %9 = getelementptr i8, ptr %0, i64 32
  %10 = load i32, ptr %9, align 4, !invariant.load !0
  %11 = shl i32 %1, 5
  %12 = icmp ult i32 %11, %6
  br i1 %12, label %row.known, label %later.row

later.row:                                        ; preds = %start
  %13 = udiv i32 %11, %6
  %14 = mul i32 %13, %6
  %15 = sub i32 %11, %14
  %16 = and i32 %15, -32
  %17 = udiv i32 %13, %8
  %18 = mul i32 %17, %8
  %19 = sub i32 %13, %18
  br label %row.known

row.known:                                        ; preds = %later.row, %start
  %20 = phi i32 [ %11, %start ], [ %16, %later.row ]
  %21 = phi i32 [ 0, %start ], [ %19, %later.row ]
  %22 = phi i32 [ 0, %start ], [ %17, %later.row ]
  %23 = getelementptr i8, ptr %0, i64 0
  %24 = load ptr, ptr %23, align 8, !invariant.load !0, !dereferenceable !1, !align !2
  %25 = getelementptr i8, ptr %0, i64 8
  %26 = load ptr, ptr %25, align 8, !invariant.load !0
  %27 = getelementptr i8, ptr %0, i64 16
  %28 = load ptr, ptr %27, align 8, !invariant.load !0
  br label %29

29:                                               ; preds = %row.known
  store <32 x i1> zeroinitializer, ptr %4, align 4
  %30 = load i64, ptr %24, align 4, !invariant.load !0
  %31 = insertelement <32 x i32> poison, i32 %20, i32 0
  %32 = shufflevector <32 x i32> %31, <32 x i32> poison, <32 x i32> zeroinitializer
  %33 = add <32 x i32> %32, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %34 = icmp ult <32 x i32> %33, splat (i32 40)
  %35 = select <32 x i1> splat (i1 true), <32 x i1> %34, <32 x i1> zeroinitializer
  %36 = xor <32 x i1> %34, splat (i1 true)
  %37 = select <32 x i1> splat (i1 true), <32 x i1> %36, <32 x i1> zeroinitializer
  %38 = load <32 x i1>, ptr %4, align 4
  %39 = or <32 x i1> %38, %35
  store <32 x i1> %39, ptr %4, align 4
  br label %store

store:                                            ; preds = %29
  %40 = load <32 x i1>, ptr %4, align 4
  %41 = zext i32 %20 to i64
  %42 = add i32 %20, 31
  %43 = icmp ult i32 %42, %20
  %44 = sub i64 %41, 4294967296
  %45 = select i1 %43, i64 %44, i64 %41
  %46 = insertelement <32 x i32> poison, i32 %20, i32 0
  %47 = shufflevector <32 x i32> %46, <32 x i32> poison, <32 x i32> zeroinitializer
  %48 = add <32 x i32> %47, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %49 = zext <32 x i32> %48 to <32 x i64>
  %50 = shl i64 %45, 2
  %51 = shl <32 x i64> %49, splat (i64 2)
  %52 = add i64 %30, %50
  %53 = insertelement <32 x i64> poison, i64 %30, i32 0
  %54 = shufflevector <32 x i64> %53, <32 x i64> poison, <32 x i32> zeroinitializer
  %55 = add <32 x i64> %54, %51
  %56 = inttoptr i64 %52 to ptr
  %57 = inttoptr <32 x i64> %55 to <32 x ptr>
  %58 = getelementptr i8, ptr %56, i64 0
  %59 = insertelement <32 x i32> poison, i32 %20, i32 0
  %60 = shufflevector <32 x i32> %59, <32 x i32> poison, <32 x i32> zeroinitializer
  %61 = add <32 x i32> %60, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %61, ptr align 4 %58, <32 x i1> %40)
  br label %end

end:                                              ; preds = %store
  br label %end1

end1:                                             ; preds = %end
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr captures(none), <32 x i1>) #1

; Function Attrs: uwtable
define internal void @k.block(ptr noalias nonnull readonly align 8 dereferenceable(120) %0, i32 %1, i32 %2) #0 {
start:
  %3 = getelementptr i8, ptr %0, i64 24
  %4 = load i32, ptr %3, align 4
  %5 = getelementptr i8, ptr %0, i64 28
  %6 = load i32, ptr %5, align 4
  %7 = mul i32 %4, %6
  %8 = getelementptr i8, ptr %0, i64 32
  %9 = load i32, ptr %8, align 4
  %10 = mul i32 %7, %9
  %11 = icmp uge i32 %1, %2
  br i1 %11, label %done, label %head

head:                                             ; preds = %called, %start
  %12 = phi i32 [ %1, %start ], [ %16, %called ]
  %13 = shl i32 %12, 5
  %14 = sub i32 %10, %13
  %15 = icmp uge i32 %14, 32
  br label %whole

done:                                             ; preds = %called, %start
  ret void

whole:                                            ; preds = %head
  call void @k.warp(ptr %0, i32 %12, i32 -1, ptr null) #2
  br label %called

part:                                             ; No predecessors!
  br label %called

called:                                           ; preds = %part, %whole
  %16 = add i32 %12, 1
  %17 = icmp ult i32 %16, %2
  br i1 %17, label %head, label %done
}

attributes #0 = { uwtable "prefer-vector-width"="256" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: write) }
attributes #2 = { alwaysinline }

!0 = !{}
!1 = !{i64 32}
!2 = !{i64 8}
