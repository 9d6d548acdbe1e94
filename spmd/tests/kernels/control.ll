; out[i] = f(i), for kernels of divergent control flow. Parameters: out, n.

define internal i32 @collatz(i32 %start) noinline {
  br label %head
head:
  %x = phi i32 [%start, %0], [%next, %latch]
  %steps = phi i32 [0, %0], [%more, %latch]
  %done = icmp eq i32 %x, 1
  br i1 %done, label %exit, label %body
body:
  %bit = and i32 %x, 1
  %odd = icmp ne i32 %bit, 0
  br i1 %odd, label %triple, label %halve
triple:
  %t = mul i32 %x, 3
  %t1 = add i32 %t, 1
  br label %latch
halve:
  %h = lshr i32 %x, 1
  br label %latch
latch:
  %next = phi i32 [%t1, %triple], [%h, %halve]
  %more = add i32 %steps, 1
  %many = icmp ugt i32 %more, 500
  br i1 %many, label %exit, label %head
exit:
  %result = phi i32 [%steps, %head], [1000, %latch]
  ret i32 %result
}

define internal i32 @fibonacci(i32 %n) noinline {
  %small = icmp ult i32 %n, 2
  br i1 %small, label %base, label %recurse
base:
  ret i32 %n
recurse:
  %n1 = sub i32 %n, 1
  %n2 = sub i32 %n, 2
  %a = call i32 @fibonacci(i32 %n1)
  %b = call i32 @fibonacci(i32 %n2)
  %sum = add i32 %a, %b
  ret i32 %sum
}

; Nested loops with a divergent break out of both.
define internal i32 @nested(i32 %i) {
  %limit = urem i32 %i, 7
  br label %outer
outer:
  %a = phi i32 [0, %0], [%a1, %outer.latch]
  %s = phi i32 [0, %0], [%s.in, %outer.latch]
  %a.done = icmp ugt i32 %a, %limit
  br i1 %a.done, label %exit, label %inner
inner:
  %b = phi i32 [0, %outer], [%b1, %inner.latch]
  %s.in0 = phi i32 [%s, %outer], [%s1, %inner.latch]
  %p = mul i32 %a, %b
  %s1 = add i32 %s.in0, %p
  %stop = icmp ugt i32 %s1, 40
  br i1 %stop, label %broke, label %inner.latch
inner.latch:
  %b1 = add i32 %b, 1
  %b.more = icmp ult i32 %b1, %i
  br i1 %b.more, label %inner, label %outer.latch
outer.latch:
  %s.in = phi i32 [%s1, %inner.latch]
  %a1 = add i32 %a, 1
  br label %outer
broke:
  %early = add i32 %s1, 100000
  br label %exit
exit:
  %r = phi i32 [%s, %outer], [%early, %broke]
  ret i32 %r
}

; Two loops entered from two sides, and a switch.
define internal i32 @tangled(i32 %i) {
  %low = and i32 %i, 3
  switch i32 %low, label %one [ i32 1, label %two  i32 2, label %other ]
one:
  %x = phi i32 [%i, %0], [%y1, %two]
  %n = phi i32 [0, %0], [%m1, %two]
  %x1 = add i32 %x, 3
  %n1 = add i32 %n, 1
  %c = icmp ugt i32 %n1, 9
  br i1 %c, label %end, label %two
two:
  %y = phi i32 [7, %0], [%x1, %one]
  %m = phi i32 [2, %0], [%n1, %one]
  %y1 = mul i32 %y, 5
  %m1 = add i32 %m, %low
  %d = icmp ugt i32 %y1, 100000
  br i1 %d, label %end, label %one
other:
  br label %end
end:
  %r = phi i32 [%x1, %one], [%y1, %two], [77, %other]
  ret i32 %r
}

define void @control() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %out = load ptr addrspace(1), ptr addrspace(4) %p
  %np = getelementptr i8, ptr addrspace(4) %p, i64 8
  %n = load i32, ptr addrspace(4) %np
  %which.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %which = load i32, ptr addrspace(4) %which.p
  %tid = call i32 @zluda.tid.x()
  %ntid = call i32 @zluda.ntid.x()
  %cta = call i32 @zluda.ctaid.x()
  %start = mul i32 %cta, %ntid
  %i = add i32 %start, %tid
  %in = icmp ult i32 %i, %n
  br i1 %in, label %work, label %done
work:
  switch i32 %which, label %done [ i32 0, label %w0 i32 1, label %w1 i32 2, label %w2 i32 3, label %w3 ]
w0:
  %i1 = add i32 %i, 1
  %r0 = call i32 @collatz(i32 %i1)
  br label %write
w1:
  %small = urem i32 %i, 12
  %r1 = call i32 @fibonacci(i32 %small)
  br label %write
w2:
  %r2 = call i32 @nested(i32 %i)
  br label %write
w3:
  %r3 = call i32 @tangled(i32 %i)
  br label %write
write:
  %r = phi i32 [%r0, %w0], [%r1, %w1], [%r2, %w2], [%r3, %w3]
  %wide = zext i32 %i to i64
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %wide
  store i32 %r, ptr addrspace(1) %q
  br label %done
done:
  ret void
}
