; Loads do not come behind stores to the same memory, barriers or what needs them; volatile ones stay where they are.
define void @stored_between(ptr addrspace(1) %from, ptr addrspace(1) %to, i1 %c) {
entry:
  br i1 %c, label %load, label %loaded

load:
  %a = load i32, ptr addrspace(1) %from, align 4
  br label %loaded

loaded:
  %it = phi i32 [ %a, %load ], [ 0, %entry ]
  store i32 1, ptr addrspace(1) %to, align 4
  br i1 %c, label %store, label %stored

store:
  store i32 %it, ptr addrspace(1) %to, align 4
  br label %stored

stored:
  ret void
}

define void @generic_between(ptr addrspace(1) %from, ptr %to, i1 %c) {
entry:
  br i1 %c, label %load, label %loaded

load:
  %a = load i32, ptr addrspace(1) %from, align 4
  br label %loaded

loaded:
  %it = phi i32 [ %a, %load ], [ 0, %entry ]
  store i32 1, ptr %to, align 4
  br i1 %c, label %store, label %stored

store:
  store i32 %it, ptr %to, align 4
  br label %stored

stored:
  ret void
}

define void @barrier_between(ptr addrspace(1) %from, ptr addrspace(3) %to, i1 %c) {
entry:
  br i1 %c, label %load, label %loaded

load:
  %a = load i32, ptr addrspace(1) %from, align 4
  br label %loaded

loaded:
  %it = phi i32 [ %a, %load ], [ 0, %entry ]
  call void @zluda.barrier.sync(i32 0, i32 -1)
  br i1 %c, label %store, label %stored

store:
  store i32 %it, ptr addrspace(3) %to, align 4
  br label %stored

stored:
  ret void
}

define void @needed_between(ptr addrspace(1) %from, ptr addrspace(3) %to, i1 %c) {
entry:
  br i1 %c, label %load, label %loaded

load:
  %a = load i32, ptr addrspace(1) %from, align 4
  br label %loaded

loaded:
  %it = phi i32 [ %a, %load ], [ 0, %entry ]
  store i32 %it, ptr addrspace(3) %to, align 4
  br i1 %c, label %store, label %stored

store:
  store i32 %it, ptr addrspace(3) %to, align 4
  br label %stored

stored:
  ret void
}

define void @volatile(ptr addrspace(1) %from, ptr addrspace(3) %to, i1 %c) {
entry:
  br i1 %c, label %load, label %loaded

load:
  %a = load volatile i32, ptr addrspace(1) %from, align 4
  br label %loaded

loaded:
  %it = phi i32 [ %a, %load ], [ 0, %entry ]
  store i32 1, ptr addrspace(3) %to, align 4
  br i1 %c, label %store, label %stored

store:
  store i32 %it, ptr addrspace(3) %to, align 4
  br label %stored

stored:
  ret void
}

; Threads that do not hold the condition do the other one.
define void @opposite(ptr addrspace(1) %from, ptr addrspace(3) %to, i1 %c) {
entry:
  br i1 %c, label %load, label %loaded

load:
  %a = load i32, ptr addrspace(1) %from, align 4
  br label %loaded

loaded:
  %it = phi i32 [ %a, %load ], [ 0, %entry ]
  br i1 %c, label %stored, label %store

store:
  store i32 %it, ptr addrspace(3) %to, align 4
  br label %stored

stored:
  ret void
}

declare void @zluda.barrier.sync(i32, i32)

; becomes

define void @stored_between(ptr addrspace(1) %from, ptr addrspace(1) %to, i1 %c) {
entry:
  br i1 %c, label %load, label %loaded

load:                                             ; preds = %entry
  %a = load i32, ptr addrspace(1) %from, align 4
  br label %loaded

loaded:                                           ; preds = %load, %entry
  %it = phi i32 [ %a, %load ], [ 0, %entry ]
  store i32 1, ptr addrspace(1) %to, align 4
  br i1 %c, label %store, label %stored

store:                                            ; preds = %loaded
  store i32 %it, ptr addrspace(1) %to, align 4
  br label %stored

stored:                                           ; preds = %store, %loaded
  ret void
}

define void @generic_between(ptr addrspace(1) %from, ptr %to, i1 %c) {
entry:
  br i1 %c, label %load, label %loaded

load:                                             ; preds = %entry
  %a = load i32, ptr addrspace(1) %from, align 4
  br label %loaded

loaded:                                           ; preds = %load, %entry
  %it = phi i32 [ %a, %load ], [ 0, %entry ]
  store i32 1, ptr %to, align 4
  br i1 %c, label %store, label %stored

store:                                            ; preds = %loaded
  store i32 %it, ptr %to, align 4
  br label %stored

stored:                                           ; preds = %store, %loaded
  ret void
}

define void @barrier_between(ptr addrspace(1) %from, ptr addrspace(3) %to, i1 %c) {
entry:
  br i1 %c, label %load, label %loaded

load:                                             ; preds = %entry
  %a = load i32, ptr addrspace(1) %from, align 4
  br label %loaded

loaded:                                           ; preds = %load, %entry
  %it = phi i32 [ %a, %load ], [ 0, %entry ]
  call void @zluda.barrier.sync(i32 0, i32 -1)
  br i1 %c, label %store, label %stored

store:                                            ; preds = %loaded
  store i32 %it, ptr addrspace(3) %to, align 4
  br label %stored

stored:                                           ; preds = %store, %loaded
  ret void
}

define void @needed_between(ptr addrspace(1) %from, ptr addrspace(3) %to, i1 %c) {
entry:
  br i1 %c, label %load, label %loaded

load:                                             ; preds = %entry
  %a = load i32, ptr addrspace(1) %from, align 4
  br label %loaded

loaded:                                           ; preds = %load, %entry
  %it = phi i32 [ %a, %load ], [ 0, %entry ]
  store i32 %it, ptr addrspace(3) %to, align 4
  br i1 %c, label %store, label %stored

store:                                            ; preds = %loaded
  store i32 %it, ptr addrspace(3) %to, align 4
  br label %stored

stored:                                           ; preds = %store, %loaded
  ret void
}

define void @volatile(ptr addrspace(1) %from, ptr addrspace(3) %to, i1 %c) {
entry:
  br i1 %c, label %load, label %loaded

load:                                             ; preds = %entry
  %a = load volatile i32, ptr addrspace(1) %from, align 4
  br label %loaded

loaded:                                           ; preds = %load, %entry
  %it = phi i32 [ %a, %load ], [ 0, %entry ]
  store i32 1, ptr addrspace(3) %to, align 4
  br i1 %c, label %store, label %stored

store:                                            ; preds = %loaded
  store i32 %it, ptr addrspace(3) %to, align 4
  br label %stored

stored:                                           ; preds = %store, %loaded
  ret void
}

define void @opposite(ptr addrspace(1) %from, ptr addrspace(3) %to, i1 %c) {
entry:
  br i1 %c, label %load, label %loaded

load:                                             ; preds = %entry
  %a = load i32, ptr addrspace(1) %from, align 4
  br label %loaded

loaded:                                           ; preds = %load, %entry
  %it = phi i32 [ %a, %load ], [ 0, %entry ]
  br i1 %c, label %stored, label %store

store:                                            ; preds = %loaded
  store i32 %it, ptr addrspace(3) %to, align 4
  br label %stored

stored:                                           ; preds = %store, %loaded
  ret void
}

declare void @zluda.barrier.sync(i32, i32)
