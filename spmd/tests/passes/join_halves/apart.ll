; What another block took apart is put together again: it is what it was. Halves of two numbers, and the halves the other way round, are not.
declare void @use(i64)

define void @addresses(i64 %a, i64 %b, i1 %c) {
  %a.low = trunc i64 %a to i32
  %a.upper = lshr i64 %a, 32
  %a.high = trunc i64 %a.upper to i32
  %b.upper = lshr i64 %b, 32
  %b.high = trunc i64 %b.upper to i32
  br i1 %c, label %then, label %end

then:
  %low = zext i32 %a.low to i64
  %high = zext i32 %a.high to i64
  %shifted = shl i64 %high, 32
  %same = or i64 %low, %shifted
  call void @use(i64 %same)
  %others = zext i32 %b.high to i64
  %others.shifted = shl i64 %others, 32
  %mixed = or i64 %low, %others.shifted
  call void @use(i64 %mixed)
  %low.shifted = shl i64 %low, 32
  %turned = or i64 %high, %low.shifted
  call void @use(i64 %turned)
  br label %end

end:
  ret void
}

; becomes

declare void @use(i64)

define void @addresses(i64 %a, i64 %b, i1 %c) {
  %a.low = trunc i64 %a to i32
  %a.upper = lshr i64 %a, 32
  %a.high = trunc i64 %a.upper to i32
  %b.upper = lshr i64 %b, 32
  %b.high = trunc i64 %b.upper to i32
  br i1 %c, label %then, label %end

then:                                             ; preds = %0
  %low = zext i32 %a.low to i64
  %high = zext i32 %a.high to i64
  %shifted = shl i64 %high, 32
  %same = or i64 %low, %shifted
  call void @use(i64 %a)
  %others = zext i32 %b.high to i64
  %others.shifted = shl i64 %others, 32
  %mixed = or i64 %low, %others.shifted
  call void @use(i64 %mixed)
  %low.shifted = shl i64 %low, 32
  %turned = or i64 %high, %low.shifted
  call void @use(i64 %turned)
  br label %end

end:                                              ; preds = %then, %0
  ret void
}
