; The meaning of the `zluda.` intrinsics on AMDGPU, for every wave size. A wave file beside this one
; defines `zluda.amd.lane` (0..32 in the CUDA warp), `zluda.amd.first_lane` (of the CUDA warp in its
; wave) and `zluda.amd.ballot` (of the CUDA warp).

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.wave.reduce.umin.i32(i32, i32 immarg)
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.wave.barrier()
declare void @llvm.amdgcn.s.sleep(i32 immarg)
declare i1 @llvm.amdgcn.is.shared(ptr)
declare i1 @llvm.amdgcn.is.private(ptr)
declare float @llvm.amdgcn.exp2.f32(float)
declare float @llvm.amdgcn.log.f32(float)
declare float @llvm.amdgcn.rcp.f32(float)
declare float @llvm.amdgcn.rsq.f32(float)
declare float @llvm.amdgcn.sqrt.f32(float)
declare double @llvm.amdgcn.rcp.f64(double)
declare double @llvm.amdgcn.rsq.f64(double)
declare float @llvm.amdgcn.frexp.mant.f32(float)
declare i32 @llvm.amdgcn.frexp.exp.i32.f32(float)
declare float @llvm.ldexp.f32.i32(float, i32)
declare float @llvm.exp2.f32(float)
declare float @llvm.log2.f32(float)
declare float @llvm.amdgcn.sin.f32(float)
declare float @llvm.amdgcn.cos.f32(float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.roundeven.f32(float)
declare float @llvm.copysign.f32(float, float)
declare double @llvm.sqrt.f64(double)
declare half @llvm.exp2.f16(half)
declare i64 @llvm.readcyclecounter()
declare i64 @llvm.readsteadycounter()
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)

@zluda.amd.reduction = internal addrspace(3) global i32 poison, align 4

; ---- identity

define i32 @zluda.tid.x() alwaysinline nounwind {
  %r = call i32 @llvm.amdgcn.workitem.id.x()
  ret i32 %r
}
define i32 @zluda.tid.y() alwaysinline nounwind {
  %r = call i32 @llvm.amdgcn.workitem.id.y()
  ret i32 %r
}
define i32 @zluda.tid.z() alwaysinline nounwind {
  %r = call i32 @llvm.amdgcn.workitem.id.z()
  ret i32 %r
}
define i32 @zluda.ctaid.x() alwaysinline nounwind {
  %r = call i32 @llvm.amdgcn.workgroup.id.x()
  ret i32 %r
}
define i32 @zluda.ctaid.y() alwaysinline nounwind {
  %r = call i32 @llvm.amdgcn.workgroup.id.y()
  ret i32 %r
}
define i32 @zluda.ctaid.z() alwaysinline nounwind {
  %r = call i32 @llvm.amdgcn.workgroup.id.z()
  ret i32 %r
}

