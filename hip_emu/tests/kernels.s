; Kernels of the test beside this file, for gfx1100. All have the same arguments: a pointer and a number of 32 bits,
; and behind them what the runtime gives.
.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
.text

; Stores what the kernel was told, a word each.
.globl told
.p2align 8
.type told,@function
told:
  s_load_b64 s[4:5], s[0:1], 0x0
  s_load_b32 s6, s[0:1], 0x8
  s_load_b32 s7, s[0:1], 0x10
  s_load_b32 s8, s[0:1], 0x1c
  s_load_b32 s9, s[0:1], 0x88
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v1, 0
  v_mov_b32 v2, s6
  global_store_b32 v1, v2, s[4:5]
  v_mov_b32 v2, s7
  global_store_b32 v1, v2, s[4:5] offset:4
  v_mov_b32 v2, s8
  global_store_b32 v1, v2, s[4:5] offset:8
  v_mov_b32 v2, s9
  global_store_b32 v1, v2, s[4:5] offset:12
  s_endpgm

; Each work item stores its three numbers, 10 bits each, and the number of its group along x.
.globl places
.p2align 8
.type places,@function
places:
  s_load_b64 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_and_b32 v1, 0x3ff, v0
  v_bfe_u32 v2, v0, 10, 10
  v_lshl_add_u32 v1, v2, 2, v1
  s_lshl_b32 s6, s15, 5
  v_add_nc_u32 v1, s6, v1
  v_lshlrev_b32 v1, 2, v1
  s_lshl_b32 s6, s15, 30
  v_or_b32 v2, s6, v0
  global_store_b32 v1, v2, s[4:5]
  s_endpgm

; The second wave stores to LDS, the first one reads it behind a barrier.
.globl meets
.p2align 8
.type meets,@function
meets:
  s_load_b64 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  ds_store_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_xor_b32 v2, 0x80, v1
  ds_load_b32 v3, v2
  s_waitcnt lgkmcnt(0)
  global_store_b32 v1, v3, s[4:5]
  s_endpgm

; Reads where nothing is.
.globl faults
.p2align 8
.type faults,@function
faults:
  v_mov_b32 v1, 0x10000
  v_mov_b32 v2, 0
  global_load_b32 v3, v[1:2], off
  s_endpgm

; An instruction that the emulator does not know.
.globl unknown
.p2align 8
.type unknown,@function
unknown:
  s_sethalt 1
  s_endpgm

.macro kernel name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_count 15
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_vgpr_workitem_id 2
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_group_segment_fixed_size 256
  .amdhsa_kernarg_size 272
.end_amdhsa_kernel
.endm
kernel told
kernel places
kernel meets
kernel faults
kernel unknown

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
KERNELS
...
.end_amdgpu_metadata
