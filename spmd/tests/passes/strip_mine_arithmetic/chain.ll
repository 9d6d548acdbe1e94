; 26 operations on 32 lanes become a loop over strips of lanes in a function of their own.
define <32 x i32> @warp(ptr %block, <32 x i32> %x, <32 x i32> %y) {
  %v0 = add <32 x i32> %x, %y
  %v1 = mul <32 x i32> %v0, %y
  %v2 = add <32 x i32> %v1, %y
  %v3 = mul <32 x i32> %v2, %y
  %v4 = add <32 x i32> %v3, %y
  %v5 = mul <32 x i32> %v4, %y
  %v6 = add <32 x i32> %v5, %y
  %v7 = mul <32 x i32> %v6, %y
  %v8 = add <32 x i32> %v7, %y
  %v9 = mul <32 x i32> %v8, %y
  %v10 = add <32 x i32> %v9, %y
  %v11 = mul <32 x i32> %v10, %y
  %v12 = add <32 x i32> %v11, %y
  %v13 = mul <32 x i32> %v12, %y
  %v14 = add <32 x i32> %v13, %y
  %v15 = mul <32 x i32> %v14, %y
  %v16 = add <32 x i32> %v15, %y
  %v17 = mul <32 x i32> %v16, %y
  %v18 = add <32 x i32> %v17, %y
  %v19 = mul <32 x i32> %v18, %y
  %v20 = add <32 x i32> %v19, %y
  %v21 = mul <32 x i32> %v20, %y
  %v22 = add <32 x i32> %v21, %y
  %v23 = mul <32 x i32> %v22, %y
  %v24 = add <32 x i32> %v23, %y
  %v25 = mul <32 x i32> %v24, %y
  ret <32 x i32> %v25
}

; becomes

define <32 x i32> @warp(ptr %block, <32 x i32> %x, <32 x i32> %y) {
  %1 = alloca <32 x i32>, align 32, addrspace(5)
  %2 = alloca <32 x i32>, align 32, addrspace(5)
  %3 = alloca <32 x i32>, align 32, addrspace(5)
  store <32 x i32> %x, ptr addrspace(5) %1, align 32
  store <32 x i32> %y, ptr addrspace(5) %2, align 32
  call void @spmd.strip.1(ptr %block, ptr addrspace(5) %1, ptr addrspace(5) %2, ptr addrspace(5) %3)
  %4 = load <32 x i32>, ptr addrspace(5) %3, align 32
  ret <32 x i32> %4
}

; Function Attrs: noinline nounwind uwtable
define internal void @spmd.strip.1(ptr %0, ptr addrspace(5) %1, ptr addrspace(5) %2, ptr addrspace(5) %3) #0 {
start:
  br label %head

head:                                             ; preds = %head, %start
  %4 = phi i64 [ 0, %start ], [ %36, %head ]
  %5 = getelementptr i32, ptr addrspace(5) %1, i64 %4
  %6 = load <8 x i32>, ptr addrspace(5) %5, align 4
  %7 = getelementptr i32, ptr addrspace(5) %2, i64 %4
  %8 = load <8 x i32>, ptr addrspace(5) %7, align 4
  %9 = add <8 x i32> %6, %8
  %10 = mul <8 x i32> %9, %8
  %11 = add <8 x i32> %10, %8
  %12 = mul <8 x i32> %11, %8
  %13 = add <8 x i32> %12, %8
  %14 = mul <8 x i32> %13, %8
  %15 = add <8 x i32> %14, %8
  %16 = mul <8 x i32> %15, %8
  %17 = add <8 x i32> %16, %8
  %18 = mul <8 x i32> %17, %8
  %19 = add <8 x i32> %18, %8
  %20 = mul <8 x i32> %19, %8
  %21 = add <8 x i32> %20, %8
  %22 = mul <8 x i32> %21, %8
  %23 = add <8 x i32> %22, %8
  %24 = mul <8 x i32> %23, %8
  %25 = add <8 x i32> %24, %8
  %26 = mul <8 x i32> %25, %8
  %27 = add <8 x i32> %26, %8
  %28 = mul <8 x i32> %27, %8
  %29 = add <8 x i32> %28, %8
  %30 = mul <8 x i32> %29, %8
  %31 = add <8 x i32> %30, %8
  %32 = mul <8 x i32> %31, %8
  %33 = add <8 x i32> %32, %8
  %34 = mul <8 x i32> %33, %8
  %35 = getelementptr i32, ptr addrspace(5) %3, i64 %4
  store <8 x i32> %34, ptr addrspace(5) %35, align 4
  %36 = add i64 %4, 8
  %37 = icmp ult i64 %36, 32
  br i1 %37, label %head, label %done

done:                                             ; preds = %head
  ret void
}

attributes #0 = { noinline nounwind uwtable "prefer-vector-width"="256" }
