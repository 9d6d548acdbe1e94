//! The database: one table of entries, SQLite in WAL mode.

use crate::folder::check_trusted;
use crate::key::Key;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, params};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const FILE: &str = "kernels.sqlite3";

/// `PRAGMA user_version`; a database with another one is replaced.
const VERSION: i64 = 1;

/// The time to wait for another process that writes. Its transactions take well below a millisecond.
const BUSY_TIMEOUT: Duration = Duration::from_millis(500);

/// An entry's time of last use is written again when it is older than this, so that look-ups seldom write.
const USED_GRANULARITY: i64 = 60;

/// `totals` is kept by triggers, so that the size is known without a scan.
const SCHEMA: &str = "
    CREATE TABLE entries (
        id INTEGER PRIMARY KEY,
        key BLOB NOT NULL UNIQUE,
        checksum BLOB NOT NULL,
        used INTEGER NOT NULL,
        size INTEGER NOT NULL,
        value BLOB NOT NULL
    );
    CREATE INDEX entries_used ON entries (used);
    CREATE TABLE totals (entries INTEGER NOT NULL, bytes INTEGER NOT NULL);
    INSERT INTO totals VALUES (0, 0);
    CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
        UPDATE totals SET entries = entries + 1, bytes = bytes + new.size;
    END;
    CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
        UPDATE totals SET entries = entries - 1, bytes = bytes - old.size;
    END;
";

/// An open database.
#[derive(Debug)]
pub(crate) struct Store {
    connection: Connection,
    /// Opened in a folder that this user cannot write to: nothing is stored, nothing is dropped.
    read_only: bool,
}

/// The path of the database in the cache's folder.
pub(crate) fn path(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// The database does not hold what it must. A failed read counts too: a truncated file gives one.
pub(crate) fn is_corruption(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => {
            matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
                || failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ
                // The statements are right, so the tables are not.
                || failure.extended_code == rusqlite::ffi::SQLITE_ERROR
        }
        // A column of another type than the schema says, or a table without its row.
        rusqlite::Error::InvalidColumnType(..) | rusqlite::Error::QueryReturnedNoRows => true,
        rusqlite::Error::SqlInputError { .. } => true,
        _ => false,
    }
}

