//! A code object's metadata: kernels, and the layout of their arguments. LLVM's "User Guide for AMDGPU
//! Backend", section "Code Object V5 Metadata".

use super::msgpack::Value;

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
    pub hidden: Vec<Hidden>,
}

/// An argument that the runtime gives.
#[derive(Clone, Debug)]
pub struct Hidden {
    pub kind: String,
    pub offset: usize,
    pub size: usize,
}

/// The kernels of a note's descriptor.
pub fn kernels(bytes: &[u8]) -> Option<Vec<KernelMetadata>> {
    let all = Value::parse(bytes)?;
    all.get("amdhsa.kernels")?.list().iter().map(kernel).collect()
}

fn kernel(value: &Value) -> Option<KernelMetadata> {
    let number = |key: &str| value.get(key).and_then(Value::number);
    let mut kernel = KernelMetadata {
        name: value.get(".name")?.text()?.to_owned(),
        symbol: value.get(".symbol")?.text()?.to_owned(),
        max_threads: number(".max_flat_workgroup_size").unwrap_or(1024),
        private_size: number(".private_segment_fixed_size").unwrap_or(0),
        has_dynamic_stack: value.get(".uses_dynamic_stack").is_some_and(Value::is_true),
        ..KernelMetadata::default()
    };
    for argument in value.get(".args").map_or(&[][..], Value::list) {
        let number = |key: &str| argument.get(key).and_then(Value::number);
        let (offset, size) = (number(".offset")?, number(".size")?);
        let kind = argument.get(".value_kind")?.text()?;
        if kind.starts_with("hidden_") {
            let (offset, size) = (offset as usize, size as usize);
            kernel.hidden.push(Hidden { kind: kind.to_owned(), offset, size });
        } else {
            kernel.explicit_size = kernel.explicit_size.max(offset.checked_add(size)?);
        }
    }
    Some(kernel)
}
