; stack: flat
; cpu: x86-64-v4
; A row that goes on by a distance that nobody knows is asked for four rounds before, one of four rows a page apart one round
; before, and so is one of a loop with barriers; rows of the same page, those that some rounds go around, and those whose places
; come from memory, are not.
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)

define internal void @grid.warp(ptr %context, i32 %warp, i32 %mask, ptr %round, ptr %data, i32 %first, i32 %step, i32 %count) {
start:
  br label %loop

loop:
  %i = phi i32 [ %first, %start ], [ %i.next, %latch ]
  %sum = phi <32 x i32> [ zeroinitializer, %start ], [ %sum.next, %latch ]
  %wide = sext i32 %i to i64
  %place = getelementptr i8, ptr %data, i64 %wide
  %bytes = load <32 x i8>, ptr %place, align 1
  %numbers = zext <32 x i8> %bytes to <32 x i32>
  %sum.next = add <32 x i32> %sum, %numbers
  br label %latch

latch:
  %i.next = add i32 %i, %step
  %more = icmp slt i32 %i.next, %count
  br i1 %more, label %loop, label %done

done:
  store <32 x i32> %sum.next, ptr %data, align 4
  ret void
}

define internal void @unrolled.warp(ptr %context, i32 %warp, i32 %mask, ptr %round, ptr %data, <32 x i1> %some, i64 %count) {
start:
  br label %loop

loop:
  %at = phi ptr [ %data, %start ], [ %at.next, %loop ]
  %i = phi i64 [ 0, %start ], [ %i.next, %loop ]
  %sum = phi <32 x i32> [ zeroinitializer, %start ], [ %sum.4, %loop ]
  %row.1 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 4 %at, <32 x i1> %some, <32 x i32> zeroinitializer)
  %at.2 = getelementptr i8, ptr %at, i64 4096
  %row.2 = load <32 x i32>, ptr %at.2, align 4
  %at.3 = getelementptr i8, ptr %at, i64 8192
  %row.3 = load <32 x i32>, ptr %at.3, align 4
  %at.4 = getelementptr i8, ptr %at, i64 12288
  %row.4 = load <32 x i32>, ptr %at.4, align 4
  %sum.1 = add <32 x i32> %sum, %row.1
  %sum.2 = add <32 x i32> %sum.1, %row.2
  %sum.3 = add <32 x i32> %sum.2, %row.3
  %sum.4 = add <32 x i32> %sum.3, %row.4
  %at.next = getelementptr i8, ptr %at, i64 16384
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %loop, label %done

done:
  store <32 x i32> %sum.4, ptr %data, align 4
  ret void
}

define internal void @near.warp(ptr %context, i32 %warp, i32 %mask, ptr %round, ptr %data, ptr %places, i64 %count) {
start:
  br label %loop

loop:
  %i = phi i64 [ 0, %start ], [ %i.next, %loop ]
  %sum = phi <32 x i32> [ zeroinitializer, %start ], [ %sum.2, %loop ]
  %offset = shl i64 %i, 7
  %at = getelementptr i8, ptr %data, i64 %offset
  %row.1 = load <32 x i32>, ptr %at, align 4
  %at.place = getelementptr i64, ptr %places, i64 %i
  %place = load i64, ptr %at.place, align 8
  %at.2 = getelementptr i8, ptr %data, i64 %place
  %row.2 = load <32 x i32>, ptr %at.2, align 4
  %sum.1 = add <32 x i32> %sum, %row.1
  %sum.2 = add <32 x i32> %sum.1, %row.2
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %loop, label %done

done:
  store <32 x i32> %sum.2, ptr %data, align 4
  ret void
}

