; stack: flat
; cpu: x86-64-v4
; A loop down rows whose distance nobody knows: the sums of two warps differ, the distance and the count do not.
define internal void @sums.warp(ptr %context, i32 %warp, i32 %mask, ptr %round) #0 {
start:
  %params = load ptr, ptr %context, align 8, !invariant.load !0
  %data = load i64, ptr %params, align 8, !invariant.load !0
  %pitch.at = getelementptr i8, ptr %params, i64 8
  %pitch = load i64, ptr %pitch.at, align 8, !invariant.load !0
  %count.at = getelementptr i8, ptr %params, i64 16
  %count = load i32, ptr %count.at, align 4, !invariant.load !0
  %number = zext i32 %warp to i64
  %offset = shl i64 %number, 7
  %first = add i64 %data, %offset
  br label %loop

loop:
  %sum = phi <32 x float> [ zeroinitializer, %start ], [ %sum.next, %loop ]
  %at = phi i64 [ %first, %start ], [ %at.next, %loop ]
  %row = phi i32 [ 0, %start ], [ %row.next, %loop ]
  %pointer = inttoptr i64 %at to ptr
  %values = load <32 x float>, ptr %pointer, align 4
  %sum.next = fadd <32 x float> %sum, %values
  %at.next = add i64 %at, %pitch
  %row.next = add i32 %row, 1
  %more = icmp ult i32 %row.next, %count
  br i1 %more, label %loop, label %done

done:
  store <32 x float> %sum.next, ptr %pointer, align 4
  ret void
}

attributes #0 = { "warp-jams" }

!0 = !{}

; becomes

@frame.size = internal global i64 0

define internal void @sums.warp(ptr %context, i32 %warp, i32 %mask, ptr %round) #0 {
start:
  %0 = alloca [384 x i8], align 64
  %1 = alloca ptr, align 8
  %2 = alloca <32 x float>, align 128
  %params = load ptr, ptr %context, align 8, !invariant.load !0
  %data = load i64, ptr %params, align 8, !invariant.load !0
  %pitch.at = getelementptr i8, ptr %params, i64 8
  %pitch = load i64, ptr %pitch.at, align 8, !invariant.load !0
  %count.at = getelementptr i8, ptr %params, i64 16
  %count = load i32, ptr %count.at, align 4, !invariant.load !0
  %number = zext i32 %warp to i64
  %offset = shl i64 %number, 7
  %first = add i64 %data, %offset
  br label %alone

loop:                                             ; preds = %on, %loop
  %3 = phi i32 [ %row.next, %loop ], [ %29, %on ]
  %4 = phi i64 [ %at.next, %loop ], [ %27, %on ]
  %5 = phi <32 x float> [ %sum.next, %loop ], [ %25, %on ]
  %pointer = inttoptr i64 %4 to ptr
  store ptr %pointer, ptr %1, align 8
  %values = load <32 x float>, ptr %pointer, align 4
  %sum.next = fadd <32 x float> %5, %values
  store <32 x float> %sum.next, ptr %2, align 128
  %at.next = add i64 %4, %pitch
  %row.next = add i32 %3, 1
  %more = icmp ult i32 %row.next, %count
  br i1 %more, label %loop, label %done

done:                                             ; preds = %jammed, %done2, %loop
  %6 = load <32 x float>, ptr %2, align 128
  %7 = load ptr, ptr %1, align 8
  store <32 x float> %6, ptr %7, align 4
  ret void

jam:                                              ; preds = %more1
  %8 = getelementptr i8, ptr %0, i64 208
  store i64 %pitch, ptr %8, align 8
  %9 = getelementptr i8, ptr %0, i64 216
  store i32 %count, ptr %9, align 4
  %10 = getelementptr i8, ptr %0, i64 64
  store <32 x float> %36, ptr %10, align 64
  %11 = getelementptr i8, ptr %0, i64 192
  store i64 %37, ptr %11, align 8
  %12 = getelementptr i8, ptr %0, i64 200
  store i32 %38, ptr %12, align 4
  store i32 1, ptr %0, align 4
  %13 = shl i32 1, %warp
  %14 = getelementptr i8, ptr %round, i64 8
  %15 = load i32, ptr %14, align 8
  %16 = or i32 %15, %13
  %17 = getelementptr i8, ptr %round, i64 8
  store i32 %16, ptr %17, align 8
  call void @wait.for.warps()
  call void @sums.warp.together(ptr %context, i32 %warp, ptr %round, ptr %0)
  %18 = load i32, ptr %0, align 4
  %19 = icmp eq i32 %18, 4
  br i1 %19, label %jammed, label %on

jammed:                                           ; preds = %jam
  %20 = getelementptr i8, ptr %0, i64 224
  %21 = load ptr, ptr %20, align 8
  store ptr %21, ptr %1, align 8
  %22 = getelementptr i8, ptr %0, i64 256
  %23 = load <32 x float>, ptr %22, align 64
  store <32 x float> %23, ptr %2, align 128
  br label %done