/// Removes the database. Processes that have it open go on with what they have.
pub(crate) fn remove_files(folder: &Path) -> io::Result<()> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        match fs::remove_file(folder.join(format!("{FILE}{suffix}"))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

impl Store {
    /// Opens the database of `folder`, or makes it. An error is the reason for the log.
    pub(crate) fn open(folder: &Path) -> Result<Self, String> {
        match Self::open_file(folder) {
            Err(OpenError::Database(error)) if is_corruption(&error) => {
                tracing::warn!(
                    "the cache in {} is damaged ({error}) and begins anew",
                    folder.display()
                );
                remove_files(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
                Self::open_file(folder)
            }
            Ok(store)
                if !store.read_only && store.version().is_ok_and(|version| version != VERSION) =>
            {
                drop(store);
                remove_files(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
                Self::open_file(folder)
            }
            result => result,
        }
        .map_err(|error| match error {
            OpenError::Untrusted(reason) => reason,
            OpenError::Io(error) => format!("{}: {error}", path(folder).display()),
            OpenError::Database(error) => format!("{}: {error}", path(folder).display()),
        })
    }

    fn open_file(folder: &Path) -> Result<Self, OpenError> {
        let path = path(folder);
        match create_private(&path) {
            Err(error) if !path.exists() => return Err(OpenError::Io(error)),
            _ => {}
        }
        check_trusted(&path).map_err(OpenError::Untrusted)?;
        match patiently(|| Self::open_writable(&path)) {
            Err(error) if is_read_only(&error) => {
                Self::open_read_only(&path).map_err(OpenError::Database)
            }
            result => result.map_err(OpenError::Database),
        }
    }

    fn open_writable(path: &Path) -> rusqlite::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(16);
        // Nothing here is worth waiting for the disk: checksums find what a power failure spoils.
        // A short log makes opening quick, since the first process to open it reads it whole.
        connection.execute_batch(
            "PRAGMA synchronous = OFF;
             PRAGMA auto_vacuum = INCREMENTAL;
             PRAGMA trusted_schema = OFF;
             PRAGMA wal_autocheckpoint = 64;
             PRAGMA journal_size_limit = 1048576;",
        )?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version == 0 {
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another process may have come first.
            if transaction.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))?
                == 0
            {
                transaction.execute_batch(SCHEMA)?;
                transaction.pragma_update(None, "user_version", VERSION)?;
            }
            transaction.commit()?;
        }
        Ok(Self { connection, read_only: false })
    }

    /// `immutable` spares the files beside the database that a reader would have to make. What another
    /// process writes meanwhile may be missed; what is torn fails its checksum.
    fn open_read_only(path: &Path) -> rusqlite::Result<Self> {
        let mut uri = String::from("file:");
        for byte in path.as_os_str().as_encoded_bytes() {
            match byte {
                b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                    uri.push(char::from(*byte))
                }
                byte => uri.push_str(&format!("%{byte:02x}")),
            }
        }
        uri.push_str("?immutable=1");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        Ok(Self { connection: Connection::open_with_flags(uri, flags)?, read_only: true })
    }

    fn version(&self) -> rusqlite::Result<i64> {
        self.connection.pragma_query_value(None, "user_version", |row| row.get(0))
    }

    /// The value of a key, if there is one; notes the time of its use. A damaged one counts as none, and is removed
    /// where the cache can be written. Fails as SQLite does.
    pub(crate) fn get(&mut self, key: &Key) -> rusqlite::Result<Option<Vec<u8>>> {
        let row = self
            .connection
            .prepare_cached("SELECT id, checksum, used, value FROM entries WHERE key = ?1")?
            .query_row([key.as_bytes()], |row| {
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get::<_, Vec<u8>>(1)?,
                    row.get::<_, i64>(2)?,
                    row.get::<_, Vec<u8>>(3)?,
                ))
            })
            .optional()?;
        let Some((id, checksum, used, value)) = row else { return Ok(None) };
        if checksum != key.checksum(&value) {
            tracing::warn!("the cache's entry {key} is damaged and is built again");
            if !self.read_only {
                self.connection.execute("DELETE FROM entries WHERE id = ?1", [id])?;
            }
            return Ok(None);
        }
        let now = now();
        if !self.read_only && now.abs_diff(used) > USED_GRANULARITY.unsigned_abs() {
            // A time of use that cannot be written now does not make the entry less good.
            let _ =
                self.connection.execute("UPDATE entries SET used = ?2 WHERE id = ?1", [id, now]);
        }
        Ok(Some(value))
    }

    /// Writes the value of a key, in the place of an older one; does nothing in a cache that is read only. Where the
    /// values then have more than `limit` bytes, those used longest ago go until nine tenths of that are left. Fails as
    /// SQLite does.
    pub(crate) fn put(&mut self, key: &Key, value: &[u8], limit: u64) -> rusqlite::Result<()> {
        if self.read_only {
            return Ok(());
        }
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Not INSERT OR REPLACE: that removes the old row without running the trigger.
        transaction
            .prepare_cached("DELETE FROM entries WHERE key = ?1")?
            .execute([key.as_bytes()])?;
        transaction
            .prepare_cached("INSERT INTO entries (key, checksum, used, size, value) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![key.as_bytes(), key.checksum(value), now(), value.len() as i64, value])?;
        let (_, bytes) = totals(&transaction)?;
        let evicted = bytes > limit;
        if evicted {
            evict(&transaction, limit - limit / 10)?;
        }
        transaction.commit()?;
        if evicted {
            self.connection.execute_batch("PRAGMA incremental_vacuum")?;
        }
        Ok(())
    }

    /// Entries, and their bytes.
    pub(crate) fn totals(&mut self) -> rusqlite::Result<(u64, u64)> {
        totals(&self.connection)
    }

    /// Removes all entries, and gives their room back to the file system. Fails as SQLite does.
    pub(crate) fn clear(&mut self) -> rusqlite::Result<()> {
        self.connection.execute_batch(
            "DELETE FROM entries;
             PRAGMA incremental_vacuum;
             PRAGMA wal_checkpoint(TRUNCATE);",
        )
    }
}

