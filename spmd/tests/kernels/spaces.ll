; A bit for each space that an address is in: of global, shared and local memory. Parameter: out.
@tile = internal addrspace(3) global [64 x i32] poison, align 4

define void @spaces() #0 {
  %local = alloca i32, align 4, addrspace(5)
  %p = call ptr addrspace(4) @zluda.params()
  %out = load ptr, ptr addrspace(4) %p
  %tid = call i32 @zluda.tid.x()
  %t64 = zext i32 %tid to i64
  %slot = getelementptr i32, ptr addrspace(3) @tile, i32 %tid
  %g = getelementptr i32, ptr %out, i64 %t64
  %s = addrspacecast ptr addrspace(3) %slot to ptr
  %l = addrspacecast ptr addrspace(5) %local to ptr
  %third = urem i32 %tid, 3
  %is1 = icmp eq i32 %third, 1
  %is2 = icmp eq i32 %third, 2
  %a = select i1 %is1, ptr %s, ptr %g
  %b = select i1 %is2, ptr %l, ptr %a
  %ing = call i1 @zluda.isspacep.global(ptr %b)
  %ins = call i1 @zluda.isspacep.shared(ptr %b)
  %inl = call i1 @zluda.isspacep.local(ptr %b)
  %uniform = call i1 @zluda.isspacep.global(ptr %out)
  %g0 = zext i1 %ing to i32
  %s0 = zext i1 %ins to i32
  %l0 = zext i1 %inl to i32
  %u0 = zext i1 %uniform to i32
  %s1 = shl i32 %s0, 1
  %l1 = shl i32 %l0, 2
  %u1 = shl i32 %u0, 3
  %x = or i32 %g0, %s1
  %y = or i32 %l1, %u1
  %r = or i32 %x, %y
  store i32 %r, ptr %g
  ret void
}
