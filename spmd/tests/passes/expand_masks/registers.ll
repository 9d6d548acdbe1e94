; cpu: x86-64-v4
; Here a cast is one instruction.
define i32 @mask(i32 %bits, <32 x i1> %mask) {
  %active = bitcast i32 %bits to <32 x i1>
  %both = and <32 x i1> %active, %mask
  %word = bitcast <32 x i1> %both to i32
  ret i32 %word
}

; becomes

define i32 @mask(i32 %bits, <32 x i1> %mask) {
  %active = bitcast i32 %bits to <32 x i1>
  %both = and <32 x i1> %active, %mask
  %word = bitcast <32 x i1> %both to i32
  ret i32 %word
}
