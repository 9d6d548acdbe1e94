//! Handles that programs hold. They are looked up, never followed: stale and foreign ones are found out.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::RwLock;
use rustc_hash::FxHashMap;

/// No two handles of any kind are ever the same; small numbers are reserved.
static NEXT: AtomicUsize = AtomicUsize::new(0x1000);

/// An object that was found. The default one, which most calls are about, is known without a reference that is counted.
pub enum Found<T: 'static> {
    Default(&'static Arc<T>),
    Other(Arc<T>),
}

impl<T> Deref for Found<T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        match self {
            Found::Default(object) => object,
            Found::Other(object) => object,
        }
    }
}

/// The objects of one kind, by handle.
pub struct Handles<T>(RwLock<FxHashMap<usize, Arc<T>>>);

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Handles(RwLock::default())
    }
}

impl<T> Handles<T> {
    /// Gives an object a handle.
    pub fn insert<H>(&self, object: Arc<T>) -> *mut H {
        let handle = NEXT.fetch_add(16, Ordering::Relaxed);
        self.0.write().insert(handle, object);
        std::ptr::without_provenance_mut(handle)
    }

    /// The object of a handle, if it has one.
    pub fn get<H>(&self, handle: *mut H) -> Option<Arc<T>> {
        self.0.read().get(&handle.addr()).cloned()
    }

    /// Ends a handle.
    pub fn remove<H>(&self, handle: *mut H) -> Option<Arc<T>> {
        self.0.write().remove(&handle.addr())
    }

    /// Ends those handles whose objects are not wanted.
    pub fn retain(&self, wanted: impl Fn(&T) -> bool) {
        self.0.write().retain(|_, object| wanted(object));
    }
}
