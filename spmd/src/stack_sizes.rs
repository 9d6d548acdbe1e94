//! The stack that finished code needs, registers that did not fit included.
//!
//! Input: objects with LLVM's section `.stack_sizes`, an address of eight bytes and a size in LEB128 for each function.
//! Output: the same objects; the kernel's descriptor says what the functions need, for each thread.
//! Why here: until registers are allocated nobody knows what is kept on the stack instead.

use cpu_abi::{DESCRIPTOR_SUFFIX, KernelDescriptor};
use object::{Object, ObjectSection, ObjectSymbol};
use std::mem::offset_of;

const SECTION: &str = ".stack_sizes";
const ADDRESS: usize = 8;

/// Raises `local_size` of the descriptor in `objects` to what the functions of all of them need at once, which is what calls
/// that do not repeat need at most. A call of vector code keeps the registers of `lanes` threads. Objects that cannot be
/// read stay as they are.
pub fn note(objects: &mut [Vec<u8>], lanes: u32) {
    let bytes = objects.iter().map(|bytes| of_object(bytes)).fold(0, u64::saturating_add);
    let of_thread = u32::try_from(bytes.div_ceil(lanes.into())).unwrap_or(u32::MAX);
    for object in objects {
        let Some(at) = place(object) else { continue };
        let Some(word) = object.get_mut(at..at + size_of::<u32>()) else { continue };
        let known = word.try_into().map_or(0, u32::from_le_bytes);
        word.copy_from_slice(&known.max(of_thread).to_le_bytes());
    }
}

fn of_object(bytes: &[u8]) -> u64 {
    let Ok(file) = object::File::parse(bytes) else { return 0 };
    let sections = file.sections().filter(|section| section.name() == Ok(SECTION));
    sections.map(|section| sum(section.data().unwrap_or_default())).fold(0, u64::saturating_add)
}

/// The sum of the sizes in a section.
fn sum(mut data: &[u8]) -> u64 {
    let mut total = 0u64;
    while let Some(mut rest) = data.get(ADDRESS..) {
        let (mut size, mut shift) = (0u64, 0);
        while let Some((byte, others)) = rest.split_first() {
            rest = others;
            size |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        total = total.saturating_add(size);
        data = rest;
    }
    total
}

/// Where `local_size` stands in an object that has the kernel's descriptor.
fn place(bytes: &[u8]) -> Option<usize> {
    let file = object::File::parse(bytes).ok()?;
    let symbol = file.symbols().find(|symbol| {
        symbol.is_definition() && symbol.name().is_ok_and(|name| name.ends_with(DESCRIPTOR_SUFFIX))
    })?;
    let (start, _) = file.section_by_index(symbol.section_index()?).ok()?.file_range()?;
    let offset = offset_of!(KernelDescriptor, local_size) as u64;
    usize::try_from(start + symbol.address() + offset).ok()
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn sizes_are_numbers_of_any_length() {
        let zeros = [0; 8];
        assert_eq!(sum(&[]), 0);
        assert_eq!(sum(&[&zeros[..], &[0x18], &zeros, &[0xe5, 0x8e, 0x26]].concat()), 24 + 624_485);
        // Cut off, or longer than any number.
        assert_eq!(sum(&zeros[..5]), 0);
        sum(&[&zeros[..], &[0xff; 40]].concat());
    }
}
