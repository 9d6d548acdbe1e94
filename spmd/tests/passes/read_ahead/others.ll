; What is volatile or wider than a byte, the thread's own memory, bytes at other addresses, what has effects, and what is needed
; elsewhere stays as it is.
define i8 @volatile(ptr addrspace(1) %text) {
entry:
  %t0 = load i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load volatile i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  br label %done

done:
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

define i8 @volatile_first(ptr addrspace(1) %text) {
entry:
  %t0 = load volatile i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  br label %done

done:
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

define i16 @wider(ptr addrspace(1) %text) {
entry:
  %t0 = load i16, ptr addrspace(1) %text, align 2
  %is.0 = icmp eq i16 %t0, 97
  br i1 %is.0, label %second, label %done

second:
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t1 = load i16, ptr addrspace(1) %t.1, align 2
  %is.1 = icmp eq i16 %t1, 98
  br i1 %is.1, label %third, label %done

third:
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 4
  %t2 = load i16, ptr addrspace(1) %t.2, align 2
  br label %done

done:
  %result = phi i16 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i16 %result
}

define i8 @own(i64 %at) {
entry:
  %bytes = alloca [4 x i8], align 1, addrspace(5)
  %text = addrspacecast ptr addrspace(5) %bytes to ptr
  store i8 97, ptr %text, align 1
  %t0 = load i8, ptr %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:
  %t.1 = getelementptr i8, ptr %text, i64 1
  %t1 = load i8, ptr %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:
  %t.2 = getelementptr i8, ptr %text, i64 2
  %t2 = load i8, ptr %t.2, align 1
  br label %done

done:
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

define i8 @other_address(ptr addrspace(1) %text, ptr addrspace(1) %other) {
entry:
  %t0 = load i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:
  %t1 = load i8, ptr addrspace(1) %other, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  br label %done

done:
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

define i8 @far(ptr addrspace(1) %text) {
entry:
  %t0 = load i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 64
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  br label %done

done:
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

define i8 @with_effects(ptr addrspace(1) %text) {
entry:
  %t0 = load i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  store i8 0, ptr addrspace(1) %text, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  br label %done

done:
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

define i8 @needed(ptr addrspace(1) %text) {
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
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  %is.2 = icmp eq i8 %t2, 99
  br i1 %is.2, label %found, label %done

found:
  ret i8 %t1

done:
  ret i8 0
}

define i8 @synchronized(ptr addrspace(1) %text) {
entry:
  %t0 = load i8, ptr addrspace(1) %text, align 1
  fence acquire
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  br label %done

done:
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

; becomes

define i8 @volatile(ptr addrspace(1) %text) {
entry:
  %t0 = load i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:                                           ; preds = %entry
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load volatile i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:                                            ; preds = %second
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  br label %done

done:                                             ; preds = %third, %second, %entry
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

define i8 @volatile_first(ptr addrspace(1) %text) {
entry:
  %t0 = load volatile i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:                                           ; preds = %entry
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:                                            ; preds = %second
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  br label %done

done:                                             ; preds = %third, %second, %entry
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

define i16 @wider(ptr addrspace(1) %text) {
entry:
  %t0 = load i16, ptr addrspace(1) %text, align 2
  %is.0 = icmp eq i16 %t0, 97
  br i1 %is.0, label %second, label %done

second:                                           ; preds = %entry
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t1 = load i16, ptr addrspace(1) %t.1, align 2
  %is.1 = icmp eq i16 %t1, 98
  br i1 %is.1, label %third, label %done

third:                                            ; preds = %second
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 4
  %t2 = load i16, ptr addrspace(1) %t.2, align 2
  br label %done

done:                                             ; preds = %third, %second, %entry
  %result = phi i16 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i16 %result
}

define i8 @own(i64 %at) {
entry:
  %bytes = alloca [4 x i8], align 1, addrspace(5)
  %text = addrspacecast ptr addrspace(5) %bytes to ptr
  store i8 97, ptr %text, align 1
  %t0 = load i8, ptr %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:                                           ; preds = %entry
  %t.1 = getelementptr i8, ptr %text, i64 1
  %t1 = load i8, ptr %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:                                            ; preds = %second
  %t.2 = getelementptr i8, ptr %text, i64 2
  %t2 = load i8, ptr %t.2, align 1
  br label %done

done:                                             ; preds = %third, %second, %entry
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

define i8 @other_address(ptr addrspace(1) %text, ptr addrspace(1) %other) {
entry:
  %t0 = load i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:                                           ; preds = %entry
  %t1 = load i8, ptr addrspace(1) %other, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:                                            ; preds = %second
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  br label %done

done:                                             ; preds = %third, %second, %entry
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

define i8 @far(ptr addrspace(1) %text) {
entry:
  %t0 = load i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:                                           ; preds = %entry
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 64
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:                                            ; preds = %second
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  br label %done

done:                                             ; preds = %third, %second, %entry
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

define i8 @with_effects(ptr addrspace(1) %text) {
entry:
  %t0 = load i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:                                           ; preds = %entry
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  store i8 0, ptr addrspace(1) %text, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:                                            ; preds = %second
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  br label %done

done:                                             ; preds = %third, %second, %entry
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}

define i8 @needed(ptr addrspace(1) %text) {
entry:
  %t0 = load i8, ptr addrspace(1) %text, align 1
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:                                           ; preds = %entry
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:                                            ; preds = %second
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  %is.2 = icmp eq i8 %t2, 99
  br i1 %is.2, label %found, label %done

found:                                            ; preds = %third
  ret i8 %t1

done:                                             ; preds = %third, %second, %entry
  ret i8 0
}

define i8 @synchronized(ptr addrspace(1) %text) {
entry:
  %t0 = load i8, ptr addrspace(1) %text, align 1
  fence acquire
  %is.0 = icmp eq i8 %t0, 97
  br i1 %is.0, label %second, label %done

second:                                           ; preds = %entry
  %t.1 = getelementptr i8, ptr addrspace(1) %text, i64 1
  %t1 = load i8, ptr addrspace(1) %t.1, align 1
  %is.1 = icmp eq i8 %t1, 98
  br i1 %is.1, label %third, label %done

third:                                            ; preds = %second
  %t.2 = getelementptr i8, ptr addrspace(1) %text, i64 2
  %t2 = load i8, ptr addrspace(1) %t.2, align 1
  br label %done

done:                                             ; preds = %third, %second, %entry
  %result = phi i8 [ 0, %entry ], [ 0, %second ], [ %t2, %third ]
  ret i8 %result
}
