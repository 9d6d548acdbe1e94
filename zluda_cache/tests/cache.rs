//! One process and its cache: what is stored comes back, and what is damaged does not.

use std::fs;
use std::path::{Path, PathBuf};
use zluda_cache::{Cache, Key};
use zluda_common::config::{CacheDir, Config};

const LIMIT: u64 = 1 << 20;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn database(folder: &Path) -> PathBuf {
    folder.join("kernels.sqlite3")
}

fn key(number: usize) -> Key {
    Key::new(&[b"test", &number.to_le_bytes()])
}

/// Bytes that differ from one number to the next.
fn value(number: usize, length: usize) -> Vec<u8> {
    (0..length).map(|index| (index.wrapping_mul(31) ^ number.wrapping_mul(17)) as u8).collect()
}

#[test]
fn what_is_put_comes_back_in_this_process_and_the_next() {
    let folder = folder();
    let cache = Cache::at(folder.path(), LIMIT);
    assert_eq!(cache.get(&key(1)), None);
    cache.put(&key(1), &value(1, 50_000));
    cache.put(&key(2), b"");
    assert_eq!(cache.get(&key(1)), Some(value(1, 50_000)));
    cache.put(&key(1), b"new");
    let stats = cache.stats();
    assert_eq!((stats.entries, stats.bytes, stats.hits, stats.misses), (2, 3, 1, 1));
    assert_eq!(stats.folder.as_deref(), Some(folder.path()));
    drop(cache);

    let cache = Cache::at(folder.path(), LIMIT);
    assert_eq!(cache.get(&key(1)), Some(b"new".to_vec()));
    assert_eq!(cache.get(&key(2)), Some(Vec::new()));
    assert!(cache.clear());
    assert_eq!(cache.get(&key(1)), None);
    assert_eq!((cache.stats().entries, cache.stats().bytes), (0, 0));
}

#[test]
fn two_caches_of_one_process_share_a_folder() {
    let folder = folder();
    let (a, b) = (Cache::at(folder.path(), LIMIT), Cache::at(folder.path(), LIMIT));
    a.put(&key(1), b"from a");
    assert_eq!(b.get(&key(1)), Some(b"from a".to_vec()));
    b.put(&key(2), b"from b");
    assert_eq!(a.get(&key(2)), Some(b"from b".to_vec()));
}

#[test]
fn no_file_is_touched_before_the_first_look_up() {
    let parent = folder();
    let folder = parent.path().join("zluda");
    let cache =
        Cache::open(&Config { cache_dir: CacheDir::Folder(folder.clone()), ..Config::default() });
    assert!(!folder.exists());
    assert_eq!(cache.get(&key(1)), None);
    assert!(database(&folder).exists());
}

#[test]
fn without_a_folder_nothing_is_kept() {
    let cache = Cache::open(&Config { cache_dir: CacheDir::Off, ..Config::default() });
    cache.put(&key(1), b"x");
    assert_eq!(cache.get(&key(1)), None);
    assert!(!cache.clear());
    assert_eq!(cache.stats().folder, None);
}

