; stack: flat
; The blocks of a run leave their sums to each other; the last one changes memory, or the first one whose word is another.
define internal void @sum.block(ptr %context, i32 %first, i32 %last, ptr %left) {
start:
  %place.at = load ptr, ptr %context, align 8
  %place = load ptr, ptr %place.at, align 8
  br label %warp

warp:
  %number = phi i32 [ %first, %start ], [ %next, %warp ]
  %old = atomicrmw umax ptr %place, i32 %number monotonic, align 4
  %next = add i32 %number, 1
  %more = icmp ult i32 %next, %last
  br i1 %more, label %warp, label %done

done:
  ret void
}

define internal void @sum.blocks(ptr %context, i32 %first, i32 %last) {
start:
  %count.at = getelementptr i8, ptr %context, i64 120
  %count = load i32, ptr %count.at, align 4
  br label %block

block:
  %number = phi i32 [ 0, %start ], [ %next, %block ]
  call void @sum.block(ptr %context, i32 %first, i32 %last, ptr null)
  %next = add i32 %number, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %block, label %done

done:
  ret void
}

; becomes

define internal void @sum.block(ptr %context, i32 %first, i32 %last, ptr %left) {
start:
  %0 = alloca i32, align 4
  %1 = alloca i8, align 1
  store i32 0, ptr %0, align 4
  store i8 0, ptr %1, align 1
  %place.at = load ptr, ptr %context, align 8
  %place = load ptr, ptr %place.at, align 8
  br label %warp

warp:                                             ; preds = %warp, %start
  %number = phi i32 [ %first, %start ], [ %next, %warp ]
  %2 = load i32, ptr %0, align 4
  %3 = call i32 @llvm.umax.i32(i32 %2, i32 %number)
  store i32 %3, ptr %0, align 4
  store i8 1, ptr %1, align 1
  %next = add i32 %number, 1
  %more = icmp ult i32 %next, %last
  br i1 %more, label %warp, label %joined

done:                                             ; preds = %kept, %joined
  ret void

joined:                                           ; preds = %warp
  %4 = load i8, ptr %1, align 1
  %5 = trunc i8 %4 to i1
  br i1 %5, label %change, label %done

change:                                           ; preds = %joined
  %6 = load i32, ptr %0, align 4
  %7 = getelementptr i8, ptr %left, i64 0
  %8 = getelementptr i8, ptr %left, i64 8
  %9 = load ptr, ptr %7, align 8
  %10 = icmp eq ptr %9, %place
  br i1 %10, label %again, label %other

other:                                            ; preds = %change
  %11 = icmp eq ptr %9, null
  br i1 %11, label %first1, label %flush

flush:                                            ; preds = %other
  %12 = load i32, ptr %8, align 8
  %13 = atomicrmw umax ptr %9, i32 %12 monotonic, align 4
  br label %first1

first1:                                           ; preds = %flush, %other
  store ptr %place, ptr %7, align 8
  store i32 %6, ptr %8, align 8
  br label %kept

again:                                            ; preds = %change
  %14 = load i32, ptr %8, align 8
  %15 = call i32 @llvm.umax.i32(i32 %14, i32 %6)
  store i32 %15, ptr %8, align 8
  br label %kept

kept:                                             ; preds = %first1, %again
  br label %done
}

define internal void @sum.blocks(ptr %context, i32 %first, i32 %last) {
start:
  %0 = alloca [8 x i64], align 8
  %1 = getelementptr i8, ptr %0, i64 0
  store ptr null, ptr %1, align 8
  %2 = getelementptr i8, ptr %0, i64 16
  store ptr null, ptr %2, align 8
  %3 = getelementptr i8, ptr %0, i64 32
  store ptr null, ptr %3, align 8
  %4 = getelementptr i8, ptr %0, i64 48
  store ptr null, ptr %4, align 8
  %count.at = getelementptr i8, ptr %context, i64 120
  %count = load i32, ptr %count.at, align 4
  br label %block

block:                                            ; preds = %block, %start
  %number = phi i32 [ 0, %start ], [ %next, %block ]
  call void @sum.block(ptr %context, i32 %first, i32 %last, ptr %0)
  %next = add i32 %number, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %block, label %done

done:                                             ; preds = %block
  %5 = getelementptr i8, ptr %0, i64 0
  %6 = load ptr, ptr %5, align 8
  %7 = icmp eq ptr %6, null
  br i1 %7, label %done1, label %flush

flush:                                            ; preds = %done
  %8 = getelementptr i8, ptr %0, i64 8
  %9 = load i32, ptr %8, align 8
  %10 = atomicrmw umax ptr %6, i32 %9 monotonic, align 4
  br label %done1

done1:                                            ; preds = %flush, %done
  ret void
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umax.i32(i32, i32) #0

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
