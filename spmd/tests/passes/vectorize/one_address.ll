; Threads that keep step read once what all of them read at one address, which another block may write meanwhile.
; threads: in step
declare ptr addrspace(4) @zluda.params()
declare i32 @zluda.tid.x()

define void @k() #0 {
  %buffer = call ptr addrspace(4) @zluda.params()
  %table = load ptr addrspace(1), ptr addrspace(4) %buffer
  %lane = call i32 @zluda.tid.x()
  %place = getelementptr ptr addrspace(1), ptr addrspace(1) %table, i32 %lane
  %address = load ptr addrspace(1), ptr addrspace(1) %place
  %value = load volatile i32, ptr addrspace(1) %address
  %there = getelementptr i8, ptr addrspace(1) %place, i64 4096
  store i32 %value, ptr addrspace(1) %there
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
  br label %start

start:                                            ; preds = %slots
  %4 = getelementptr i8, ptr %0, i64 24
  %5 = load i32, ptr %4, align 4, !invariant.load !0
  %6 = getelementptr i8, ptr %0, i64 28
  %7 = load i32, ptr %6, align 4, !invariant.load !0
  %8 = getelementptr i8, ptr %0, i64 32
  %9 = load i32, ptr %8, align 4, !invariant.load !0
  %10 = shl i32 %1, 5
  %11 = icmp ult i32 %10, %5
  br i1 %11, label %row.known, label %later.row

later.row:                                        ; preds = %start
  %12 = udiv i32 %10, %5
  %13 = mul i32 %12, %5
  %14 = sub i32 %10, %13
  %15 = and i32 %14, -32
  %16 = udiv i32 %12, %7
  %17 = mul i32 %16, %7
  %18 = sub i32 %12, %17
  br label %row.known

row.known:                                        ; preds = %later.row, %start
  %19 = phi i32 [ %10, %start ], [ %15, %later.row ]
  %20 = phi i32 [ 0, %start ], [ %18, %later.row ]
  %21 = phi i32 [ 0, %start ], [ %16, %later.row ]
  %22 = getelementptr i8, ptr %0, i64 0
  %23 = load ptr, ptr %22, align 8, !invariant.load !0, !dereferenceable !1, !align !2
  %24 = getelementptr i8, ptr %0, i64 8
  %25 = load ptr, ptr %24, align 8, !invariant.load !0
  %26 = getelementptr i8, ptr %0, i64 16
  %27 = load ptr, ptr %26, align 8, !invariant.load !0
  br label %28

28:                                               ; preds = %row.known
  %29 = load ptr, ptr %23, align 8, !invariant.load !0
  %30 = insertelement <32 x i32> poison, i32 %19, i32 0
  %31 = shufflevector <32 x i32> %30, <32 x i32> poison, <32 x i32> zeroinitializer
  %32 = add <32 x i32> %31, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %33 = getelementptr ptr addrspace(1), ptr %29, <32 x i32> %32
  %34 = call i32 @llvm.cttz.i32(i32 -1, i1 false)
  %35 = and i32 %34, 31
  %36 = extractelement <32 x ptr> %33, i32 %35
  %37 = insertelement <32 x ptr> poison, ptr %36, i32 0
  %38 = shufflevector <32 x ptr> %37, <32 x ptr> poison, <32 x i32> zeroinitializer
  %39 = icmp ne <32 x ptr> %33, %38
  %40 = select <32 x i1> splat (i1 true), <32 x i1> %39, <32 x i1> zeroinitializer
  %41 = bitcast <32 x i1> %40 to i32
  %42 = icmp eq i32 %41, 0
  br i1 %42, label %whole, label %some

end:                                              ; preds = %row.done3
  ret void

whole:                                            ; preds = %28
  %43 = load volatile ptr, ptr %36, align 8
  %44 = insertelement <32 x ptr> poison, ptr %43, i32 0
  %45 = shufflevector <32 x ptr> %44, <32 x ptr> poison, <32 x i32> zeroinitializer
  br label %row.done

some:                                             ; preds = %28
  %46 = call <32 x ptr> @llvm.masked.gather.v32p0.v32p0(<32 x ptr> align 8 %33, <32 x i1> splat (i1 true), <32 x ptr> poison)
  br label %row.done

