; Sums and products of bytes that 16 bits hold, compared, cut, and made longer for what else needs them; but not where a
; result might be larger, or where results are made longer as often as not.
define <32 x i1> @compared(<32 x i8> %a, <32 x i8> %b, <32 x i8> %c) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %wide.c = zext <32 x i8> %c to <32 x i32>
  %ab = add nuw nsw <32 x i32> %wide.a, %wide.b
  %abc = add nuw nsw <32 x i32> %ab, %wide.c
  %even = and <32 x i32> %abc, splat (i32 -2)
  %less = sub <32 x i32> %even, %wide.a
  %is = icmp slt <32 x i32> %less, splat (i32 -7)
  ret <32 x i1> %is
}

define <32 x i8> @grey(<32 x i8> %r, <32 x i8> %g, <32 x i8> %b) {
  %wide.r = zext <32 x i8> %r to <32 x i32>
  %wide.g = zext <32 x i8> %g to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %part.r = mul nuw nsw <32 x i32> %wide.r, splat (i32 77)
  %part.g = mul nuw nsw <32 x i32> %wide.g, splat (i32 150)
  %part.b = mul nuw nsw <32 x i32> %wide.b, splat (i32 29)
  %rg = add nuw nsw <32 x i32> %part.r, %part.g
  %sum = add nuw nsw <32 x i32> %rg, %part.b
  %mean = lshr <32 x i32> %sum, splat (i32 8)
  %byte = trunc <32 x i32> %mean to <32 x i8>
  ret <32 x i8> %byte
}

define <32 x i32> @longer(<32 x i8> %a, <32 x i8> %b, <32 x i1> %c) {
  %wide.a = sext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %sum = sub <32 x i32> %wide.a, %wide.b
  %double = shl <32 x i32> %sum, splat (i32 1)
  %one = select <32 x i1> %c, <32 x i32> %double, <32 x i32> %wide.a
  %more = add <32 x i32> %one, splat (i32 100)
  ret <32 x i32> %more
}

define <32 x i1> @larger(<32 x i8> %a, <32 x i8> %b, <32 x i8> %c) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %wide.c = zext <32 x i8> %c to <32 x i32>
  %product = mul <32 x i32> %wide.a, %wide.b
  %first = add <32 x i32> %product, %wide.a
  %second = add <32 x i32> %first, %wide.b
  %third = add <32 x i32> %second, %wide.c
  %is = icmp ult <32 x i32> %third, splat (i32 9)
  ret <32 x i1> %is
}

define <32 x float> @floats(<32 x i8> %a, <32 x i8> %b) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %first = add <32 x i32> %wide.a, %wide.b
  %second = add <32 x i32> %first, %wide.b
  %third = add <32 x i32> %second, %wide.b
  %fourth = add <32 x i32> %third, %wide.b
  %float.1 = sitofp <32 x i32> %first to <32 x float>
  %float.2 = sitofp <32 x i32> %second to <32 x float>
  %float.4 = sitofp <32 x i32> %fourth to <32 x float>
  %some = fadd <32 x float> %float.1, %float.2
  %all = fadd <32 x float> %some, %float.4
  ret <32 x float> %all
}

; becomes

define <32 x i1> @compared(<32 x i8> %a, <32 x i8> %b, <32 x i8> %c) {
  %1 = zext <32 x i8> %a to <32 x i16>
  %2 = zext <32 x i8> %b to <32 x i16>
  %3 = zext <32 x i8> %c to <32 x i16>
  %4 = add <32 x i16> %1, %2
  %5 = add <32 x i16> %4, %3
  %6 = and <32 x i16> %5, splat (i16 -2)
  %7 = sub <32 x i16> %6, %1
  %8 = icmp slt <32 x i16> %7, splat (i16 -7)
  ret <32 x i1> %8
}

define <32 x i8> @grey(<32 x i8> %r, <32 x i8> %g, <32 x i8> %b) {
  %1 = zext <32 x i8> %r to <32 x i16>
  %2 = zext <32 x i8> %g to <32 x i16>
  %3 = zext <32 x i8> %b to <32 x i16>
  %4 = mul <32 x i16> %1, splat (i16 77)
  %5 = mul <32 x i16> %2, splat (i16 150)
  %6 = mul <32 x i16> %3, splat (i16 29)
  %7 = add <32 x i16> %4, %5
  %8 = add <32 x i16> %7, %6
  %9 = lshr <32 x i16> %8, splat (i16 8)
  %10 = trunc <32 x i16> %9 to <32 x i8>
  ret <32 x i8> %10
}

define <32 x i32> @longer(<32 x i8> %a, <32 x i8> %b, <32 x i1> %c) {
  %1 = sext <32 x i8> %a to <32 x i16>
  %2 = zext <32 x i8> %b to <32 x i16>
  %3 = sub <32 x i16> %1, %2
  %4 = shl <32 x i16> %3, splat (i16 1)
  %5 = select <32 x i1> %c, <32 x i16> %4, <32 x i16> %1
  %6 = add <32 x i16> %5, splat (i16 100)
  %7 = sext <32 x i16> %6 to <32 x i32>
  ret <32 x i32> %7
}

define <32 x i1> @larger(<32 x i8> %a, <32 x i8> %b, <32 x i8> %c) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %wide.c = zext <32 x i8> %c to <32 x i32>
  %product = mul <32 x i32> %wide.a, %wide.b
  %first = add <32 x i32> %product, %wide.a
  %second = add <32 x i32> %first, %wide.b
  %third = add <32 x i32> %second, %wide.c
  %is = icmp ult <32 x i32> %third, splat (i32 9)
  ret <32 x i1> %is
}

define <32 x float> @floats(<32 x i8> %a, <32 x i8> %b) {
  %wide.a = zext <32 x i8> %a to <32 x i32>
  %wide.b = zext <32 x i8> %b to <32 x i32>
  %first = add <32 x i32> %wide.a, %wide.b
  %second = add <32 x i32> %first, %wide.b
  %third = add <32 x i32> %second, %wide.b
  %fourth = add <32 x i32> %third, %wide.b
  %float.1 = sitofp <32 x i32> %first to <32 x float>
  %float.2 = sitofp <32 x i32> %second to <32 x float>
  %float.4 = sitofp <32 x i32> %fourth to <32 x float>
  %some = fadd <32 x float> %float.1, %float.2
  %all = fadd <32 x float> %some, %float.4
  ret <32 x float> %all
}
