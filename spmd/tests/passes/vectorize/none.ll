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

@k.kd = constant { i32, i32, i32, i32, ptr, i32, i32, i32, i32, i32 } { i32 1514947396, i32 20, i32 0, i32 270, ptr @k.blocks, i32 32, i32 0, i32 0, i32 256, i32 0 }, align 8

declare ptr addrspace(4) @zluda.params()

declare i32 @zluda.tid.x()

; Function Attrs: uwtable
define internal void @k.warp(ptr noalias nonnull readonly align 8 dereferenceable(128) %0, i32 %1, i32 %2, ptr %3) #0 {
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
  br i1 %13, label %known, label %later.row

later.row:                                        ; preds = %start
  %14 = icmp eq i32 %7, 32
  br i1 %14, label %row.known, label %long.row

long.row:                                         ; preds = %later.row
  %15 = udiv i32 %12, %7
  %16 = mul i32 %15, %7
  %17 = sub i32 %12, %16
  %18 = and i32 %17, -32
  br label %row.known

row.known:                                        ; preds = %long.row, %later.row
  %19 = phi i32 [ %1, %later.row ], [ %15, %long.row ]
  %20 = phi i32 [ 0, %later.row ], [ %18, %long.row ]
  %21 = icmp ult i32 %19, %9
  br i1 %21, label %known, label %later.plane

later.plane:                                      ; preds = %row.known
  %22 = udiv i32 %19, %9
  %23 = mul i32 %22, %9
  %24 = sub i32 %19, %23
  br label %known

known:                                            ; preds = %later.plane, %row.known, %start
  %25 = phi i32 [ %12, %start ], [ %20, %row.known ], [ %20, %later.plane ]
  %26 = phi i32 [ 0, %start ], [ %19, %row.known ], [ %24, %later.plane ]
  %27 = phi i32 [ 0, %start ], [ 0, %row.known ], [ %22, %later.plane ]
  %28 = getelementptr i8, ptr %0, i64 0
  %29 = load ptr, ptr %28, align 8, !invariant.load !0, !dereferenceable !1, !align !2
  %30 = getelementptr i8, ptr %0, i64 8
  %31 = load ptr, ptr %30, align 8, !invariant.load !0
  %32 = getelementptr i8, ptr %0, i64 16
  %33 = load ptr, ptr %32, align 8, !invariant.load !0
  br label %34

34:                                               ; preds = %known
  store <32 x i1> zeroinitializer, ptr %4, align 4
  %35 = load i64, ptr %29, align 4, !invariant.load !0
  %36 = getelementptr i8, ptr %29, i64 8
  %37 = load i32, ptr %36, align 4, !invariant.load !0
  %38 = insertelement <32 x i32> poison, i32 %25, i32 0
  %39 = shufflevector <32 x i32> %38, <32 x i32> poison, <32 x i32> zeroinitializer
  %40 = add <32 x i32> %39, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %41 = insertelement <32 x i32> poison, i32 %37, i32 0
  %42 = shufflevector <32 x i32> %41, <32 x i32> poison, <32 x i32> zeroinitializer
  %43 = icmp ult <32 x i32> %40, %42
  %44 = select <32 x i1> splat (i1 true), <32 x i1> %43, <32 x i1> zeroinitializer
  %45 = xor <32 x i1> %43, splat (i1 true)
  %46 = select <32 x i1> splat (i1 true), <32 x i1> %45, <32 x i1> zeroinitializer
  %47 = load <32 x i1>, ptr %4, align 4
  %48 = or <32 x i1> %47, %44
  store <32 x i1> %48, ptr %4, align 4
  br label %change

change:                                           ; preds = %34
  %49 = add i32 %25, 31
  %50 = icmp uge i32 %49, %25
  %51 = icmp ult i32 %25, %37
  %52 = icmp ult i32 %49, %37
  %53 = and i1 %51, %52
  %54 = and i1 %53, %50
  %55 = select i1 true, i1 %54, i1 false
  %56 = freeze i1 %55
  br i1 %56, label %whole, label %some

loop.again:                                       ; preds = %run
  br label %header6

end.loopexit:                                     ; preds = %else10
  br label %end

end:                                              ; preds = %end.loopexit, %skip, %none, %end.loopexit3
  br label %end1

end1:                                             ; preds = %end
  ret void

