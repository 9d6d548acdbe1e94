//! Objects of programs that live as long as a graph that may use them.

use super::Graph;
use crate::convert::FromC;
use cuda_types::cuda::{CUerror, CUres, CUuserObject};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, OnceLock, Weak};
use zluda_common::handle::{HandleTable, Kind};

/// Destroyed when its last reference goes.
#[derive(Debug)]
pub(crate) struct UserObject {
    handle: OnceLock<u64>,
    destroy: unsafe extern "C" fn(*mut c_void),
    data: Data,
}

/// A pointer of the program that only its own function follows.
#[derive(Clone, Copy, Debug)]
struct Data(*mut c_void);

// SAFETY: the program said that its function may have the pointer, on whatever thread.
unsafe impl Send for Data {}
// SAFETY: as above.
unsafe impl Sync for Data {}

impl Data {
    fn get(self) -> *mut c_void {
        self.0
    }
}

/// The object that a handle names, and the program's own references.
#[derive(Debug)]
pub(crate) struct Handle {
    object: Weak<UserObject>,
    own: Mutex<(u32, Option<Arc<UserObject>>)>,
}

static HANDLES: LazyLock<HandleTable<Handle>> =
    LazyLock::new(|| HandleTable::new(Kind::USER_OBJECT));

impl FromC<CUuserObject> for Arc<Handle> {
    unsafe fn from_c(handle: CUuserObject) -> CUres<Self> {
        HANDLES.get(handle as u64).ok_or(CUerror::INVALID_VALUE)
    }
}

impl Drop for UserObject {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.get() {
            HANDLES.remove(*handle);
        }
        let end = End { destroy: self.destroy, data: self.data };
        let collect = |ends: &RefCell<Option<Vec<End>>>| {
            ends.borrow_mut().as_mut().map(|ends| ends.push(end)).is_some()
        };
        if ENDS.try_with(collect).unwrap_or(false) {
            return;
        }
        // The caller may hold locks.
        let thread = std::thread::Builder::new().name("zluda-destructor".to_owned());
        if let Err(error) = thread.spawn(move || end.call()) {
            tracing::error!("no thread for the destructor of an object: {error}");
        }
    }
}

/// A call of a destructor, which "must not call CUDA".
#[derive(Clone, Copy, Debug)]
struct End {
    destroy: unsafe extern "C" fn(*mut c_void),
    data: Data,
}

impl End {
    fn call(self) {
        // SAFETY: the program gave function and data for each other.
        unsafe { (self.destroy)(self.data.get()) }
    }
}

thread_local! {
    /// The destructors of what ends in [`end_here`].
    static ENDS: RefCell<Option<Vec<End>>> = const { RefCell::new(None) };
}

/// Does what may take the last references of objects away, without a lock. Their destructors have run when it returns, on the
/// caller's thread, as on an H100; those of an executable graph that was launched run on a thread of the driver there.
pub(crate) fn end_here<R>(work: impl FnOnce() -> R) -> R {
    let before = ENDS.try_with(|ends| ends.replace(Some(Vec::new()))).ok().flatten();
    let result = work();
    let ends = ENDS.try_with(|ends| ends.replace(before)).ok().flatten();
    ends.into_iter().flatten().for_each(End::call);
    result
}

/// Makes an object with so many references of the program; `destroy` is called with `data` when all are gone.
pub(crate) fn create(
    destroy: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
    references: u32,
) -> CUres<CUuserObject> {
    let object = Arc::new(UserObject { handle: OnceLock::new(), destroy, data: Data(data) });
    let handle = Handle {
        object: Arc::downgrade(&object),
        own: Mutex::new((references, Some(object.clone()))),
    };
    let handle = HANDLES.insert(Arc::new(handle)).ok_or(CUerror::OUT_OF_MEMORY)?;
    let _ = object.handle.set(handle);
    Ok(handle as CUuserObject)
}

impl Handle {
    /// Adds references of the program.
    pub(crate) fn retain(&self, count: u32) -> CUres {
        let object = self.object.upgrade().ok_or(CUerror::INVALID_VALUE)?;
        let mut own = self.own.lock();
        own.0 = own.0.checked_add(count).ok_or(CUerror::INVALID_VALUE)?;
        own.1 = Some(object);
        Ok(())
    }

    /// Takes references of the program away; `INVALID_VALUE` if it has fewer.
    pub(crate) fn release(&self, count: u32) -> CUres {
        let last = {
            let mut own = self.own.lock();
            own.0 = own.0.checked_sub(count).ok_or(CUerror::INVALID_VALUE)?;
            if own.0 == 0 { own.1.take() } else { None }
        };
        drop(last);
        Ok(())
    }

    /// Gives a graph references, new ones or the program's.
    pub(crate) fn retain_by(&self, graph: &Graph, count: u32, moves: bool) -> CUres {
        let object = self.object.upgrade().ok_or(CUerror::INVALID_VALUE)?;
        if moves {
            self.release(count)?;
        }
        let mut objects = graph.user_objects.lock();
        match objects.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &object)) {
            Some((_, known)) => *known = known.saturating_add(count),
            None => objects.push((object, count)),
        }
        Ok(())
    }

    /// Takes a graph's references away; `INVALID_VALUE` if it has fewer.
    pub(crate) fn release_by(&self, graph: &Graph, count: u32) -> CUres {
        let object = self.object.upgrade().ok_or(CUerror::INVALID_VALUE)?;
        let mut objects = graph.user_objects.lock();
        let at = objects.iter().position(|(known, _)| Arc::ptr_eq(known, &object));
        let at = at.ok_or(CUerror::INVALID_VALUE)?;
        objects[at].1 = objects[at].1.checked_sub(count).ok_or(CUerror::INVALID_VALUE)?;
        if objects[at].1 == 0 {
            objects.remove(at);
        }
        Ok(())
    }
}
