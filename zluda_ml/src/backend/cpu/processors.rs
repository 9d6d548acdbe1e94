//! Which processors this process may use.

use zluda_common::linux::files::{Root, value};

/// More than any machine has.
const MOST: u32 = 1 << 16;

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

/// A list as the kernel writes it: `0-3,8,10-11`.
fn ranges(list: &str) -> Option<Vec<(u32, u32)>> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last && last < MOST).then_some((first, last))
    };
    list.split(',').map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_the_kernel() {
        assert_eq!(ranges("0"), Some(vec![(0, 0)]));
        assert_eq!(ranges("0-3,8,10-11"), Some(vec![(0, 3), (8, 8), (10, 11)]));
        for garbage in ["", ",", "1-", "-1", "3-1", "0-99999999999", "a", "0-4294967295"] {
            assert_eq!(ranges(garbage), None, "{garbage}");
        }
    }
}
