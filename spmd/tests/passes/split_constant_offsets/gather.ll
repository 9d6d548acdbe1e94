; The constant is the base; a megabyte is too far for that.
declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>)

define <32 x i32> @near(<32 x i64> %addresses) {
  %sums = add <32 x i64> %addresses, splat (i64 20)
  %places = inttoptr <32 x i64> %sums to <32 x ptr>
  %values = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places, <32 x i1> splat (i1 true), <32 x i32> poison)
  ret <32 x i32> %values
}

define <32 x i32> @far(<32 x i64> %addresses) {
  %sums = add <32 x i64> %addresses, splat (i64 1048576)
  %places = inttoptr <32 x i64> %sums to <32 x ptr>
  %values = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places, <32 x i1> splat (i1 true), <32 x i32> poison)
  ret <32 x i32> %values
}

; becomes

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>) #0

define <32 x i32> @near(<32 x i64> %addresses) {
  %1 = getelementptr i8, ptr inttoptr (i64 20 to ptr), <32 x i64> %addresses
  %values = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %1, <32 x i1> splat (i1 true), <32 x i32> poison)
  ret <32 x i32> %values
}

define <32 x i32> @far(<32 x i64> %addresses) {
  %sums = add <32 x i64> %addresses, splat (i64 1048576)
  %places = inttoptr <32 x i64> %sums to <32 x ptr>
  %values = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places, <32 x i1> splat (i1 true), <32 x i32> poison)
  ret <32 x i32> %values
}

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(read) }
