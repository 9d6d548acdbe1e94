//! Compiled kernels on disk, shared by all processes of a user.
//!
//! Start with [`Cache`]. [`Key`] names an entry; `folder` decides where the database lies and whether
//! it may be trusted; `store` is the database itself.
//!
//! Whatever goes wrong here (no folder, a full disk, a corrupted file) costs speed and one log line,
//! never a result: a look-up that cannot be answered is a miss, and what cannot be stored is dropped.

mod folder;
mod key;
mod store;

use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use store::Store;
use zluda_common::config::Config;

pub use key::Key;

/// The cache of a process. The database is opened by the first look-up.
#[derive(Debug)]
pub struct Cache {
    /// `None`: the configuration says that there is no cache, or no place for one was found.
    folder: Option<PathBuf>,
    /// Bytes.
    limit: u64,
    state: Mutex<State>,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Debug)]
enum State {
    NotOpened,
    /// Belongs to the process with this id: a child made by `fork` must not use its parent's.
    Open(u32, Store),
    /// The reason was logged.
    Unusable,
}

/// The contents of a cache, and its work for this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// `None`: there is no cache, or it is not usable.
    pub folder: Option<PathBuf>,
    pub entries: u64,
    /// Bytes of all entries.
    pub bytes: u64,
    /// The most that [`bytes`](Self::bytes) may become.
    pub limit: u64,
    /// Look-ups by this process that found something.
    pub hits: u64,
    /// Look-ups by this process that found nothing.
    pub misses: u64,
}

impl Cache {
    /// The cache that `ZLUDA_CACHE_DIR` and `ZLUDA_CACHE_SIZE` describe. Touches no file.
    pub fn open(config: &Config) -> Self {
        Self::new(
            folder::choose(&config.cache_dir, |name| std::env::var_os(name)),
            config.cache_size,
        )
    }

    /// A cache in `folder` that holds up to `limit` bytes. Touches no file.
    pub fn at(folder: &Path, limit: u64) -> Self {
        Self::new(Some(folder.to_owned()), limit)
    }

    fn new(folder: Option<PathBuf>, limit: u64) -> Self {
        Self {
            folder,
            limit,
            state: Mutex::new(State::NotOpened),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// The entry that was stored under `key`, byte for byte.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let found = self.with_store(|store| store.get(key)).flatten();
        let counter = if found.is_some() { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    /// Stores `value` under `key`, in place of what was there. Entries that were not used for long make room.
    pub fn put(&self, key: &Key, value: &[u8]) {
        if value.len() as u64 <= self.limit {
            self.with_store(|store| store.put(key, value, self.limit));
        }
    }

    /// The entries, counted now, and the look-ups so far. A cache that cannot be used has no folder and no entries.
    pub fn stats(&self) -> Stats {
        let totals = self.with_store(Store::totals);
        let (entries, bytes) = totals.unwrap_or_default();
        Stats {
            folder: self.folder.clone().filter(|_| totals.is_some()),
            entries,
            bytes,
            limit: self.limit,
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }

    /// Removes all entries and gives their space back. False: the cache cannot be used or written to.
    pub fn clear(&self) -> bool {
        self.with_store(Store::clear).is_some()
    }

    /// Runs `action` on the open database. A database that proves corrupt is replaced by a new one,
    /// once; all other failures count as "nothing there".
    fn with_store<R>(&self, action: impl Fn(&mut Store) -> rusqlite::Result<R>) -> Option<R> {
        let folder = self.folder.as_deref()?;
        let mut state = self.state.lock();
        for attempt in 0..2 {
            let store = open_store(&mut state, folder)?;
            match action(store) {
                Ok(result) => return Some(result),
                Err(error) if store::is_corruption(&error) && attempt == 0 => {
                    tracing::warn!(
                        "the cache in {} is damaged ({error}) and begins anew",
                        folder.display()
                    );
                    *state = State::NotOpened;
                    if let Err(error) = store::remove_files(folder) {
                        tracing::warn!(
                            "the damaged cache in {} cannot be removed: {error}",
                            folder.display()
                        );
                        *state = State::Unusable;
                    }
                }
                Err(error) => {
                    if zluda_common::log::first_time(&format!("cache {} {error}", folder.display()))
                    {
                        tracing::warn!(
                            "the cache in {} cannot be used now: {error}",
                            folder.display()
                        );
                    }
                    return None;
                }
            }
        }
        None
    }
}

fn open_store<'a>(state: &'a mut State, folder: &Path) -> Option<&'a mut Store> {
    let process = std::process::id();
    if let State::Open(owner, _) = state
        && *owner != process
    {
        // Closing it would take the parent's locks away, so it is left as it is.
        std::mem::forget(std::mem::replace(state, State::NotOpened));
    }
    if matches!(state, State::NotOpened) {
        *state = match folder::prepare(folder).and_then(|()| Store::open(folder)) {
            Ok(store) => State::Open(process, store),
            Err(reason) => {
                tracing::warn!("compiled kernels are not kept: {reason}");
                State::Unusable
            }
        };
    }
    match state {
        State::Open(_, store) => Some(store),
        State::NotOpened | State::Unusable => None,
    }
}
