//! printf of kernels: text is gathered here and written to the program's `stdout` when the host
//! synchronises. Formats and arguments are those of CUDA's `vprintf`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

static TEXT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The bytes of text after which it is written without waiting for the host.
const LIMIT: usize = 16 << 20;

#[cfg(unix)]
#[path = "printf/unix.rs"]
mod stdout;
#[cfg(windows)]
#[path = "printf/windows.rs"]
mod stdout;

use stdout::snprintf;

/// One piece of a format.
enum Piece<'a> {
    Text(&'a [u8]),
    Conversion(Conversion<'a>),
}

/// `%[flags][width][.precision][length]conversion`
struct Conversion<'a> {
    /// The whole of it, `%` included.
    text: &'a [u8],
    /// Flags, width and precision.
    head: &'a [u8],
    /// Bytes of an integer argument.
    integer: usize,
    kind: u8,
}

fn pieces(format: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = format;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if rest[0] != b'%' {
            let end = rest.iter().position(|byte| *byte == b'%').unwrap_or(rest.len());
            let (text, after) = rest.split_at(end);
            rest = after;
            return Some(Piece::Text(text));
        }
        let mut at = 1;
        while at < rest.len() && b"-+ #0123456789.*".contains(&rest[at]) {
            at += 1;
        }
        let head = &rest[1..at];
        let mut integer = 4;
        while at < rest.len() && b"hlLqjzt".contains(&rest[at]) {
            if !matches!(rest[at], b'h' | b'L') {
                integer = 8;
            }
            at += 1;
        }
        let kind = rest.get(at).copied().unwrap_or(0);
        let (text, after) = rest.split_at((at + 1).min(rest.len()));
        rest = after;
        Some(match kind {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' | b's' | b'p' | b'a' | b'A' | b'e'
            | b'E' | b'f' | b'F' | b'g' | b'G' | b'%' => {
                Piece::Conversion(Conversion { text, head, integer, kind })
            }
            // Anything else is printed as it stands.
            _ => Piece::Text(text),
        })
    })
}

/// Arguments lie one after the other, each at its natural alignment.
struct Arguments(*const u8);

impl Arguments {
    /// # Safety
    /// The buffer holds an argument of `N` bytes here.
    unsafe fn next<const N: usize>(&mut self) -> [u8; N] {
        // SAFETY: the caller's promise; the buffer may be placed at any alignment.
        unsafe {
            let address = self.0.map_addr(|address| address.next_multiple_of(N));
            self.0 = address.add(N);
            address.cast::<[u8; N]>().read_unaligned()
        }
    }
}

/// Reads what [`print`] will read, so that a bad pointer shows here, where it is the kernel's own fault.
///
/// # Safety
/// Bad pointers fault.
pub unsafe fn touch(format: *const c_char, arguments: *const u8) {
    let mut arguments = Arguments(arguments);
    // SAFETY: what is read here is the kernel's business.
    unsafe {
        for piece in pieces(CStr::from_ptr(format).to_bytes()) {
            let Piece::Conversion(conversion) = piece else { continue };
            for _ in conversion.head.iter().filter(|byte| **byte == b'*') {
                std::hint::black_box(arguments.next::<4>());
            }
            match conversion.kind {
                b'%' => {}
                b's' => {
                    let string = usize::from_ne_bytes(arguments.next()) as *const c_char;
                    if !string.is_null() {
                        std::hint::black_box(libc::strlen(string));
                    }
                }
                b'd' | b'i' | b'u' | b'o' | b'x' | b'X' if conversion.integer == 4 => {
                    std::hint::black_box(arguments.next::<4>());
                }
                b'c' => {
                    std::hint::black_box(arguments.next::<4>());
                }
                _ => {
                    std::hint::black_box(arguments.next::<8>());
                }
            }
        }
    }
}

/// The offsets of the addresses of strings in the arguments, and the size of the arguments, all in bytes.
pub fn string_places(format: &[u8]) -> (Vec<usize>, usize) {
    let mut places = Vec::new();
    let mut offset = 0usize;
    let mut take = |size: usize| {
        let start = offset.next_multiple_of(size);
        offset = start + size;
        start
    };
    for piece in pieces(format) {
        let Piece::Conversion(conversion) = piece else { continue };
        if conversion.kind == b'%' {
            continue;
        }
        conversion.head.iter().filter(|byte| **byte == b'*').for_each(|_| {
            take(4);
        });
        match conversion.kind {
            b's' => places.push(take(8)),
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                take(conversion.integer);
            }
            b'c' => {
                take(4);
            }
            _ => {
                take(8);
            }
        }
    }
    (places, offset)
}

