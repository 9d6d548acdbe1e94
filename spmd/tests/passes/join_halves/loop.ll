; An address in two registers that a loop counts up, and one that it leaves as it is.
define void @kernel(i32 %low, i32 %high, i32 %count) {
start:
  br label %loop

loop:
  %address.low = phi i32 [ %low, %start ], [ %next.low, %loop ]
  %address.high = phi i32 [ %high, %start ], [ %next.high, %loop ]
  %fixed.low = phi i32 [ %low, %start ], [ %fixed.low, %loop ]
  %fixed.high = phi i32 [ %high, %start ], [ %fixed.high, %loop ]
  %number = phi i32 [ 0, %start ], [ %more, %loop ]
  %address.low.wide = zext i32 %address.low to i64
  %address.high.wide = zext i32 %address.high to i64
  %address.above = shl i64 %address.high.wide, 32
  %address = or i64 %address.low.wide, %address.above
  %fixed.low.wide = zext i32 %fixed.low to i64
  %fixed.high.wide = zext i32 %fixed.high to i64
  %fixed.above = shl i64 %fixed.high.wide, 32
  %fixed = or i64 %fixed.low.wide, %fixed.above
  %place = inttoptr i64 %address to ptr
  store i64 %fixed, ptr %place, align 8
  %next = add i64 %address, 64
  %next.low = trunc i64 %next to i32
  %next.above = lshr i64 %next, 32
  %next.high = trunc i64 %next.above to i32
  %more = add i32 %number, 1
  %again = icmp ult i32 %more, %count
  br i1 %again, label %loop, label %done

done:
  ret void
}

; becomes

define void @kernel(i32 %low, i32 %high, i32 %count) {
start:
  %0 = zext i32 %low to i64
  %1 = zext i32 %high to i64
  %2 = shl i64 %1, 32
  %3 = or i64 %0, %2
  br label %loop

loop:                                             ; preds = %loop, %start
  %4 = phi i64 [ %3, %start ], [ %next, %loop ]
  %fixed.low = phi i32 [ %low, %start ], [ %fixed.low, %loop ]
  %fixed.high = phi i32 [ %high, %start ], [ %fixed.high, %loop ]
  %number = phi i32 [ 0, %start ], [ %more, %loop ]
  %5 = trunc i64 %4 to i32
  %6 = lshr i64 %4, 32
  %7 = trunc i64 %6 to i32
  %address.low.wide = zext i32 %5 to i64
  %address.high.wide = zext i32 %7 to i64
  %address.above = shl i64 %address.high.wide, 32
  %address = or i64 %address.low.wide, %address.above
  %fixed.low.wide = zext i32 %fixed.low to i64
  %fixed.high.wide = zext i32 %fixed.high to i64
  %fixed.above = shl i64 %fixed.high.wide, 32
  %fixed = or i64 %fixed.low.wide, %fixed.above
  %place = inttoptr i64 %4 to ptr
  store i64 %fixed, ptr %place, align 8
  %next = add i64 %4, 64
  %next.low = trunc i64 %next to i32
  %next.above = lshr i64 %next, 32
  %next.high = trunc i64 %next.above to i32
  %more = add i32 %number, 1
  %again = icmp ult i32 %more, %count
  br i1 %again, label %loop, label %done

done:                                             ; preds = %loop
  ret void
}
