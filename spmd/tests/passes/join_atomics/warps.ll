; stack: flat
; One atomic behind the loop; none is moved where a thread reads behind its own.
declare i32 @llvm.vector.reduce.add.v32i32(<32 x i32>)

define void @alone.block(ptr %context, i32 %first, i32 %last, ptr %values, ptr %sum) {
start:
  br label %warp

warp:
  %number = phi i32 [ %first, %start ], [ %next, %warp ]
  %row = getelementptr <32 x i32>, ptr %values, i32 %number
  %loaded = load <32 x i32>, ptr %row, align 4
  %total = call i32 @llvm.vector.reduce.add.v32i32(<32 x i32> %loaded)
  %old = atomicrmw add ptr %sum, i32 %total monotonic, align 4
  %next = add i32 %number, 1
  %more = icmp ult i32 %next, %last
  br i1 %more, label %warp, label %done

done:
  ret void
}

define void @read.block(ptr %context, i32 %first, i32 %last, ptr %out, ptr %sum) {
start:
  br label %warp

warp:
  %number = phi i32 [ %first, %start ], [ %next, %warp ]
  %old = atomicrmw add ptr %sum, i32 %number monotonic, align 4
  %so_far = load i32, ptr %sum, align 4
  %row = getelementptr i32, ptr %out, i32 %number
  store i32 %so_far, ptr %row, align 4
  %next = add i32 %number, 1
  %more = icmp ult i32 %next, %last
  br i1 %more, label %warp, label %done

done:
  ret void
}

; becomes

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.vector.reduce.add.v32i32(<32 x i32>) #0

define void @alone.block(ptr %context, i32 %first, i32 %last, ptr %values, ptr %sum) {
start:
  %0 = alloca i32, align 4
  %1 = alloca i8, align 1
  store i32 0, ptr %0, align 4
  store i8 0, ptr %1, align 1
  br label %warp

warp:                                             ; preds = %warp, %start
  %number = phi i32 [ %first, %start ], [ %next, %warp ]
  %row = getelementptr <32 x i32>, ptr %values, i32 %number
  %loaded = load <32 x i32>, ptr %row, align 4
  %total = call i32 @llvm.vector.reduce.add.v32i32(<32 x i32> %loaded)
  %2 = load i32, ptr %0, align 4
  %3 = add i32 %2, %total
  store i32 %3, ptr %0, align 4
  store i8 1, ptr %1, align 1
  %next = add i32 %number, 1
  %more = icmp ult i32 %next, %last
  br i1 %more, label %warp, label %joined

done:                                             ; preds = %change, %joined
  ret void

joined:                                           ; preds = %warp
  %4 = load i8, ptr %1, align 1
  %5 = trunc i8 %4 to i1
  br i1 %5, label %change, label %done

change:                                           ; preds = %joined
  %6 = load i32, ptr %0, align 4
  %7 = atomicrmw add ptr %sum, i32 %6 monotonic, align 4
  br label %done
}

define void @read.block(ptr %context, i32 %first, i32 %last, ptr %out, ptr %sum) {
start:
  br label %warp

warp:                                             ; preds = %warp, %start
  %number = phi i32 [ %first, %start ], [ %next, %warp ]
  %old = atomicrmw add ptr %sum, i32 %number monotonic, align 4
  %so_far = load i32, ptr %sum, align 4
  %row = getelementptr i32, ptr %out, i32 %number
  store i32 %so_far, ptr %row, align 4
  %next = add i32 %number, 1
  %more = icmp ult i32 %next, %last
  br i1 %more, label %warp, label %done

done:                                             ; preds = %warp
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