/// Formats and keeps a text; returns the number of arguments.
///
/// # Safety
/// `arguments` holds what the format names.
pub unsafe fn print(format: &[u8], arguments: *const u8) -> i32 {
    let mut line = Vec::with_capacity(format.len() + 32);
    // SAFETY: the caller's promise.
    let count = unsafe { write(&mut line, format, arguments) };
    let mut text = TEXT.lock();
    text.extend_from_slice(&line);
    let full = text.len() > LIMIT;
    drop(text);
    if full {
        flush();
    }
    count
}

/// Formats as C does, through C's own formatter, one conversion at a time.
///
/// # Safety
/// As for [`print`].
unsafe fn write(output: &mut Vec<u8>, format: &[u8], arguments: *const u8) -> i32 {
    let mut arguments = Arguments(arguments);
    let mut count = 0;
    for piece in pieces(format) {
        let conversion = match piece {
            Piece::Text(text) => {
                output.extend_from_slice(text);
                continue;
            }
            Piece::Conversion(Conversion { kind: b'%', .. }) => {
                output.push(b'%');
                continue;
            }
            Piece::Conversion(conversion) => conversion,
        };
        // Widths and precisions that are arguments become part of the format.
        let mut spec = vec![b'%'];
        for byte in conversion.head {
            if *byte == b'*' {
                // SAFETY: the caller's promise, here and below.
                let value = i32::from_ne_bytes(unsafe { arguments.next() });
                spec.extend_from_slice(value.to_string().as_bytes());
                count += 1;
            } else {
                spec.push(*byte);
            }
        }
        count += 1;
        // SAFETY: each format names one argument, which is of the type that it asks for.
        unsafe {
            match conversion.kind {
                kind @ (b'd' | b'i') => {
                    let value = if conversion.integer == 8 {
                        i64::from_ne_bytes(arguments.next())
                    } else {
                        narrow_signed(&conversion, i32::from_ne_bytes(arguments.next()))
                    };
                    spec.extend_from_slice(&[b'l', b'l', kind, 0]);
                    format_with(output, &spec, |to, size, spec| snprintf(to, size, spec, value));
                }
                kind @ (b'u' | b'o' | b'x' | b'X') => {
                    let value = if conversion.integer == 8 {
                        u64::from_ne_bytes(arguments.next())
                    } else {
                        narrow(&conversion, u32::from_ne_bytes(arguments.next()))
                    };
                    spec.extend_from_slice(&[b'l', b'l', kind, 0]);
                    format_with(output, &spec, |to, size, spec| snprintf(to, size, spec, value));
                }
                b'c' => {
                    let value = i32::from_ne_bytes(arguments.next()) & 0xff;
                    if spec.len() == 1 {
                        // C's formatter could not tell a NUL from the end.
                        output.push(value as u8);
                    } else {
                        spec.extend_from_slice(b"c\0");
                        format_with(output, &spec, |to, size, spec| {
                            snprintf(to, size, spec, value as c_int)
                        });
                    }
                }
                b's' => {
                    let pointer = usize::from_ne_bytes(arguments.next()) as *const c_char;
                    let string = if pointer.is_null() {
                        c"(null)".to_owned()
                    } else {
                        CString::from(CStr::from_ptr(pointer))
                    };
                    spec.extend_from_slice(b"s\0");
                    format_with(output, &spec, |to, size, spec| {
                        snprintf(to, size, spec, string.as_ptr())
                    });
                }
                b'p' => {
                    let value = usize::from_ne_bytes(arguments.next()) as *const c_void;
                    spec.extend_from_slice(b"p\0");
                    format_with(output, &spec, |to, size, spec| snprintf(to, size, spec, value));
                }
                kind => {
                    let value = f64::from_ne_bytes(arguments.next());
                    spec.extend_from_slice(&[kind, 0]);
                    format_with(output, &spec, |to, size, spec| snprintf(to, size, spec, value));
                }
            }
        }
    }
    count
}

/// `%hd` and `%hhd`.
fn narrow_signed(conversion: &Conversion<'_>, value: i32) -> i64 {
    match halves(conversion) {
        0 => value.into(),
        1 => (value as i16).into(),
        _ => (value as i8).into(),
    }
}

/// `%hu` and `%hhu`.
fn narrow(conversion: &Conversion<'_>, value: u32) -> u64 {
    match halves(conversion) {
        0 => value.into(),
        1 => (value as u16).into(),
        _ => (value as u8).into(),
    }
}

fn halves(conversion: &Conversion<'_>) -> usize {
    conversion.text.iter().filter(|byte| **byte == b'h').count()
}