; Code object version 5: block counts as u32 at 0, 4, 8; block sizes as u16 at 12, 14, 16; bytes of
; dynamic LDS at 120.
define i32 @zluda.amd.block_count(i64 %offset) alwaysinline nounwind {
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %p = getelementptr i8, ptr addrspace(4) %implicit, i64 %offset
  %r = load i32, ptr addrspace(4) %p, align 4, !invariant.load !0
  ret i32 %r
}
define i32 @zluda.amd.block_size(i64 %offset) alwaysinline nounwind {
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %p = getelementptr i8, ptr addrspace(4) %implicit, i64 %offset
  %s = load i16, ptr addrspace(4) %p, align 2, !invariant.load !0
  %r = zext i16 %s to i32
  ret i32 %r
}
define i32 @zluda.nctaid.x() alwaysinline nounwind {
  %r = call i32 @zluda.amd.block_count(i64 0)
  ret i32 %r
}
define i32 @zluda.nctaid.y() alwaysinline nounwind {
  %r = call i32 @zluda.amd.block_count(i64 4)
  ret i32 %r
}
define i32 @zluda.nctaid.z() alwaysinline nounwind {
  %r = call i32 @zluda.amd.block_count(i64 8)
  ret i32 %r
}
define i32 @zluda.ntid.x() alwaysinline nounwind {
  %r = call i32 @zluda.amd.block_size(i64 12)
  ret i32 %r
}
define i32 @zluda.ntid.y() alwaysinline nounwind {
  %r = call i32 @zluda.amd.block_size(i64 14)
  ret i32 %r
}
define i32 @zluda.ntid.z() alwaysinline nounwind {
  %r = call i32 @zluda.amd.block_size(i64 16)
  ret i32 %r
}
define i32 @zluda.cluster_nctaid.x() alwaysinline nounwind {
  ret i32 1
}
define i32 @zluda.cluster_nctaid.y() alwaysinline nounwind {
  ret i32 1
}
define i32 @zluda.cluster_nctaid.z() alwaysinline nounwind {
  ret i32 1
}
define i32 @zluda.cluster_nctarank() alwaysinline nounwind {
  ret i32 1
}
define i32 @zluda.amd.cluster.blocks() alwaysinline nounwind {
  ret i32 1
}
define i64 @zluda.amd.cluster.place(i64 %place, i32 %rank) alwaysinline nounwind {
  ret i64 %place
}
define ptr @zluda.amd.shared_place(i32 %address) alwaysinline nounwind {
  %p = inttoptr i32 %address to ptr addrspace(3)
  %r = addrspacecast ptr addrspace(3) %p to ptr
  ret ptr %r
}
define i32 @zluda.amd.own_address(i32 %offset) alwaysinline nounwind {
  ret i32 %offset
}
define i64 @zluda.mapa(i64 %address, i32 %rank) alwaysinline nounwind {
  ret i64 %address
}
define i32 @zluda.getctarank(i64 %address) alwaysinline nounwind {
  ret i32 0
}
define i1 @zluda.isspacep.shared.cluster(ptr %p) alwaysinline nounwind {
  %inside = call i1 @zluda.isspacep.shared(ptr %p)
  ret i1 %inside
}
define void @zluda.cluster.arrive() alwaysinline nounwind convergent {
  ret void
}
define void @zluda.cluster.wait() alwaysinline nounwind convergent {
  call void @zluda.barrier.sync(i32 0, i32 0)
  ret void
}

define i32 @zluda.dynamic_smem_size() alwaysinline nounwind {
  %r = call i32 @zluda.amd.block_count(i64 120)
  ret i32 %r
}

define i32 @zluda.laneid() alwaysinline nounwind {
  %r = call i32 @zluda.amd.lane()
  ret i32 %r
}
define i32 @zluda.amd.linear_tid() alwaysinline nounwind {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %nx = call i32 @zluda.ntid.x()
  %ny = call i32 @zluda.ntid.y()
  %zy = mul i32 %z, %ny
  %rows = add i32 %zy, %y
  %before = mul i32 %rows, %nx
  %r = add i32 %before, %x
  ret i32 %r
}
define i32 @zluda.warpid() alwaysinline nounwind {
  %t = call i32 @zluda.amd.linear_tid()
  %r = lshr i32 %t, 5
  ret i32 %r
}
define i32 @zluda.nwarpid() alwaysinline nounwind {
  %nx = call i32 @zluda.ntid.x()
  %ny = call i32 @zluda.ntid.y()
  %nz = call i32 @zluda.ntid.z()
  %xy = mul i32 %nx, %ny
  %n = mul i32 %xy, %nz
  %up = add i32 %n, 31
  %r = lshr i32 %up, 5
  ret i32 %r
}
; One multiprocessor, as far as a kernel can tell.
define i32 @zluda.smid() alwaysinline nounwind {
  ret i32 0
}
define i32 @zluda.nsmid() alwaysinline nounwind {
  ret i32 1
}
define i64 @zluda.gridid() alwaysinline nounwind {
  ret i64 0
}
define i64 @zluda.clock64() alwaysinline nounwind {
  %r = call i64 @llvm.readcyclecounter()
  ret i64 %r
}
; The steady counter runs at 100 MHz.
define i64 @zluda.globaltimer() alwaysinline nounwind {
  %t = call i64 @llvm.readsteadycounter()
  %r = mul i64 %t, 10
  ret i64 %r
}

; ---- the warp

define i32 @zluda.activemask(i32 %place) alwaysinline nounwind convergent {
  %r = call i32 @zluda.amd.ballot(i1 true)
  ret i32 %r
}

; The value of a lane of the CUDA warp.
define i32 @zluda.amd.read_lane(i32 %value, i32 %lane) alwaysinline nounwind convergent {
  %first = call i32 @zluda.amd.first_lane()
  %in_wave = add i32 %first, %lane
  %byte = shl i32 %in_wave, 2
  %r = call i32 @llvm.amdgcn.ds.bpermute(i32 %byte, i32 %value)
  ret i32 %r
}

