//! Bytes that are read ahead, by one check for several rows, and added up in bytes, give what they give one by one, and
//! nothing beyond the page they lie in is read.

mod support;

use splitmix::Random;
use spmd::{Blocks, KernelKind};
use support::{PAGE, address, compile_with, lone_page, options_for, parse};

const LEVELS: [Option<&str>; 2] = [None, Some("x86-64-v2")];
const THREADS: usize = 64;
const LENGTH: usize = 5;

/// Threads below a limit look whether the pattern stands in the text from their place on, and which byte is another one if
/// not. `step` bytes lie between the places of two threads.
fn search(step: usize) -> String {
    let mut text = "define void @search() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %text = load i64, ptr addrspace(4) %p
  %pattern.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %pattern = load ptr addrspace(4), ptr addrspace(4) %pattern.p
  %out.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %out = load i64, ptr addrspace(4) %out.p
  %limit.p = getelementptr i8, ptr addrspace(4) %p, i64 24
  %limit = load i32, ptr addrspace(4) %limit.p
  %tid = call i32 @zluda.tid.x()
  %inside = icmp ult i32 %tid, %limit
  br i1 %inside, label %byte.0, label %done"
        .to_owned();
    for k in 0..LENGTH {
        text += &format!(
            "
byte.{k}:
  %place.{k} = getelementptr i8, ptr addrspace(4) %pattern, i64 {k}
  %p.{k} = load i8, ptr addrspace(4) %place.{k}, align 1, !invariant.load !0"
        );
        if k == 0 {
            text += &format!(
                "
  %i = zext i32 %tid to i64
  %off = mul i64 %i, {step}
  %first = add i64 %text, %off
  %to = add i64 %out, %i
  %to.ptr = inttoptr i64 %to to ptr addrspace(1)"
            );
        }
        text += &format!(
            "
  %at.{k} = add i64 %first, {k}
  %ptr.{k} = inttoptr i64 %at.{k} to ptr addrspace(1)
  %t.{k} = load i8, ptr addrspace(1) %ptr.{k}, align 1
  %is.{k} = icmp eq i8 %t.{k}, %p.{k}
  br i1 %is.{k}, label %byte.{}, label %said",
            k + 1
        );
    }
    text += &format!("\nbyte.{LENGTH}:\n  br label %said\nsaid:\n  %said.it = phi i8 ");
    let values = (0..=LENGTH).map(|k| format!("[ {}, %byte.{k} ]", k + 1));
    text += &values.collect::<Vec<_>>().join(", ");
    text + "\n  store i8 %said.it, ptr addrspace(1) %to.ptr\n  br label %done\ndone:\n  ret void\n}\n!0 = !{}\n"
}

#[test]
fn patterns_are_found_up_to_the_page_s_end() {
    let [text, pattern] = [lone_page(), lone_page()];
    // SAFETY: the pages are ours, and nothing else refers to them.
    let [bytes, patterns] =
        [text, pattern].map(|it| unsafe { std::slice::from_raw_parts_mut(it, PAGE) });
    let mut random = Random::new(3);
    for (level, step) in LEVELS.into_iter().flat_map(|level| [(level, 1), (level, 3), (level, 0)]) {
        let options = options_for(level, Blocks::WholeWarps);
        let kernel = compile_with("search", &search(step), &options);
        for round in 0..200 {
            bytes.fill_with(|| b'a' + random.below(2) as u8);
            patterns.fill_with(|| b'a' + random.below(2) as u8);
            // Nobody reads on behind these: another pattern ends with the page, or goes on where nobody comes to.
            bytes[PAGE - 1] = b'$';
            let within = [LENGTH, 3][round % 2];
            patterns[PAGE - 1] = if within < LENGTH { b'#' } else { b'a' };
            let pattern = &patterns[PAGE - within..];
            let reach = (THREADS - 1) * step + 1;
            let limit = [THREADS, 1, 33, 45][round % 4];
            for first in [0, PAGE - reach, PAGE / 2, PAGE - reach - 2, PAGE - reach - 7] {
                let mut out = vec![0u8; THREADS];
                let params = [
                    (text as usize + first) as u64,
                    pattern.as_ptr() as u64,
                    address(&mut out),
                    limit as u64,
                ];
                kernel.launch([1, 1, 1], [THREADS as u32, 1, 1], &params);
                for (thread, found) in out.into_iter().enumerate() {
                    let mut places = bytes[first + thread * step..].iter().zip(pattern);
                    let differs = places.position(|(text, pattern)| text != pattern);
                    let expected = differs.map_or(LENGTH, |place| place) + 1;
                    let expected = if thread < limit { expected } else { 0 };
                    assert_eq!(
                        usize::from(found),
                        expected,
                        "{level:?}, {step}, {round}, {first}, {thread}"
                    );
                }
            }
        }
    }
}

/// A plane of bytes without ends, 64 by 64 and so one page.
const SIDE: usize = 64;