define internal void @waits.warp(ptr %context, i32 %warp, i32 %mask, ptr %round, ptr %data, i1 %edge) {
start:
  br label %loop

loop:
  %at = phi ptr [ %data, %start ], [ %at.next, %latch ]
  %row.1 = load <32 x i32>, ptr %at, align 4
  br i1 %edge, label %outer, label %latch

outer:
  %at.2 = getelementptr i8, ptr %at, i64 8192
  %row.2 = load <32 x i32>, ptr %at.2, align 4
  store <32 x i32> %row.2, ptr %data, align 4
  br label %latch

latch:
  call void @wait.for.warps()
  store <32 x i32> %row.1, ptr %context, align 4
  call void @wait.for.warps()
  %at.next = getelementptr i8, ptr %at, i64 4096
  %more = icmp ne ptr %at.next, %context
  br i1 %more, label %loop, label %done

done:
  ret void
}

declare void @wait.for.warps()

; becomes

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr captures(none), <32 x i1>, <32 x i32>) #0

define internal void @grid.warp(ptr %context, i32 %warp, i32 %mask, ptr %round, ptr %data, i32 %first, i32 %step, i32 %count) {
start:
  br label %loop

loop:                                             ; preds = %latch, %start
  %i = phi i32 [ %first, %start ], [ %i.next, %latch ]
  %sum = phi <32 x i32> [ zeroinitializer, %start ], [ %sum.next, %latch ]
  %wide = sext i32 %i to i64
  %place = getelementptr i8, ptr %data, i64 %wide
  %0 = mul i32 %step, 4
  %1 = add i32 %i, %0
  %2 = sext i32 %1 to i64
  %3 = getelementptr i8, ptr %data, i64 %2
  %4 = getelementptr i8, ptr %3, i64 0
  call void @llvm.prefetch.p0(ptr %4, i32 0, i32 3, i32 1)
  %bytes = load <32 x i8>, ptr %place, align 1
  %numbers = zext <32 x i8> %bytes to <32 x i32>
  %sum.next = add <32 x i32> %sum, %numbers
  br label %latch

latch:                                            ; preds = %loop
  %i.next = add i32 %i, %step
  %more = icmp slt i32 %i.next, %count
  br i1 %more, label %loop, label %done

done:                                             ; preds = %latch
  store <32 x i32> %sum.next, ptr %data, align 4
  ret void
}

define internal void @unrolled.warp(ptr %context, i32 %warp, i32 %mask, ptr %round, ptr %data, <32 x i1> %some, i64 %count) {
start:
  br label %loop

loop:                                             ; preds = %loop, %start
  %at = phi ptr [ %data, %start ], [ %at.next, %loop ]
  %i = phi i64 [ 0, %start ], [ %i.next, %loop ]
  %sum = phi <32 x i32> [ zeroinitializer, %start ], [ %sum.4, %loop ]
  %0 = getelementptr i8, ptr %at, i64 16384
  %1 = getelementptr i8, ptr %0, i64 0
  call void @llvm.prefetch.p0(ptr %1, i32 0, i32 3, i32 1)
  %2 = getelementptr i8, ptr %0, i64 64
  call void @llvm.prefetch.p0(ptr %2, i32 0, i32 3, i32 1)
  %row.1 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 4 %at, <32 x i1> %some, <32 x i32> zeroinitializer)
  %at.2 = getelementptr i8, ptr %at, i64 4096
  %3 = getelementptr i8, ptr %at, i64 16384
  %4 = getelementptr i8, ptr %3, i64 4096
  %5 = getelementptr i8, ptr %4, i64 0
  call void @llvm.prefetch.p0(ptr %5, i32 0, i32 3, i32 1)
  %6 = getelementptr i8, ptr %4, i64 64
  call void @llvm.prefetch.p0(ptr %6, i32 0, i32 3, i32 1)
  %row.2 = load <32 x i32>, ptr %at.2, align 4
  %at.3 = getelementptr i8, ptr %at, i64 8192
  %7 = getelementptr i8, ptr %at, i64 16384
  %8 = getelementptr i8, ptr %7, i64 8192
  %9 = getelementptr i8, ptr %8, i64 0
  call void @llvm.prefetch.p0(ptr %9, i32 0, i32 3, i32 1)
  %10 = getelementptr i8, ptr %8, i64 64
  call void @llvm.prefetch.p0(ptr %10, i32 0, i32 3, i32 1)
  %row.3 = load <32 x i32>, ptr %at.3, align 4
  %at.4 = getelementptr i8, ptr %at, i64 12288
  %11 = getelementptr i8, ptr %at, i64 16384
  %12 = getelementptr i8, ptr %11, i64 12288
  %13 = getelementptr i8, ptr %12, i64 0
  call void @llvm.prefetch.p0(ptr %13, i32 0, i32 3, i32 1)
  %14 = getelementptr i8, ptr %12, i64 64
  call void @llvm.prefetch.p0(ptr %14, i32 0, i32 3, i32 1)
  %row.4 = load <32 x i32>, ptr %at.4, align 4
  %sum.1 = add <32 x i32> %sum, %row.1
  %sum.2 = add <32 x i32> %sum.1, %row.2
  %sum.3 = add <32 x i32> %sum.2, %row.3
  %sum.4 = add <32 x i32> %sum.3, %row.4
  %at.next = getelementptr i8, ptr %at, i64 16384
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %loop, label %done

