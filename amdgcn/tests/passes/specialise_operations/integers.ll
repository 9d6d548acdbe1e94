; gpu: gfx1100
; A product of 16 x 16 by 16 x 8 bytes, for which the GPU has an instruction. There is code for it, by its number.
declare { i32, i32, i32, i32 } @zluda.matrix.4.7(i64, i32, i32, i32, i32, i32, i32, i32)

define void @k(i32 %x, ptr addrspace(1) %place) #0 {
  %all = call { i32, i32, i32, i32 } @zluda.matrix.4.7(i64 127082185105536, i32 %x, i32 %x, i32 %x, i32 %x, i32 %x, i32 %x, i32 %x)
  %first = extractvalue { i32, i32, i32, i32 } %all, 0
  store i32 %first, ptr addrspace(1) %place
  ret void
}

attributes #0 = { "zluda-kernel" "zluda-param-size"="32" "zluda-max-threads"="256" }

; becomes

declare { i32, i32, i32, i32 } @zluda.matrix.4.7(i64, i32, i32, i32, i32, i32, i32, i32)

define void @k(i32 %x, ptr addrspace(1) %place) #0 {
  %1 = call { i32, i32, i32, i32 } @zluda.matrix.4.7.7394a0802080.rdna3(i32 %x, i32 %x, i32 %x, i32 %x, i32 %x, i32 %x, i32 %x)
  %first = extractvalue { i32, i32, i32, i32 } %1, 0
  store i32 %first, ptr addrspace(1) %place, align 4
  ret void
}

; Function Attrs: convergent nounwind
define internal { i32, i32, i32, i32 } @zluda.matrix.4.7.7394a0802080.rdna3(i32 %0, i32 %1, i32 %2, i32 %3, i32 %4, i32 %5, i32 %6) #1 {
entry:
  %7 = alloca [7 x i32], align 4, addrspace(5)
  %8 = addrspacecast ptr addrspace(5) %7 to ptr
  %9 = alloca [4 x i32], align 4, addrspace(5)
  %10 = addrspacecast ptr addrspace(5) %9 to ptr
  %11 = getelementptr i8, ptr %8, i64 0
  store i32 %0, ptr %11, align 4
  %12 = getelementptr i8, ptr %8, i64 4
  store i32 %1, ptr %12, align 4
  %13 = getelementptr i8, ptr %8, i64 8
  store i32 %2, ptr %13, align 4
  %14 = getelementptr i8, ptr %8, i64 12
  store i32 %3, ptr %14, align 4
  %15 = getelementptr i8, ptr %8, i64 16
  store i32 %4, ptr %15, align 4
  %16 = getelementptr i8, ptr %8, i64 20
  store i32 %5, ptr %16, align 4
  %17 = getelementptr i8, ptr %8, i64 24
  store i32 %6, ptr %17, align 4
  call void @zluda.amd.matrix.rdna3(i64 127082185105536, ptr %8, ptr %10)
  %18 = getelementptr i8, ptr %10, i64 0
  %19 = load i32, ptr %18, align 4
  %20 = insertvalue { i32, i32, i32, i32 } poison, i32 %19, 0
  %21 = getelementptr i8, ptr %10, i64 4
  %22 = load i32, ptr %21, align 4
  %23 = insertvalue { i32, i32, i32, i32 } %20, i32 %22, 1
  %24 = getelementptr i8, ptr %10, i64 8
  %25 = load i32, ptr %24, align 4
  %26 = insertvalue { i32, i32, i32, i32 } %23, i32 %25, 2
  %27 = getelementptr i8, ptr %10, i64 12
  %28 = load i32, ptr %27, align 4
  %29 = insertvalue { i32, i32, i32, i32 } %26, i32 %28, 3
  ret { i32, i32, i32, i32 } %29
}

; Function Attrs: convergent nounwind
declare void @zluda.amd.matrix.rdna3(i64, ptr, ptr) #1

attributes #0 = { "zluda-kernel" "zluda-max-threads"="256" "zluda-param-size"="32" }
attributes #1 = { convergent nounwind }