row.done:                                         ; preds = %some, %whole
  %47 = phi <32 x ptr> [ %45, %whole ], [ %46, %some ]
  %48 = call i32 @llvm.cttz.i32(i32 -1, i1 false)
  %49 = and i32 %48, 31
  %50 = extractelement <32 x ptr> %47, i32 %49
  %51 = insertelement <32 x ptr> poison, ptr %50, i32 0
  %52 = shufflevector <32 x ptr> %51, <32 x ptr> poison, <32 x i32> zeroinitializer
  %53 = icmp ne <32 x ptr> %47, %52
  %54 = select <32 x i1> splat (i1 true), <32 x i1> %53, <32 x i1> zeroinitializer
  %55 = bitcast <32 x i1> %54 to i32
  %56 = icmp eq i32 %55, 0
  br i1 %56, label %whole1, label %some2

whole1:                                           ; preds = %row.done
  %57 = load volatile i32, ptr %50, align 4
  %58 = insertelement <32 x i32> poison, i32 %57, i32 0
  %59 = shufflevector <32 x i32> %58, <32 x i32> poison, <32 x i32> zeroinitializer
  br label %row.done3

some2:                                            ; preds = %row.done
  %60 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %47, <32 x i1> splat (i1 true), <32 x i32> poison)
  br label %row.done3

row.done3:                                        ; preds = %some2, %whole1
  %61 = phi <32 x i32> [ %59, %whole1 ], [ %60, %some2 ]
  %62 = getelementptr i8, <32 x ptr> %33, i64 4096
  call void @spmd.scatter.32(<32 x i32> %61, <32 x ptr> %62, i32 -1)
  br label %end
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.cttz.i32(i32, i1 immarg) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <32 x ptr> @llvm.masked.gather.v32p0.v32p0(<32 x ptr>, <32 x i1>, <32 x ptr>) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>) #2

; Function Attrs: noinline nounwind uwtable
define internal void @spmd.scatter.32(<32 x i32> %0, <32 x ptr> %1, i32 %2) #3 {
  %4 = alloca <32 x i32>, align 128
  store <32 x i32> %0, ptr %4, align 4
  %5 = alloca <32 x ptr>, align 256
  store <32 x ptr> %1, ptr %5, align 32
  %6 = icmp eq i32 %2, -1
  br i1 %6, label %compare, label %apart

compare:                                          ; preds = %3
  %7 = ptrtoint <32 x ptr> %1 to <32 x i64>
  %8 = extractelement <32 x i64> %7, i32 0
  %9 = insertelement <32 x i64> poison, i64 %8, i32 0
  %10 = shufflevector <32 x i64> %9, <32 x i64> poison, <32 x i32> zeroinitializer
  %11 = add <32 x i64> %10, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60, i64 64, i64 68, i64 72, i64 76, i64 80, i64 84, i64 88, i64 92, i64 96, i64 100, i64 104, i64 108, i64 112, i64 116, i64 120, i64 124>
  %12 = icmp eq <32 x i64> %7, %11
  %13 = bitcast <32 x i1> %12 to i32
  %14 = icmp eq i32 %13, -1
  br i1 %14, label %row, label %apart

row:                                              ; preds = %compare
  %15 = inttoptr i64 %8 to ptr
  store <32 x i32> %0, ptr %15, align 1
  ret void

apart:                                            ; preds = %compare, %3
  br label %head

head:                                             ; preds = %work, %apart
  %16 = phi i32 [ %2, %apart ], [ %25, %work ]
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %done, label %work

work:                                             ; preds = %head
  %18 = call i32 @llvm.cttz.i32(i32 %16, i1 true)
  %19 = zext i32 %18 to i64
  %20 = getelementptr i32, ptr %4, i64 %19
  %21 = load i32, ptr %20, align 4
  %22 = getelementptr ptr, ptr %5, i64 %19
  %23 = load ptr, ptr %22, align 8
  store i32 %21, ptr %23, align 1
  %24 = sub i32 %16, 1
  %25 = and i32 %16, %24
  br label %head

done:                                             ; preds = %head
  ret void
}

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
  call void @k.warp(ptr %0, i32 %12, i32 -1, ptr null) #4
  br label %called

part:                                             ; No predecessors!
  br label %called

called:                                           ; preds = %part, %whole
  %16 = add i32 %12, 1
  %17 = icmp ult i32 %16, %2
  br i1 %17, label %head, label %done
}

attributes #0 = { uwtable "prefer-vector-width"="256" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(read) }
attributes #3 = { noinline nounwind uwtable "prefer-vector-width"="256" }
attributes #4 = { alwaysinline }

!0 = !{}
!1 = !{i64 32}
!2 = !{i64 8}