define {i32, i1} @zluda.amd.shfl(i32 %value, i32 %lane, i32 %source, i1 %inside) alwaysinline nounwind convergent {
  %from = select i1 %inside, i32 %source, i32 %lane
  %got = call i32 @zluda.amd.read_lane(i32 %value, i32 %from)
  %a = insertvalue {i32, i1} poison, i32 %got, 0
  %r = insertvalue {i32, i1} %a, i1 %inside, 1
  ret {i32, i1} %r
}
; c: the bound in bits 0-4, the mask of the segment in bits 8-12.
define i32 @zluda.amd.shfl.max(i32 %lane, i32 %c) alwaysinline nounwind {
  %high = lshr i32 %c, 8
  %mask = and i32 %high, 31
  %not = xor i32 %mask, 31
  %low = and i32 %lane, %mask
  %bound = and i32 %c, %not
  %r = or i32 %low, %bound
  ret i32 %r
}
define {i32, i1} @zluda.shfl.up(i32 %value, i32 %b, i32 %c, i32 %membermask) alwaysinline nounwind convergent {
  %lane = call i32 @zluda.amd.lane()
  %max = call i32 @zluda.amd.shfl.max(i32 %lane, i32 %c)
  %n = and i32 %b, 31
  %j = sub i32 %lane, %n
  %inside = icmp sge i32 %j, %max
  %r = call {i32, i1} @zluda.amd.shfl(i32 %value, i32 %lane, i32 %j, i1 %inside)
  ret {i32, i1} %r
}
define {i32, i1} @zluda.shfl.down(i32 %value, i32 %b, i32 %c, i32 %membermask) alwaysinline nounwind convergent {
  %lane = call i32 @zluda.amd.lane()
  %max = call i32 @zluda.amd.shfl.max(i32 %lane, i32 %c)
  %n = and i32 %b, 31
  %j = add i32 %lane, %n
  %inside = icmp sle i32 %j, %max
  %r = call {i32, i1} @zluda.amd.shfl(i32 %value, i32 %lane, i32 %j, i1 %inside)
  ret {i32, i1} %r
}
define {i32, i1} @zluda.shfl.bfly(i32 %value, i32 %b, i32 %c, i32 %membermask) alwaysinline nounwind convergent {
  %lane = call i32 @zluda.amd.lane()
  %max = call i32 @zluda.amd.shfl.max(i32 %lane, i32 %c)
  %n = and i32 %b, 31
  %j = xor i32 %lane, %n
  %inside = icmp sle i32 %j, %max
  %r = call {i32, i1} @zluda.amd.shfl(i32 %value, i32 %lane, i32 %j, i1 %inside)
  ret {i32, i1} %r
}
define {i32, i1} @zluda.shfl.idx(i32 %value, i32 %b, i32 %c, i32 %membermask) alwaysinline nounwind convergent {
  %lane = call i32 @zluda.amd.lane()
  %max = call i32 @zluda.amd.shfl.max(i32 %lane, i32 %c)
  %high = lshr i32 %c, 8
  %mask = and i32 %high, 31
  %not = xor i32 %mask, 31
  %min = and i32 %lane, %mask
  %n = and i32 %b, %not
  %j = or i32 %min, %n
  %inside = icmp sle i32 %j, %max
  %r = call {i32, i1} @zluda.amd.shfl(i32 %value, i32 %lane, i32 %j, i1 %inside)
  ret {i32, i1} %r
}

define i32 @zluda.vote.ballot(i1 %p, i32 %membermask) alwaysinline nounwind convergent {
  %b = call i32 @zluda.amd.ballot(i1 %p)
  %r = and i32 %b, %membermask
  ret i32 %r
}
define i1 @zluda.vote.all(i1 %p, i32 %membermask) alwaysinline nounwind convergent {
  %not = xor i1 %p, true
  %b = call i32 @zluda.vote.ballot(i1 %not, i32 %membermask)
  %r = icmp eq i32 %b, 0
  ret i1 %r
}
define i1 @zluda.vote.any(i1 %p, i32 %membermask) alwaysinline nounwind convergent {
  %b = call i32 @zluda.vote.ballot(i1 %p, i32 %membermask)
  %r = icmp ne i32 %b, 0
  ret i1 %r
}
define i1 @zluda.vote.uni(i1 %p, i32 %membermask) alwaysinline nounwind convergent {
  %all = call i1 @zluda.vote.all(i1 %p, i32 %membermask)
  %any = call i1 @zluda.vote.any(i1 %p, i32 %membermask)
  %none = xor i1 %any, true
  %r = or i1 %all, %none
  ret i1 %r
}

