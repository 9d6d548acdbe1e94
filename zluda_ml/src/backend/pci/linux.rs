//! What a device on the PCI bus is, and what it is near to, as `/sys` describes it.

use super::PciAddress;
use crate::backend::{Locality, PciIdentity, Scope, Telemetry};
use std::path::PathBuf;
use zluda_common::linux::files::{Root, numbers};

/// A place on the bus of which nothing else is known.
#[derive(Debug)]
pub struct Place {
    root: Root,
    pub(in crate::backend) address: PciAddress,
}

impl Place {
    pub fn new(address: PciAddress) -> Place {
        Place::below("/", address)
    }

    /// Reads below the folder `root` what [`Place::new`] reads below `/`.
    pub fn below(root: impl Into<PathBuf>, address: PciAddress) -> Place {
        Place { root: Root::new(root.into()), address }
    }

    fn path(&self, file: &str) -> String {
        let PciAddress { domain, bus, device, function } = self.address;
        format!("sys/bus/pci/devices/{domain:04x}:{bus:02x}:{device:02x}.{function:x}/{file}")
    }

    /// A number that is written with `0x`.
    fn number(&self, file: &str) -> Option<u32> {
        let text = self.root.text(self.path(file))?;
        u32::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
    }

    fn numbers(&self, path: impl AsRef<std::path::Path>) -> Option<Vec<u32>> {
        numbers(&self.root.text(path)?)
    }

    /// The processors of all packages that these processors are of; themselves where Linux does not say.
    fn packages_of(&self, processors: Vec<u32>) -> Vec<u32> {
        let mut all = Vec::new();
        for processor in processors {
            if all.contains(&processor) {
                continue;
            }
            let path = format!("sys/devices/system/cpu/cpu{processor}/topology/package_cpus_list");
            all.extend(self.numbers(path).unwrap_or_else(|| vec![processor]));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The nodes that have one of these processors.
    fn nodes_of(&self, processors: &[u32]) -> Vec<u32> {
        let nodes = self.numbers("sys/devices/system/node/online").unwrap_or_default();
        let is_near = |node: &u32| {
            let of_node = self.numbers(format!("sys/devices/system/node/node{node}/cpulist"));
            of_node.is_some_and(|of_node| of_node.iter().any(|one| processors.contains(one)))
        };
        nodes.into_iter().filter(is_near).collect()
    }
}

impl Telemetry for Place {
    fn locality(&self, scope: Scope) -> Option<Locality> {
        let near = self.numbers(self.path("local_cpulist"))?;
        let processors = match scope {
            Scope::Node => near,
            Scope::Socket => self.packages_of(near),
        };
        // -1 where the bus belongs to no node.
        let node: Option<i32> = self.root.number(self.path("numa_node"));
        let nodes = match (scope, node.map(u32::try_from)) {
            (Scope::Node, Some(Ok(node))) => vec![node],
            _ => self.nodes_of(&processors),
        };
        Some(Locality { processors, nodes })
    }

    fn pci_identity(&self) -> Option<PciIdentity> {
        let word = |file| u16::try_from(self.number(file)?).ok();
        // Class, subclass and interface.
        let [_, class, subclass, _] = self.number("class")?.to_be_bytes();
        Some(PciIdentity {
            vendor: word("vendor")?,
            device: word("device")?,
            subsystem_vendor: word("subsystem_vendor").unwrap_or(0),
            subsystem: word("subsystem_device").unwrap_or(0),
            class,
            subclass,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: PciAddress = PciAddress { domain: 1, bus: 0xc3, device: 2, function: 1 };
    const DEVICE: &str = "sys/bus/pci/devices/0001:c3:02.1";

    fn place(files: &[(&str, &str)]) -> (tempfile::TempDir, Place) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path.replace("DEVICE", DEVICE));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let place = Place::below(folder.path(), ADDRESS);
        (folder, place)
    }

    #[test]
    fn a_gpu_is_near_its_node_and_its_package() {
        // Two packages of two nodes each.
        let (_folder, place) = place(&[
            ("DEVICE/local_cpulist", "2-3\n"),
            ("DEVICE/numa_node", "1\n"),
            ("sys/devices/system/cpu/cpu2/topology/package_cpus_list", "0-3\n"),
            ("sys/devices/system/cpu/cpu3/topology/package_cpus_list", "0-3\n"),
            ("sys/devices/system/node/online", "0-3\n"),
            ("sys/devices/system/node/node0/cpulist", "0-1\n"),
            ("sys/devices/system/node/node1/cpulist", "2-3\n"),
            ("sys/devices/system/node/node2/cpulist", "4-5\n"),
            ("sys/devices/system/node/node3/cpulist", "6-7\n"),
        ]);
        let near = Locality { processors: vec![2, 3], nodes: vec![1] };
        assert_eq!(place.locality(Scope::Node), Some(near));
        let near = Locality { processors: vec![0, 1, 2, 3], nodes: vec![0, 1] };
        assert_eq!(place.locality(Scope::Socket), Some(near));
    }

    #[test]
    fn a_bus_of_no_node_is_near_all_that_its_processors_are_of() {
        let (_folder, place) = place(&[
            ("DEVICE/local_cpulist", "0-3\n"),
            ("DEVICE/numa_node", "-1\n"),
            ("sys/devices/system/node/online", "0\n"),
            ("sys/devices/system/node/node0/cpulist", "0-3\n"),
        ]);
        let near = Locality { processors: vec![0, 1, 2, 3], nodes: vec![0] };
        assert_eq!(place.locality(Scope::Node), Some(near.clone()));
        assert_eq!(place.locality(Scope::Socket), Some(near));
    }

    #[test]
    fn an_identity_is_read_whole_or_not() {
        let files = [
            ("DEVICE/vendor", "0x1002\n"),
            ("DEVICE/device", "0x744c\n"),
            ("DEVICE/subsystem_vendor", "0x1da2\n"),
            ("DEVICE/subsystem_device", "0x471e\n"),
            ("DEVICE/class", "0x038001\n"),
        ];
        let (_folder, whole) = place(&files);
        let identity = PciIdentity {
            vendor: 0x1002,
            device: 0x744c,
            subsystem_vendor: 0x1da2,
            subsystem: 0x471e,
            class: 3,
            subclass: 0x80,
        };
        assert_eq!(whole.pci_identity(), Some(identity));
        for missing in [0, 1, 4] {
            let mut some = files.to_vec();
            some.remove(missing);
            let (_folder, part) = place(&some);
            assert_eq!(part.pci_identity(), None, "without {}", files[missing].0);
        }
        assert_eq!(place(&[]).1.locality(Scope::Node), None);
    }
}
