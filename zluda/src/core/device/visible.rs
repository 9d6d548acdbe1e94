//! `CUDA_VISIBLE_DEVICES`: which of the provider's devices a program has, and in which order.
//!
//! "CUDA_VISIBLE_DEVICES: A comma-separated sequence of GPU identifiers": numbers, or `GPU-` and the beginning of a UUID.
//! "If one of the indices is invalid, only the devices whose index precedes the invalid index are visible". What else an
//! H200's driver takes is in the tests.

use cuda_types::cuda::{CUerror, CUres};

/// The places of the devices that a value names, of those with these UUIDs. `INVALID_DEVICE` where one is named twice,
/// `NO_DEVICE` where none is left.
pub(crate) fn choose(value: &str, uuids: &[[u8; 16]]) -> CUres<Vec<usize>> {
    let by_uuid = uuid_digits(value.split(',').next().unwrap_or_default()).is_some();
    let mut chosen = Vec::new();
    for name in value.split(',') {
        // The first one says how devices are named.
        let place = if by_uuid { by_digits(name, uuids) } else { by_number(name, uuids.len()) };
        let Some(place) = place else { break };
        if chosen.contains(&place) {
            return Err(CUerror::INVALID_DEVICE);
        }
        chosen.push(place);
    }
    if chosen.is_empty() { Err(CUerror::NO_DEVICE) } else { Ok(chosen) }
}

/// A number as C's `atoi` reads it: after white space and a sign, to the first character that is no digit.
fn by_number(name: &str, count: usize) -> Option<usize> {
    let name = name.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
    let (is_negative, digits) = match name.strip_prefix(['+', '-']) {
        Some(digits) => (name.starts_with('-'), digits),
        None => (false, name),
    };
    let end = digits.bytes().take_while(u8::is_ascii_digit).count();
    let number: usize = digits[..end].parse().ok()?;
    (number < count && !(is_negative && number != 0)).then_some(number)
}

/// The digits of a UUID, in upper case, without what separates them; what follows them does not count.
fn uuid_digits(name: &str) -> Option<String> {
    let digits = name.strip_prefix("GPU-").or_else(|| name.strip_prefix("MIG-"))?;
    let is_part = |c: &char| c.is_ascii_hexdigit() || *c == '-';
    let digits = digits.chars().take_while(is_part).filter(|c| *c != '-').take(32);
    Some(digits.map(|digit| digit.to_ascii_uppercase()).collect())
}

/// The one device whose UUID begins so.
fn by_digits(name: &str, uuids: &[[u8; 16]]) -> Option<usize> {
    let digits = uuid_digits(name).filter(|digits| !digits.is_empty())?;
    let begins_so = |uuid: &[u8; 16]| {
        uuid.iter().map(|byte| format!("{byte:02X}")).collect::<String>().starts_with(&digits)
    };
    let mut found = (0..uuids.len()).filter(|place| begins_so(&uuids[*place]));
    found.next().filter(|_| found.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: [u8; 16] = *b"\x93\x94\x3b\x2d\x34\x15\x7c\xa5\xbb\xd0\x37\xc8\x77\xc4\x2d\x0f";
    const SECOND: [u8; 16] = *b"\xd7\x58\x9d\xd5\xf9\xb3\x8f\xd5\xbe\x1e\xd0\xb4\xcf\xe2\xb9\xd2";
    const THIRD: [u8; 16] = *b"\xd7\x59\x9d\xd5\xf9\xb3\x8f\xd5\xbe\x1e\xd0\xb4\xcf\xe2\xb9\xd2";

    #[test]
    fn numbers_and_uuids_name_devices() {
        // The two GPUs of an H200's machine answered so; the last two lines are of three devices.
        let two = &[FIRST, SECOND][..];
        let three = &[FIRST, SECOND, THIRD][..];
        for (value, uuids, expected) in [
            ("0", two, Ok(vec![0])),
            ("1,0", two, Ok(vec![1, 0])),
            ("1 ,0x5", two, Ok(vec![1, 0])),
            ("0,-1,1", two, Ok(vec![0])),
            ("1,1", two, Err(CUerror::INVALID_DEVICE)),
            ("-1", two, Err(CUerror::NO_DEVICE)),
            ("2,0", two, Err(CUerror::NO_DEVICE)),
            ("", two, Err(CUerror::NO_DEVICE)),
            ("99999999999999999999", two, Err(CUerror::NO_DEVICE)),
            ("GPU-d7589dd5-f9b3-8fd5-be1e-d0b4cfe2b9d2,GPU-9", two, Ok(vec![1, 0])),
            ("GPU-D7589DD5F9B30000", two, Err(CUerror::NO_DEVICE)),
            ("GPU-d,0", two, Ok(vec![1])),
            ("0,GPU-d", two, Ok(vec![0])),
            ("GPU-,0", two, Err(CUerror::NO_DEVICE)),
            ("GPU-d,GPU-d7", two, Err(CUerror::INVALID_DEVICE)),
            (" GPU-d", two, Err(CUerror::NO_DEVICE)),
            ("GPU-d7", three, Err(CUerror::NO_DEVICE)),
            ("GPU-d759,GPU-93", three, Ok(vec![2, 0])),
        ] {
            assert_eq!(choose(value, uuids), expected, "{value:?}");
        }
    }
}
