; cpu: x86-64-v3
; A mask that is loaded, and one whose load has to stay.
define <32 x i1> @warp(ptr %place) {
  %mask = load <32 x i1>, ptr %place, align 4
  %other = load volatile <32 x i1>, ptr %place, align 4
  %both = and <32 x i1> %mask, %other
  ret <32 x i1> %both
}

; becomes

define <32 x i1> @warp(ptr %place) {
  %1 = load i32, ptr %place, align 4
  %2 = insertelement <8 x i32> poison, i32 %1, i32 0
  %3 = shufflevector <8 x i32> %2, <8 x i32> poison, <8 x i32> zeroinitializer
  %4 = bitcast <8 x i32> %3 to <32 x i8>
  %5 = shufflevector <32 x i8> %4, <32 x i8> %4, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 18, i32 18, i32 18, i32 18, i32 18, i32 18, i32 18, i32 18, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19>
  %6 = and <32 x i8> %5, <i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128, i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128, i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128, i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128>
  %7 = icmp eq <32 x i8> %6, <i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128, i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128, i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128, i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128>
  %other = load volatile <32 x i1>, ptr %place, align 4
  %both = and <32 x i1> %7, %other
  ret <32 x i1> %both
}
