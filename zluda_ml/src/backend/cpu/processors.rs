//! Which processors this process may use.

use zluda_common::linux::files::{Root, ranges, value};

/// A set of processors by their numbers; all of them where the system does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Processors(Option<Vec<(u32, u32)>>);

impl Processors {
    pub(super) fn usable(root: &Root) -> Processors {
        let status = root.text("proc/self/status");
        let list = status.as_deref().and_then(|text| value(text, "Cpus_allowed_list"));
        Processors(list.and_then(ranges))
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        let Processors(Some(ranges)) = self else { return true };
        ranges.iter().any(|&(first, last)| (first..=last).contains(&number))
    }

    /// The names of those below `/sys/devices/system/cpu`, in order.
    pub(super) fn folders(&self, root: &Root) -> Vec<String> {
        let names = root.names("sys/devices/system/cpu").into_iter();
        let ours = names.filter(|name| {
            let number = name.strip_prefix("cpu").and_then(|number| number.parse().ok());
            number.is_some_and(|number| self.contains(number))
        });
        ours.map(|name| format!("sys/devices/system/cpu/{name}")).collect()
    }
}