done:                                             ; preds = %loop
  store <32 x i32> %sum.4, ptr %data, align 4
  ret void
}

define internal void @near.warp(ptr %context, i32 %warp, i32 %mask, ptr %round, ptr %data, ptr %places, i64 %count) {
start:
  br label %loop

loop:                                             ; preds = %loop, %start
  %i = phi i64 [ 0, %start ], [ %i.next, %loop ]
  %sum = phi <32 x i32> [ zeroinitializer, %start ], [ %sum.2, %loop ]
  %offset = shl i64 %i, 7
  %at = getelementptr i8, ptr %data, i64 %offset
  %row.1 = load <32 x i32>, ptr %at, align 4
  %at.place = getelementptr i64, ptr %places, i64 %i
  %place = load i64, ptr %at.place, align 8
  %at.2 = getelementptr i8, ptr %data, i64 %place
  %row.2 = load <32 x i32>, ptr %at.2, align 4
  %sum.1 = add <32 x i32> %sum, %row.1
  %sum.2 = add <32 x i32> %sum.1, %row.2
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %loop, label %done

done:                                             ; preds = %loop
  store <32 x i32> %sum.2, ptr %data, align 4
  ret void
}

define internal void @waits.warp(ptr %context, i32 %warp, i32 %mask, ptr %round, ptr %data, i1 %edge) {
start:
  br label %loop

loop:                                             ; preds = %latch, %start
  %at = phi ptr [ %data, %start ], [ %at.next, %latch ]
  %0 = getelementptr i8, ptr %at, i64 4096
  %1 = getelementptr i8, ptr %0, i64 0
  call void @llvm.prefetch.p0(ptr %1, i32 0, i32 3, i32 1)
  %2 = getelementptr i8, ptr %0, i64 64
  call void @llvm.prefetch.p0(ptr %2, i32 0, i32 3, i32 1)
  %row.1 = load <32 x i32>, ptr %at, align 4
  br i1 %edge, label %outer, label %latch

outer:                                            ; preds = %loop
  %at.2 = getelementptr i8, ptr %at, i64 8192
  %row.2 = load <32 x i32>, ptr %at.2, align 4
  store <32 x i32> %row.2, ptr %data, align 4
  br label %latch

latch:                                            ; preds = %outer, %loop
  call void @wait.for.warps()
  store <32 x i32> %row.1, ptr %context, align 4
  call void @wait.for.warps()
  %at.next = getelementptr i8, ptr %at, i64 4096
  %more = icmp ne ptr %at.next, %context
  br i1 %more, label %loop, label %done

done:                                             ; preds = %latch
  ret void
}

declare void @wait.for.warps()

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite, inaccessiblemem: readwrite)
declare void @llvm.prefetch.p0(ptr readonly captures(none), i32 immarg, i32 immarg, i32 immarg) #1

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(argmem: read) }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite, inaccessiblemem: readwrite) }
