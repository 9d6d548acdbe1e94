; Stores of the lanes below a number that the launch gives, skipped by a comparison of scalars in warps that have
; none. Masks are looked at behind it.
declare ptr addrspace(4) @zluda.params()
declare i32 @zluda.tid.x()

define void @k() #0 {
  %buffer = call ptr addrspace(4) @zluda.params()
  %out = load i64, ptr addrspace(4) %buffer
  %place.of.count = getelementptr i8, ptr addrspace(4) %buffer, i64 8
  %count = load i32, ptr addrspace(4) %place.of.count
  %lane = call i32 @zluda.tid.x()
  %below = icmp ult i32 %lane, %count
  br i1 %below, label %change, label %end

change:
  %index = zext i32 %lane to i64
  %offset = shl i64 %index, 2
  %address = add i64 %out, %offset
  %place = inttoptr i64 %address to ptr addrspace(1)
  br label %again

again:
  %round = phi i32 [ 0, %change ], [ %next, %again ]
  store volatile i32 %round, ptr addrspace(1) %place
  %next = add i32 %round, 1
  %more = icmp ult i32 %next, 3
  br i1 %more, label %again, label %end

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
  %5 = alloca i32, align 4
  br label %start

start:                                            ; preds = %slots
  %6 = getelementptr i8, ptr %0, i64 24
  %7 = load i32, ptr %6, align 4, !invariant.load !0
  %8 = getelementptr i8, ptr %0, i64 28
  %9 = load i32, ptr %8, align 4, !invariant.load !0
  %10 = getelementptr i8, ptr %0, i64 32
  %11 = load i32, ptr %10, align 4, !invariant.load !0
  %12 = shl i32 %1, 5
  %13 = icmp ult i32 %12, %7
  br i1 %13, label %row.known, label %later.row

later.row:                                        ; preds = %start
  %14 = udiv i32 %12, %7
  %15 = mul i32 %14, %7
  %16 = sub i32 %12, %15
  %17 = and i32 %16, -32
  %18 = udiv i32 %14, %9
  %19 = mul i32 %18, %9
  %20 = sub i32 %14, %19
  br label %row.known

row.known:                                        ; preds = %later.row, %start
  %21 = phi i32 [ %12, %start ], [ %17, %later.row ]
  %22 = phi i32 [ 0, %start ], [ %20, %later.row ]
  %23 = phi i32 [ 0, %start ], [ %18, %later.row ]
  %24 = getelementptr i8, ptr %0, i64 0
  %25 = load ptr, ptr %24, align 8, !invariant.load !0, !dereferenceable !1, !align !2
  %26 = getelementptr i8, ptr %0, i64 8
  %27 = load ptr, ptr %26, align 8, !invariant.load !0
  %28 = getelementptr i8, ptr %0, i64 16
  %29 = load ptr, ptr %28, align 8, !invariant.load !0
  br label %30

30:                                               ; preds = %row.known
  store <32 x i1> zeroinitializer, ptr %4, align 4
  %31 = load i64, ptr %25, align 4, !invariant.load !0
  %32 = getelementptr i8, ptr %25, i64 8
  %33 = load i32, ptr %32, align 4, !invariant.load !0
  %34 = insertelement <32 x i32> poison, i32 %21, i32 0
  %35 = shufflevector <32 x i32> %34, <32 x i32> poison, <32 x i32> zeroinitializer
  %36 = add <32 x i32> %35, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %37 = insertelement <32 x i32> poison, i32 %33, i32 0
  %38 = shufflevector <32 x i32> %37, <32 x i32> poison, <32 x i32> zeroinitializer
  %39 = icmp ult <32 x i32> %36, %38
  %40 = select <32 x i1> splat (i1 true), <32 x i1> %39, <32 x i1> zeroinitializer
  %41 = xor <32 x i1> %39, splat (i1 true)
  %42 = select <32 x i1> splat (i1 true), <32 x i1> %41, <32 x i1> zeroinitializer
  %43 = load <32 x i1>, ptr %4, align 4
  %44 = or <32 x i1> %43, %40
  store <32 x i1> %44, ptr %4, align 4
  br label %change

change:                                           ; preds = %30
  %45 = add i32 %21, 31
  %46 = icmp uge i32 %45, %21
  %47 = icmp ult i32 %21, %33
  %48 = icmp ult i32 %45, %33
  %49 = and i1 %47, %48
  %50 = and i1 %49, %46
  %51 = select i1 true, i1 %50, i1 false
  %52 = freeze i1 %51
  br i1 %52, label %whole, label %some

loop.again:                                       ; preds = %run
  br label %header6

end.loopexit:                                     ; preds = %else10
  br label %end

end:                                              ; preds = %end.loopexit, %skip, %none, %end.loopexit3
  br label %end1

