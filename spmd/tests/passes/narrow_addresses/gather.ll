; A uniform term and one extended index of 32 bits.
declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>)

define <32 x i32> @warp(i64 %base, <32 x i32> %index) {
  %first = insertelement <32 x i64> poison, i64 %base, i64 0
  %bases = shufflevector <32 x i64> %first, <32 x i64> poison, <32 x i32> zeroinitializer
  %wide = sext <32 x i32> %index to <32 x i64>
  %offsets = shl nsw <32 x i64> %wide, splat (i64 2)
  %addresses = add <32 x i64> %bases, %offsets
  %places = inttoptr <32 x i64> %addresses to <32 x ptr>
  %values = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places, <32 x i1> splat (i1 true), <32 x i32> poison)
  ret <32 x i32> %values
}

; becomes

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>) #0

define <32 x i32> @warp(i64 %base, <32 x i32> %index) {
  %1 = sext <32 x i32> %index to <32 x i64>
  %2 = inttoptr i64 %base to ptr
  %3 = getelementptr i32, ptr %2, <32 x i64> %1
  %values = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %3, <32 x i1> splat (i1 true), <32 x i32> poison)
  ret <32 x i32> %values
}

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(read) }
