//! Devices: this machine, as often as `ZLUDA_DEVICES` says. They have their memory's addresses and their threads in common.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use hip_runtime_sys::hipError_t;
use zluda_common::config::config;

use super::context::{self, Context};
use super::executor::executor;
use super::pool::Pool;
use super::tables::tables;
use super::{stream, texture};
use crate::work::failure::Failure;
use crate::work::pool;
use zluda_common::printf;

#[derive(Debug)]
pub struct Device {
    pub ordinal: usize,
    pub failure: Failure,
    primary: OnceLock<&'static Context>,
    /// The default pool, and its handle.
    pub default_pool: OnceLock<(usize, Arc<Pool>)>,
    /// The handle of the pool that it allocates from, or 0.
    pub current_pool: AtomicUsize,
}

static DEVICES: LazyLock<Vec<Device>> = LazyLock::new(|| {
    zluda_common::log::init_beside();
    // Times count from here.
    crate::work::op::origin();
    let device = |ordinal| Device {
        ordinal,
        failure: Failure::of(ordinal),
        primary: OnceLock::new(),
        default_pool: OnceLock::new(),
        current_pool: AtomicUsize::new(0),
    };
    (0..config().devices.count).map(device).collect()
});

/// All devices, by number.
pub fn all() -> &'static [Device] {
    &DEVICES
}

/// A device's part of something that is divided among them where `ZLUDA_DEVICES` says so.
pub fn share(all: usize) -> usize {
    let devices = config().devices;
    if devices.are_divided { all / devices.count } else { all }
}

/// A number for a launch.
pub fn new_grid() -> u64 {
    static GRIDS: AtomicU64 = AtomicU64::new(1);
    GRIDS.fetch_add(1, Ordering::Relaxed)
}

impl Device {
    /// The device of this number; `hipErrorInvalidDevice` if there is none.
    pub fn of(ordinal: i32) -> Result<&'static Device, hipError_t> {
        let device = usize::try_from(ordinal).ok().and_then(|ordinal| all().get(ordinal));
        device.ok_or(hipError_t::hipErrorInvalidDevice)
    }

    /// The context that is always there.
    pub fn primary(&'static self) -> &'static Context {
        self.primary.get_or_init(|| context::create(self))
    }

    /// Cores that a launch runs on at a time, at most.
    pub fn cores(&self) -> u32 {
        (share(pool::cores() as usize) as u32).max(1)
    }

    /// Multiprocessors, as programs are told.
    pub fn processors(&self) -> u32 {
        (share(executor().limits().processors as usize) as u32).max(1)
    }

    /// The error that a kernel left, which every call returns from then on.
    pub fn error(&self) -> Option<hipError_t> {
        self.failure.get()
    }

    /// Ends all work, and makes the device as it was in the beginning.
    pub fn reset(&'static self) {
        let is_own = |context: &Context| std::ptr::eq(context.device, self);
        for context in context::all().into_iter().filter(|context| is_own(context)) {
            context.streams.wait_for_all();
            context.reset();
        }
        printf::flush();
        stream::end_all(|stream| is_own(stream.context));
        let tables = tables();
        tables.events.retain(|event| !is_own(event.context));
        tables.kernels.retain(|kernel| !is_own(kernel.module.context));
        tables.modules.retain(|module| !is_own(module.context));
        tables.pools.retain(|pool| pool.is_default() || !std::ptr::eq(pool.device, self));
        texture::end_all_of(self);
        tables.arrays.retain(|array| !is_own(array.context()));
        tables.mipmapped.retain(|array| !array.levels.iter().any(|level| is_own(level.context())));
        tables.memory.reset(self);
        self.failure.clear();
    }
}