whole:                                            ; preds = %change
  %57 = zext i32 %25 to i64
  %58 = add i32 %25, 31
  %59 = icmp ult i32 %58, %25
  %60 = sub i64 %57, 4294967296
  %61 = select i1 %59, i64 %60, i64 %57
  %62 = insertelement <32 x i32> poison, i32 %25, i32 0
  %63 = shufflevector <32 x i32> %62, <32 x i32> poison, <32 x i32> zeroinitializer
  %64 = add <32 x i32> %63, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %65 = zext <32 x i32> %64 to <32 x i64>
  %66 = shl i64 %61, 2
  %67 = shl <32 x i64> %65, splat (i64 2)
  %68 = add i64 %35, %66
  %69 = insertelement <32 x i64> poison, i64 %35, i32 0
  %70 = shufflevector <32 x i64> %69, <32 x i64> poison, <32 x i32> zeroinitializer
  %71 = add <32 x i64> %70, %67
  %72 = inttoptr i64 %68 to ptr
  %73 = inttoptr <32 x i64> %71 to <32 x ptr>
  store i32 0, ptr %5, align 4
  br label %loop.again2

some:                                             ; preds = %change
  %74 = add i32 %25, 31
  %75 = icmp uge i32 %74, %25
  %76 = icmp uge i32 %25, %37
  %77 = and i1 %76, %75
  %78 = freeze i1 %77
  br i1 %78, label %none, label %some5

loop.again2:                                      ; preds = %whole
  br label %header

end.loopexit3:                                    ; preds = %else
  br label %end

header:                                           ; preds = %end4, %loop.again2
  br label %again

again:                                            ; preds = %header
  %79 = load i32, ptr %5, align 4
  %80 = getelementptr i8, ptr %72, i64 0
  %81 = insertelement <32 x i32> poison, i32 %79, i32 0
  %82 = shufflevector <32 x i32> %81, <32 x i32> poison, <32 x i32> zeroinitializer
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %82, ptr align 4 %80, <32 x i1> splat (i1 true))
  %83 = add i32 %79, 1
  %84 = icmp ult i32 %83, 3
  br i1 %84, label %then, label %else

end4:                                             ; preds = %then
  br label %header

then:                                             ; preds = %again
  store i32 %83, ptr %5, align 4
  br label %end4

else:                                             ; preds = %again
  br label %end.loopexit3

none:                                             ; preds = %some
  br label %end

some5:                                            ; preds = %some
  %85 = load <32 x i1>, ptr %4, align 4
  %86 = bitcast <32 x i1> %85 to i32
  %87 = icmp ne i32 %86, 0
  br i1 %87, label %run, label %skip

run:                                              ; preds = %some5
  %88 = zext i32 %25 to i64
  %89 = add i32 %25, 31
  %90 = icmp ult i32 %89, %25
  %91 = sub i64 %88, 4294967296
  %92 = select i1 %90, i64 %91, i64 %88
  %93 = insertelement <32 x i32> poison, i32 %25, i32 0
  %94 = shufflevector <32 x i32> %93, <32 x i32> poison, <32 x i32> zeroinitializer
  %95 = add <32 x i32> %94, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %96 = zext <32 x i32> %95 to <32 x i64>
  %97 = shl i64 %92, 2
  %98 = shl <32 x i64> %96, splat (i64 2)
  %99 = add i64 %35, %97
  %100 = insertelement <32 x i64> poison, i64 %35, i32 0
  %101 = shufflevector <32 x i64> %100, <32 x i64> poison, <32 x i32> zeroinitializer
  %102 = add <32 x i64> %101, %98
  %103 = inttoptr i64 %99 to ptr
  %104 = inttoptr <32 x i64> %102 to <32 x ptr>
  store i32 0, ptr %5, align 4
  br label %loop.again

skip:                                             ; preds = %some5
  br label %end

header6:                                          ; preds = %end8, %loop.again
  br label %again7

again7:                                           ; preds = %header6
  %105 = load i32, ptr %5, align 4
  %106 = getelementptr i8, ptr %103, i64 0
  %107 = insertelement <32 x i32> poison, i32 %105, i32 0
  %108 = shufflevector <32 x i32> %107, <32 x i32> poison, <32 x i32> zeroinitializer
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %108, ptr align 4 %106, <32 x i1> %85)
  %109 = add i32 %105, 1
  %110 = icmp ult i32 %109, 3
  br i1 %110, label %then9, label %else10

end8:                                             ; preds = %then9
  br label %header6

then9:                                            ; preds = %again7
  store i32 %109, ptr %5, align 4
  br label %end8

else10:                                           ; preds = %again7
  br label %end.loopexit
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
