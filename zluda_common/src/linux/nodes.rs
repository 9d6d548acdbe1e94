//! Nodes of memory (NUMA).

use super::files::{Root, numbers, value};

/// The nodes whose memory this process may have, in order. `None` where the system names none.
pub fn usable(root: &Root) -> Option<Vec<u32>> {
    let present = numbers(&root.text("sys/devices/system/node/has_memory")?)?;
    let status = root.text("proc/self/status");
    let allowed = status.as_deref().and_then(|text| value(text, "Mems_allowed_list"));
    Some(match allowed.and_then(numbers) {
        Some(allowed) => present.into_iter().filter(|node| allowed.contains(node)).collect(),
        None => present,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_memory_that_the_process_may_use() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::new(folder.path().to_owned());
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        assert_eq!(usable(&root), None);
        write("sys/devices/system/node/has_memory", "1,3-4\n");
        assert_eq!(usable(&root), Some(vec![1, 3, 4]));
        write("proc/self/status", "Mems_allowed_list:\t2-3\n");
        assert_eq!(usable(&root), Some(vec![3]));
        write("proc/self/status", "Mems_allowed_list:\t0\n");
        assert_eq!(usable(&root), Some(vec![]));
    }
}
