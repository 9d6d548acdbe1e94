; What is loaded and stored under one condition, mixed with what is under another one, comes together; and addresses that are chosen
; by the condition are those that it needs.
define void @mixed(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %i, i64 %j, i1 %first, i1 %other) {
entry:
  %not.other = xor i1 %other, true
  %near = getelementptr float, ptr addrspace(1) %from, i64 %i
  %far = getelementptr float, ptr addrspace(1) %from, i64 %j
  %place = select i1 %first, ptr addrspace(1) %near, ptr addrspace(1) %far
  br i1 %first, label %load.first, label %loaded.first

load.first:
  %a = load float, ptr addrspace(1) %place, align 4
  br label %loaded.first

loaded.first:
  %first.or.zero = phi float [ %a, %load.first ], [ 0.0, %entry ]
  br i1 %not.other, label %loaded.other, label %load.other

load.other:
  %b = load float, ptr addrspace(1) %far, align 4
  br label %loaded.other

loaded.other:
  %other.or.one = phi float [ %b, %load.other ], [ 1.0, %loaded.first ]
  store float 2.0, ptr addrspace(3) %to, align 4
  br i1 %first, label %store.first, label %stored.first

store.first:
  %to.first = getelementptr float, ptr addrspace(3) %to, i64 %i
  store float %first.or.zero, ptr addrspace(3) %to.first, align 4
  br label %stored.first

stored.first:
  br i1 %other, label %store.other, label %stored.other

store.other:
  %to.other = getelementptr float, ptr addrspace(3) %to, i64 %j
  store float %other.or.one, ptr addrspace(3) %to.other, align 4
  br label %stored.other

stored.other:
  %sum = fadd float %first.or.zero, %other.or.one
  store float %sum, ptr addrspace(1) %far, align 4
  ret void
}

; becomes

define void @mixed(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %i, i64 %j, i1 %first, i1 %other) {
entry:
  %not.other = xor i1 %other, true
  %near = getelementptr float, ptr addrspace(1) %from, i64 %i
  %far = getelementptr float, ptr addrspace(1) %from, i64 %j
  %place = select i1 %first, ptr addrspace(1) %near, ptr addrspace(1) %far
  br i1 %first, label %load.first, label %loaded.first

load.first:                                       ; preds = %entry
  br label %loaded.first

loaded.first:                                     ; preds = %load.first, %entry
  br i1 %not.other, label %loaded.other, label %load.other

load.other:                                       ; preds = %loaded.first
  br label %loaded.other

loaded.other:                                     ; preds = %load.other, %loaded.first
  store float 2.000000e+00, ptr addrspace(3) %to, align 4
  br i1 %first, label %store.first, label %stored.first

store.first:                                      ; preds = %loaded.other
  %0 = load float, ptr addrspace(1) %near, align 4
  %to.first = getelementptr float, ptr addrspace(3) %to, i64 %i
  store float %0, ptr addrspace(3) %to.first, align 4
  br label %stored.first

stored.first:                                     ; preds = %store.first, %loaded.other
  %1 = phi float [ 0.000000e+00, %loaded.other ], [ %0, %store.first ]
  br i1 %other, label %store.other, label %stored.other

store.other:                                      ; preds = %stored.first
  %2 = load float, ptr addrspace(1) %far, align 4
  %to.other = getelementptr float, ptr addrspace(3) %to, i64 %j
  store float %2, ptr addrspace(3) %to.other, align 4
  br label %stored.other

stored.other:                                     ; preds = %store.other, %stored.first
  %3 = phi float [ 1.000000e+00, %stored.first ], [ %2, %store.other ]
  %sum = fadd float %1, %3
  store float %sum, ptr addrspace(1) %far, align 4
  ret void
}