; Lanes with the first lane's value leave the loop together.
define i32 @zluda.match.any.b64(i64 %value, i32 %membermask) alwaysinline nounwind convergent {
entry:
  %low = trunc i64 %value to i32
  %shifted = lshr i64 %value, 32
  %high = trunc i64 %shifted to i32
  br label %loop
loop:
  %first_low = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %low)
  %first_high = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %high)
  %eq_low = icmp eq i32 %low, %first_low
  %eq_high = icmp eq i32 %high, %first_high
  %eq = and i1 %eq_low, %eq_high
  %b = call i32 @zluda.amd.ballot(i1 %eq)
  br i1 %eq, label %done, label %loop
done:
  %r = and i32 %b, %membermask
  ret i32 %r
}
define i32 @zluda.match.any.b32(i32 %value, i32 %membermask) alwaysinline nounwind convergent {
  %wide = zext i32 %value to i64
  %r = call i32 @zluda.match.any.b64(i64 %wide, i32 %membermask)
  ret i32 %r
}
define {i32, i1} @zluda.match.all.b64(i64 %value, i32 %membermask) alwaysinline nounwind convergent {
  %leader = call i32 @llvm.cttz.i32(i32 %membermask, i1 false)
  %low = trunc i64 %value to i32
  %shifted = lshr i64 %value, 32
  %high = trunc i64 %shifted to i32
  %first_low = call i32 @zluda.amd.read_lane(i32 %low, i32 %leader)
  %first_high = call i32 @zluda.amd.read_lane(i32 %high, i32 %leader)
  %eq_low = icmp eq i32 %low, %first_low
  %eq_high = icmp eq i32 %high, %first_high
  %eq = and i1 %eq_low, %eq_high
  %all = call i1 @zluda.vote.all(i1 %eq, i32 %membermask)
  %mask = select i1 %all, i32 %membermask, i32 0
  %a = insertvalue {i32, i1} poison, i32 %mask, 0
  %r = insertvalue {i32, i1} %a, i1 %all, 1
  ret {i32, i1} %r
}
define {i32, i1} @zluda.match.all.b32(i32 %value, i32 %membermask) alwaysinline nounwind convergent {
  %wide = zext i32 %value to i64
  %r = call {i32, i1} @zluda.match.all.b64(i64 %wide, i32 %membermask)
  ret {i32, i1} %r
}
define {i32, i1} @zluda.elect(i32 %membermask) alwaysinline nounwind convergent {
  %leader = call i32 @llvm.cttz.i32(i32 %membermask, i1 false)
  %lane = call i32 @zluda.amd.lane()
  %is = icmp eq i32 %lane, %leader
  %a = insertvalue {i32, i1} poison, i32 %leader, 0
  %r = insertvalue {i32, i1} %a, i1 %is, 1
  ret {i32, i1} %r
}
define void @zluda.bar.warp.sync(i32 %membermask) alwaysinline nounwind convergent {
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.wave.barrier()
  fence syncscope("workgroup") acquire
  ret void
}

; The same number, of which LLVM knows nothing, and that differs between lanes.
define i32 @zluda.amd.hidden(i32 %value) alwaysinline nounwind {
  %r = call i32 asm "", "=v,0"(i32 %value)
  ret i32 %r
}

