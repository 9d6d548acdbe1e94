declare ptr addrspace(4) @zluda.params()
declare i32 @zluda.tid.x()
declare i32 @zluda.tid.y()
declare i32 @zluda.ntid.x()
declare i32 @zluda.ntid.y()
declare i32 @zluda.ctaid.x()
declare i32 @zluda.ctaid.y()
declare i32 @zluda.nctaid.x()
declare i32 @zluda.laneid()
declare i32 @zluda.warpid()
declare i32 @zluda.activemask(i32) convergent
declare {i32, i1} @zluda.shfl.up(i32, i32, i32, i32) #1
declare {i32, i1} @zluda.shfl.down(i32, i32, i32, i32) #1
declare {i32, i1} @zluda.shfl.bfly(i32, i32, i32, i32) #1
declare {i32, i1} @zluda.shfl.idx(i32, i32, i32, i32) #1
declare i1 @zluda.vote.all(i1, i32) #1
declare i1 @zluda.vote.any(i1, i32) #1
declare i1 @zluda.vote.uni(i1, i32) #1
declare i32 @zluda.vote.ballot(i1, i32) #1
declare i32 @zluda.match.any.b32(i32, i32) #1
declare {i32, i1} @zluda.match.all.b32(i32, i32) #1
declare i32 @zluda.redux.add(i32, i32) #1
declare i32 @zluda.redux.min.s(i32, i32) #1
declare {i32, i1} @zluda.elect(i32) #1
declare void @zluda.barrier.sync(i32, i32) convergent
declare i32 @zluda.barrier.red.popc(i32, i32, i1) convergent
declare i1 @zluda.barrier.red.and(i32, i32, i1) convergent
declare i1 @zluda.barrier.red.or(i32, i32, i1) convergent
declare i32 @zluda.vprintf(ptr, ptr)
declare i1 @zluda.isspacep.shared(ptr)
declare i1 @zluda.isspacep.global(ptr)
declare i1 @zluda.isspacep.local(ptr)
declare void @zluda.trap() cold nounwind
declare float @zluda.ex2.approx.ftz.f32(float)
declare float @llvm.fma.f32(float, float, float)
attributes #0 = { "zluda-kernel" "zluda-param-size"="64" "zluda-max-threads"="1024" }
attributes #1 = { convergent nounwind memory(none) }
