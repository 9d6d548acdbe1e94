; cpu: x86-64-v3
; What stands between accesses, masks and distances keep them apart.
declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>)
declare void @spmd.scatter.32.strided(<32 x i32>, ptr, i64, i32)
declare void @another(ptr)

define <32 x i32> @warp(ptr %from, i32 %mask) {
  %place.0 = getelementptr i8, ptr %from, i64 0
  %places.0 = getelementptr i8, ptr %place.0, <32 x i64> <i64 0, i64 16, i64 32, i64 48, i64 64, i64 80, i64 96, i64 112, i64 128, i64 144, i64 160, i64 176, i64 192, i64 208, i64 224, i64 240, i64 256, i64 272, i64 288, i64 304, i64 320, i64 336, i64 352, i64 368, i64 384, i64 400, i64 416, i64 432, i64 448, i64 464, i64 480, i64 496>
  %word.0 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.0, <32 x i1> splat (i1 true), <32 x i32> poison)
  store i32 1, ptr %from
  %place.1 = getelementptr i8, ptr %from, i64 4
  %places.1 = getelementptr i8, ptr %place.1, <32 x i64> <i64 0, i64 16, i64 32, i64 48, i64 64, i64 80, i64 96, i64 112, i64 128, i64 144, i64 160, i64 176, i64 192, i64 208, i64 224, i64 240, i64 256, i64 272, i64 288, i64 304, i64 320, i64 336, i64 352, i64 368, i64 384, i64 400, i64 416, i64 432, i64 448, i64 464, i64 480, i64 496>
  %word.1 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.1, <32 x i1> splat (i1 true), <32 x i32> poison)
  call void @another(ptr %from)
  %place.2 = getelementptr i8, ptr %from, i64 8
  %places.2 = getelementptr i8, ptr %place.2, <32 x i64> <i64 0, i64 16, i64 32, i64 48, i64 64, i64 80, i64 96, i64 112, i64 128, i64 144, i64 160, i64 176, i64 192, i64 208, i64 224, i64 240, i64 256, i64 272, i64 288, i64 304, i64 320, i64 336, i64 352, i64 368, i64 384, i64 400, i64 416, i64 432, i64 448, i64 464, i64 480, i64 496>
  %word.2 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.2, <32 x i1> splat (i1 true), <32 x i32> poison)
  %place.3 = getelementptr i8, ptr %from, i64 16
  %places.3 = getelementptr i8, ptr %place.3, <32 x i64> <i64 0, i64 16, i64 32, i64 48, i64 64, i64 80, i64 96, i64 112, i64 128, i64 144, i64 160, i64 176, i64 192, i64 208, i64 224, i64 240, i64 256, i64 272, i64 288, i64 304, i64 320, i64 336, i64 352, i64 368, i64 384, i64 400, i64 416, i64 432, i64 448, i64 464, i64 480, i64 496>
  %word.3 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.3, <32 x i1> splat (i1 true), <32 x i32> poison)
  %place.4 = getelementptr i8, ptr %from, i64 4
  %places.4 = getelementptr i8, ptr %place.4, <32 x i64> <i64 0, i64 20, i64 40, i64 60, i64 80, i64 100, i64 120, i64 140, i64 160, i64 180, i64 200, i64 220, i64 240, i64 260, i64 280, i64 300, i64 320, i64 340, i64 360, i64 380, i64 400, i64 420, i64 440, i64 460, i64 480, i64 500, i64 520, i64 540, i64 560, i64 580, i64 600, i64 620>
  %word.4 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.4, <32 x i1> splat (i1 true), <32 x i32> poison)
  %some = bitcast i32 %mask to <32 x i1>
  %place.5 = getelementptr i8, ptr %from, i64 4
  %places.5 = getelementptr i8, ptr %place.5, <32 x i64> <i64 0, i64 16, i64 32, i64 48, i64 64, i64 80, i64 96, i64 112, i64 128, i64 144, i64 160, i64 176, i64 192, i64 208, i64 224, i64 240, i64 256, i64 272, i64 288, i64 304, i64 320, i64 336, i64 352, i64 368, i64 384, i64 400, i64 416, i64 432, i64 448, i64 464, i64 480, i64 496>
  %word.5 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.5, <32 x i1> %some, <32 x i32> poison)
  call void @spmd.scatter.32.strided(<32 x i32> %word.0, ptr %from, i64 16, i32 -1)
  %again = load i32, ptr %from
  call void @spmd.scatter.32.strided(<32 x i32> %word.1, ptr %place.1, i64 16, i32 -1)
  call void @spmd.scatter.32.strided(<32 x i32> %word.2, ptr %place.2, i64 16, i32 %again)
  %sum.1 = add <32 x i32> %word.0, %word.1
  %sum.2 = add <32 x i32> %sum.1, %word.2
  %sum.3 = add <32 x i32> %sum.2, %word.3
  %sum.4 = add <32 x i32> %sum.3, %word.4
  %sum.5 = add <32 x i32> %sum.4, %word.5
  ret <32 x i32> %sum.5
}