/// Calls C's formatter, again with more room if the first does not do.
fn format_with(
    output: &mut Vec<u8>,
    spec: &[u8],
    format: impl Fn(*mut c_char, usize, *const c_char) -> c_int,
) {
    let mut buffer = vec![0u8; 64];
    loop {
        let length = format(buffer.as_mut_ptr().cast(), buffer.len(), spec.as_ptr().cast());
        let Ok(length) = usize::try_from(length) else { return };
        if length < buffer.len() {
            output.extend_from_slice(&buffer[..length]);
            return;
        }
        buffer.resize(length + 1, 0);
    }
}

/// Writes what kernels have printed to the program's `stdout`.
pub fn flush() {
    // The lock is held while writing, so that two threads that synchronise keep the order.
    let mut text = TEXT.lock();
    if text.is_empty() {
        return;
    }
    stdout::write(&text);
    stdout::flush();
    text.clear();
}

/// Sees to it that what was printed is written when the program ends. A forked child that ends leaves it to its parent, whose
/// text it has too.
pub fn flush_at_exit() {
    static PROCESS: AtomicU32 = AtomicU32::new(0);
    extern "C" fn at_exit() {
        if PROCESS.load(Ordering::Relaxed) != std::process::id() {
            return;
        }
        if let Some(mut text) = TEXT.try_lock()
            && !text.is_empty()
        {
            // Streams are closed after these handlers have run.
            stdout::write(&text);
            text.clear();
        }
    }
    unsafe extern "C" {
        fn atexit(handler: extern "C" fn()) -> c_int;
    }
    static ONCE: std::sync::Once = std::sync::Once::new();
    // SAFETY: the handler has no preconditions.
    ONCE.call_once(|| unsafe {
        PROCESS.store(std::process::id(), Ordering::Relaxed);
        atexit(at_exit);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packs arguments as kernels do.
    #[derive(Default)]
    struct Pack(Vec<u8>);

    impl Pack {
        fn add<const N: usize>(mut self, bytes: [u8; N]) -> Pack {
            self.0.resize(self.0.len().next_multiple_of(N), 0xaa);
            self.0.extend_from_slice(&bytes);
            self
        }
    }

    fn formatted(format: &str, pack: Pack) -> (String, i32) {
        let mut output = Vec::new();
        // Aligned like a kernel's buffer.
        let mut buffer = vec![0u64; pack.0.len().div_ceil(8) + 1];
        // SAFETY: the buffer is long enough, and the tests name the arguments rightly.
        let count = unsafe {
            std::ptr::copy_nonoverlapping(
                pack.0.as_ptr(),
                buffer.as_mut_ptr().cast(),
                pack.0.len(),
            );
            write(&mut output, format.as_bytes(), buffer.as_ptr().cast())
        };
        (String::from_utf8(output).unwrap(), count)
    }

    #[test]
    fn arguments_lie_at_their_natural_alignment() {
        let pack = Pack::default()
            .add(7i32.to_ne_bytes())
            .add(2.5f64.to_ne_bytes())
            .add((-3i32).to_ne_bytes())
            .add((1u64 << 40).to_ne_bytes());
        assert_eq!(
            formatted("%d %f %i %llu\n", pack),
            ("7 2.500000 -3 1099511627776\n".to_owned(), 4)
        );
    }

    #[test]
    fn flags_widths_and_precisions() {
        let pack = Pack::default()
            .add(5i32.to_ne_bytes())
            .add(8i32.to_ne_bytes())
            .add(2i32.to_ne_bytes())
            .add(3.145f64.to_ne_bytes())
            .add(255u32.to_ne_bytes())
            .add(300i32.to_ne_bytes());
        assert_eq!(
            formatted("[%05d][%*.*f][%#x][%hhd]%%", pack),
            ("[00005][    3.15][0xff][44]%".to_owned(), 6)
        );
    }

    #[test]
    fn strings_characters_and_pointers() {
        let text = c"warp";
        let pack = Pack::default()
            .add((text.as_ptr() as usize).to_ne_bytes())
            .add(0usize.to_ne_bytes())
            .add(i32::from(b'x').to_ne_bytes())
            .add(0x1234usize.to_ne_bytes());
        let pointer = if cfg!(windows) { "0000000000001234" } else { "0x1234" };
        let expected = format!("warp  |(null)|x|{pointer}");
        assert_eq!(formatted("%-6s|%s|%c|%p", pack), (expected, 4));
    }

    #[test]
    fn strings_are_found_among_arguments() {
        assert_eq!(string_places(b"%d %s %*c %% %hd %s %y %lf"), (vec![8, 32], 48));
        assert_eq!(string_places(b"%s"), (vec![0], 8));
        assert_eq!(string_places(b"%d"), (vec![], 4));
    }

    #[test]
    fn what_is_no_conversion_is_printed() {
        assert_eq!(formatted("50%y %", Pack::default()), ("50%y %".to_owned(), 0));
    }
}
