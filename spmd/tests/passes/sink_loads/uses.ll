; stack: flat
; Loads go to where they are used, in their order, and an address that is loaded goes before them; but not past what may change what they
; read, nor out of the block. What others may look at meanwhile stays.
declare void @zluda.bar.warp.sync(i32)
declare i32 @zluda.laneid()

define void @products(ptr addrspace(1) %a, ptr addrspace(3) %s, ptr addrspace(4) %params, i1 %c) {
  %strict = load volatile float, ptr addrspace(1) %a, align 4
  %first = load float, ptr addrspace(1) %a, align 4
  %at = load ptr addrspace(1), ptr addrspace(4) %params, align 8
  %second = load float, ptr addrspace(1) %at, align 4
  %third = load float, ptr addrspace(3) %s, align 4
  %later = load float, ptr addrspace(1) %a, align 4
  %elsewhere = load float, ptr addrspace(1) %a, align 4
  %lane = call i32 @zluda.laneid()
  %square = fmul float %first, %first
  store float %square, ptr addrspace(3) %s, align 4
  %product = fmul float %second, %third
  call void @zluda.bar.warp.sync(i32 -1)
  %sum = fadd float %product, %later
  store float %sum, ptr addrspace(1) %a, align 4
  br i1 %c, label %then, label %end

then:
  store float %elsewhere, ptr addrspace(3) %s, align 4
  br label %end

end:
  ret void
}

; becomes

declare void @zluda.bar.warp.sync(i32)

declare i32 @zluda.laneid()

define void @products(ptr addrspace(1) %a, ptr addrspace(3) %s, ptr addrspace(4) %params, i1 %c) {
  %strict = load volatile float, ptr addrspace(1) %a, align 4
  %elsewhere = load float, ptr addrspace(1) %a, align 4
  %lane = call i32 @zluda.laneid()
  %1 = load float, ptr addrspace(1) %a, align 4
  %square = fmul float %1, %1
  %2 = load float, ptr addrspace(3) %s, align 4
  store float %square, ptr addrspace(3) %s, align 4
  %3 = load ptr addrspace(1), ptr addrspace(4) %params, align 8
  %4 = load float, ptr addrspace(1) %3, align 4
  %product = fmul float %4, %2
  %5 = load float, ptr addrspace(1) %a, align 4
  call void @zluda.bar.warp.sync(i32 -1)
  %sum = fadd float %product, %5
  store float %sum, ptr addrspace(1) %a, align 4
  br i1 %c, label %then, label %end

then:                                             ; preds = %0
  store float %elsewhere, ptr addrspace(3) %s, align 4
  br label %end

end:                                              ; preds = %then, %0
  ret void
}
