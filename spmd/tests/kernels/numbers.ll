; The smaller and the larger of an integer and a float, which may be a NaN: the same for all threads.
define void @numbers() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %out.base = load i64, ptr addrspace(4) %p
  %i.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %i = load i32, ptr addrspace(4) %i.p
  %y.p = getelementptr i8, ptr addrspace(4) %p, i64 12
  %y = load float, ptr addrspace(4) %y.p
  %x = sitofp i32 %i to float
  %smaller = call float @llvm.minimumnum.f32(float %x, float %y)
  %larger = call float @llvm.maximumnum.f32(float %y, float %x)
  %smaller.q = inttoptr i64 %out.base to ptr addrspace(1)
  store float %smaller, ptr addrspace(1) %smaller.q
  %larger.a = add i64 %out.base, 4
  %larger.q = inttoptr i64 %larger.a to ptr addrspace(1)
  store float %larger, ptr addrspace(1) %larger.q
  ret void
}
declare float @llvm.minimumnum.f32(float, float)
declare float @llvm.maximumnum.f32(float, float)
