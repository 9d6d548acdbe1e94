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

; The lanes of the wave, and those of the own warp among them.
define i64 @zluda.amd.wave_ballot(i1 %p) alwaysinline nounwind convergent {
  %b = call i32 @llvm.amdgcn.ballot.i32(i1 %p)
  %r = zext i32 %b to i64
  ret i64 %r
}
define i32 @zluda.amd.own_half(i64 %lanes) alwaysinline nounwind {
  %r = trunc i64 %lanes to i32
  ret i32 %r
}
define i32 @zluda.amd.wave_lane() alwaysinline nounwind {
  %r = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  ret i32 %r
}
define i64 @zluda.amd.wave_mask() alwaysinline nounwind convergent {
  %b = call i32 @llvm.amdgcn.ballot.i32(i1 true)
  %r = zext i32 %b to i64
  ret i64 %r
}
