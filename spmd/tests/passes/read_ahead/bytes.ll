; Bytes that are read while those before are the right ones, at once where they lie in one page; for a block of its own, and for
; one way only.
define i8 @pattern(i64 %text, ptr addrspace(4) %pattern) {
entry:
  %p0 = load i8, ptr addrspace(4) %pattern, align 1, !invariant.load !0
  %t.0 = inttoptr i64 %text to ptr addrspace(1)
  %t0 = load i8, ptr addrspace(1) %t.0, align 1
  %is.0 = icmp eq i8 %t0, %p0
  br i1 %is.0, label %second, label %done

second:
  %p.1 = getelementptr i8, ptr addrspace(4) %pattern, i64 1
  %p1 = load i8, ptr addrspace(4) %p.1, align 1, !invariant.load !0
  %text.1 = add i64 %text, 1
  %t.1 = inttoptr i64 %text.1 to ptr addrspace(1)
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %differs = icmp ne i8 %t1, %p1
  br i1 %differs, label %done, label %third

third:
  %p.2 = getelementptr i8, ptr addrspace(4) %pattern, i64 2
  %p2 = load i8, ptr addrspace(4) %p.2, align 1, !invariant.load !0
  %text.2 = add i64 %text, 2
  %t.2 = inttoptr i64 %text.2 to ptr addrspace(1)
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  %is.2 = icmp eq i8 %t2, %p2
  %found = zext i1 %is.2 to i8
  br label %done

done:
  %result = phi i8 [ 0, %entry ], [ 2, %second ], [ %found, %third ]
  ret i8 %result
}

define void @branch(ptr addrspace(1) %text, ptr addrspace(1) %out) {
entry:
  %t0 = load i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:
  %t.before = getelementptr i8, ptr addrspace(1) %text, i64 -1
  %before = load i8, ptr addrspace(1) %t.before, align 1
  %is.2 = icmp eq i8 %before, 32
  br i1 %is.2, label %found, label %done

found:
  store i8 1, ptr addrspace(1) %out, align 1
  br label %done

done:
  ret void
}

; Constant memory may be read by words.
define i8 @words(ptr addrspace(1) %text, ptr addrspace(4) %pattern) {
entry:
  %p0 = load i16, ptr addrspace(4) %pattern, align 2, !invariant.load !0
  %first = trunc i16 %p0 to i8
  %t0 = load i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, %first
  br i1 %is.0, label %second, label %done

second:
  %upper = lshr i16 %p0, 8
  %next = trunc i16 %upper to i8
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, %next
  br i1 %is.1, label %third, label %done

third:
  %p.1 = getelementptr i8, ptr addrspace(4) %pattern, i64 2
  %p1 = load i16, ptr addrspace(4) %p.1, align 2, !invariant.load !0
  %last = trunc i16 %p1 to i8
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  %is.2 = icmp eq i8 %t2, %last
  br i1 %is.2, label %found, label %done

found:
  br label %done

done:
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ 0, %third ], [ 1, %found ]
  ret i8 %result
}

!0 = !{}

; becomes

define i8 @pattern(i64 %text, ptr addrspace(4) %pattern) {
  %1 = load i8, ptr addrspace(4) %pattern, align 1, !invariant.load !0
  %2 = inttoptr i64 %text to ptr addrspace(1)
  %3 = load i8, ptr addrspace(1) %2, align 1
  %4 = icmp eq i8 %3, %1
  %5 = add i64 %text, 0
  %6 = call i1 @zluda.cpu.in_page(i64 %5, i64 3)
  %7 = ptrtoint ptr addrspace(4) %pattern to i64
  %8 = add i64 %7, 0
  %9 = call i1 @zluda.cpu.in_page(i64 %8, i64 3)
  %10 = and i1 %6, %9
  br i1 %10, label %ahead, label %entry

entry:                                            ; preds = %0
  br i1 %4, label %second, label %done

second:                                           ; preds = %entry
  %p.1 = getelementptr i8, ptr addrspace(4) %pattern, i64 1
  %p1 = load i8, ptr addrspace(4) %p.1, align 1, !invariant.load !0
  %text.1 = add i64 %text, 1
  %t.1 = inttoptr i64 %text.1 to ptr addrspace(1)
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %differs = icmp ne i8 %t1, %p1
  br i1 %differs, label %done, label %third

third:                                            ; preds = %second
  %p.2 = getelementptr i8, ptr addrspace(4) %pattern, i64 2
  %p2 = load i8, ptr addrspace(4) %p.2, align 1, !invariant.load !0
  %text.2 = add i64 %text, 2
  %t.2 = inttoptr i64 %text.2 to ptr addrspace(1)
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  %is.2 = icmp eq i8 %t2, %p2
  %found = zext i1 %is.2 to i8
  br label %done

done:                                             ; preds = %ahead, %third, %second, %entry
  %result = phi i8 [ 0, %entry ], [ 2, %second ], [ %found, %third ], [ %29, %ahead ]
  ret i8 %result

ahead:                                            ; preds = %0
  %11 = add i64 %text, 1
  %12 = inttoptr i64 %11 to ptr addrspace(1)
  %13 = load i8, ptr addrspace(1) %12, align 1
  %14 = ptrtoint ptr addrspace(4) %pattern to i64
  %15 = add i64 %14, 1
  %16 = inttoptr i64 %15 to ptr addrspace(4)
  %17 = load i8, ptr addrspace(4) %16, align 1
  %18 = icmp ne i8 %13, %17
  %19 = add i64 %text, 2
  %20 = inttoptr i64 %19 to ptr addrspace(1)
  %21 = load i8, ptr addrspace(1) %20, align 1
  %22 = ptrtoint ptr addrspace(4) %pattern to i64
  %23 = add i64 %22, 2
  %24 = inttoptr i64 %23 to ptr addrspace(4)
  %25 = load i8, ptr addrspace(4) %24, align 1
  %26 = icmp eq i8 %21, %25
  %27 = zext i1 %26 to i8
  %28 = select i1 %18, i8 2, i8 %27
  %29 = select i1 %4, i8 %28, i8 0
  br label %done
}

