define void @saxpy() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %x = load i64, ptr addrspace(4) %p
  %yp = getelementptr i8, ptr addrspace(4) %p, i64 8
  %y = load i64, ptr addrspace(4) %yp
  %np = getelementptr i8, ptr addrspace(4) %p, i64 16
  %n = load i32, ptr addrspace(4) %np
  %ap = getelementptr i8, ptr addrspace(4) %p, i64 24
  %a = load float, ptr addrspace(4) %ap
  %tid = call i32 @zluda.tid.x()
  %ntid = call i32 @zluda.ntid.x()
  %cta = call i32 @zluda.ctaid.x()
  %start = mul i32 %cta, %ntid
  %i = add i32 %start, %tid
  %out = icmp sge i32 %i, %n
  br i1 %out, label %done, label %work
work:
  %wide = sext i32 %i to i64
  %off = mul i64 %wide, 4
  %ax = add i64 %x, %off
  %px = inttoptr i64 %ax to ptr addrspace(1)
  %vx = load float, ptr addrspace(1) %px
  %ay = add i64 %y, %off
  %py = inttoptr i64 %ay to ptr addrspace(1)
  %vy = load float, ptr addrspace(1) %py
  %r = call float @llvm.fma.f32(float %a, float %vx, float %vy)
  store float %r, ptr addrspace(1) %py
  br label %done
done:
  ret void
}
