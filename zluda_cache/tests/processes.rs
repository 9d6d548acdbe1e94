//! Several processes at one cache at once.

use std::process::{Command, Stdio};
use zluda_cache::{Cache, Key};

const FOLDER: &str = "CACHE_TEST_FOLDER";
const WORKER: &str = "CACHE_TEST_WORKER";
const ENTRIES: usize = 60;

fn key(number: usize) -> Key {
    Key::new(&[&number.to_le_bytes()])
}

fn value(number: usize) -> Vec<u8> {
    vec![number as u8; 3000 + number * 100]
}

/// The work of each process.
#[test]
#[ignore = "the other test runs it, in four processes"]
fn worker() {
    let folder = std::env::var_os(FOLDER).expect("the other test sets it");
    let worker: usize =
        std::env::var(WORKER).expect("the worker's number").parse().expect("a number");
    let cache = Cache::at(folder.as_ref(), 1 << 20);
    for round in 0..5 {
        for step in 0..ENTRIES {
            // The workers begin at different places and meet.
            let number = (step + worker * ENTRIES / 4) % ENTRIES;
            match cache.get(&key(number)) {
                Some(found) => assert_eq!(found, value(number), "round {round}, entry {number}"),
                None => cache.put(&key(number), &value(number)),
            }
        }
    }
    assert_eq!(cache.stats().entries, ENTRIES as u64);
}

#[test]
fn four_processes_share_a_new_cache() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = std::env::current_exe().expect("this program");
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            Command::new(&program)
                .args(["worker", "--exact", "--ignored", "--nocapture"])
                .env(FOLDER, folder.path())
                .env(WORKER, worker.to_string())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("a worker starts")
        })
        .collect();
    for worker in workers {
        let output = worker.wait_with_output().expect("a worker ends");
        let text =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
    }
    let cache = Cache::at(folder.path(), 1 << 20);
    for number in 0..ENTRIES {
        assert_eq!(cache.get(&key(number)), Some(value(number)), "entry {number}");
    }
    assert_eq!(cache.stats().entries, ENTRIES as u64);
}

#[cfg(unix)]
#[test]
fn a_forked_child_uses_a_connection_of_its_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = Cache::at(folder.path(), 1 << 20);
    cache.put(&key(1), &value(1));
    // SAFETY: the child uses the cache alone, whose lock nobody holds, and ends without running
    // anything of the parent's.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let good = cache.get(&key(1)) == Some(value(1));
        cache.put(&key(2), &value(2));
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(i32::from(!good)) };
    }
    assert!(child > 0);
    for number in 3..20 {
        cache.put(&key(number), &value(number));
    }
    let mut status = -1;
    // SAFETY: `status` is a place to write to.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0);
    for number in 1..20 {
        assert_eq!(cache.get(&key(number)), Some(value(number)), "entry {number}");
    }
}
