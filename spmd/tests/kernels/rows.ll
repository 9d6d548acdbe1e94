; out[y][x] = in[y][x] + in[y][0] * x for x < width, y < height. Parameters: in, out, width, height.
define void @rows() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %in = load ptr addrspace(1), ptr addrspace(4) %p
  %outp = getelementptr i8, ptr addrspace(4) %p, i64 8
  %out = load ptr addrspace(1), ptr addrspace(4) %outp
  %wp = getelementptr i8, ptr addrspace(4) %p, i64 16
  %w = load i32, ptr addrspace(4) %wp
  %hp = getelementptr i8, ptr addrspace(4) %p, i64 24
  %h = load i32, ptr addrspace(4) %hp
  %tx = call i32 @zluda.tid.x()
  %ty = call i32 @zluda.tid.y()
  %nx = call i32 @zluda.ntid.x()
  %ny = call i32 @zluda.ntid.y()
  %cx = call i32 @zluda.ctaid.x()
  %cy = call i32 @zluda.ctaid.y()
  %bx = mul i32 %cx, %nx
  %by = mul i32 %cy, %ny
  %x = add i32 %bx, %tx
  %y = add i32 %by, %ty
  %xin = icmp ult i32 %x, %w
  %yin = icmp ult i32 %y, %h
  %both = and i1 %xin, %yin
  br i1 %both, label %work, label %done
work:
  %start = mul i32 %y, %w
  %i = add i32 %start, %x
  %i64 = zext i32 %i to i64
  %s64 = zext i32 %start to i64
  %pi = getelementptr i32, ptr addrspace(1) %in, i64 %i64
  %v = load i32, ptr addrspace(1) %pi
  %ps = getelementptr i32, ptr addrspace(1) %in, i64 %s64
  %f = load i32, ptr addrspace(1) %ps
  %m = mul i32 %f, %x
  %r = add i32 %v, %m
  %po = getelementptr i32, ptr addrspace(1) %out, i64 %i64
  store i32 %r, ptr addrspace(1) %po
  br label %done
done:
  ret void
}