end1:                                             ; preds = %end
  ret void

whole:                                            ; preds = %change
  %53 = zext i32 %21 to i64
  %54 = add i32 %21, 31
  %55 = icmp ult i32 %54, %21
  %56 = sub i64 %53, 4294967296
  %57 = select i1 %55, i64 %56, i64 %53
  %58 = insertelement <32 x i32> poison, i32 %21, i32 0
  %59 = shufflevector <32 x i32> %58, <32 x i32> poison, <32 x i32> zeroinitializer
  %60 = add <32 x i32> %59, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %61 = zext <32 x i32> %60 to <32 x i64>
  %62 = shl i64 %57, 2
  %63 = shl <32 x i64> %61, splat (i64 2)
  %64 = add i64 %31, %62
  %65 = insertelement <32 x i64> poison, i64 %31, i32 0
  %66 = shufflevector <32 x i64> %65, <32 x i64> poison, <32 x i32> zeroinitializer
  %67 = add <32 x i64> %66, %63
  %68 = inttoptr i64 %64 to ptr
  %69 = inttoptr <32 x i64> %67 to <32 x ptr>
  store i32 0, ptr %5, align 4
  br label %loop.again2

some:                                             ; preds = %change
  %70 = add i32 %21, 31
  %71 = icmp uge i32 %70, %21
  %72 = icmp uge i32 %21, %33
  %73 = and i1 %72, %71
  %74 = freeze i1 %73
  br i1 %74, label %none, label %some5

loop.again2:                                      ; preds = %whole
  br label %header

end.loopexit3:                                    ; preds = %else
  br label %end

header:                                           ; preds = %end4, %loop.again2
  br label %again

again:                                            ; preds = %header
  %75 = load i32, ptr %5, align 4
  %76 = getelementptr i8, ptr %68, i64 0
  %77 = insertelement <32 x i32> poison, i32 %75, i32 0
  %78 = shufflevector <32 x i32> %77, <32 x i32> poison, <32 x i32> zeroinitializer
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %78, ptr align 4 %76, <32 x i1> splat (i1 true))
  %79 = add i32 %75, 1
  %80 = icmp ult i32 %79, 3
  br i1 %80, label %then, label %else

end4:                                             ; preds = %then
  br label %header

then:                                             ; preds = %again
  store i32 %79, ptr %5, align 4
  br label %end4

else:                                             ; preds = %again
  br label %end.loopexit3

none:                                             ; preds = %some
  br label %end

some5:                                            ; preds = %some
  %81 = load <32 x i1>, ptr %4, align 4
  %82 = bitcast <32 x i1> %81 to i32
  %83 = icmp ne i32 %82, 0
  br i1 %83, label %run, label %skip

run:                                              ; preds = %some5
  %84 = zext i32 %21 to i64
  %85 = add i32 %21, 31
  %86 = icmp ult i32 %85, %21
  %87 = sub i64 %84, 4294967296
  %88 = select i1 %86, i64 %87, i64 %84
  %89 = insertelement <32 x i32> poison, i32 %21, i32 0
  %90 = shufflevector <32 x i32> %89, <32 x i32> poison, <32 x i32> zeroinitializer
  %91 = add <32 x i32> %90, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %92 = zext <32 x i32> %91 to <32 x i64>
  %93 = shl i64 %88, 2
  %94 = shl <32 x i64> %92, splat (i64 2)
  %95 = add i64 %31, %93
  %96 = insertelement <32 x i64> poison, i64 %31, i32 0
  %97 = shufflevector <32 x i64> %96, <32 x i64> poison, <32 x i32> zeroinitializer
  %98 = add <32 x i64> %97, %94
  %99 = inttoptr i64 %95 to ptr
  %100 = inttoptr <32 x i64> %98 to <32 x ptr>
  store i32 0, ptr %5, align 4
  br label %loop.again

skip:                                             ; preds = %some5
  br label %end

header6:                                          ; preds = %end8, %loop.again
  br label %again7

again7:                                           ; preds = %header6
  %101 = load i32, ptr %5, align 4
  %102 = getelementptr i8, ptr %99, i64 0
  %103 = insertelement <32 x i32> poison, i32 %101, i32 0
  %104 = shufflevector <32 x i32> %103, <32 x i32> poison, <32 x i32> zeroinitializer
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %104, ptr align 4 %102, <32 x i1> %81)
  %105 = add i32 %101, 1
  %106 = icmp ult i32 %105, 3
  br i1 %106, label %then9, label %else10

end8:                                             ; preds = %then9
  br label %header6

then9:                                            ; preds = %again7
  store i32 %105, ptr %5, align 4
  br label %end8

else10:                                           ; preds = %again7
  br label %end.loopexit
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
