//! Copies between the program's own memory and a device that a graph does when their turn comes.
//!
//! Providers read such memory while the call lasts, and wait before they write it: right for calls, wrong for nodes,
//! whose memory other nodes may write. Here a host function copies to memory that the provider knows, or from it.

use crate::core::context::Current;
use crate::core::device::driver::driver;
use crate::core::stream::{Target, launch_own_function};
use crate::core::transfer::copy::{BoxCopy, CopyAddress, End, Region, Wait};
use cuda_types::cuda::{CUerror, CUres};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use zluda_common::program_memory;

#[derive(Debug)]
pub(crate) struct DeferredCopy {
    /// The program's memory, where it is read and where it is written.
    from: Option<Region>,
    to: Option<Region>,
    size: [usize; 3],
    /// The part that the provider copies: nothing where all memory is the program's own.
    rest: Option<BoxCopy>,
    aside: Staging,
}

/// Host memory that the provider knows.
#[derive(Debug)]
struct Staging(*mut c_void);

// SAFETY: only the functions of one stream use it, one after the other.
unsafe impl Send for Staging {}
// SAFETY: as above.
unsafe impl Sync for Staging {}

impl Staging {
    fn allocate(current: &Current, bytes: usize) -> CUres<Staging> {
        let mut address = null_mut();
        // SAFETY: `address` outlives the call.
        current.check(unsafe { current.driver.hip.hipHostMalloc(&mut address, bytes, 0) })?;
        Ok(Staging(address))
    }

    fn address(&self) -> u64 {
        self.0 as u64
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Ok(driver) = driver()
            && !self.0.is_null()
        {
            // SAFETY: the provider allocated it, and nothing uses it any more.
            let _ = unsafe { driver.hip.hipHostFree(self.0) };
        }
    }
}

impl BoxCopy {
    /// The program's own memory is read or written.
    pub(crate) fn needs_host(&self) -> bool {
        own(&self.to).or(own(&self.from)).is_some()
    }
}

fn own(end: &End) -> Option<Region> {
    match end {
        End::Memory(region) if region.address.is_unknown() => Some(*region),
        _ => None,
    }
}

impl DeferredCopy {
    /// Parts a copy, and allocates host memory for what goes between the parts.
    pub(crate) fn new(current: &Current, copy: &BoxCopy) -> CUres<DeferredCopy> {
        let (from, to, size) = (own(&copy.from), own(&copy.to), copy.size());
        if from.is_some() && to.is_some() {
            return Ok(DeferredCopy { from, to, size, rest: None, aside: Staging(null_mut()) });
        }
        let bytes = size[0].checked_mul(size[1]).and_then(|plane| plane.checked_mul(size[2]));
        let aside = Staging::allocate(current, bytes.ok_or(CUerror::INVALID_VALUE)?)?;
        let packed = End::Memory(Region::packed(CopyAddress::Host(aside.address()), size));
        let rest = match from {
            Some(_) => BoxCopy { from: packed, ..copy.clone() },
            None => BoxCopy { to: packed, ..copy.clone() },
        };
        Ok(DeferredCopy { from, to, size, rest: Some(rest), aside })
    }

    /// Puts the copy into a stream.
    pub(crate) fn put(self: &Arc<Self>, target: &Target) -> CUres {
        let packed = Region::packed(CopyAddress::Host(self.aside.address()), self.size);
        let by_host = |to: Region, from: Region| {
            let this = self.clone();
            launch_own_function(target, move || copy_rows(&to, &from, this.size))
        };
        let Some(rest) = &self.rest else {
            return match (self.to, self.from) {
                (Some(to), Some(from)) => by_host(to, from),
                _ => Ok(()),
            };
        };
        if let Some(from) = self.from {
            by_host(packed, from)?;
        }
        rest.put(target, Wait::No)?;
        self.to.map_or(Ok(()), |to| by_host(to, packed))
    }
}

fn copy_rows(to: &Region, from: &Region, [width, height, depth]: [usize; 3]) {
    for z in 0..depth {
        for y in 0..height {
            let (to, from) = (to.row_of_slice(y, z), from.row_of_slice(y, z));
            // SAFETY: the program answers for its memory as it does for that of other copies; memory aside has
            // room for the box.
            unsafe { program_memory::copy(from as usize, to as usize, width) };
        }
    }
}