/// A cell's eight neighbours are added up: bits of the result say what their sum is, one of them if it is above a limit.
fn plane(limit: u32) -> String {
    let mut text = "define void @plane() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %from = load i64, ptr addrspace(4) %p
  %out.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %out = load i64, ptr addrspace(4) %out.p
  %x.tid = call i32 @zluda.tid.x()
  %x.block = call i32 @zluda.ctaid.x()
  %x.first = shl i32 %x.block, 5
  %x = add i32 %x.tid, %x.first
  %y.tid = call i32 @zluda.tid.y()
  %y.block = call i32 @zluda.ctaid.y()
  %y.first = shl i32 %y.block, 3
  %y = add i32 %y.tid, %y.first
  %sum.0 = add i32 0, 0"
        .to_owned();
    for (number, (dx, dy)) in (-1..2)
        .flat_map(|dy| (-1..2).map(move |dx| (dx, dy)))
        .filter(|&it| it != (0, 0))
        .enumerate()
    {
        text += &format!(
            "
  %x.{number} = add i32 %x, {dx}
  %x.in.{number} = and i32 %x.{number}, 63
  %y.{number} = add i32 %y, {dy}
  %y.in.{number} = and i32 %y.{number}, 63
  %row.{number} = shl i32 %y.in.{number}, 6
  %index.{number} = or disjoint i32 %row.{number}, %x.in.{number}
  %i.{number} = zext i32 %index.{number} to i64
  %at.{number} = add i64 %from, %i.{number}
  %ptr.{number} = inttoptr i64 %at.{number} to ptr addrspace(1)
  %byte.{number} = load i8, ptr addrspace(1) %ptr.{number}, align 1
  %word.{number} = zext i8 %byte.{number} to i32
  %sum.{} = add i32 %sum.{number}, %word.{number}",
            number + 1
        );
    }
    text += &format!("\n  %is.more = icmp ugt i32 %sum.8, {limit}");
    text + "
  %is.3 = icmp eq i32 %sum.8, 3
  %even = and i32 %sum.8, -2
  %is.2 = icmp eq i32 %even, 2
  %is.less = icmp slt i32 %sum.8, 100
  %bit.0 = zext i1 %is.3 to i8
  %bit.1 = select i1 %is.2, i8 2, i8 0
  %bit.2 = select i1 %is.more, i8 4, i8 0
  %bit.3 = select i1 %is.less, i8 8, i8 0
  %bits.1 = or i8 %bit.0, %bit.1
  %bits.2 = or i8 %bit.2, %bit.3
  %bits = or i8 %bits.1, %bits.2
  %row.out = shl i32 %y, 6
  %index.out = or disjoint i32 %row.out, %x
  %i.out = zext i32 %index.out to i64
  %at.out = add i64 %out, %i.out
  %ptr.out = inttoptr i64 %at.out to ptr addrspace(1)
  store i8 %bits, ptr addrspace(1) %ptr.out, align 1
  ret void
}"
}

#[test]
fn neighbours_are_added_up() {
    let page = lone_page();
    // SAFETY: the page is ours, and nothing else refers to it.
    let bytes = unsafe { std::slice::from_raw_parts_mut(page, PAGE) };
    let mut random = Random::new(4);
    // Of these a sum that is 255 at most tells only the first.
    let limits = [254, 255, 256];
    for (level, limit) in LEVELS.into_iter().flat_map(|level| limits.map(|limit| (level, limit))) {
        let options = options_for(level, Blocks::WholeWarps);
        let kernel = compile_with("plane", &plane(limit), &options);
        for round in 0..30 {
            bytes.fill_with(|| match round % 3 {
                0 => random.below(2) as u8,
                1 => [0, 0, 0, 0, 0, 0, 1, 2, 3, 253, 254, 255][random.below(12)],
                _ => random.below(64) as u8,
            });
            let mut out = vec![0u8; PAGE];
            kernel.launch([2, 8, 1], [32, 8, 1], &[page as u64, address(&mut out)]);
            for (place, found) in out.into_iter().enumerate() {
                let (x, y) = (place % SIDE, place / SIDE);
                let around = [SIDE - 1, 0, 1];
                let all = around.iter().flat_map(|dy| around.map(|dx| (x + dx, y + dy)));
                let sum: u32 =
                    all.map(|(x, y)| u32::from(bytes[y % SIDE * SIDE + x % SIDE])).sum::<u32>()
                        - u32::from(bytes[place]);
                let expected = u8::from(sum == 3)
                    | u8::from(sum & !1 == 2) << 1
                    | u8::from(sum > limit) << 2
                    | u8::from(sum < 100) << 3;
                assert_eq!(found, expected, "{level:?}, {limit}, {round}, {x}, {y}: {sum}");
            }
        }
    }
}

/// So that the tests above are ones of what they say they are.
#[test]
fn the_passes_find_them() {
    for level in ["x86-64-v2", "x86-64-v3", "x86-64-v4"] {
        let lowered = |name: &str, text: &str| {
            let context = llvm_zluda::Context::new();
            let module = parse(&context, name, text);
            let options = options_for(Some(level), Blocks::WholeWarps);
            spmd::lower(module, KernelKind::Vector, &options).expect("it is supported").print()
        };
        let text = lowered("search", &search(1));
        // The first place in a page from which 31 lanes more, and four bytes more, are too far.
        let too_far = PAGE - 31 - LENGTH + 1;
        assert!(text.contains(&format!(", {too_far}\n")), "{level}: {text}");
        let text = lowered("plane", &plane(254));
        assert!(text.contains("uadd.sat.v32i8"), "{level}: {text}");
        // Without AVX2 addresses do not have the form that is looked at.
        let are_looked_at = level != "x86-64-v2";
        assert_eq!(text.contains("\nrows:"), are_looked_at, "{level}: {text}");
    }
}