fn totals(connection: &Connection) -> rusqlite::Result<(u64, u64)> {
    connection.prepare_cached("SELECT entries, bytes FROM totals")?.query_row([], |row| {
        Ok((
            row.get::<_, i64>(0)?.max(0).unsigned_abs(),
            row.get::<_, i64>(1)?.max(0).unsigned_abs(),
        ))
    })
}

/// Drops entries, those first whose last use is longest ago, until at most `goal` bytes are left. The
/// newest entry stays.
fn evict(connection: &Connection, goal: u64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM entries WHERE id IN (
                SELECT id FROM (
                    SELECT id, sum(size) OVER (ORDER BY used DESC, id DESC) AS kept FROM entries
                ) WHERE kept > ?1
             ) AND id <> (SELECT max(id) FROM entries)",
        )?
        .execute([i64::try_from(goal).unwrap_or(i64::MAX)])?;
    Ok(())
}

/// Seconds since 1970.
fn now() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX)
}

enum OpenError {
    Untrusted(String),
    Io(io::Error),
    Database(rusqlite::Error),
}

/// The file or its folder cannot be written to by this user.
fn is_read_only(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
}

/// Repeats what fails because another process is making the database at this moment: SQLite does not
/// wait by itself while the journal mode changes.
fn patiently<R>(mut action: impl FnMut() -> rusqlite::Result<R>) -> rusqlite::Result<R> {
    let step = Duration::from_millis(5);
    for _ in 0..BUSY_TIMEOUT.as_millis() / step.as_millis() {
        match action() {
            Err(error) if is_busy(&error) => std::thread::sleep(step),
            result => return result,
        }
    }
    action()
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Makes the file, empty and for this user alone; the files that SQLite makes beside it get the same
/// permissions. A file that is there is not opened: closing it again would end the locks that this
/// process may hold on it.
fn create_private(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_loses_the_new_entry_alone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let Ok(mut store) = Store::open(folder.path()) else { unreachable!("the folder is ours") };
        let (small, large) = (Key::new(&[b"small"]), Key::new(&[b"large"]));
        assert_eq!(store.put(&small, &[7; 1000], 1 << 30), Ok(()));
        store.connection.execute_batch("PRAGMA max_page_count = 30").expect("a limit on the file");
        let error = store.put(&large, &[8; 1 << 20], 1 << 30).expect_err("there is no room");
        assert_eq!(error.sqlite_error_code(), Some(ErrorCode::DiskFull));
        assert!(!is_corruption(&error));
        assert_eq!(store.get(&small), Ok(Some(vec![7; 1000])));
        assert_eq!(store.get(&large), Ok(None));
        assert_eq!(store.put(&large, &[8; 2000], 1 << 30), Ok(()));
        assert_eq!(store.totals(), Ok((2, 3000)));
    }

    #[test]
    fn paths_with_special_characters_can_be_read() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let folder = parent.path().join(if cfg!(windows) { "a b#d%41é" } else { "a b?c#d%41é" });
        fs::create_dir(&folder).expect("a folder");
        let key = Key::new(&[b"k"]);
        {
            let Ok(mut store) = Store::open(&folder) else { unreachable!("the folder is ours") };
            assert_eq!(store.put(&key, b"v", 100), Ok(()));
        }
        let mut store = Store::open_read_only(&path(&folder)).expect("the database is there");
        assert_eq!(store.get(&key), Ok(Some(b"v".to_vec())));
    }
}
