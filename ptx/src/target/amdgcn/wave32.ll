; One CUDA warp is one wave.

declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.ballot.i32(i1)

define i32 @zluda.amd.lane() alwaysinline nounwind {
  %r = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  ret i32 %r
}
define i32 @zluda.amd.first_lane() alwaysinline nounwind {
  ret i32 0
}
define i32 @zluda.amd.ballot(i1 %p) alwaysinline nounwind convergent {
  %r = call i32 @llvm.amdgcn.ballot.i32(i1 %p)
  ret i32 %r
}
