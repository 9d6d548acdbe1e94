; Threads below a number take what lies in an array and leave their own number there: words and halves of words.
define void @exchange() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %word.base = load i64, ptr addrspace(4) %p
  %half.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %half.base = load i64, ptr addrspace(4) %half.p
  %out.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %out.base = load i64, ptr addrspace(4) %out.p
  %n.p = getelementptr i8, ptr addrspace(4) %p, i64 24
  %n = load i32, ptr addrspace(4) %n.p
  %tid = call i32 @zluda.tid.x()
  %wide = zext i32 %tid to i64
  %words = mul i64 %wide, 4
  %halves = mul i64 %wide, 2
  %takes = icmp ult i32 %tid, %n
  br i1 %takes, label %take, label %done
take:
  %word.a = add i64 %word.base, %words
  %word.q = inttoptr i64 %word.a to ptr addrspace(1)
  %word.old = load i32, ptr addrspace(1) %word.q
  %half.a = add i64 %half.base, %halves
  %half.q = inttoptr i64 %half.a to ptr addrspace(1)
  %half.old = load i16, ptr addrspace(1) %half.q
  store i32 %tid, ptr addrspace(1) %word.q
  %tid.half = trunc i32 %tid to i16
  store i16 %tid.half, ptr addrspace(1) %half.q
  br label %done
done:
  %word = phi i32 [ -1, %0 ], [ %word.old, %take ]
  %half = phi i16 [ -1, %0 ], [ %half.old, %take ]
  %word.out.a = add i64 %out.base, %words
  %word.out = inttoptr i64 %word.out.a to ptr addrspace(1)
  store i32 %word, ptr addrspace(1) %word.out
  %half.out.base = add i64 %out.base, 256
  %half.out.a = add i64 %half.out.base, %halves
  %half.out = inttoptr i64 %half.out.a to ptr addrspace(1)
  store i16 %half, ptr addrspace(1) %half.out
  ret void
}