define void @branch(ptr addrspace(1) %text, ptr addrspace(1) %out) {
  %1 = load i8, ptr addrspace(1) %text, align 1
  %2 = icmp eq i8 %1, 97
  %3 = ptrtoint ptr addrspace(1) %text to i64
  %4 = add i64 %3, -1
  %5 = call i1 @zluda.cpu.in_page(i64 %4, i64 3)
  br i1 %5, label %ahead, label %entry

entry:                                            ; preds = %0
  br i1 %2, label %second, label %done

second:                                           ; preds = %entry
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:                                            ; preds = %second
  %t.before = getelementptr i8, ptr addrspace(1) %text, i64 -1
  %before = load i8, ptr addrspace(1) %t.before, align 1
  %is.2 = icmp eq i8 %before, 32
  br i1 %is.2, label %found, label %done

found:                                            ; preds = %ahead, %third
  store i8 1, ptr addrspace(1) %out, align 1
  br label %done

done:                                             ; preds = %ahead, %found, %third, %second, %entry
  ret void

ahead:                                            ; preds = %0
  %6 = ptrtoint ptr addrspace(1) %text to i64
  %7 = add i64 %6, 1
  %8 = inttoptr i64 %7 to ptr addrspace(1)
  %9 = load i8, ptr addrspace(1) %8, align 1
  %10 = icmp eq i8 %9, 98
  %11 = ptrtoint ptr addrspace(1) %text to i64
  %12 = add i64 %11, -1
  %13 = inttoptr i64 %12 to ptr addrspace(1)
  %14 = load i8, ptr addrspace(1) %13, align 1
  %15 = icmp eq i8 %14, 32
  %16 = select i1 %15, i1 true, i1 false
  %17 = select i1 %10, i1 %16, i1 false
  %18 = select i1 %2, i1 %17, i1 false
  br i1 %18, label %found, label %done
}

define i8 @words(ptr addrspace(1) %text, ptr addrspace(4) %pattern) {
  %1 = load i16, ptr addrspace(4) %pattern, align 2, !invariant.load !0
  %2 = trunc i16 %1 to i8
  %3 = load i8, ptr addrspace(1) %text, align 1
  %4 = icmp eq i8 %3, %2
  %5 = ptrtoint ptr addrspace(1) %text to i64
  %6 = add i64 %5, 0
  %7 = call i1 @zluda.cpu.in_page(i64 %6, i64 3)
  %8 = ptrtoint ptr addrspace(4) %pattern to i64
  %9 = add i64 %8, 0
  %10 = call i1 @zluda.cpu.in_page(i64 %9, i64 4)
  %11 = and i1 %7, %10
  br i1 %11, label %ahead, label %entry

entry:                                            ; preds = %0
  br i1 %4, label %second, label %done

second:                                           ; preds = %entry
  %upper = lshr i16 %1, 8
  %next = trunc i16 %upper to i8
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, %next
  br i1 %is.1, label %third, label %done

third:                                            ; preds = %second
  %p.1 = getelementptr i8, ptr addrspace(4) %pattern, i64 2
  %p1 = load i16, ptr addrspace(4) %p.1, align 2, !invariant.load !0
  %last = trunc i16 %p1 to i8
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  %is.2 = icmp eq i8 %t2, %last
  br i1 %is.2, label %found, label %done

found:                                            ; preds = %third
  br label %done

done:                                             ; preds = %ahead, %found, %third, %second, %entry
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ 0, %third ], [ 1, %found ], [ %31, %ahead ]
  ret i8 %result

ahead:                                            ; preds = %0
  %12 = ptrtoint ptr addrspace(1) %text to i64
  %13 = add i64 %12, 1
  %14 = inttoptr i64 %13 to ptr addrspace(1)
  %15 = load i8, ptr addrspace(1) %14, align 1
  %16 = lshr i16 %1, 8
  %17 = trunc i16 %16 to i8
  %18 = icmp eq i8 %15, %17
  %19 = ptrtoint ptr addrspace(1) %text to i64
  %20 = add i64 %19, 2
  %21 = inttoptr i64 %20 to ptr addrspace(1)
  %22 = load i8, ptr addrspace(1) %21, align 1
  %23 = ptrtoint ptr addrspace(4) %pattern to i64
  %24 = add i64 %23, 2
  %25 = inttoptr i64 %24 to ptr addrspace(4)
  %26 = load i16, ptr addrspace(4) %25, align 1
  %27 = trunc i16 %26 to i8
  %28 = icmp eq i8 %22, %27
  %29 = select i1 %28, i8 1, i8 0
  %30 = select i1 %18, i8 %29, i8 0
  %31 = select i1 %4, i8 %30, i8 0
  br label %done
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i1 @zluda.cpu.in_page(i64, i64) #0

attributes #0 = { nounwind speculatable willreturn memory(none) }

!0 = !{}
