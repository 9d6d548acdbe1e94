//! Texture and surface objects: what kernels find behind the handles that programs pass to them.

use std::collections::{BTreeSet, VecDeque};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use simt_abi::texture_object::{
    LIVE, MOST_LEVELS, TextureObject, TextureObjectLevel, TextureShape,
};

use super::array::{Array, Level, Mipmapped};
use super::context::current;
use super::device::Device;
use super::format::Format;

/// The address mode of an axis: how coordinates outside of the image are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

impl Address {
    /// `HIPaddress_mode`, which is CUDA's.
    pub fn of(code: u32) -> Option<Address> {
        [Address::Wrap, Address::Clamp, Address::Mirror, Address::Border]
            .get(code as usize)
            .copied()
    }
}

/// The object that keeps the image alive.
#[derive(Clone, Debug)]
pub enum Owner {
    Array(Arc<Array>),
    Mipmapped(Arc<Mipmapped>),
    /// Memory of the program, which frees it itself.
    Memory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Geometry {
    /// Rows of memory: coordinates beyond it give 0.
    Linear,
    /// One, two or three axes.
    Axes(u8),
    /// One or two axes, and layers.
    Layers(u8),
    Cube,
    CubeLayers,
}

impl Geometry {
    /// The same as a [`TextureObject`] says it: the shape, and the number of axes.
    fn shape(self) -> (TextureShape, u8) {
        match self {
            Geometry::Linear => (TextureShape::Linear, 1),
            Geometry::Axes(axes) => (TextureShape::Axes, axes),
            Geometry::Layers(axes) => (TextureShape::Layers, axes),
            Geometry::Cube => (TextureShape::Cube, 2),
            Geometry::CubeLayers => (TextureShape::CubeLayers, 2),
        }
    }
}

#[derive(Debug)]
pub struct Object {
    pub description: TextureObject,
    pub format: Format,
    device: &'static Device,
    /// None of one that was destroyed, which is the last that is known of its texels.
    owner: Mutex<Option<Owner>>,
    is_destroyed: AtomicBool,
}

impl Object {
    /// An object of the current device and of an image, which has at least one level. Fields of the description that are the image's are not
    /// taken.
    pub fn new(
        geometry: Geometry,
        levels: &[Level],
        format: Format,
        owner: Owner,
        description: TextureObject,
    ) -> Object {
        let (shape, axes) = geometry.shape();
        let mut description = TextureObject {
            mark: LIVE,
            shape: shape as u32,
            axes: axes.into(),
            level_count: levels.len().min(MOST_LEVELS) as u32,
            ..description
        };
        description.set_format(format);
        let word = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
        for (to, level) in description.levels.iter_mut().zip(levels) {
            *to = TextureObjectLevel {
                start: level.ptr.start as u64,
                pitch: level.ptr.pitch as u64,
                slice: level.ptr.slice as u64,
                width: word(level.width),
                height: word(level.height),
                depth: word(level.depth),
                unused: 0,
            };
        }
        let (owner, is_destroyed) = (Mutex::new(Some(owner)), AtomicBool::new(false));
        Object { description, format, device: current().device, owner, is_destroyed }
    }

    pub fn is_surface(&self) -> bool {
        self.description.surface != 0
    }
}

/// A handle: this mark, which no address has, and the number of its slot. The slots of destroyed objects are used
/// again after all others; until then kernels find what was there, as an H200 reads by the handle of a destroyed texture until
/// another one gets it, which is not before it has nothing to do. Programs rely on that: COLMAP destroys textures before the launch.
const TAG: u64 = 0x7e57 << 48;
const SEGMENT: usize = 1024;
const SEGMENTS: usize = 1024;

type Slots = [AtomicPtr<Object>; SEGMENT];

/// The objects of the process. Kernels look handles up without a lock; what keeps the image of an object that the program destroys alive
/// ends when no kernel is left that may know it.
static TABLE: [OnceLock<Box<Slots>>; SEGMENTS] = [const { OnceLock::new() }; SEGMENTS];
static ENDED: Mutex<Ended> =
    Mutex::new(Ended { free: VecDeque::new(), retired: BTreeSet::new(), replaced: Vec::new() });
static UNUSED: AtomicU64 = AtomicU64::new(1);

/// Objects that stay where they are: kernels have their addresses.
type Replaced = Vec<Box<Object>>;

/// The slots whose object has been destroyed.
struct Ended {
    /// Slots without one.
    free: VecDeque<u64>,
    /// Handles that only kernels know any more.
    retired: BTreeSet<u64>,
    /// Objects that are in no slot any more, and that a kernel may still look at.
    replaced: Replaced,
}

#[inline]
fn slot(handle: u64) -> Option<&'static AtomicPtr<Object>> {
    if handle & 0xffff << 48 != TAG {
        return None;
    }
    let number = usize::try_from(handle & !(0xffff << 48)).ok()?;
    TABLE.get(number / SEGMENT)?.get()?.get(number % SEGMENT)
}