on:                                               ; preds = %jam
  %24 = getelementptr i8, ptr %0, i64 64
  %25 = load <32 x float>, ptr %24, align 64
  %26 = getelementptr i8, ptr %0, i64 192
  %27 = load i64, ptr %26, align 8
  %28 = getelementptr i8, ptr %0, i64 200
  %29 = load i32, ptr %28, align 4
  br label %loop

alone:                                            ; preds = %alone, %start
  %30 = phi <32 x float> [ zeroinitializer, %start ], [ %36, %alone ]
  %31 = phi i64 [ %first, %start ], [ %37, %alone ]
  %32 = phi i32 [ 0, %start ], [ %38, %alone ]
  %33 = phi i32 [ 0, %start ], [ %40, %alone ]
  %34 = inttoptr i64 %31 to ptr
  %35 = load <32 x float>, ptr %34, align 4
  %36 = fadd <32 x float> %30, %35
  %37 = add i64 %31, %pitch
  %38 = add i32 %32, 1
  %39 = icmp ult i32 %38, %count
  %40 = add i32 %33, 1
  %41 = icmp ult i32 %40, 4
  %42 = and i1 %39, %41
  br i1 %42, label %alone, label %more1

more1:                                            ; preds = %alone
  br i1 %39, label %jam, label %done2

done2:                                            ; preds = %more1
  store ptr %34, ptr %1, align 8
  store <32 x float> %36, ptr %2, align 128
  br label %done
}

; Function Attrs: noinline uwtable
define internal void @sums.warp.together(ptr %0, i32 %1, ptr %2, ptr %3) #1 {
start:
  %4 = load i32, ptr %3, align 4
  %5 = icmp eq i32 %4, 1
  br i1 %5, label %mine, label %done

mine:                                             ; preds = %start
  store i32 2, ptr %3, align 4
  %6 = getelementptr i8, ptr %0, i64 24
  %7 = load i32, ptr %6, align 4
  %8 = getelementptr i8, ptr %0, i64 28
  %9 = load i32, ptr %8, align 4
  %10 = mul i32 %7, %9
  %11 = getelementptr i8, ptr %0, i64 32
  %12 = load i32, ptr %11, align 4
  %13 = mul i32 %10, %12
  %14 = lshr i32 %13, 5
  %15 = add i32 %1, 4
  %16 = icmp ule i32 %15, %14
  br i1 %16, label %ask, label %done

ask:                                              ; preds = %mine
  %17 = getelementptr i8, ptr %2, i64 72
  %18 = load ptr, ptr %17, align 8
  %19 = load i64, ptr @frame.size, align 8
  %20 = zext i32 %1 to i64
  %21 = mul i64 %19, %20
  %22 = getelementptr i8, ptr %18, i64 %21
  %23 = load i32, ptr %22, align 4
  %24 = load i64, ptr @frame.size, align 8
  %25 = mul i64 %24, 1
  %26 = getelementptr i8, ptr %3, i64 %25
  %27 = getelementptr i8, ptr %22, i64 %25
  %28 = load i32, ptr %27, align 4
  %29 = icmp eq i32 %28, %23
  %30 = load i32, ptr %26, align 4
  %31 = icmp eq i32 %30, 1
  %32 = and i1 %29, %31
  %33 = and i1 true, %32
  %34 = load i64, ptr @frame.size, align 8
  %35 = mul i64 %34, 2
  %36 = getelementptr i8, ptr %3, i64 %35
  %37 = getelementptr i8, ptr %22, i64 %35
  %38 = load i32, ptr %37, align 4
  %39 = icmp eq i32 %38, %23
  %40 = load i32, ptr %36, align 4
  %41 = icmp eq i32 %40, 1
  %42 = and i1 %39, %41
  %43 = and i1 %33, %42
  %44 = load i64, ptr @frame.size, align 8
  %45 = mul i64 %44, 3
  %46 = getelementptr i8, ptr %3, i64 %45
  %47 = getelementptr i8, ptr %22, i64 %45
  %48 = load i32, ptr %47, align 4
  %49 = icmp eq i32 %48, %23
  %50 = load i32, ptr %46, align 4
  %51 = icmp eq i32 %50, 1
  %52 = and i1 %49, %51
  %53 = and i1 %43, %52
  br i1 %53, label %begin, label %done

begin:                                            ; preds = %ask
  %54 = getelementptr i8, ptr %3, i64 208
  %55 = load i64, ptr %54, align 8
  %56 = getelementptr i8, ptr %3, i64 216
  %57 = load i32, ptr %56, align 4
  %58 = getelementptr i8, ptr %3, i64 64
  %59 = load <32 x float>, ptr %58, align 64
  %60 = getelementptr i8, ptr %3, i64 192
  %61 = load i64, ptr %60, align 8
  %62 = getelementptr i8, ptr %3, i64 200
  %63 = load i32, ptr %62, align 4
  %64 = getelementptr i8, ptr %26, i64 64
  %65 = load <32 x float>, ptr %64, align 64
  %66 = getelementptr i8, ptr %26, i64 192
  %67 = load i64, ptr %66, align 8
  %68 = getelementptr i8, ptr %36, i64 64
  %69 = load <32 x float>, ptr %68, align 64
  %70 = getelementptr i8, ptr %36, i64 192
  %71 = load i64, ptr %70, align 8
  %72 = getelementptr i8, ptr %46, i64 64
  %73 = load <32 x float>, ptr %72, align 64
  %74 = getelementptr i8, ptr %46, i64 192
  %75 = load i64, ptr %74, align 8
  br label %round

