; Warp operations of each thread, in rows of 16 results. Parameters: in, out.
define void @warp() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %in = load ptr addrspace(1), ptr addrspace(4) %p
  %outp = getelementptr i8, ptr addrspace(4) %p, i64 8
  %out = load ptr addrspace(1), ptr addrspace(4) %outp
  %tid = call i32 @zluda.tid.x()
  %wide = zext i32 %tid to i64
  %a = getelementptr i32, ptr addrspace(1) %in, i64 %wide
  %v = load i32, ptr addrspace(1) %a
  %row = mul i64 %wide, 64
  %o = getelementptr i8, ptr addrspace(1) %out, i64 %row
  %rest = and i32 %tid, 3
  %active = icmp ne i32 %rest, 3
  br i1 %active, label %work, label %done
work:
  %s0 = call {i32, i1} @zluda.shfl.down(i32 %v, i32 4, i32 31, i32 2004318071)
  %e0 = extractvalue {i32, i1} %s0, 0
  %f0 = extractvalue {i32, i1} %s0, 1
  %s1 = call {i32, i1} @zluda.shfl.up(i32 %v, i32 4, i32 6144, i32 2004318071)
  %e1 = extractvalue {i32, i1} %s1, 0
  %f1 = extractvalue {i32, i1} %s1, 1
  %s2 = call {i32, i1} @zluda.shfl.bfly(i32 %v, i32 8, i32 31, i32 2004318071)
  %e2 = extractvalue {i32, i1} %s2, 0
  %t4 = mul i32 %tid, 4
  %s3 = call {i32, i1} @zluda.shfl.idx(i32 %v, i32 %t4, i32 31, i32 2004318071)
  %e3 = extractvalue {i32, i1} %s3, 0
  %s4 = call {i32, i1} @zluda.shfl.idx(i32 %v, i32 9, i32 31, i32 2004318071)
  %e4 = extractvalue {i32, i1} %s4, 0
  %big = icmp sgt i32 %v, 50
  %b5 = call i32 @zluda.vote.ballot(i1 %big, i32 2004318071)
  %b6 = call i1 @zluda.vote.any(i1 %big, i32 2004318071)
  %b7 = call i1 @zluda.vote.all(i1 %big, i32 2004318071)
  %key = and i32 %v, 7
  %m8 = call i32 @zluda.match.any.b32(i32 %key, i32 2004318071)
  %r9 = call i32 @zluda.redux.add(i32 %v, i32 2004318071)
  %r10 = call i32 @zluda.redux.min.s(i32 %v, i32 2004318071)
  %act = call i32 @zluda.activemask(i32 1)
  %el = call {i32, i1} @zluda.elect(i32 2004318071)
  %el0 = extractvalue {i32, i1} %el, 0
  %el1 = extractvalue {i32, i1} %el, 1
  %g0 = zext i1 %f0 to i32
  %g1 = zext i1 %f1 to i32
  %g6 = zext i1 %b6 to i32
  %g7 = zext i1 %b7 to i32
  %gel = zext i1 %el1 to i32
  store i32 %e0, ptr addrspace(1) %o
  %o1 = getelementptr i32, ptr addrspace(1) %o, i64 1
  store i32 %g0, ptr addrspace(1) %o1
  %o2 = getelementptr i32, ptr addrspace(1) %o, i64 2
  store i32 %e1, ptr addrspace(1) %o2
  %o3 = getelementptr i32, ptr addrspace(1) %o, i64 3
  store i32 %g1, ptr addrspace(1) %o3
  %o4 = getelementptr i32, ptr addrspace(1) %o, i64 4
  store i32 %e2, ptr addrspace(1) %o4
  %o5 = getelementptr i32, ptr addrspace(1) %o, i64 5
  store i32 %e3, ptr addrspace(1) %o5
  %o6 = getelementptr i32, ptr addrspace(1) %o, i64 6
  store i32 %e4, ptr addrspace(1) %o6
  %o7 = getelementptr i32, ptr addrspace(1) %o, i64 7
  store i32 %b5, ptr addrspace(1) %o7
  %o8 = getelementptr i32, ptr addrspace(1) %o, i64 8
  store i32 %g6, ptr addrspace(1) %o8
  %o9 = getelementptr i32, ptr addrspace(1) %o, i64 9
  store i32 %g7, ptr addrspace(1) %o9
  %o10 = getelementptr i32, ptr addrspace(1) %o, i64 10
  store i32 %m8, ptr addrspace(1) %o10
  %o11 = getelementptr i32, ptr addrspace(1) %o, i64 11
  store i32 %r9, ptr addrspace(1) %o11
  %o12 = getelementptr i32, ptr addrspace(1) %o, i64 12
  store i32 %r10, ptr addrspace(1) %o12
  %o13 = getelementptr i32, ptr addrspace(1) %o, i64 13
  store i32 %act, ptr addrspace(1) %o13
  %o14 = getelementptr i32, ptr addrspace(1) %o, i64 14
  store i32 %el0, ptr addrspace(1) %o14
  %o15 = getelementptr i32, ptr addrspace(1) %o, i64 15
  store i32 %gel, ptr addrspace(1) %o15
  br label %done
done:
  ret void
}
