; cpu: x86-64-v3
; Each lane tests its bit; a mask's bits as a word stay a cast.
define i32 @mask(i32 %bits, <32 x i1> %mask) {
  %active = bitcast i32 %bits to <32 x i1>
  %both = and <32 x i1> %active, %mask
  %word = bitcast <32 x i1> %both to i32
  ret i32 %word
}

; becomes

define i32 @mask(i32 %bits, <32 x i1> %mask) {
  %1 = insertelement <8 x i32> poison, i32 %bits, i32 0
  %2 = shufflevector <8 x i32> %1, <8 x i32> poison, <8 x i32> zeroinitializer
  %3 = bitcast <8 x i32> %2 to <32 x i8>
  %4 = shufflevector <32 x i8> %3, <32 x i8> %3, <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 18, i32 18, i32 18, i32 18, i32 18, i32 18, i32 18, i32 18, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19, i32 19>
  %5 = and <32 x i8> %4, <i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128, i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128, i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128, i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128>
  %6 = icmp eq <32 x i8> %5, <i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128, i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128, i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128, i8 1, i8 2, i8 4, i8 8, i8 16, i8 32, i8 64, i8 -128>
  %both = and <32 x i1> %6, %mask
  %word = bitcast <32 x i1> %both to i32
  ret i32 %word
}