/// Gives an object a handle; nothing if there are too many.
pub fn insert(object: Object) -> Option<u64> {
    let unused = || {
        let number = UNUSED.fetch_add(1, Ordering::Relaxed);
        (number < (SEGMENT * SEGMENTS) as u64).then_some(number)
    };
    let mut ended = ENDED.lock();
    // Handles of destroyed objects stay what they were for a while.
    let reused = if ended.free.len() > SEGMENT { ended.free.pop_front() } else { None };
    let number = reused.or_else(unused).or_else(|| ended.free.pop_front())?;
    let segment = TABLE.get(number as usize / SEGMENT)?;
    let slots = segment.get_or_init(|| Box::new([const { AtomicPtr::new(null_mut()) }; SEGMENT]));
    let object = Box::into_raw(Box::new(object));
    let before = slots[number as usize % SEGMENT].swap(object, Ordering::AcqRel);
    if !before.is_null() {
        // SAFETY: made by this function, and in no slot any more.
        ended.replaced.push(unsafe { Box::from_raw(before) });
    }
    Some(TAG | number)
}

/// The object of a handle.
///
/// # Safety
/// The object must not end while the reference is used: kernels run, or the caller keeps others out.
#[inline]
pub unsafe fn get<'a>(handle: u64) -> Option<&'a Object> {
    // SAFETY: the slot holds null or an object that has not ended.
    unsafe { slot(handle)?.load(Ordering::Acquire).as_ref() }
}

/// An object whose handle the program may not use any more. Its image is there until this is dropped, when the kernels that were launched
/// before have ended: none of them looks at what was replaced before any more.
pub struct Retired {
    handle: u64,
    _replaced: Replaced,
}

/// Ends a handle for the program; nothing if it is no such handle.
pub fn retire(handle: u64, surface: bool) -> Option<Retired> {
    let mut ended = ENDED.lock();
    // SAFETY: what is not retired cannot go while the lock is held.
    let object = unsafe { slot(handle)?.load(Ordering::Acquire).as_ref() }?;
    let is_known = !ended.retired.contains(&handle)
        && !object.is_destroyed.load(Ordering::Acquire)
        && object.is_surface() == surface;
    is_known.then(|| {
        ended.retired.insert(handle);
        Retired { handle, _replaced: std::mem::take(&mut ended.replaced) }
    })
}

impl Drop for Retired {
    fn drop(&mut self) {
        let mut ended = ENDED.lock();
        let handle = self.handle;
        let Some(slot) = slot(handle).filter(|_| ended.retired.remove(&handle)) else { return };
        // SAFETY: nobody else takes out what is retired, and this lock is held.
        let Some(object) = (unsafe { slot.load(Ordering::Acquire).as_ref() }) else { return };
        object.is_destroyed.store(true, Ordering::Release);
        let image = object.owner.lock().take();
        if object.is_surface() {
            // What is stored by a handle that is gone must not land in what has its memory now.
            let gone = slot.swap(null_mut(), Ordering::AcqRel);
            // SAFETY: made by `insert`, and in no slot any more.
            ended.replaced.push(unsafe { Box::from_raw(gone) });
        }
        ended.free.push_back(handle & !(0xffff << 48));
        drop(ended);
        drop(image);
    }
}

/// Ends all objects of a device, on which no kernel runs.
pub fn end_all_of(device: &Device) {
    let mut ended = ENDED.lock();
    for (segment, slots) in TABLE.iter().enumerate() {
        for (place, slot) in slots.get().into_iter().flat_map(|slots| slots.iter().enumerate()) {
            // SAFETY: what is destroyed goes with the lock held.
            let object = unsafe { slot.load(Ordering::Acquire).as_ref() };
            if object.is_none_or(|object| !std::ptr::eq(object.device, device)) {
                continue;
            }
            let object = slot.swap(null_mut(), Ordering::AcqRel);
            ended.retired.remove(&(TAG | (segment * SEGMENT + place) as u64));
            // SAFETY: made by `insert`; nobody else has it any more.
            drop(unsafe { Box::from_raw(object) });
        }
    }
}
