//! One code object of kernels that were compiled apart: the linker puts their code together, but metadata are one note
//! with a list of all kernels, so that the lists are joined here.
//!
//! A note is MessagePack: a map whose first key is `amdhsa.kernels` (LLVM sorts them), and whose other entries are the
//! same for all kernels of a GPU.

const SHT_NOTE: u32 = 7;
const OWNER: &[u8] = b"AMDGPU\0\0";
/// Sizes of owner and description, and the type.
const NOTE_HEADER: usize = 12;
const KERNELS: &[u8] = b"\xaeamdhsa.kernels";

/// Moves the metadata of all relocatable objects to the first one. `None` where an object is not as LLVM makes it.
pub fn join(objects: &mut [Vec<u8>]) -> Option<()> {
    if objects.len() < 2 {
        return Some(());
    }
    let mut joined = Vec::new();
    let mut count = 0;
    let mut ends = None;
    for object in objects.iter_mut() {
        let note = Note::find(object)?;
        let metadata = Metadata::read(object.get(note.description(object)?)?)?;
        count += metadata.count;
        joined.extend_from_slice(metadata.kernels);
        ends = Some((metadata.before, metadata.after.to_vec()));
        note.set_size(object, 0)?;
    }
    let (map, after) = ends?;
    let mut description = vec![map];
    description.extend_from_slice(KERNELS);
    description.push(0xdd);
    description.extend_from_slice(&u32::try_from(count).ok()?.to_be_bytes());
    description.extend_from_slice(&joined);
    description.extend_from_slice(&after);

    let first = objects.first_mut()?;
    let note = Note::find(first)?;
    let kind = first.get(note.offset + 8..note.offset + NOTE_HEADER)?.to_vec();
    first.resize(first.len().next_multiple_of(4), 0);
    let start = first.len();
    // The size of the owner counts one NUL.
    first.extend_from_slice(&7u32.to_le_bytes());
    first.extend_from_slice(&u32::try_from(description.len()).ok()?.to_le_bytes());
    first.extend_from_slice(&kind);
    first.extend_from_slice(OWNER);
    first.extend_from_slice(&description);
    first.resize(first.len().next_multiple_of(4), 0);
    let size = first.len() - start;
    note.set_size(first, size)?;
    note.set_offset(first, start)
}

/// The section of an object's note.
struct Note {
    /// Of its header in the table of sections.
    header: usize,
    /// Of its contents.
    offset: usize,
}

impl Note {
    fn find(object: &[u8]) -> Option<Self> {
        let table = usize::try_from(number::<8>(object, 0x28)?).ok()?;
        let size = usize::try_from(number::<2>(object, 0x3a)?).ok()?;
        let count = usize::try_from(number::<2>(object, 0x3c)?).ok()?;
        for index in 0..count {
            let header = table.checked_add(index * size)?;
            if number::<4>(object, header + 4)? == u64::from(SHT_NOTE) {
                let offset = usize::try_from(number::<8>(object, header + 0x18)?).ok()?;
                return Some(Self { header, offset });
            }
        }
        None
    }

    /// The range of the note's description in the object, in bytes; none if the note has another owner or is cut off.
    fn description(&self, object: &[u8]) -> Option<std::ops::Range<usize>> {
        let start = self.offset + NOTE_HEADER + OWNER.len();
        if object.get(self.offset + NOTE_HEADER..start)? != OWNER {
            return None;
        }
        let size = usize::try_from(number::<4>(object, self.offset + 4)?).ok()?;
        Some(start..start.checked_add(size)?)
    }

    fn set_offset(&self, object: &mut [u8], offset: usize) -> Option<()> {
        set(object, self.header + 0x18, offset)
    }

    fn set_size(&self, object: &mut [u8], size: usize) -> Option<()> {
        set(object, self.header + 0x20, size)
    }
}

fn set(object: &mut [u8], at: usize, value: usize) -> Option<()> {
    object.get_mut(at..at + 8)?.copy_from_slice(&u64::try_from(value).ok()?.to_le_bytes());
    Some(())
}

