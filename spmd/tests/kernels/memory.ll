; Histogram in shared memory of bytes, then added to global memory; barriers, a partial last warp, a local
; array, byte and vector accesses. Parameters: bytes, counts, n, quads.
@bins = internal addrspace(3) global [16 x i32] poison, align 4

define void @memory() #0 {
  %local = alloca [8 x i32], align 4, addrspace(5)
  %p = call ptr addrspace(4) @zluda.params()
  %bytes = load ptr addrspace(1), ptr addrspace(4) %p
  %cp = getelementptr i8, ptr addrspace(4) %p, i64 8
  %counts = load ptr addrspace(1), ptr addrspace(4) %cp
  %np = getelementptr i8, ptr addrspace(4) %p, i64 16
  %n = load i32, ptr addrspace(4) %np
  %qp = getelementptr i8, ptr addrspace(4) %p, i64 24
  %quads = load ptr addrspace(1), ptr addrspace(4) %qp
  %tid = call i32 @zluda.tid.x()
  %ntid = call i32 @zluda.ntid.x()
  %first = icmp ult i32 %tid, 16
  br i1 %first, label %clear, label %cleared
clear:
  %bin0 = getelementptr i32, ptr addrspace(3) @bins, i32 %tid
  store i32 0, ptr addrspace(3) %bin0
  br label %cleared
cleared:
  call void @zluda.barrier.sync(i32 0, i32 0)
  br label %head
head:
  %i = phi i32 [%tid, %cleared], [%next, %body]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %counted
body:
  %wide = zext i32 %i to i64
  %bp = getelementptr i8, ptr addrspace(1) %bytes, i64 %wide
  %byte = load i8, ptr addrspace(1) %bp
  %sum = add i8 %byte, 1
  store i8 %sum, ptr addrspace(1) %bp
  %bin8 = and i8 %byte, 15
  %bin = zext i8 %bin8 to i32
  %slot = getelementptr i32, ptr addrspace(3) @bins, i32 %bin
  %old = atomicrmw add ptr addrspace(3) %slot, i32 1 syncscope("agent") monotonic
  %next = add i32 %i, %ntid
  br label %head
counted:
  call void @zluda.barrier.sync(i32 0, i32 0)
  br i1 %first, label %add, label %tail
add:
  %bin1 = getelementptr i32, ptr addrspace(3) @bins, i32 %tid
  %count = load i32, ptr addrspace(3) %bin1
  %g = getelementptr i32, ptr addrspace(1) %counts, i32 %tid
  %was = atomicrmw add ptr addrspace(1) %g, i32 %count syncscope("agent") monotonic
  %g16 = getelementptr i32, ptr addrspace(1) %counts, i64 16
  %was2 = atomicrmw max ptr addrspace(1) %g16, i32 %count syncscope("agent") monotonic
  br label %tail
tail:
  %t64 = zext i32 %tid to i64
  %q = getelementptr <4 x i32>, ptr addrspace(1) %quads, i64 %t64
  %quad = load <4 x i32>, ptr addrspace(1) %q
  %rot = and i32 %tid, 7
  %l0 = getelementptr i32, ptr addrspace(5) %local, i32 %rot
  %x = extractelement <4 x i32> %quad, i64 0
  store i32 5, ptr addrspace(5) %local
  store i32 %x, ptr addrspace(5) %l0
  %y0 = load i32, ptr addrspace(5) %local
  %z = extractelement <4 x i32> %quad, i64 2
  %z1 = sdiv i32 %z, -3
  %d = add i32 %rot, 1
  %z2 = urem i32 %z, %d
  %q1 = insertelement <4 x i32> %quad, i32 %y0, i64 0
  %q2 = insertelement <4 x i32> %q1, i32 %z1, i64 1
  %q3 = insertelement <4 x i32> %q2, i32 %z2, i64 2
  store <4 x i32> %q3, ptr addrspace(1) %q
  ret void
}
