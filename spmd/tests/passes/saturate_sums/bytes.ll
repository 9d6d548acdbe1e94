; Sums of bytes that are compared with constants which tell no larger sums apart; but not what is told apart by a larger one
; or by bits that larger ones have again, nor what is needed as it is.
define <32 x i1> @of_three(<32 x i8> %a, <32 x i8> %b, <32 x i8> %c) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %wide.c = zext <32 x i8> %c to <32 x i32>
  %ab = add nuw nsw <32 x i32> %wide.a, %wide.b
  %abc = add nuw nsw <32 x i32> %ab, %wide.c
  %is.3 = icmp eq <32 x i32> %abc, splat (i32 3)
  %even = and <32 x i32> %abc, splat (i32 -2)
  %is.2 = icmp eq <32 x i32> %even, splat (i32 2)
  %less = icmp slt <32 x i32> %abc, splat (i32 255)
  %one = xor <32 x i1> %is.2, %is.3
  %all = and <32 x i1> %one, %less
  ret <32 x i1> %all
}

define <32 x i1> @larger(<32 x i8> %a, <32 x i8> %b) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %ab = add nuw nsw <32 x i32> %wide.a, %wide.b
  %is = icmp ult <32 x i32> %ab, splat (i32 256)
  ret <32 x i1> %is
}

define <32 x i1> @just_255(<32 x i8> %a, <32 x i8> %b) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %ab = add nuw nsw <32 x i32> %wide.a, %wide.b
  %is = icmp eq <32 x i32> %ab, splat (i32 255)
  ret <32 x i1> %is
}

define <32 x i1> @again(<32 x i8> %a, <32 x i8> %b) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %ab = add nuw nsw <32 x i32> %wide.a, %wide.b
  %low = and <32 x i32> %ab, splat (i32 3)
  %is = icmp eq <32 x i32> %low, splat (i32 2)
  ret <32 x i1> %is
}

define <32 x i32> @needed(<32 x i8> %a, <32 x i8> %b) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %ab = add nuw nsw <32 x i32> %wide.a, %wide.b
  %is = icmp eq <32 x i32> %ab, splat (i32 3)
  %chosen = select <32 x i1> %is, <32 x i32> %ab, <32 x i32> zeroinitializer
  ret <32 x i32> %chosen
}

; becomes

define <32 x i1> @of_three(<32 x i8> %a, <32 x i8> %b, <32 x i8> %c) {
  %1 = call <32 x i8> @llvm.uadd.sat.v32i8(<32 x i8> %a, <32 x i8> %b)
  %2 = call <32 x i8> @llvm.uadd.sat.v32i8(<32 x i8> %1, <32 x i8> %c)
  %3 = icmp eq <32 x i8> %2, splat (i8 3)
  %4 = and <32 x i8> %2, splat (i8 -2)
  %5 = icmp eq <32 x i8> %4, splat (i8 2)
  %6 = icmp ult <32 x i8> %2, splat (i8 -1)
  %one = xor <32 x i1> %5, %3
  %all = and <32 x i1> %one, %6
  ret <32 x i1> %all
}

define <32 x i1> @larger(<32 x i8> %a, <32 x i8> %b) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %ab = add nuw nsw <32 x i32> %wide.a, %wide.b
  %is = icmp ult <32 x i32> %ab, splat (i32 256)
  ret <32 x i1> %is
}

define <32 x i1> @just_255(<32 x i8> %a, <32 x i8> %b) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %ab = add nuw nsw <32 x i32> %wide.a, %wide.b
  %is = icmp eq <32 x i32> %ab, splat (i32 255)
  ret <32 x i1> %is
}

define <32 x i1> @again(<32 x i8> %a, <32 x i8> %b) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %ab = add nuw nsw <32 x i32> %wide.a, %wide.b
  %low = and <32 x i32> %ab, splat (i32 3)
  %is = icmp eq <32 x i32> %low, splat (i32 2)
  ret <32 x i1> %is
}

define <32 x i32> @needed(<32 x i8> %a, <32 x i8> %b) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %ab = add nuw nsw <32 x i32> %wide.a, %wide.b
  %is = icmp eq <32 x i32> %ab, splat (i32 3)
  %chosen = select <32 x i1> %is, <32 x i32> %ab, <32 x i32> zeroinitializer
  ret <32 x i32> %chosen
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <32 x i8> @llvm.uadd.sat.v32i8(<32 x i8>, <32 x i8>) #0

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