; Reductions walk the members one by one.
define i32 @zluda.redux.add(i32 %value, i32 %membermask) alwaysinline nounwind convergent {
entry:
  br label %loop
loop:
  %acc = phi i32 [ 0, %entry ], [ %next, %loop ]
  %left = phi i32 [ %membermask, %entry ], [ %rest, %loop ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 false)
  %got = call i32 @zluda.amd.read_lane(i32 %value, i32 %lane)
  %next = add i32 %acc, %got
  %lower = sub i32 %left, 1
  %rest = and i32 %left, %lower
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %done
done:
  ret i32 %next
}
define i32 @zluda.redux.and(i32 %value, i32 %membermask) alwaysinline nounwind convergent {
entry:
  br label %loop
loop:
  %acc = phi i32 [ -1, %entry ], [ %next, %loop ]
  %left = phi i32 [ %membermask, %entry ], [ %rest, %loop ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 false)
  %got = call i32 @zluda.amd.read_lane(i32 %value, i32 %lane)
  %next = and i32 %acc, %got
  %lower = sub i32 %left, 1
  %rest = and i32 %left, %lower
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %done
done:
  ret i32 %next
}
define i32 @zluda.redux.or(i32 %value, i32 %membermask) alwaysinline nounwind convergent {
entry:
  br label %loop
loop:
  %acc = phi i32 [ 0, %entry ], [ %next, %loop ]
  %left = phi i32 [ %membermask, %entry ], [ %rest, %loop ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 false)
  %got = call i32 @zluda.amd.read_lane(i32 %value, i32 %lane)
  %next = or i32 %acc, %got
  %lower = sub i32 %left, 1
  %rest = and i32 %left, %lower
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %done
done:
  ret i32 %next
}
define i32 @zluda.redux.xor(i32 %value, i32 %membermask) alwaysinline nounwind convergent {
entry:
  br label %loop
loop:
  %acc = phi i32 [ 0, %entry ], [ %next, %loop ]
  %left = phi i32 [ %membermask, %entry ], [ %rest, %loop ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 false)
  %got = call i32 @zluda.amd.read_lane(i32 %value, i32 %lane)
  %next = xor i32 %acc, %got
  %lower = sub i32 %left, 1
  %rest = and i32 %left, %lower
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %done
done:
  ret i32 %next
}
define i32 @zluda.redux.min.s(i32 %value, i32 %membermask) alwaysinline nounwind convergent {
entry:
  br label %loop
loop:
  %acc = phi i32 [ 2147483647, %entry ], [ %next, %loop ]
  %left = phi i32 [ %membermask, %entry ], [ %rest, %loop ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 false)
  %got = call i32 @zluda.amd.read_lane(i32 %value, i32 %lane)
  %next = call i32 @llvm.smin.i32(i32 %acc, i32 %got)
  %lower = sub i32 %left, 1
  %rest = and i32 %left, %lower
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %done
done:
  ret i32 %next
}
define i32 @zluda.redux.max.s(i32 %value, i32 %membermask) alwaysinline nounwind convergent {
entry:
  br label %loop
loop:
  %acc = phi i32 [ -2147483648, %entry ], [ %next, %loop ]
  %left = phi i32 [ %membermask, %entry ], [ %rest, %loop ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 false)
  %got = call i32 @zluda.amd.read_lane(i32 %value, i32 %lane)
  %next = call i32 @llvm.smax.i32(i32 %acc, i32 %got)
  %lower = sub i32 %left, 1
  %rest = and i32 %left, %lower
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %done
done:
  ret i32 %next
}
define i32 @zluda.redux.min.u(i32 %value, i32 %membermask) alwaysinline nounwind convergent {
entry:
  br label %loop
loop:
  %acc = phi i32 [ -1, %entry ], [ %next, %loop ]
  %left = phi i32 [ %membermask, %entry ], [ %rest, %loop ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 false)
  %got = call i32 @zluda.amd.read_lane(i32 %value, i32 %lane)
  %next = call i32 @llvm.umin.i32(i32 %acc, i32 %got)
  %lower = sub i32 %left, 1
  %rest = and i32 %left, %lower
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %done
done:
  ret i32 %next
}
define i32 @zluda.redux.max.u(i32 %value, i32 %membermask) alwaysinline nounwind convergent {
entry:
  br label %loop
loop:
  %acc = phi i32 [ 0, %entry ], [ %next, %loop ]
  %left = phi i32 [ %membermask, %entry ], [ %rest, %loop ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 false)
  %got = call i32 @zluda.amd.read_lane(i32 %value, i32 %lane)
  %next = call i32 @llvm.umax.i32(i32 %acc, i32 %got)
  %lower = sub i32 %left, 1
  %rest = and i32 %left, %lower
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %done
done:
  ret i32 %next
}

; ---- the block; only barrier 0 with all threads comes here

