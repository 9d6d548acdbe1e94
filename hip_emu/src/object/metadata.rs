//! A code object's metadata: kernels, and the layout of their arguments. LLVM's "User Guide for AMDGPU
//! Backend", section "Code Object V5 Metadata".

use std::ops::Range;

use rmpv::{Value, decode};

/// Lists within lists, at most.
const DEEPEST: usize = 32;

/// A kernel, by its metadata.
#[derive(Clone, Debug, Default)]
pub struct KernelMetadata {
    pub name: String,
    /// The symbol of the descriptor.
    pub symbol: String,
    pub max_threads: u32,
    pub private_size: u32,
    pub has_dynamic_stack: bool,
    /// Bytes of the arguments that the program gives.
    pub explicit_size: u32,
    /// Where each of them lies.
    pub arguments: Vec<Range<usize>>,
    pub hidden: Vec<Hidden>,
}

/// An argument that the runtime gives.
#[derive(Clone, Debug)]
pub struct Hidden {
    pub kind: String,
    pub offset: usize,
    pub size: usize,
}

/// The kernels of a note's descriptor; `None` where it is not what the guide says.
pub fn kernels(mut bytes: &[u8]) -> Option<Vec<KernelMetadata>> {
    let all = decode::read_value_with_max_depth(&mut bytes, DEEPEST).ok()?;
    list(Some(get(&all, "amdhsa.kernels")?)).iter().map(kernel).collect()
}

/// The value of a key of a map.
fn get<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    let entries = value.as_map()?;
    entries.iter().find(|(name, _)| name.as_str() == Some(key)).map(|(_, value)| value)
}

/// The elements of a list; none of anything else.
fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn number(value: &Value, key: &str) -> Option<u32> {
    u32::try_from(get(value, key)?.as_u64()?).ok()
}

fn text(value: &Value, key: &str) -> Option<String> {
    Some(get(value, key)?.as_str()?.to_owned())
}

/// Whether the value of a key is true, or 1.
fn is_true(value: &Value, key: &str) -> bool {
    get(value, key).is_some_and(|value| value.as_bool() == Some(true) || value.as_u64() == Some(1))
}

fn kernel(value: &Value) -> Option<KernelMetadata> {
    let mut kernel = KernelMetadata {
        name: text(value, ".name")?,
        symbol: text(value, ".symbol")?,
        max_threads: number(value, ".max_flat_workgroup_size").unwrap_or(1024),
        private_size: number(value, ".private_segment_fixed_size").unwrap_or(0),
        has_dynamic_stack: is_true(value, ".uses_dynamic_stack"),
        ..KernelMetadata::default()
    };
    for argument in list(get(value, ".args")) {
        let (offset, size) = (number(argument, ".offset")?, number(argument, ".size")?);
        let kind = text(argument, ".value_kind")?;
        if kind.starts_with("hidden_") {
            let (offset, size) = (offset as usize, size as usize);
            kernel.hidden.push(Hidden { kind, offset, size });
        } else {
            let end = offset.checked_add(size)?;
            kernel.explicit_size = kernel.explicit_size.max(end);
            kernel.arguments.push(offset as usize..end as usize);
        }
    }
    Some(kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the specification of MessagePack: a kernel with an argument of its own and one that the runtime gives.
    const BYTES: &[u8] = b"\x81\xaeamdhsa.kernels\x91\x85\xa5.name\xa1k\xa7.symbol\xd9\x04k.kd\
        \xb8.max_flat_workgroup_size\xcd\x01\x00\xb3.uses_dynamic_stack\xc3\xa5.args\x92\
        \x83\xa7.offset\x08\xa5.size\xcc\x04\xab.value_kind\xa8by_value\
        \x83\xa7.offset\x10\xa5.size\x04\xab.value_kind\xd9\x14hidden_block_count_x";

    #[test]
    fn kernels_are_read() {
        let kernels = kernels(BYTES).unwrap();
        let [kernel] = kernels.as_slice() else { panic!("{kernels:?}") };
        assert_eq!((kernel.name.as_str(), kernel.symbol.as_str()), ("k", "k.kd"));
        assert_eq!((kernel.max_threads, kernel.private_size), (256, 0));
        assert!(kernel.has_dynamic_stack);
        assert_eq!((kernel.explicit_size, kernel.hidden.len()), (12, 1));
        assert_eq!((kernel.arguments.len(), &kernel.arguments[0]), (1, &(8..12)));
        let Hidden { kind, offset, size } = &kernel.hidden[0];
        assert_eq!((kind.as_str(), *offset, *size), ("hidden_block_count_x", 16, 4));
    }

    #[test]
    fn what_is_cut_off_or_too_deep_is_refused() {
        for end in 0..BYTES.len() {
            assert!(kernels(&BYTES[..end]).is_none(), "{end}");
        }
        assert!(kernels(&[0x91; 100_000]).is_none());
        assert!(kernels(b"\x81\xaeamdhsa.kernels\xdf\xff\xff\xff\xff").is_none());
    }
}
