; cpu: x86-64-v4
; 32 lanes are two registers, those of a strip are one.
declare <32 x float> @directed.fma.rm.32(<32 x float>, <32 x float>, <32 x float>)
declare <16 x float> @directed.add.rp.16(<16 x float>, <16 x float>)

define <32 x float> @warp(<32 x float> %x, <32 x float> %y) {
  %sum = call <32 x float> @directed.fma.rm.32(<32 x float> %x, <32 x float> %y, <32 x float> splat (float 1.0))
  ret <32 x float> %sum
}

define <16 x float> @strip(<16 x float> %x, <16 x float> %y) {
  %sum = call <16 x float> @directed.add.rp.16(<16 x float> %x, <16 x float> %y)
  ret <16 x float> %sum
}

; becomes

define <32 x float> @warp(<32 x float> %x, <32 x float> %y) {
  %1 = shufflevector <32 x float> %x, <32 x float> %x, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %2 = shufflevector <32 x float> %y, <32 x float> %y, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %3 = call <16 x float> @llvm.x86.avx512.vfmadd.ps.512(<16 x float> %1, <16 x float> %2, <16 x float> splat (float 1.000000e+00), i32 9)
  %4 = shufflevector <32 x float> %x, <32 x float> %x, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %5 = shufflevector <32 x float> %y, <32 x float> %y, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %6 = call <16 x float> @llvm.x86.avx512.vfmadd.ps.512(<16 x float> %4, <16 x float> %5, <16 x float> splat (float 1.000000e+00), i32 9)
  %7 = shufflevector <16 x float> %3, <16 x float> %6, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  ret <32 x float> %7
}

define <16 x float> @strip(<16 x float> %x, <16 x float> %y) {
  %1 = call <16 x float> @llvm.x86.avx512.add.ps.512(<16 x float> %x, <16 x float> %y, i32 10)
  ret <16 x float> %1
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare <16 x float> @llvm.x86.avx512.vfmadd.ps.512(<16 x float>, <16 x float>, <16 x float>, i32 immarg) #0

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare <16 x float> @llvm.x86.avx512.add.ps.512(<16 x float>, <16 x float>, i32 immarg) #0

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(none) }
