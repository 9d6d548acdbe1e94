//! Nothing is asked of Windows about the bus.

use super::PciAddress;
use crate::backend::Telemetry;

/// A place on the bus of which nothing else is known.
#[derive(Debug)]
pub struct Place {
    pub(in crate::backend) address: PciAddress,
}

impl Place {
    pub fn new(address: PciAddress) -> Place {
        Place { address }
    }
}

impl Telemetry for Place {}
