//! Rows of which some lanes are loaded, in a page between two that nobody may read: what the other lanes would read is
//! not read, or lies in the same page. And rows that begin again within a warp, as those of planes without ends do.

mod support;

use spmd::Blocks;
use support::{PAGE, address, compile_with, lone_page, options_for};

const THREADS: usize = 64;

/// `if (i - from < count) out[i] = data[i]`, without signs.
fn kernel(element: &str, size: usize) -> String {
    format!(
        "define void @copy() #0 {{
  %p = call ptr addrspace(4) @zluda.params()
  %data = load i64, ptr addrspace(4) %p
  %out.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %out = load i64, ptr addrspace(4) %out.p
  %from.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %from = load i32, ptr addrspace(4) %from.p
  %count.p = getelementptr i8, ptr addrspace(4) %p, i64 24
  %count = load i32, ptr addrspace(4) %count.p
  %tid = call i32 @zluda.tid.x()
  %behind = sub i32 %tid, %from
  %inside = icmp ult i32 %behind, %count
  br i1 %inside, label %copy, label %done
copy:
  %i = zext i32 %tid to i64
  %off = mul i64 %i, {size}
  %place = add i64 %data, %off
  %place.ptr = inttoptr i64 %place to ptr addrspace(1)
  %value = load {element}, ptr addrspace(1) %place.ptr
  %to = add i64 %out, %off
  %to.ptr = inttoptr i64 %to to ptr addrspace(1)
  store {element} %value, ptr addrspace(1) %to.ptr
  br label %done
done:
  ret void
}}"
    )
}

#[test]
fn other_lanes_read_nothing_beyond() {
    let page = lone_page();
    // SAFETY: the page is ours, and nothing else refers to it.
    let bytes = unsafe { std::slice::from_raw_parts_mut(page, PAGE) };
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = (place * 7 + place / 256) as u8;
    }
    for level in [None, Some("x86-64-v2")] {
        for (element, size) in [("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8)] {
            let text = kernel(element, size);
            let kernel = compile_with("copy", &text, &options_for(level, Blocks::WholeWarps));
            for (from, count) in
                [(0, 64), (0, 1), (1, 31), (31, 1), (5, 20), (30, 4), (63, 1), (7, 0), (40, 9)]
            {
                // The first place at the page's beginning, the last one at its end, and all in its middle.
                let first_places = [0, PAGE - count * size, PAGE / 2];
                for first in first_places {
                    let data = (page as usize + first).wrapping_sub(from * size);
                    let mut out = vec![0u8; THREADS * size];
                    let words = [data as u64, address(&mut out), from as u64, count as u64];
                    kernel.launch([1, 1, 1], [THREADS as u32, 1, 1], &words);
                    let mut expected = vec![0u8; THREADS * size];
                    let copied = &bytes[first..first + count * size];
                    expected[from * size..][..count * size].copy_from_slice(copied);
                    assert_eq!(out, expected, "{level:?}, {element}, {from}, {count}, {first}");
                }
            }
        }
    }
}

/// Threads below a limit copy `from[((i + x) & 63) + 3]` to `out[i]` and to its place in `to`.
fn around(element: &str, size: usize) -> String {
    format!(
        "define void @around() #0 {{
  %p = call ptr addrspace(4) @zluda.params()
  %from = load i64, ptr addrspace(4) %p
  %out.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %out = load i64, ptr addrspace(4) %out.p
  %to.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %to = load i64, ptr addrspace(4) %to.p
  %x.p = getelementptr i8, ptr addrspace(4) %p, i64 24
  %x = load i32, ptr addrspace(4) %x.p
  %limit.p = getelementptr i8, ptr addrspace(4) %p, i64 32
  %limit = load i32, ptr addrspace(4) %limit.p
  %term.p = getelementptr i8, ptr addrspace(4) %p, i64 40
  %term = load i32, ptr addrspace(4) %term.p
  %tid = call i32 @zluda.tid.x()
  %inside = icmp ult i32 %tid, %limit
  br i1 %inside, label %copy, label %done
copy:
  %sum = add i32 %tid, %x
  %low = and i32 %sum, 63
  %at = add i32 %low, %term
  %i = sext i32 %at to i64
  %off = mul i64 %i, {size}
  %place = add i64 %from, %off
  %place.ptr = inttoptr i64 %place to ptr addrspace(1)
  %value = load {element}, ptr addrspace(1) %place.ptr
  %j = zext i32 %tid to i64
  %out.off = mul i64 %j, {size}
  %out.place = add i64 %out, %out.off
  %out.ptr = inttoptr i64 %out.place to ptr addrspace(1)
  store {element} %value, ptr addrspace(1) %out.ptr
  %to.place = add i64 %to, %off
  %to.ptr = inttoptr i64 %to.place to ptr addrspace(1)
  store {element} %value, ptr addrspace(1) %to.ptr
  br label %done
done:
  ret void
}}"
    )
}

#[test]
fn rows_begin_again() {
    let pages = [lone_page(), lone_page()];
    // SAFETY: the pages are ours, and nothing else refers to them.
    let [bytes, copies] = pages.map(|it| unsafe { std::slice::from_raw_parts_mut(it, PAGE) });
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = (place * 7 + place / 256) as u8;
    }
    for level in [None, Some("x86-64-v2")] {
        for (element, size) in [("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8)] {
            let text = around(element, size);
            let kernel = compile_with("around", &text, &options_for(level, Blocks::WholeWarps));
            let starts = [0, 1, 17, 31, 32, 33, 50, 63, 1000, u32::MAX, i32::MAX as u32 - 40];
            for (x, limit) in starts.into_iter().flat_map(|x| [(x, 64), (x, 1), (x, 45)]) {
                for first in [0, PAGE - 64 * size, PAGE / 2] {
                    for term in [0_usize, 3] {
                        let places =
                            pages.map(|it| (it as usize + first).wrapping_sub(term * size) as u64);
                        let mut out = vec![0u8; THREADS * size];
                        copies.fill(0);
                        let params = [
                            places[0],
                            address(&mut out),
                            places[1],
                            x.into(),
                            limit as u64,
                            term as u64,
                        ];
                        kernel.launch([1, 1, 1], [THREADS as u32, 1, 1], &params);
                        let what = format!("{level:?}, {element}, {x}, {limit}, {first}, {term}");
                        let mut written = vec![0u8; PAGE];
                        for thread in 0..limit {
                            let at = first + (thread + x as usize) % 64 * size;
                            let value = &bytes[at..at + size];
                            assert_eq!(&out[thread * size..][..size], value, "{what}, {thread}");
                            written[at..at + size].copy_from_slice(value);
                        }
                        assert!(out[limit * size..].iter().all(|byte| *byte == 0), "{what}");
                        assert!(copies == written, "{what}");
                    }
                }
            }
        }
    }
}