#[test]
fn the_size_is_bounded_and_what_was_used_last_stays() {
    let folder = folder();
    let cache = Cache::at(folder.path(), LIMIT);
    for number in 0..10 {
        cache.put(&key(number), &value(number, 100_000));
    }
    // Entry 0 was used now, the others before: only a database can say so, since all of this takes
    // hardly a second.
    let database = rusqlite::Connection::open(database(folder.path())).expect("the database opens");
    database
        .execute("UPDATE entries SET used = (SELECT min(used) FROM entries) - 1000", [])
        .expect("an update");
    assert!(cache.get(&key(0)).is_some());
    let used: i64 = database
        .query_row(
            "SELECT count(*) FROM entries WHERE used > (SELECT min(used) FROM entries)",
            [],
            |row| row.get(0),
        )
        .expect("a count");
    assert_eq!(used, 1, "a look-up notes the time");

    cache.put(&key(10), &value(10, 100_000));
    let kept: Vec<usize> = (0..=10).filter(|number| cache.get(&key(*number)).is_some()).collect();
    // 1,100,000 bytes are over the limit of 1,048,576, and a tenth below it is room for 9.
    assert_eq!(kept, [0, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert_eq!(cache.stats().bytes, 900_000);

    for number in 11..200 {
        cache.put(&key(number), &value(number, 100_000));
        assert!(cache.stats().bytes <= LIMIT);
    }
    let on_disk: u64 = fs::read_dir(folder.path())
        .expect("the folder")
        .map(|file| file.and_then(|file| file.metadata()).expect("a file").len())
        .sum();
    assert!(on_disk < 4 * LIMIT, "{on_disk} bytes on disk");

    cache.put(&key(200), &value(200, LIMIT as usize + 1));
    assert_eq!(cache.get(&key(200)), None, "what is larger than the cache is not stored");
}

#[test]
fn a_damaged_entry_is_dropped_and_can_be_stored_again() {
    let folder = folder();
    let cache = Cache::at(folder.path(), LIMIT);
    cache.put(&key(1), &value(1, 1000));
    cache.put(&key(2), &value(2, 1000));
    let database = rusqlite::Connection::open(database(folder.path())).expect("the database opens");
    let damage =
        "UPDATE entries SET value = (SELECT value FROM entries WHERE key = ?2) WHERE key = ?1";
    assert_eq!(database.execute(damage, [key(1).as_bytes(), key(2).as_bytes()]), Ok(1));
    assert_eq!(cache.get(&key(1)), None, "another entry's code is not this entry's");
    assert_eq!(cache.stats().entries, 1, "the damaged entry is gone");
    cache.put(&key(1), &value(1, 1000));
    assert_eq!(cache.get(&key(1)), Some(value(1, 1000)));
}

#[test]
fn a_damaged_database_begins_anew() {
    let garbage = value(3, 10_000);
    type Damage<'a> = (&'a str, &'a dyn Fn(&Path));
    let damages: [Damage; 5] = [
        ("not a database", &|file| fs::write(file, &garbage).expect("a write")),
        ("empty", &|file| fs::write(file, b"").expect("a write")),
        ("cut short", &|file| {
            let bytes = fs::read(file).expect("a read");
            fs::write(file, &bytes[..bytes.len() / 2 + 100]).expect("a write");
        }),
        ("pages overwritten", &|file| {
            let mut bytes = fs::read(file).expect("a read");
            bytes[4096..].fill(0x5a);
            fs::write(file, bytes).expect("a write");
        }),
        ("another version", &|file| {
            let database = rusqlite::Connection::open(file).expect("the database opens");
            database
                .execute_batch("DROP TABLE entries; PRAGMA user_version = 77")
                .expect("changes");
        }),
    ];
    for (name, damage) in damages {
        let folder = folder();
        let cache = Cache::at(folder.path(), LIMIT);
        for number in 0..20 {
            cache.put(&key(number), &value(number, 5000));
        }
        drop(cache);
        damage(&database(folder.path()));

        let cache = Cache::at(folder.path(), LIMIT);
        for number in 0..20 {
            let found = cache.get(&key(number));
            assert!(
                found.is_none() || found == Some(value(number, 5000)),
                "{name}: a wrong entry {number}"
            );
        }
        for number in 0..20 {
            cache.put(&key(number), &value(number, 6000));
        }
        for number in 0..20 {
            assert_eq!(
                cache.get(&key(number)),
                Some(value(number, 6000)),
                "{name}: entry {number}"
            );
        }
    }
}

#[test]
fn damage_that_comes_while_the_database_is_open_is_found() {
    let folder = folder();
    let cache = Cache::at(folder.path(), LIMIT);
    for number in 0..50 {
        cache.put(&key(number), &value(number, 5000));
    }
    let file = database(folder.path());
    rusqlite::Connection::open(&file)
        .expect("the database opens")
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE); DROP TABLE entries;")
        .expect("changes");
    assert_eq!(cache.get(&key(1)), None);
    cache.put(&key(1), b"again");
    assert_eq!(cache.get(&key(1)), Some(b"again".to_vec()));
}

#[cfg(unix)]
mod permissions {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the file is ours");
    }

    #[test]
    fn what_others_can_write_to_is_not_used() {
        let folder = folder();
        Cache::at(folder.path(), LIMIT).put(&key(1), b"x");
        set_mode(&database(folder.path()), 0o606);
        assert_eq!(Cache::at(folder.path(), LIMIT).get(&key(1)), None);
        set_mode(&database(folder.path()), 0o600);
        set_mode(folder.path(), 0o777);
        assert_eq!(Cache::at(folder.path(), LIMIT).get(&key(1)), None);
        set_mode(folder.path(), 0o700);
        assert_eq!(Cache::at(folder.path(), LIMIT).get(&key(1)), Some(b"x".to_vec()));
    }

    #[test]
    fn files_are_private() {
        let folder = folder();
        Cache::at(folder.path(), LIMIT).put(&key(1), b"x");
        let mode =
            fs::metadata(database(folder.path())).expect("the database").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_cache() {
        let parent = folder();
        fs::write(parent.path().join("file"), b"").expect("a write");
        let cache = Cache::at(&parent.path().join("file/zluda"), LIMIT);
        cache.put(&key(1), b"x");
        assert_eq!(cache.get(&key(1)), None);
        assert_eq!(cache.stats().folder, None);
    }

    /// Runs on a thread that root's rights are taken from, if the test has them.
    fn as_someone_who_cannot_write(action: impl FnOnce() + Send) {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // SAFETY: both calls have no preconditions; setfsuid is about this thread alone.
                unsafe {
                    if libc::geteuid() == 0 {
                        libc::setfsuid(65_534);
                    }
                }
                action();
            });
        });
    }

    #[test]
    fn a_read_only_cache_is_read() {
        let folder = folder();
        let cache = Cache::at(folder.path(), LIMIT);
        cache.put(&key(1), b"x");
        drop(cache);
        set_mode(&database(folder.path()), 0o444);
        set_mode(folder.path(), 0o555);
        as_someone_who_cannot_write(|| {
            let cache = Cache::at(folder.path(), LIMIT);
            assert_eq!(cache.get(&key(1)), Some(b"x".to_vec()));
            cache.put(&key(2), b"y");
            assert_eq!(cache.get(&key(2)), None);
            assert!(!cache.clear());
            assert_eq!(cache.get(&key(1)), Some(b"x".to_vec()));
        });
        set_mode(folder.path(), 0o755);
    }

    #[test]
    fn an_empty_read_only_folder_is_no_cache() {
        let folder = folder();
        set_mode(folder.path(), 0o555);
        as_someone_who_cannot_write(|| {
            let cache = Cache::at(folder.path(), LIMIT);
            cache.put(&key(1), b"x");
            assert_eq!(cache.get(&key(1)), None);
        });
        set_mode(folder.path(), 0o755);
    }
}
