; stack: flat
; cpu: x86-64-v4
; What lanes leave with is kept in a block of its own, which becomes a choice; a phi that only they change is not one then.
define internal void @sums.warp(ptr %context, i32 %warp, i32 %mask, ptr %round, i64 %first, i64 %pitch, <32 x i32> %counts) #0 {
start:
  br label %loop

loop:
  %left = phi <32 x i32> [ zeroinitializer, %start ], [ %left.next, %stay ]
  %sum = phi <32 x i32> [ zeroinitializer, %start ], [ %sum.next, %stay ]
  %at = phi i64 [ %first, %start ], [ %at.next, %stay ]
  %pointer = inttoptr i64 %at to ptr
  %values = load <32 x i32>, ptr %pointer, align 4
  %sum.next = add <32 x i32> %sum, %values
  %more = icmp ult <32 x i32> %sum.next, %counts
  %bits = bitcast <32 x i1> %more to i32
  %all = icmp eq i32 %bits, -1
  br i1 %all, label %stay, label %leave

leave:
  %kept = select <32 x i1> %more, <32 x i32> %left, <32 x i32> %sum.next
  br label %stay

stay:
  %left.next = phi <32 x i32> [ %left, %loop ], [ %kept, %leave ]
  %at.next = add i64 %at, %pitch
  br i1 %all, label %loop, label %done

done:
  store <32 x i32> %left.next, ptr %pointer, align 4
  ret void
}

attributes #0 = { "warp-jams" }

; becomes

@frame.size = internal global i64 0

define internal void @sums.warp(ptr %context, i32 %warp, i32 %mask, ptr %round, i64 %first, i64 %pitch, <32 x i32> %counts) #0 {
start:
  %0 = alloca [704 x i8], align 64
  %1 = alloca ptr, align 8
  %2 = alloca <32 x i32>, align 128
  br label %alone

loop:                                             ; preds = %on, %loop
  %3 = phi i64 [ %8, %loop ], [ %32, %on ]
  %4 = phi <32 x i32> [ %sum.next, %loop ], [ %30, %on ]
  %5 = phi <32 x i32> [ %5, %loop ], [ %28, %on ]
  %pointer = inttoptr i64 %3 to ptr
  store ptr %pointer, ptr %1, align 8
  %values = load <32 x i32>, ptr %pointer, align 4
  %sum.next = add <32 x i32> %4, %values
  %more = icmp ult <32 x i32> %sum.next, %counts
  %bits = bitcast <32 x i1> %more to i32
  %all = icmp eq i32 %bits, -1
  %6 = select <32 x i1> %more, <32 x i32> %5, <32 x i32> %sum.next
  %7 = select i1 %all, <32 x i32> %5, <32 x i32> %6
  store <32 x i32> %7, ptr %2, align 128
  %8 = add i64 %3, %pitch
  br i1 %all, label %loop, label %done

done:                                             ; preds = %jammed, %done2, %loop
  %9 = load <32 x i32>, ptr %2, align 128
  %10 = load ptr, ptr %1, align 8
  store <32 x i32> %9, ptr %10, align 4
  ret void

jam:                                              ; preds = %more1
  %11 = getelementptr i8, ptr %0, i64 384
  store <32 x i32> %counts, ptr %11, align 64
  %12 = getelementptr i8, ptr %0, i64 512
  store i64 %pitch, ptr %12, align 8
  %13 = getelementptr i8, ptr %0, i64 64
  store <32 x i32> %33, ptr %13, align 64
  %14 = getelementptr i8, ptr %0, i64 192
  store <32 x i32> %39, ptr %14, align 64
  %15 = getelementptr i8, ptr %0, i64 320
  store i64 %45, ptr %15, align 8
  store i32 1, ptr %0, align 4
  %16 = shl i32 1, %warp
  %17 = getelementptr i8, ptr %round, i64 8
  %18 = load i32, ptr %17, align 8
  %19 = or i32 %18, %16
  %20 = getelementptr i8, ptr %round, i64 8
  store i32 %19, ptr %20, align 8
  call void @wait.for.warps()
  call void @sums.warp.together(ptr %context, i32 %warp, ptr %round, ptr %0)
  %21 = load i32, ptr %0, align 4
  %22 = icmp eq i32 %21, 4
  br i1 %22, label %jammed, label %on

jammed:                                           ; preds = %jam
  %23 = getelementptr i8, ptr %0, i64 520
  %24 = load ptr, ptr %23, align 8
  store ptr %24, ptr %1, align 8
  %25 = getelementptr i8, ptr %0, i64 576
  %26 = load <32 x i32>, ptr %25, align 64
  store <32 x i32> %26, ptr %2, align 128
  br label %done

on:                                               ; preds = %jam
  %27 = getelementptr i8, ptr %0, i64 64
  %28 = load <32 x i32>, ptr %27, align 64
  %29 = getelementptr i8, ptr %0, i64 192
  %30 = load <32 x i32>, ptr %29, align 64
  %31 = getelementptr i8, ptr %0, i64 320
  %32 = load i64, ptr %31, align 8
  br label %loop

