; The first lane stores a sum at an address of steps, and two lanes read; three lanes stay together.
declare void @llvm.masked.scatter.v32f32.v32p0(<32 x float>, <32 x ptr>, <32 x i1>)
declare <32 x float> @llvm.masked.gather.v32f32.v32p0(<32 x ptr>, <32 x i1>, <32 x float>)

define <32 x float> @warp(ptr %base, i32 %index, <32 x float> %a, <32 x float> %b) {
  %first = insertelement <32 x i32> poison, i32 %index, i64 0
  %row = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %steps = add <32 x i32> %row, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %wide = sext <32 x i32> %steps to <32 x i64>
  %places = getelementptr float, ptr %base, <32 x i64> %wide
  %sum = fadd <32 x float> %a, %b
  call void @llvm.masked.scatter.v32f32.v32p0(<32 x float> %sum, <32 x ptr> align 4 %places, <32 x i1> <i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  call void @llvm.masked.scatter.v32f32.v32p0(<32 x float> %sum, <32 x ptr> align 4 %places, <32 x i1> <i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %read = call <32 x float> @llvm.masked.gather.v32f32.v32p0(<32 x ptr> align 4 %places, <32 x i1> <i1 false, i1 true, i1 false, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <32 x float> %a)
  ret <32 x float> %read
}

; becomes

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(write)
declare void @llvm.masked.scatter.v32f32.v32p0(<32 x float>, <32 x ptr>, <32 x i1>) #0

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <32 x float> @llvm.masked.gather.v32f32.v32p0(<32 x ptr>, <32 x i1>, <32 x float>) #1

define <32 x float> @warp(ptr %base, i32 %index, <32 x float> %a, <32 x float> %b) {
  %first = insertelement <32 x i32> poison, i32 %index, i64 0
  %row = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %steps = add <32 x i32> %row, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %wide = sext <32 x i32> %steps to <32 x i64>
  %places = getelementptr float, ptr %base, <32 x i64> %wide
  %sum = fadd <32 x float> %a, %b
  %1 = add i32 %index, 0
  %2 = sext i32 %1 to i64
  %3 = getelementptr float, ptr %base, i64 %2
  %4 = extractelement <32 x float> %sum, i32 0
  store float %4, ptr %3, align 1
  call void @llvm.masked.scatter.v32f32.v32p0(<32 x float> %sum, <32 x ptr> align 4 %places, <32 x i1> <i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %5 = add i32 %index, 1
  %6 = sext i32 %5 to i64
  %7 = getelementptr float, ptr %base, i64 %6
  %8 = load float, ptr %7, align 1
  %9 = insertelement <32 x float> %a, float %8, i32 1
  %10 = add i32 %index, 3
  %11 = sext i32 %10 to i64
  %12 = getelementptr float, ptr %base, i64 %11
  %13 = load float, ptr %12, align 1
  %14 = insertelement <32 x float> %9, float %13, i32 3
  ret <32 x float> %14
}

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(write) }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(read) }
