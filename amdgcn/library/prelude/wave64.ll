; A wave holds two CUDA warps, one in each half.

declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)
declare i64 @llvm.amdgcn.ballot.i64(i1)

define i32 @zluda.amd.wave_lane() alwaysinline nounwind {
  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %r = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)
  ret i32 %r
}
define i32 @zluda.amd.lane() alwaysinline nounwind {
  %l = call i32 @zluda.amd.wave_lane()
  %r = and i32 %l, 31
  ret i32 %r
}
define i32 @zluda.amd.first_lane() alwaysinline nounwind {
  %l = call i32 @zluda.amd.wave_lane()
  %r = and i32 %l, 32
  ret i32 %r
}
define i32 @zluda.amd.ballot(i1 %p) alwaysinline nounwind convergent {
  %both = call i64 @llvm.amdgcn.ballot.i64(i1 %p)
  %first = call i32 @zluda.amd.first_lane()
  %shift = zext i32 %first to i64
  %own = lshr i64 %both, %shift
  %r = trunc i64 %own to i32
  ret i32 %r
}

; The lanes of the wave, and those of the own warp among them.
define i64 @zluda.amd.wave_ballot(i1 %p) alwaysinline nounwind convergent {
  %r = call i64 @llvm.amdgcn.ballot.i64(i1 %p)
  ret i64 %r
}
define i32 @zluda.amd.own_half(i64 %lanes) alwaysinline nounwind {
  %first = call i32 @zluda.amd.first_lane()
  %shift = zext i32 %first to i64
  %own = lshr i64 %lanes, %shift
  %r = trunc i64 %own to i32
  ret i32 %r
}
define i64 @zluda.amd.wave_mask() alwaysinline nounwind convergent {
  %r = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  ret i64 %r
}
