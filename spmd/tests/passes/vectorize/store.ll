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

@k.kd = constant { i32, i32, i32, i32, ptr, i32, i32, i32, i32, i32 } { i32 1514947396, i32 20, i32 0, i32 270, ptr @k.blocks, i32 32, i32 0, i32 0, i32 256, i32 0 }, align 8

declare ptr addrspace(4) @zluda.params()

declare i32 @zluda.tid.x()

; Function Attrs: uwtable
define internal void @k.warp(ptr noalias nonnull readonly align 8 dereferenceable(128) %0, i32 %1, i32 %2, ptr %3) #0 {
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
  br i1 %12, label %known, label %later.row

later.row:                                        ; preds = %start
  %13 = icmp eq i32 %6, 32
  br i1 %13, label %row.known, label %long.row

long.row:                                         ; preds = %later.row
  %14 = udiv i32 %11, %6
  %15 = mul i32 %14, %6
  %16 = sub i32 %11, %15
  %17 = and i32 %16, -32
  br label %row.known

row.known:                                        ; preds = %long.row, %later.row
  %18 = phi i32 [ %1, %later.row ], [ %14, %long.row ]
  %19 = phi i32 [ 0, %later.row ], [ %17, %long.row ]
  %20 = icmp ult i32 %18, %8
  br i1 %20, label %known, label %later.plane

later.plane:                                      ; preds = %row.known
  %21 = udiv i32 %18, %8
  %22 = mul i32 %21, %8
  %23 = sub i32 %18, %22
  br label %known

known:                                            ; preds = %later.plane, %row.known, %start
  %24 = phi i32 [ %11, %start ], [ %19, %row.known ], [ %19, %later.plane ]
  %25 = phi i32 [ 0, %start ], [ %18, %row.known ], [ %23, %later.plane ]
  %26 = phi i32 [ 0, %start ], [ 0, %row.known ], [ %21, %later.plane ]
  %27 = getelementptr i8, ptr %0, i64 0
  %28 = load ptr, ptr %27, align 8, !invariant.load !0, !dereferenceable !1, !align !2
  %29 = getelementptr i8, ptr %0, i64 8
  %30 = load ptr, ptr %29, align 8, !invariant.load !0
  %31 = getelementptr i8, ptr %0, i64 16
  %32 = load ptr, ptr %31, align 8, !invariant.load !0
  br label %33

33:                                               ; preds = %known
  store <32 x i1> zeroinitializer, ptr %4, align 4
  %34 = load i64, ptr %28, align 4, !invariant.load !0
  %35 = insertelement <32 x i32> poison, i32 %24, i32 0
  %36 = shufflevector <32 x i32> %35, <32 x i32> poison, <32 x i32> zeroinitializer
  %37 = add <32 x i32> %36, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %38 = icmp ult <32 x i32> %37, splat (i32 40)
  %39 = select <32 x i1> splat (i1 true), <32 x i1> %38, <32 x i1> zeroinitializer
  %40 = xor <32 x i1> %38, splat (i1 true)
  %41 = select <32 x i1> splat (i1 true), <32 x i1> %40, <32 x i1> zeroinitializer
  %42 = load <32 x i1>, ptr %4, align 4
  %43 = or <32 x i1> %42, %39
  store <32 x i1> %43, ptr %4, align 4
  br label %store

store:                                            ; preds = %33
  %44 = load <32 x i1>, ptr %4, align 4
  %45 = zext i32 %24 to i64
  %46 = add i32 %24, 31
  %47 = icmp ult i32 %46, %24
  %48 = sub i64 %45, 4294967296
  %49 = select i1 %47, i64 %48, i64 %45
  %50 = insertelement <32 x i32> poison, i32 %24, i32 0
  %51 = shufflevector <32 x i32> %50, <32 x i32> poison, <32 x i32> zeroinitializer
  %52 = add <32 x i32> %51, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %53 = zext <32 x i32> %52 to <32 x i64>
  %54 = shl i64 %49, 2
  %55 = shl <32 x i64> %53, splat (i64 2)
  %56 = add i64 %34, %54
  %57 = insertelement <32 x i64> poison, i64 %34, i32 0
  %58 = shufflevector <32 x i64> %57, <32 x i64> poison, <32 x i32> zeroinitializer
  %59 = add <32 x i64> %58, %55
  %60 = inttoptr i64 %56 to ptr
  %61 = inttoptr <32 x i64> %59 to <32 x ptr>
  %62 = getelementptr i8, ptr %60, i64 0
  %63 = insertelement <32 x i32> poison, i32 %24, i32 0
  %64 = shufflevector <32 x i32> %63, <32 x i32> poison, <32 x i32> zeroinitializer
  %65 = add <32 x i32> %64, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %65, ptr align 4 %62, <32 x i1> %44)
  br label %end

end:                                              ; preds = %store
  br label %end1

end1:                                             ; preds = %end
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr captures(none), <32 x i1>) #1

; Function Attrs: uwtable
define internal void @k.block(ptr noalias nonnull readonly align 8 dereferenceable(128) %0, i32 %1, i32 %2, ptr %3) #0 {
start:
  %4 = getelementptr i8, ptr %0, i64 24
  %5 = load i32, ptr %4, align 4
  %6 = getelementptr i8, ptr %0, i64 28
  %7 = load i32, ptr %6, align 4
  %8 = mul i32 %5, %7
  %9 = getelementptr i8, ptr %0, i64 32
  %10 = load i32, ptr %9, align 4
  %11 = mul i32 %8, %10
  %12 = icmp uge i32 %1, %2
  br i1 %12, label %done, label %head

head:                                             ; preds = %called, %start
  %13 = phi i32 [ %1, %start ], [ %17, %called ]
  %14 = shl i32 %13, 5
  %15 = sub i32 %11, %14
  %16 = icmp uge i32 %15, 32
  br label %whole

done:                                             ; preds = %called, %start
  ret void

whole:                                            ; preds = %head
  call void @k.warp(ptr %0, i32 %13, i32 -1, ptr null) #2
  br label %called

part:                                             ; No predecessors!
  br label %called

called:                                           ; preds = %part, %whole
  %17 = add i32 %13, 1
  %18 = icmp ult i32 %17, %2
  br i1 %18, label %head, label %done
}

; Function Attrs: uwtable
define internal void @k.blocks(ptr %0, i32 %1, i32 %2) #0 {
start:
  %3 = getelementptr i8, ptr %0, i64 120
  %4 = load i32, ptr %3, align 4
  %5 = getelementptr i8, ptr %0, i64 48
  br label %next

next:                                             ; preds = %next, %start
  %6 = phi i32 [ 0, %start ], [ %8, %next ]
  call void @k.block(ptr %0, i32 %1, i32 %2, ptr null) #3
  %7 = load i32, ptr %5, align 4
  %8 = add i32 %6, 1
  %9 = icmp ult i32 %8, %4
  %10 = zext i1 %9 to i32
  %11 = add i32 %7, %10
  store i32 %11, ptr %5, align 4
  br i1 %9, label %next, label %done

done:                                             ; preds = %next
  ret void
}

attributes #0 = { uwtable "prefer-vector-width"="256" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: write) }
attributes #2 = { alwaysinline }
attributes #3 = { noinline }

!0 = !{}
!1 = !{i64 32}
!2 = !{i64 8}