; LLVM 22 takes the hardware's barrier for nothing that reads or writes memory, and moves loads behind it when it sinks
; them to where they are used. Assembly that may read any memory holds them, as it does with an immediate operand. LLVM
; looks for a register named `memory` where that is clobbered, which takes as long as eight instructions of PTX.
define void @zluda.barrier.sync(i32 %id, i32 %threads) alwaysinline nounwind convergent {
  fence syncscope("workgroup") release
  call void asm sideeffect "", "I"(i32 0)
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  ret void
}
; Whoever is there clears the count: any thread may have exited.
define i32 @zluda.barrier.red.popc(i32 %id, i32 %threads, i1 %p) alwaysinline nounwind convergent {
  call void @zluda.barrier.sync(i32 0, i32 0)
  store atomic i32 0, ptr addrspace(3) @zluda.amd.reduction syncscope("workgroup") monotonic, align 4
  call void @zluda.barrier.sync(i32 0, i32 0)
  %one = zext i1 %p to i32
  %old = atomicrmw add ptr addrspace(3) @zluda.amd.reduction, i32 %one syncscope("workgroup") monotonic
  call void @zluda.barrier.sync(i32 0, i32 0)
  %r = load atomic i32, ptr addrspace(3) @zluda.amd.reduction syncscope("workgroup") monotonic, align 4
  ret i32 %r
}
define i1 @zluda.barrier.red.or(i32 %id, i32 %threads, i1 %p) alwaysinline nounwind convergent {
  %n = call i32 @zluda.barrier.red.popc(i32 0, i32 0, i1 %p)
  %r = icmp ne i32 %n, 0
  ret i1 %r
}
define i1 @zluda.barrier.red.and(i32 %id, i32 %threads, i1 %p) alwaysinline nounwind convergent {
  %not = xor i1 %p, true
  %n = call i32 @zluda.barrier.red.popc(i32 0, i32 0, i1 %not)
  %r = icmp eq i32 %n, 0
  ret i1 %r
}

; ---- the system

define void @zluda.nanosleep(i32 %ns) alwaysinline nounwind {
  call void @llvm.amdgcn.s.sleep(i32 1)
  ret void
}
define i1 @zluda.isspacep.shared(ptr %p) alwaysinline nounwind {
  %r = call i1 @llvm.amdgcn.is.shared(ptr %p)
  ret i1 %r
}
define i1 @zluda.isspacep.local(ptr %p) alwaysinline nounwind {
  %r = call i1 @llvm.amdgcn.is.private(ptr %p)
  ret i1 %r
}
define i1 @zluda.isspacep.global(ptr %p) alwaysinline nounwind {
  %s = call i1 @llvm.amdgcn.is.shared(ptr %p)
  %l = call i1 @llvm.amdgcn.is.private(ptr %p)
  %o = or i1 %s, %l
  %r = xor i1 %o, true
  ret i1 %r
}
; Constant variables lie in the globals segment.
define i1 @zluda.isspacep.const(ptr %p) alwaysinline nounwind {
  ret i1 false
}

; ---- approximate mathematics

