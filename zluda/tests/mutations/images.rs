//! Images to be spoilt: fat binaries around text of our own, in memory that ends where they do.

use crate::common;

/// A small module with what parsers stumble over: parameters, vectors, initialisers, labels, comments.
pub const TEXT: &str = r#"// a comment
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 8 .b8 table[4] = {1, 0x2, 3};
.extern .shared .align 16 .b8 dynamic[];
.func (.param .b32 result) twice(.param .b32 value) {
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [value];
    add.u32 %r2, %r1, %r1;
    st.param.b32 [result], %r2;
    ret;
}
.visible .entry one(.param .u64 to, .param .align 8 .b8 pair[16]) .maxntid 64, 1, 1 {
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to];
    ld.param.v2.u32 {%r1, %r2}, [pair+8];
    mov.u32 %r3, %tid.x;
    setp.lt.u32 %p1, %r3, %r1;
    @!%p1 bra DONE;
    { .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r3;
    call.uni (b), twice, (a);
    ld.param.b32 %r4, [b]; }
    mov.f32 %f1, 0f3F800000;
    cvt.rn.f32.u32 %f2, %r4;
    fma.rn.f32 %f2, %f2, %f1, %f1;
    mul.wide.u32 %rd2, %r3, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.f32 [%rd3], %f2;
    bar.sync 0;
DONE:
    ret; /* the end */
}
.visible .entry two() { ret; }
"#;

#[derive(Clone, Copy, Debug)]
pub enum Packing {
    Plain,
    Lz4,
    Zstd,
}

pub const PACKINGS: [Packing; 3] = [Packing::Plain, Packing::Lz4, Packing::Zstd];

/// The size of a container's header, in which the size of what follows stands at 8.
pub const HEADER: usize = 16;

/// A container with the text above for one architecture, and an entry of machine code before it.
pub fn container(packing: Packing) -> Vec<u8> {
    let (flag, data) = match packing {
        Packing::Plain => (0, TEXT.as_bytes().to_vec()),
        Packing::Lz4 => (0x2000u64, lz4_flex::block::compress(TEXT.as_bytes())),
        Packing::Zstd => (0x8000u64, zstd::encode_all(TEXT.as_bytes(), 3).unwrap()),
    };
    let entry = |kind, flag, data, uncompressed| {
        let flags = 0x11 | flag;
        common::Entry { kind, architecture: 75, flags, data, uncompressed }
    };
    common::container(&[entry(2, 0, b"\x7fELF\x02\x01\x01", 0), entry(1, flag, &data, TEXT.len())])
}

/// The container cut off, with a header that says so.
pub fn cut(container: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = container[..length].to_vec();
    bytes[8..16].copy_from_slice(&((length - HEADER) as u64).to_le_bytes());
    bytes
}

/// Memory behind which there is none.
pub struct Guarded {
    start: *mut libc::c_void,
    length: usize,
}

/// Of the memory, of which the last page cannot be read.
const LENGTH: usize = 64 << 10;
const PAGE: usize = 4096;

impl Guarded {
    pub fn new() -> Guarded {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: asks for new memory.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), LENGTH, access, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        // SAFETY: the last page of the memory above.
        let done = unsafe { libc::mprotect(start.byte_add(LENGTH - PAGE), PAGE, libc::PROT_NONE) };
        assert_eq!(done, 0);
        Guarded { start, length: LENGTH - PAGE }
    }

    /// Puts bytes at the very end.
    pub fn put(&self, bytes: &[u8]) -> *mut libc::c_void {
        assert!(bytes.len() <= self.length);
        // SAFETY: there is room for as many bytes before the page that cannot be read.
        unsafe {
            let to = self.start.byte_add(self.length - bytes.len());
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len());
            to
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the memory is this object's own.
        unsafe { libc::munmap(self.start, LENGTH) };
    }
}

/// The source of changes that spoil images: a sequence of choices that is the same in every run.
pub struct Seeded(splitmix::Random);

impl Seeded {
    pub fn new(seed: u64) -> Seeded {
        Seeded(splitmix::Random::new(seed))
    }

    pub fn next(&mut self, below: usize) -> usize {
        self.0.below(below)
    }

    /// Spoils some bytes from `first` on.
    pub fn flip(&mut self, bytes: &mut [u8], first: usize) {
        for _ in 0..1 + self.next(4) {
            let at = first + self.next(bytes.len() - first);
            bytes[at] = match self.next(4) {
                0 => 0,
                1 => 0xff,
                2 => bytes[at] ^ (1 << self.next(8)),
                _ => self.next(256) as u8,
            };
        }
    }

    /// Spoils text by its words: leaves some out, doubles, swaps or replaces them.
    pub fn reword(&mut self, text: &str) -> String {
        const STRANGE: [&str; 16] = [
            "",
            ";",
            "{",
            "}",
            "(",
            ",",
            "%r1",
            "%r99999999999",
            "-1",
            "0x",
            "99999999999999999999",
            "0f",
            ".v4",
            "@",
            "[",
            "\u{fffd}",
        ];
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ';', ',', '.']).collect();
        for _ in 0..1 + self.next(3) {
            let (at, other) = (self.next(words.len()), self.next(words.len()));
            match self.next(4) {
                0 => _ = words.remove(at),
                1 => words.insert(at, words[other]),
                2 => words.swap(at, other),
                _ => words[at] = STRANGE[self.next(STRANGE.len())],
            }
        }
        words.concat()
    }
}