round:                                            ; preds = %round, %begin
  %76 = phi <32 x float> [ %59, %begin ], [ %93, %round ]
  %77 = phi <32 x float> [ %65, %begin ], [ %94, %round ]
  %78 = phi <32 x float> [ %69, %begin ], [ %95, %round ]
  %79 = phi <32 x float> [ %73, %begin ], [ %96, %round ]
  %80 = phi i64 [ %61, %begin ], [ %97, %round ]
  %81 = phi i64 [ %67, %begin ], [ %98, %round ]
  %82 = phi i64 [ %71, %begin ], [ %99, %round ]
  %83 = phi i64 [ %75, %begin ], [ %100, %round ]
  %84 = phi i32 [ %63, %begin ], [ %101, %round ]
  %85 = inttoptr i64 %80 to ptr
  %86 = inttoptr i64 %81 to ptr
  %87 = inttoptr i64 %82 to ptr
  %88 = inttoptr i64 %83 to ptr
  %89 = load <32 x float>, ptr %85, align 4
  %90 = load <32 x float>, ptr %86, align 4
  %91 = load <32 x float>, ptr %87, align 4
  %92 = load <32 x float>, ptr %88, align 4
  %93 = fadd <32 x float> %76, %89
  %94 = fadd <32 x float> %77, %90
  %95 = fadd <32 x float> %78, %91
  %96 = fadd <32 x float> %79, %92
  %97 = add i64 %80, %55
  %98 = add i64 %81, %55
  %99 = add i64 %82, %55
  %100 = add i64 %83, %55
  %101 = add i32 %84, 1
  %102 = icmp ult i32 %101, %57
  %103 = and i1 %102, %102
  %104 = and i1 %103, %102
  %105 = and i1 %104, %102
  br i1 %105, label %round, label %end

end:                                              ; preds = %round
  %106 = getelementptr i8, ptr %3, i64 64
  store <32 x float> %93, ptr %106, align 64
  %107 = getelementptr i8, ptr %3, i64 192
  store i64 %97, ptr %107, align 8
  %108 = getelementptr i8, ptr %3, i64 200
  store i32 %101, ptr %108, align 4
  %109 = getelementptr i8, ptr %3, i64 224
  store ptr %85, ptr %109, align 8
  %110 = getelementptr i8, ptr %3, i64 256
  store <32 x float> %93, ptr %110, align 64
  %111 = select i1 %102, i32 3, i32 4
  store i32 %111, ptr %3, align 4
  %112 = getelementptr i8, ptr %26, i64 64
  store <32 x float> %94, ptr %112, align 64
  %113 = getelementptr i8, ptr %26, i64 192
  store i64 %98, ptr %113, align 8
  %114 = getelementptr i8, ptr %26, i64 200
  store i32 %101, ptr %114, align 4
  %115 = getelementptr i8, ptr %26, i64 224
  store ptr %86, ptr %115, align 8
  %116 = getelementptr i8, ptr %26, i64 256
  store <32 x float> %94, ptr %116, align 64
  %117 = select i1 %102, i32 3, i32 4
  store i32 %117, ptr %26, align 4
  %118 = getelementptr i8, ptr %36, i64 64
  store <32 x float> %95, ptr %118, align 64
  %119 = getelementptr i8, ptr %36, i64 192
  store i64 %99, ptr %119, align 8
  %120 = getelementptr i8, ptr %36, i64 200
  store i32 %101, ptr %120, align 4
  %121 = getelementptr i8, ptr %36, i64 224
  store ptr %87, ptr %121, align 8
  %122 = getelementptr i8, ptr %36, i64 256
  store <32 x float> %95, ptr %122, align 64
  %123 = select i1 %102, i32 3, i32 4
  store i32 %123, ptr %36, align 4
  %124 = getelementptr i8, ptr %46, i64 64
  store <32 x float> %96, ptr %124, align 64
  %125 = getelementptr i8, ptr %46, i64 192
  store i64 %100, ptr %125, align 8
  %126 = getelementptr i8, ptr %46, i64 200
  store i32 %101, ptr %126, align 4
  %127 = getelementptr i8, ptr %46, i64 224
  store ptr %88, ptr %127, align 8
  %128 = getelementptr i8, ptr %46, i64 256
  store <32 x float> %96, ptr %128, align 64
  %129 = select i1 %102, i32 3, i32 4
  store i32 %129, ptr %46, align 4
  br label %done

done:                                             ; preds = %end, %ask, %mine, %start
  ret void
}

; Function Attrs: nounwind
declare void @wait.for.warps() #2

attributes #0 = { "warp-jams" }
attributes #1 = { noinline uwtable }
attributes #2 = { nounwind }

!0 = !{}