/// A little-endian number of `N` bytes.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let mut wide = [0; 8];
    wide.get_mut(..N)?.copy_from_slice(bytes.get(at..at.checked_add(N)?)?);
    Some(u64::from_le_bytes(wide))
}

/// The metadata of an object, in MessagePack.
struct Metadata<'a> {
    /// The map's first byte, which says how many entries it has.
    before: u8,
    count: usize,
    kernels: &'a [u8],
    after: &'a [u8],
}

impl<'a> Metadata<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (&before, rest) = bytes.split_first()?;
        if before >> 4 != 8 {
            return None;
        }
        let list = rest.strip_prefix(KERNELS)?;
        let (count, kernels) =
            head(list).filter(|(head, _)| head.is_list).map(|(head, rest)| (head.count, rest))?;
        let mut after = kernels;
        for _ in 0..count {
            after = skip(after)?;
        }
        let kernels = kernels.get(..kernels.len() - after.len())?;
        Some(Self { before, count, kernels, after })
    }
}

/// The head of a MessagePack value: the number of bytes or values that follow its first bytes.
struct Head {
    is_list: bool,
    bytes: usize,
    count: usize,
}

fn head(from: &[u8]) -> Option<(Head, &[u8])> {
    let (&kind, rest) = from.split_first()?;
    let length = |size: usize| {
        let digits = rest.get(..size)?;
        digits
            .iter()
            .try_fold(0usize, |sum, &digit| sum.checked_mul(256)?.checked_add(digit.into()))
    };
    let low = usize::from(kind & 15);
    let plain = |bytes| Head { is_list: false, bytes, count: 0 };
    let several = |is_list, count| Head { is_list, bytes: 0, count };
    // How many bytes the length itself takes, and what it is the length of.
    let (size, head) = match kind {
        0x00..=0x7f | 0xe0..=0xff | 0xc0 | 0xc2 | 0xc3 => (0, plain(0)),
        0x80..=0x8f => (0, several(false, 2 * low)),
        0x90..=0x9f => (0, several(true, low)),
        0xa0..=0xbf => (0, plain(usize::from(kind & 31))),
        0xc4 | 0xd9 => (1, plain(length(1)?)),
        0xc5 | 0xda => (2, plain(length(2)?)),
        0xc6 | 0xdb => (4, plain(length(4)?)),
        0xcc | 0xd0 => (0, plain(1)),
        0xcd | 0xd1 => (0, plain(2)),
        0xca | 0xce | 0xd2 => (0, plain(4)),
        0xcb | 0xcf | 0xd3 => (0, plain(8)),
        0xdc => (2, several(true, length(2)?)),
        0xdd => (4, several(true, length(4)?)),
        0xde => (2, several(false, length(2)?.checked_mul(2)?)),
        0xdf => (4, several(false, length(4)?.checked_mul(2)?)),
        _ => return None,
    };
    Some((head, rest.get(size..)?))
}

/// The bytes behind the first value; none if it is cut off.
fn skip(from: &[u8]) -> Option<&[u8]> {
    let (mut rest, mut left) = (from, 1usize);
    while left > 0 {
        let (head, after) = head(rest)?;
        rest = after.get(head.bytes..)?;
        left = (left - 1).checked_add(head.count)?;
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::skip;

    #[test]
    fn values_end_where_they_end() {
        // A map of a list and a text, a number, and what follows.
        let value = b"\x82\xa1a\x93\x01\xcc\xff\xcd\x01\x02\xa1b\xd9\x03xyz\xcb01234567rest";
        let after_map = skip(value).expect("a map");
        assert_eq!(after_map, b"\xcb01234567rest");
        assert_eq!(skip(after_map), Some(&b"rest"[..]));
        assert_eq!(skip(b"\x92\x01"), None);
        assert_eq!(skip(b"\xd9\x05abc"), None);
    }
}
