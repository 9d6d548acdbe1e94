; cpu: x86-64-v3
; The even bytes and the odd ones, as halves: with a sign by shifts, without one by masks.
declare <8 x i32> @dot.s8.u8.8(<8 x i32>, <8 x i32>, <8 x i32>)

define <8 x i32> @strip(<8 x i32> %a, <8 x i32> %b, <8 x i32> %c) {
  %sum = call <8 x i32> @dot.s8.u8.8(<8 x i32> %a, <8 x i32> %b, <8 x i32> %c)
  ret <8 x i32> %sum
}

; becomes

define <8 x i32> @strip(<8 x i32> %a, <8 x i32> %b, <8 x i32> %c) {
  %1 = bitcast <8 x i32> %a to <16 x i16>
  %2 = shl <16 x i16> %1, splat (i16 8)
  %3 = ashr <16 x i16> %2, splat (i16 8)
  %4 = ashr <16 x i16> %1, splat (i16 8)
  %5 = bitcast <8 x i32> %b to <16 x i16>
  %6 = and <16 x i16> %5, splat (i16 255)
  %7 = lshr <16 x i16> %5, splat (i16 8)
  %8 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %3, <16 x i16> %6)
  %9 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %4, <16 x i16> %7)
  %10 = add <8 x i32> %8, %9
  %11 = add <8 x i32> %10, %c
  ret <8 x i32> %11
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16>, <16 x i16>) #0

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(none) }
