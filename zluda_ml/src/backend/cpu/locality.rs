//! The processors that the device is, and the memory that it may have.

use super::super::Locality;
use super::processors::Processors;
use zluda_common::linux::files::{Root, numbers};
use zluda_common::linux::nodes;

/// `None` where Linux does not say which processors there are.
pub(super) fn locality(root: &Root) -> Option<Locality> {
    let usable = Processors::usable(root);
    let online = numbers(&root.text("sys/devices/system/cpu/online")?)?;
    let processors = online.into_iter().filter(|number| usable.contains(*number)).collect();
    // A machine that names no node is one.
    let nodes = nodes::usable(root).unwrap_or_else(|| vec![0]);
    Some(Locality { processors, nodes })
}
