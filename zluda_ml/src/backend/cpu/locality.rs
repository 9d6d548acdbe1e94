//! The processors that the device is, and the memory that it may have.

use super::super::Locality;
use super::processors::Processors;
use zluda_common::linux::files::{Root, numbers, value};

/// `None` where Linux does not say which processors there are.
pub(super) fn locality(root: &Root) -> Option<Locality> {
    let usable = Processors::usable(root);
    let online = numbers(&root.text("sys/devices/system/cpu/online")?)?;
    let processors = online.into_iter().filter(|number| usable.contains(*number)).collect();
    let status = root.text("proc/self/status");
    let allowed = status.as_deref().and_then(|text| value(text, "Mems_allowed_list"));
    let present = root.text("sys/devices/system/node/has_memory");
    let present = present.as_deref().and_then(numbers);
    // A machine that names no node is one.
    let present = present.unwrap_or_else(|| vec![0]);
    let nodes = match allowed.and_then(numbers) {
        Some(allowed) => present.into_iter().filter(|node| allowed.contains(node)).collect(),
        None => present,
    };
    Some(Locality { processors, nodes })
}
