; Rounds with barriers in them: each thread adds what its neighbour has, in the block, and counts threads by barriers.
; Across barriers live sums, a loop's numbers, an array of each thread and vectors that are steps from one number.
; Parameters: values, results (8 words a thread), rounds, threads that take part.
@words = internal addrspace(3) global [1024 x i32] poison, align 4

define void @returning() #0 {
  %own = alloca [4 x i32], align 4, addrspace(5)
  %p = call ptr addrspace(4) @zluda.params()
  %values = load i64, ptr addrspace(4) %p
  %results.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %results = load i64, ptr addrspace(4) %results.p
  %rounds.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %rounds = load i32, ptr addrspace(4) %rounds.p
  %part.p = getelementptr i8, ptr addrspace(4) %p, i64 24
  %part = load i32, ptr addrspace(4) %part.p
  %tid = call i32 @zluda.tid.x()
  %wide = zext i32 %tid to i64
  %offset = shl i64 %wide, 2
  %value.a = add i64 %values, %offset
  %value.q = inttoptr i64 %value.a to ptr addrspace(1)
  %value = load i32, ptr addrspace(1) %value.q
  %stays = icmp ult i32 %tid, %part
  br i1 %stays, label %begin, label %done
begin:
  %half = lshr i32 %tid, 1
  %left = and i32 %tid, 3
  %slot = getelementptr [4 x i32], ptr addrspace(5) %own, i32 0, i32 %left
  store i32 7, ptr addrspace(5) %own
  store i32 %value, ptr addrspace(5) %slot
  br label %round
round:
  %i = phi i32 [0, %begin], [%next, %summed]
  %sum = phi i32 [%value, %begin], [%more, %summed]
  %odd = phi i32 [0, %begin], [%odd.next, %summed]
  %place = getelementptr i32, ptr addrspace(3) @words, i32 %tid
  store i32 %sum, ptr addrspace(3) %place
  call void @zluda.barrier.sync(i32 0, i32 0)
  %other.n = add i32 %tid, 1
  %last = icmp uge i32 %other.n, %part
  %other.w = select i1 %last, i32 0, i32 %other.n
  %other.q = getelementptr i32, ptr addrspace(3) @words, i32 %other.w
  %other = load i32, ptr addrspace(3) %other.q
  %more = add i32 %sum, %other
  %bit = and i32 %more, 1
  %is.odd = icmp ne i32 %bit, 0
  %count = call i32 @zluda.barrier.red.popc(i32 0, i32 0, i1 %is.odd)
  %odd.next = add i32 %odd, %count
  %early = icmp eq i32 %i, 1
  br i1 %early, label %change, label %summed
change:
  %was = load i32, ptr addrspace(5) %slot
  %changed = add i32 %was, %half
  store i32 %changed, ptr addrspace(5) %slot
  br label %summed
summed:
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %rounds
  br i1 %again, label %round, label %end
end:
  %small = icmp slt i32 %tid, 1000
  %all = call i1 @zluda.barrier.red.and(i32 0, i32 0, i1 %small)
  %is.two = icmp eq i32 %tid, 2
  %any = call i1 @zluda.barrier.red.or(i32 0, i32 0, i1 %is.two)
  %all.w = zext i1 %all to i32
  %any.w = select i1 %any, i32 2, i32 0
  %answers = or i32 %all.w, %any.w
  %kept = load i32, ptr addrspace(5) %own
  %mine = load i32, ptr addrspace(5) %slot
  %r.offset = shl i64 %wide, 5
  %r.a = add i64 %results, %r.offset
  %r = inttoptr i64 %r.a to ptr addrspace(1)
  store i32 %more, ptr addrspace(1) %r
  %r1 = getelementptr i32, ptr addrspace(1) %r, i32 1
  store i32 %odd.next, ptr addrspace(1) %r1
  %r2 = getelementptr i32, ptr addrspace(1) %r, i32 2
  store i32 %answers, ptr addrspace(1) %r2
  %r3 = getelementptr i32, ptr addrspace(1) %r, i32 3
  store i32 %kept, ptr addrspace(1) %r3
  %r4 = getelementptr i32, ptr addrspace(1) %r, i32 4
  store i32 %mine, ptr addrspace(1) %r4
  %r5 = getelementptr i32, ptr addrspace(1) %r, i32 5
  store i32 %half, ptr addrspace(1) %r5
  br label %done
done:
  ret void
}
