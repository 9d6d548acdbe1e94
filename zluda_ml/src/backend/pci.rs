//! Where a device on the PCI bus is, and what it is there.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub use linux::Place;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub use windows::Place;

/// Where a device is on the PCI bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PciAddress {
    pub domain: u32,
    pub bus: u8,
    /// 0 to 31
    pub device: u8,
    /// 0 to 7
    pub function: u8,
}
