; The freeze of a masked load goes, that of another value stays.
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)

define <32 x i32> @warp(ptr %place, <32 x i1> %mask, <32 x i32> %other) {
  %loaded = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 4 %place, <32 x i1> %mask, <32 x i32> zeroinitializer)
  %value = freeze <32 x i32> %loaded
  %kept = freeze <32 x i32> %other
  %sum = add <32 x i32> %value, %kept
  ret <32 x i32> %sum
}

; becomes

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr captures(none), <32 x i1>, <32 x i32>) #0

define <32 x i32> @warp(ptr %place, <32 x i1> %mask, <32 x i32> %other) {
  %loaded = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 4 %place, <32 x i1> %mask, <32 x i32> zeroinitializer)
  %kept = freeze <32 x i32> %other
  %sum = add <32 x i32> %loaded, %kept
  ret <32 x i32> %sum
}

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(argmem: read) }
