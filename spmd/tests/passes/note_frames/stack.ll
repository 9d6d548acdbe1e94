; 24 bytes on the stack of each of 32 lanes, which the descriptor says for one; large frames are touched when entered.
@k.kd = constant { i32, i32, i32, i32, ptr, i32, i32, i32, i32 } { i32 1514947396, i32 13, i32 0, i32 14, ptr @k.block, i32 40, i32 0, i32 0, i32 1024 }, align 8

define internal void @k.block(ptr %block, i32 %first, i32 %last) {
  %stack = alloca [768 x i8], align 8
  store volatile ptr %stack, ptr %block
  ret void
}

; becomes

@k.kd = constant { i32, i32, i32, i32, ptr, i32, i32, i32, i32 } { i32 1514947396, i32 13, i32 0, i32 14, ptr @k.block, i32 40, i32 0, i32 24, i32 1024 }, align 8

define internal void @k.block(ptr %block, i32 %first, i32 %last) #0 {
  %stack = alloca [768 x i8], align 8
  store volatile ptr %stack, ptr %block, align 8
  ret void
}

attributes #0 = { "probe-stack"="inline-asm" "stack-probe-size"="65536" }