alone:                                            ; preds = %alone, %start
  %33 = phi <32 x i32> [ zeroinitializer, %start ], [ %33, %alone ]
  %34 = phi <32 x i32> [ zeroinitializer, %start ], [ %39, %alone ]
  %35 = phi i64 [ %first, %start ], [ %45, %alone ]
  %36 = phi i32 [ 0, %start ], [ %46, %alone ]
  %37 = inttoptr i64 %35 to ptr
  %38 = load <32 x i32>, ptr %37, align 4
  %39 = add <32 x i32> %34, %38
  %40 = icmp ult <32 x i32> %39, %counts
  %41 = bitcast <32 x i1> %40 to i32
  %42 = icmp eq i32 %41, -1
  %43 = select <32 x i1> %40, <32 x i32> %33, <32 x i32> %39
  %44 = select i1 %42, <32 x i32> %33, <32 x i32> %43
  %45 = add i64 %35, %pitch
  %46 = add i32 %36, 1
  %47 = icmp ult i32 %46, 4
  %48 = and i1 %42, %47
  br i1 %48, label %alone, label %more1

more1:                                            ; preds = %alone
  br i1 %42, label %jam, label %done2

done2:                                            ; preds = %more1
  store ptr %37, ptr %1, align 8
  store <32 x i32> %44, ptr %2, align 128
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
  %54 = getelementptr i8, ptr %3, i64 384
  %55 = load <32 x i32>, ptr %54, align 64
  %56 = getelementptr i8, ptr %3, i64 512
  %57 = load i64, ptr %56, align 8
  %58 = getelementptr i8, ptr %3, i64 64
  %59 = load <32 x i32>, ptr %58, align 64
  %60 = getelementptr i8, ptr %3, i64 192
  %61 = load <32 x i32>, ptr %60, align 64
  %62 = getelementptr i8, ptr %3, i64 320
  %63 = load i64, ptr %62, align 8
  br label %round

round:                                            ; preds = %round, %begin
  %64 = phi <32 x i32> [ %59, %begin ], [ %64, %round ]
  %65 = phi <32 x i32> [ %61, %begin ], [ %69, %round ]
  %66 = phi i64 [ %63, %begin ], [ %75, %round ]
  %67 = inttoptr i64 %66 to ptr
  %68 = load <32 x i32>, ptr %67, align 4
  %69 = add <32 x i32> %65, %68
  %70 = icmp ult <32 x i32> %69, %55
  %71 = bitcast <32 x i1> %70 to i32
  %72 = icmp eq i32 %71, -1
  %73 = select <32 x i1> %70, <32 x i32> %64, <32 x i32> %69
  %74 = select i1 %72, <32 x i32> %64, <32 x i32> %73
  %75 = add i64 %66, %57
  %76 = and i1 %72, %72
  %77 = and i1 %76, %72
  %78 = and i1 %77, %72
  br i1 %78, label %round, label %end

end:                                              ; preds = %round
  %79 = getelementptr i8, ptr %3, i64 64
  store <32 x i32> %64, ptr %79, align 64
  %80 = getelementptr i8, ptr %3, i64 192
  store <32 x i32> %69, ptr %80, align 64
  %81 = getelementptr i8, ptr %3, i64 320
  store i64 %75, ptr %81, align 8
  %82 = getelementptr i8, ptr %3, i64 520
  store ptr %67, ptr %82, align 8
  %83 = getelementptr i8, ptr %3, i64 576
  store <32 x i32> %74, ptr %83, align 64
  %84 = select i1 %72, i32 3, i32 4
  store i32 %84, ptr %3, align 4
  %85 = getelementptr i8, ptr %26, i64 64
  store <32 x i32> %64, ptr %85, align 64
  %86 = getelementptr i8, ptr %26, i64 192
  store <32 x i32> %69, ptr %86, align 64
  %87 = getelementptr i8, ptr %26, i64 320
  store i64 %75, ptr %87, align 8
  %88 = getelementptr i8, ptr %26, i64 520
  store ptr %67, ptr %88, align 8
  %89 = getelementptr i8, ptr %26, i64 576
  store <32 x i32> %74, ptr %89, align 64
  %90 = select i1 %72, i32 3, i32 4
  store i32 %90, ptr %26, align 4
  %91 = getelementptr i8, ptr %36, i64 64
  store <32 x i32> %64, ptr %91, align 64
  %92 = getelementptr i8, ptr %36, i64 192
  store <32 x i32> %69, ptr %92, align 64
  %93 = getelementptr i8, ptr %36, i64 320
  store i64 %75, ptr %93, align 8
  %94 = getelementptr i8, ptr %36, i64 520
  store ptr %67, ptr %94, align 8
  %95 = getelementptr i8, ptr %36, i64 576
  store <32 x i32> %74, ptr %95, align 64
  %96 = select i1 %72, i32 3, i32 4
  store i32 %96, ptr %36, align 4
  %97 = getelementptr i8, ptr %46, i64 64
  store <32 x i32> %64, ptr %97, align 64
  %98 = getelementptr i8, ptr %46, i64 192
  store <32 x i32> %69, ptr %98, align 64
  %99 = getelementptr i8, ptr %46, i64 320
  store i64 %75, ptr %99, align 8
  %100 = getelementptr i8, ptr %46, i64 520
  store ptr %67, ptr %100, align 8
  %101 = getelementptr i8, ptr %46, i64 576
  store <32 x i32> %74, ptr %101, align 64
  %102 = select i1 %72, i32 3, i32 4
  store i32 %102, ptr %46, align 4
  br label %done

done:                                             ; preds = %end, %ask, %mine, %start
  ret void
}

; Function Attrs: nounwind
declare void @wait.for.warps() #2

attributes #0 = { "warp-jams" }
attributes #1 = { noinline uwtable }
attributes #2 = { nounwind }