; becomes

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>) #0

declare void @spmd.scatter.32.strided(<32 x i32>, ptr, i64, i32)

declare void @another(ptr)

define <32 x i32> @warp(ptr %from, i32 %mask) {
  %place.0 = getelementptr i8, ptr %from, i64 0
  %places.0 = getelementptr i8, ptr %place.0, <32 x i64> <i64 0, i64 16, i64 32, i64 48, i64 64, i64 80, i64 96, i64 112, i64 128, i64 144, i64 160, i64 176, i64 192, i64 208, i64 224, i64 240, i64 256, i64 272, i64 288, i64 304, i64 320, i64 336, i64 352, i64 368, i64 384, i64 400, i64 416, i64 432, i64 448, i64 464, i64 480, i64 496>
  %word.0 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.0, <32 x i1> splat (i1 true), <32 x i32> poison)
  store i32 1, ptr %from, align 4
  %place.1 = getelementptr i8, ptr %from, i64 4
  %places.1 = getelementptr i8, ptr %place.1, <32 x i64> <i64 0, i64 16, i64 32, i64 48, i64 64, i64 80, i64 96, i64 112, i64 128, i64 144, i64 160, i64 176, i64 192, i64 208, i64 224, i64 240, i64 256, i64 272, i64 288, i64 304, i64 320, i64 336, i64 352, i64 368, i64 384, i64 400, i64 416, i64 432, i64 448, i64 464, i64 480, i64 496>
  %word.1 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.1, <32 x i1> splat (i1 true), <32 x i32> poison)
  call void @another(ptr %from)
  %place.2 = getelementptr i8, ptr %from, i64 8
  %places.2 = getelementptr i8, ptr %place.2, <32 x i64> <i64 0, i64 16, i64 32, i64 48, i64 64, i64 80, i64 96, i64 112, i64 128, i64 144, i64 160, i64 176, i64 192, i64 208, i64 224, i64 240, i64 256, i64 272, i64 288, i64 304, i64 320, i64 336, i64 352, i64 368, i64 384, i64 400, i64 416, i64 432, i64 448, i64 464, i64 480, i64 496>
  %word.2 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.2, <32 x i1> splat (i1 true), <32 x i32> poison)
  %place.3 = getelementptr i8, ptr %from, i64 16
  %places.3 = getelementptr i8, ptr %place.3, <32 x i64> <i64 0, i64 16, i64 32, i64 48, i64 64, i64 80, i64 96, i64 112, i64 128, i64 144, i64 160, i64 176, i64 192, i64 208, i64 224, i64 240, i64 256, i64 272, i64 288, i64 304, i64 320, i64 336, i64 352, i64 368, i64 384, i64 400, i64 416, i64 432, i64 448, i64 464, i64 480, i64 496>
  %word.3 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.3, <32 x i1> splat (i1 true), <32 x i32> poison)
  %place.4 = getelementptr i8, ptr %from, i64 4
  %places.4 = getelementptr i8, ptr %place.4, <32 x i64> <i64 0, i64 20, i64 40, i64 60, i64 80, i64 100, i64 120, i64 140, i64 160, i64 180, i64 200, i64 220, i64 240, i64 260, i64 280, i64 300, i64 320, i64 340, i64 360, i64 380, i64 400, i64 420, i64 440, i64 460, i64 480, i64 500, i64 520, i64 540, i64 560, i64 580, i64 600, i64 620>
  %word.4 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.4, <32 x i1> splat (i1 true), <32 x i32> poison)
  %some = bitcast i32 %mask to <32 x i1>
  %place.5 = getelementptr i8, ptr %from, i64 4
  %places.5 = getelementptr i8, ptr %place.5, <32 x i64> <i64 0, i64 16, i64 32, i64 48, i64 64, i64 80, i64 96, i64 112, i64 128, i64 144, i64 160, i64 176, i64 192, i64 208, i64 224, i64 240, i64 256, i64 272, i64 288, i64 304, i64 320, i64 336, i64 352, i64 368, i64 384, i64 400, i64 416, i64 432, i64 448, i64 464, i64 480, i64 496>
  %word.5 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.5, <32 x i1> %some, <32 x i32> poison)
  call void @spmd.scatter.32.strided(<32 x i32> %word.0, ptr %from, i64 16, i32 -1)
  %again = load i32, ptr %from, align 4
  call void @spmd.scatter.32.strided(<32 x i32> %word.1, ptr %place.1, i64 16, i32 -1)
  call void @spmd.scatter.32.strided(<32 x i32> %word.2, ptr %place.2, i64 16, i32 %again)
  %sum.1 = add <32 x i32> %word.0, %word.1
  %sum.2 = add <32 x i32> %sum.1, %word.2
  %sum.3 = add <32 x i32> %sum.2, %word.3
  %sum.4 = add <32 x i32> %sum.3, %word.4
  %sum.5 = add <32 x i32> %sum.4, %word.5
  ret <32 x i32> %sum.5
}

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(read) }