define float @zluda.ftz.f32(float %x) alwaysinline nounwind {
  %a = call float @llvm.fabs.f32(float %x)
  %tiny = fcmp olt float %a, 0x3810000000000000
  %zero = call float @llvm.copysign.f32(float 0.0, float %x)
  %r = select i1 %tiny, float %zero, float %x
  ret float %r
}
define float @zluda.ex2.approx.f32(float %x) alwaysinline nounwind {
  %r = call float @llvm.exp2.f32(float %x)
  ret float %r
}
define float @zluda.ex2.approx.ftz.f32(float %x) alwaysinline nounwind {
  %r = call float @llvm.amdgcn.exp2.f32(float %x)
  %z = call float @zluda.ftz.f32(float %r)
  ret float %z
}
define float @zluda.lg2.approx.f32(float %x) alwaysinline nounwind {
  %r = call float @llvm.log2.f32(float %x)
  ret float %r
}
define float @zluda.lg2.approx.ftz.f32(float %x) alwaysinline nounwind {
  %z = call float @zluda.ftz.f32(float %x)
  %r = call float @llvm.amdgcn.log.f32(float %z)
  ret float %r
}
; Hardware counts in turns. Since RDNA it knows 256 of them, and beyond gives zero: whole turns go first.
define float @zluda.amd.turns(float %x) alwaysinline nounwind {
  %turns = fmul float %x, 0x3FC45F3060000000
  %whole = call float @llvm.roundeven.f32(float %turns)
  %r = fsub float %turns, %whole
  ret float %r
}
define float @zluda.amd.sin(float %x) alwaysinline nounwind {
  %turns = call float @zluda.amd.turns(float %x)
  %r = call float @llvm.amdgcn.sin.f32(float %turns)
  ret float %r
}
define float @zluda.amd.cos(float %x) alwaysinline nounwind {
  %turns = call float @zluda.amd.turns(float %x)
  %r = call float @llvm.amdgcn.cos.f32(float %turns)
  ret float %r
}
define float @zluda.sin.approx.f32(float %x) alwaysinline nounwind {
  %r = call float @zluda.amd.sin(float %x)
  ret float %r
}
define float @zluda.sin.approx.ftz.f32(float %x) alwaysinline nounwind {
  %z = call float @zluda.ftz.f32(float %x)
  %r = call float @zluda.amd.sin(float %z)
  %q = call float @zluda.ftz.f32(float %r)
  ret float %q
}
define float @zluda.cos.approx.f32(float %x) alwaysinline nounwind {
  %r = call float @zluda.amd.cos(float %x)
  ret float %r
}
define float @zluda.cos.approx.ftz.f32(float %x) alwaysinline nounwind {
  %r = call float @zluda.amd.cos(float %x)
  %q = call float @zluda.ftz.f32(float %r)
  ret float %q
}
; tanh |x| = 1 - 2 / (2^(2 |x| log2 e) + 1); small arguments are their own tanh, up to x^3 / 3.
define float @zluda.tanh.approx.f32(float %x) alwaysinline nounwind {
  %a = call float @llvm.fabs.f32(float %x)
  %scaled = fmul float %a, 0x4007154760000000
  %e = call float @llvm.exp2.f32(float %scaled)
  %d = fadd float %e, 1.0
  %i = call float @llvm.amdgcn.rcp.f32(float %d)
  %q = fmul float 2.0, %i
  %t = fsub float 1.0, %q
  %xx = fmul float %a, %a
  %third = fmul float %xx, 0xBFD5555560000000
  %factor = fadd float %third, 1.0
  %series = fmul float %a, %factor
  %small = fcmp olt float %a, 0x3FA0000000000000
  %m = select i1 %small, float %series, float %t
  %r = call float @llvm.copysign.f32(float %m, float %x)
  ret float %r
}
; The hardware's reciprocal takes subnormals for zeros and gives none: it is of the mantissa.
define float @zluda.rcp.approx.f32(float %x) alwaysinline nounwind {
  %m = call float @llvm.amdgcn.frexp.mant.f32(float %x)
  %e = call i32 @llvm.amdgcn.frexp.exp.i32.f32(float %x)
  %i = call float @llvm.amdgcn.rcp.f32(float %m)
  %n = sub i32 0, %e
  %r = call float @llvm.ldexp.f32.i32(float %i, i32 %n)
  ret float %r
}
define float @zluda.rcp.approx.ftz.f32(float %x) alwaysinline nounwind {
  %z = call float @zluda.ftz.f32(float %x)
  %r = call float @llvm.amdgcn.rcp.f32(float %z)
  %q = call float @zluda.ftz.f32(float %r)
  ret float %q
}
; The hardware's roots take subnormals for zeros: they are of 2^24 x.
define float @zluda.rsqrt.approx.f32(float %x) alwaysinline nounwind {
  %tiny = fcmp olt float %x, 0x3810000000000000
  %up = select i1 %tiny, float 0x4170000000000000, float 1.0
  %y = fmul float %x, %up
  %i = call float @llvm.amdgcn.rsq.f32(float %y)
  %down = select i1 %tiny, float 0x40B0000000000000, float 1.0
  %r = fmul float %i, %down
  ret float %r
}
define float @zluda.rsqrt.approx.ftz.f32(float %x) alwaysinline nounwind {
  %z = call float @zluda.ftz.f32(float %x)
  %r = call float @llvm.amdgcn.rsq.f32(float %z)
  ret float %r
}
define float @zluda.sqrt.approx.f32(float %x) alwaysinline nounwind {
  %tiny = fcmp olt float %x, 0x3810000000000000
  %up = select i1 %tiny, float 0x4170000000000000, float 1.0
  %y = fmul float %x, %up
  %s = call float @llvm.amdgcn.sqrt.f32(float %y)
  %down = select i1 %tiny, float 0x3F30000000000000, float 1.0
  %r = fmul float %s, %down
  ret float %r
}
define float @zluda.sqrt.approx.ftz.f32(float %x) alwaysinline nounwind {
  %z = call float @zluda.ftz.f32(float %x)
  %r = call float @llvm.amdgcn.sqrt.f32(float %z)
  ret float %r
}
; The low words of operand and result count as zero, and subnormals flush.
define double @zluda.amd.high_word(double %x) alwaysinline nounwind {
  %bits = bitcast double %x to i64
  %cut = and i64 %bits, -4294967296
  %exponent = and i64 %bits, 9218868437227405312
  %tiny = icmp eq i64 %exponent, 0
  %sign = and i64 %bits, -9223372036854775808
  %kept = select i1 %tiny, i64 %sign, i64 %cut
  %r = bitcast i64 %kept to double
  ret double %r
}
define double @zluda.amd.high_result(double %x) alwaysinline nounwind {
  %nan = fcmp uno double %x, %x
  %cut = call double @zluda.amd.high_word(double %x)
  %r = select i1 %nan, double 0x7FFFFFFF00000000, double %cut
  ret double %r
}
define double @zluda.rcp.approx.ftz.f64(double %x) alwaysinline nounwind {
  %z = call double @zluda.amd.high_word(double %x)
  %r = call double @llvm.amdgcn.rcp.f64(double %z)
  %q = call double @zluda.amd.high_result(double %r)
  ret double %q
}
define double @zluda.rsqrt.approx.ftz.f64(double %x) alwaysinline nounwind {
  %z = call double @zluda.amd.high_word(double %x)
  %r = call double @llvm.amdgcn.rsq.f64(double %z)
  %q = call double @zluda.amd.high_result(double %r)
  ret double %q
}
define double @zluda.rsqrt.approx.f64(double %x) alwaysinline nounwind {
  %root = call double @llvm.sqrt.f64(double %x)
  %r = fdiv double 1.0, %root
  ret double %r
}
; A quotient through a reciprocal, which hardware takes of normal numbers only.
define float @zluda.amd.div.approx.f32(float %a, float %b) alwaysinline nounwind {
  %size = call float @llvm.fabs.f32(float %b)
  %tiny = fcmp olt float %size, 0x3810000000000000
  %factor = select i1 %tiny, float 0x4170000000000000, float 1.0
  %normal = fmul float %b, %factor
  %reciprocal = call float @llvm.amdgcn.rcp.f32(float %normal)
  %quotient = fmul float %a, %reciprocal
  %r = fmul float %quotient, %factor
  ret float %r
}
; The quotient, or zero where the reciprocal of the divisor would be flushed.
define float @zluda.amd.div.far(float %a, float %b, float %quotient) alwaysinline nounwind {
  %size = call float @llvm.fabs.f32(float %b)
  %large = fcmp ogt float %size, 0x47D0000000000000
  %finite = fcmp olt float %size, 0x7FF0000000000000
  %far = and i1 %large, %finite
  %zero = call float @llvm.copysign.f32(float 0.0, float %b)
  %nothing = fmul float %a, %zero
  %r = select i1 %far, float %nothing, float %quotient
  ret float %r
}
define float @zluda.div.approx.f32(float %a, float %b) alwaysinline nounwind {
  %quotient = call float @zluda.amd.div.approx.f32(float %a, float %b)
  %r = call float @zluda.amd.div.far(float %a, float %b, float %quotient)
  ret float %r
}
define float @zluda.div.approx.ftz.f32(float %a, float %b) alwaysinline nounwind {
  %quotient = fdiv afn arcp float %a, %b
  %r = call float @zluda.amd.div.far(float %a, float %b, float %quotient)
  %q = call float @zluda.ftz.f32(float %r)
  ret float %q
}
define float @zluda.div.full.f32(float %a, float %b) alwaysinline nounwind {
  %r = fdiv float %a, %b
  ret float %r
}
define float @zluda.div.full.ftz.f32(float %a, float %b) alwaysinline nounwind {
  %r = fdiv float %a, %b
  %q = call float @zluda.ftz.f32(float %r)
  ret float %q
}
define half @zluda.ex2.approx.f16(half %x) alwaysinline nounwind {
  %r = call half @llvm.exp2.f16(half %x)
  ret half %r
}
define half @zluda.tanh.approx.f16(half %x) alwaysinline nounwind {
  %w = fpext half %x to float
  %t = call float @zluda.tanh.approx.f32(float %w)
  %r = fptrunc float %t to half
  ret half %r
}

!0 = !{}
