//! The question by which NVIDIA's runtime finds out whether the driver fits it. It asks with a version and
//! the time; the answer depends on the process, the thread, the devices, and two of the tables here.

use super::{SIZE, Table, cudart_interface};
use crate::core::device::driver::{DRIVER_VERSION, driver};
use crate::os;
use cuda_types::cuda::CUresult;
use hmac::{Mac, SimpleHmac};
use md2::Md2;

pub(super) const ID: u128 = 0xd4082055bde6704b8d34ba123c66e1f2;

pub(super) static TABLE: Table<3> = Table::sized([SIZE, check as *const (), super::UNKNOWN]);

const KEY: [u8; 16] = [
    0x14, 0x6a, 0xdd, 0xae, 0x53, 0xa9, 0xa7, 0x52, 0xaa, 0x08, 0x41, 0x36, 0x0b, 0xf5, 0x5a, 0x9f,
];

/// The values that an answer depends on.
struct Question<'a> {
    driver_version: u32,
    version: u32,
    process: u32,
    thread: u32,
    /// Addresses of the runtime's interface, of this table, and of the function in its slot 1.
    tables: [u64; 3],
    unix_seconds: u64,
    /// UUID and PCI domain, bus and device.
    devices: &'a [([u8; 16], [i32; 3])],
}

unsafe extern "C" fn check(version: u32, unix_seconds: u64, answer: *mut [u8; 16]) -> CUresult {
    crate::export::guard("VALIDITY_CHECK[1]", || {
        let devices: Vec<_> = driver()?
            .devices
            .iter()
            .map(|device| {
                let properties = &device.properties;
                (device.uuid, [properties.pci_domain, properties.pci_bus, properties.pci_device])
            })
            .collect();
        let bytes = Question {
            driver_version: DRIVER_VERSION as u32,
            version,
            process: std::process::id(),
            thread: os::thread_number(),
            tables: [
                cudart_interface::TABLE.address() as u64,
                TABLE.address() as u64,
                TABLE.slot(1) as u64,
            ],
            unix_seconds,
            devices: &devices,
        }
        .answer();
        if !answer.is_null() {
            // SAFETY: the runtime passes room for an answer.
            unsafe { answer.write(bytes) };
        }
        Ok(())
    })
}

impl Question<'_> {
    fn answer(&self) -> [u8; 16] {
        match self.version % 10 {
            0 => words(0x3341_181C_03CB_675C),
            1 => words(0x1841_181C_03CB_675C),
            _ => self.digest(),
        }
    }

    fn digest(&self) -> [u8; 16] {
        let Ok(mut mac) = SimpleHmac::<Md2>::new_from_slice(&KEY) else {
            // HMAC takes keys of every size.
            return [0; 16];
        };
        for number in [self.driver_version, self.version, self.process, self.thread] {
            mac.update(&number.to_le_bytes());
        }
        for address in self.tables {
            mac.update(&address.to_le_bytes());
        }
        mac.update(&self.unix_seconds.to_le_bytes());
        for (uuid, address) in self.devices {
            mac.update(uuid);
            for number in address {
                mac.update(&number.to_le_bytes());
            }
        }
        mac.finalize().into_bytes().into()
    }
}

fn words(first: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&first.to_le_bytes());
    bytes[8..].copy_from_slice(&0x8ED3_83AA_1F4C_D1E8u64.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(version: u32) -> Question<'static> {
        Question {
            driver_version: 13000,
            version,
            process: 1,
            thread: 2,
            tables: [3, 4, 5],
            unix_seconds: 6,
            devices: &[([7; 16], [8, 9, 10])],
        }
    }

    #[test]
    fn fixed_answers() {
        assert_eq!(question(13050).answer()[..8], [0x5c, 0x67, 0xcb, 0x03, 0x1c, 0x18, 0x41, 0x33]);
        assert_eq!(question(13051).answer()[..8], [0x5c, 0x67, 0xcb, 0x03, 0x1c, 0x18, 0x41, 0x18]);
        assert_eq!(question(13051).answer()[8..], [0xe8, 0xd1, 0x4c, 0x1f, 0xaa, 0x83, 0xd3, 0x8e]);
    }

    // HMAC by its definition (RFC 2104), with MD2's block of 16 bytes.
    #[test]
    fn digests_are_hmac_over_all_parts() {
        use md2::Digest;
        let mut message = Vec::new();
        for number in [13000u32, 13052, 1, 2] {
            message.extend_from_slice(&number.to_le_bytes());
        }
        for number in [3u64, 4, 5, 6] {
            message.extend_from_slice(&number.to_le_bytes());
        }
        message.extend_from_slice(&[7; 16]);
        for number in [8i32, 9, 10] {
            message.extend_from_slice(&number.to_le_bytes());
        }
        let inner =
            Md2::new().chain_update(KEY.map(|byte| byte ^ 0x36)).chain_update(&message).finalize();
        let outer =
            Md2::new().chain_update(KEY.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize();
        assert_eq!(question(13052).answer(), <[u8; 16]>::from(outer));
    }
}
