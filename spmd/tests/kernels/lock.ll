; A lock that lanes of one warp fight over: total += thread, without an atomic. Parameter: {lock, total}.
define void @lock() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %lock = load ptr addrspace(1), ptr addrspace(4) %p
  %total = getelementptr i32, ptr addrspace(1) %lock, i64 1
  %tid = call i32 @zluda.tid.x()
  br label %round
round:
  %n = phi i32 [0, %0], [%n1, %taken]
  br label %spin
spin:
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 seq_cst seq_cst
  %got = extractvalue {i32, i1} %pair, 1
  br i1 %got, label %taken, label %spin
taken:
  %old = load volatile i32, ptr addrspace(1) %total
  %new = add i32 %old, %tid
  store volatile i32 %new, ptr addrspace(1) %total
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, 3
  br i1 %more, label %round, label %done
done:
  ret void
}
