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

@k.kd = constant { i32, i32, i32, i32, ptr, i32, i32, i32, i32, i32 } { i32 1514947396, i32 20, i32 0, i32 270, ptr @k.blocks, i32 32, i32 0, i32 0, i32 256, i32 0 }, align 8

declare ptr addrspace(4) @zluda.params()

declare i32 @zluda.tid.x()

; Function Attrs: uwtable
define internal void @k.warp(ptr noalias nonnull readonly align 8 dereferenceable(128) %0, i32 %1, i32 %2, ptr %3) #0 {
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
  br i1 %11, label %known, label %later.row

later.row:                                        ; preds = %start
  %12 = icmp eq i32 %5, 32
  br i1 %12, label %row.known, label %long.row

long.row:                                         ; preds = %later.row
  %13 = udiv i32 %10, %5
  %14 = mul i32 %13, %5
  %15 = sub i32 %10, %14
  %16 = and i32 %15, -32
  br label %row.known

row.known:                                        ; preds = %long.row, %later.row
  %17 = phi i32 [ %1, %later.row ], [ %13, %long.row ]
  %18 = phi i32 [ 0, %later.row ], [ %16, %long.row ]
  %19 = icmp ult i32 %17, %7
  br i1 %19, label %known, label %later.plane

later.plane:                                      ; preds = %row.known
  %20 = udiv i32 %17, %7
  %21 = mul i32 %20, %7
  %22 = sub i32 %17, %21
  br label %known

known:                                            ; preds = %later.plane, %row.known, %start
  %23 = phi i32 [ %10, %start ], [ %18, %row.known ], [ %18, %later.plane ]
  %24 = phi i32 [ 0, %start ], [ %17, %row.known ], [ %22, %later.plane ]
  %25 = phi i32 [ 0, %start ], [ 0, %row.known ], [ %20, %later.plane ]
  %26 = getelementptr i8, ptr %0, i64 0
  %27 = load ptr, ptr %26, align 8, !invariant.load !0, !dereferenceable !1, !align !2
  %28 = getelementptr i8, ptr %0, i64 8
  %29 = load ptr, ptr %28, align 8, !invariant.load !0
  %30 = getelementptr i8, ptr %0, i64 16
  %31 = load ptr, ptr %30, align 8, !invariant.load !0
  br label %32

32:                                               ; preds = %known
  %33 = load ptr, ptr %27, align 8, !invariant.load !0
  %34 = insertelement <32 x i32> poison, i32 %23, i32 0
  %35 = shufflevector <32 x i32> %34, <32 x i32> poison, <32 x i32> zeroinitializer
  %36 = add <32 x i32> %35, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %37 = getelementptr ptr addrspace(1), ptr %33, <32 x i32> %36
  %38 = call i32 @llvm.cttz.i32(i32 -1, i1 false)
  %39 = and i32 %38, 31
  %40 = extractelement <32 x ptr> %37, i32 %39
  %41 = insertelement <32 x ptr> poison, ptr %40, i32 0
  %42 = shufflevector <32 x ptr> %41, <32 x ptr> poison, <32 x i32> zeroinitializer
  %43 = icmp ne <32 x ptr> %37, %42
  %44 = select <32 x i1> splat (i1 true), <32 x i1> %43, <32 x i1> zeroinitializer
  %45 = bitcast <32 x i1> %44 to i32
  %46 = icmp eq i32 %45, 0
  br i1 %46, label %whole, label %some

end:                                              ; preds = %row.done3
  ret void

whole:                                            ; preds = %32
  %47 = load volatile ptr, ptr %40, align 8
  %48 = insertelement <32 x ptr> poison, ptr %47, i32 0
  %49 = shufflevector <32 x ptr> %48, <32 x ptr> poison, <32 x i32> zeroinitializer
  br label %row.done

some:                                             ; preds = %32
  %50 = call <32 x ptr> @llvm.masked.gather.v32p0.v32p0(<32 x ptr> align 8 %37, <32 x i1> splat (i1 true), <32 x ptr> poison)
  br label %row.done

row.done:                                         ; preds = %some, %whole
  %51 = phi <32 x ptr> [ %49, %whole ], [ %50, %some ]
  %52 = call i32 @llvm.cttz.i32(i32 -1, i1 false)
  %53 = and i32 %52, 31
  %54 = extractelement <32 x ptr> %51, i32 %53
  %55 = insertelement <32 x ptr> poison, ptr %54, i32 0
  %56 = shufflevector <32 x ptr> %55, <32 x ptr> poison, <32 x i32> zeroinitializer
  %57 = icmp ne <32 x ptr> %51, %56
  %58 = select <32 x i1> splat (i1 true), <32 x i1> %57, <32 x i1> zeroinitializer
  %59 = bitcast <32 x i1> %58 to i32
  %60 = icmp eq i32 %59, 0
  br i1 %60, label %whole1, label %some2

whole1:                                           ; preds = %row.done
  %61 = load volatile i32, ptr %54, align 4
  %62 = insertelement <32 x i32> poison, i32 %61, i32 0
  %63 = shufflevector <32 x i32> %62, <32 x i32> poison, <32 x i32> zeroinitializer
  br label %row.done3

some2:                                            ; preds = %row.done
  %64 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %51, <32 x i1> splat (i1 true), <32 x i32> poison)
  br label %row.done3

row.done3:                                        ; preds = %some2, %whole1
  %65 = phi <32 x i32> [ %63, %whole1 ], [ %64, %some2 ]
  %66 = getelementptr i8, <32 x ptr> %37, i64 4096
  call void @spmd.scatter.32(<32 x i32> %65, <32 x ptr> %66, i32 -1)
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
  call void @k.warp(ptr %0, i32 %13, i32 -1, ptr null) #4
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
  call void @k.block(ptr %0, i32 %1, i32 %2, ptr null) #5
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
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(read) }
attributes #3 = { noinline nounwind uwtable "prefer-vector-width"="256" }
attributes #4 = { alwaysinline }
attributes #5 = { noinline }

!0 = !{}
!1 = !{i64 32}
!2 = !{i64 8}
