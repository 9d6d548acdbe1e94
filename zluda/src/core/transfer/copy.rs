//! Copies of memory, in one, two and three dimensions.

use crate::core::memory::virtual_memory::{check_mapped, check_writable, is_reserved};
use crate::core::memory::{Rules, check_range_by, find_host};
use crate::core::stream::Target;
use crate::core::texture::array::{self, Array};
use cuda_types::cuda::{CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUerror, CUmemorytype, CUres};
use hip_runtime_sys::{HIP_MEMCPY3D, hipArray_t, hipMemcpyKind, hipMemoryType};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

/// One side of a copy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CopyAddress {
    /// Memory of the program, which is as good as the program says.
    Host(u64),
    /// Memory that the driver knows.
    Device(u64),
    /// Either: an address that the driver does not know is the program's.
    Unified(u64),
}

impl CopyAddress {
    /// The address, whatever memory it is in.
    pub(crate) fn address(self) -> u64 {
        match self {
            CopyAddress::Host(address)
            | CopyAddress::Device(address)
            | CopyAddress::Unified(address) => address,
        }
    }

    /// The memory that it is in at this time, where it is the device's: another thread may free it before the provider
    /// looks, to which it is the program's own from then on.
    fn seen_now(self) -> CopyAddress {
        match self {
            CopyAddress::Unified(address)
                if crate::core::memory::find(address).is_some_and(|found| !found.is_host()) =>
            {
                CopyAddress::Device(address)
            }
            other => other,
        }
    }

    /// It is the program's own memory, which the driver does not know.
    pub(crate) fn is_unknown(self) -> bool {
        !matches!(self, CopyAddress::Device(_))
            && find_host(self.address()).is_none()
            && crate::core::memory::find(self.address()).is_none()
    }

    /// `INVALID_VALUE` if the bytes there cannot be read now.
    pub(crate) fn check_now(self, size: usize) -> CUres {
        self.check(0, size, Rules::Now)
    }

    /// `INVALID_VALUE` if the range cannot be accessed, as far as it is known.
    fn check(self, offset: usize, size: usize, rules: Rules) -> CUres {
        match self {
            _ if size == 0 => Ok(()),
            CopyAddress::Host(0) | CopyAddress::Unified(0) => Err(CUerror::INVALID_VALUE),
            CopyAddress::Host(_) => Ok(()),
            CopyAddress::Device(address) => check_range_by(rules, end(address, offset)?, size),
            CopyAddress::Unified(address) => match crate::core::memory::find(address) {
                // The host can access all of its memory.
                Some(found) if found.is_host() => {
                    check_range_by(Rules::Later, end(address, offset)?, size)
                }
                // An address in an allocation must stay within it.
                Some(_) => check_range_by(rules, end(address, offset)?, size),
                // Memory that has been freed looks like the program's own.
                None if !crate::os::is_mapped(end(address, offset)?, size) => {
                    Err(CUerror::INVALID_VALUE)
                }
                // So do reserved addresses.
                None if is_reserved(end(address, offset)?, size) => Err(CUerror::INVALID_VALUE),
                None => Ok(()),
            },
        }
    }
}

/// The address `offset` bytes behind another.
fn end(address: u64, offset: usize) -> CUres<u64> {
    address.checked_add(offset as u64).ok_or(CUerror::INVALID_VALUE)
}

/// Whether the program may go on before a copy is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    Yes,
    No,
}

fn direction(to: CopyAddress, from: CopyAddress) -> hipMemcpyKind {
    match (to.seen_now(), from.seen_now()) {
        (CopyAddress::Host(_), CopyAddress::Host(_)) => hipMemcpyKind::hipMemcpyHostToHost,
        (CopyAddress::Host(_), CopyAddress::Device(_)) => hipMemcpyKind::hipMemcpyDeviceToHost,
        (CopyAddress::Device(_), CopyAddress::Host(_)) => hipMemcpyKind::hipMemcpyHostToDevice,
        (CopyAddress::Device(_), CopyAddress::Device(_)) => hipMemcpyKind::hipMemcpyDeviceToDevice,
        _ => hipMemcpyKind::hipMemcpyDefault,
    }
}

/// Puts a copy of `size` bytes into a stream.
pub(crate) fn put(
    stream: &Target,
    to: CopyAddress,
    from: CopyAddress,
    size: usize,
    wait: Wait,
) -> CUres {
    to.check(0, size, Rules::Now)?;
    check_writable(to.address(), size)?;
    from.check(0, size, Rules::Now)?;
    if size == 0 {
        return Ok(());
    }
    let context = &stream.current.context;
    [to, from].iter().try_for_each(|side| check_mapped(context, side.address()))?;
    let hip = &stream.current.driver.hip;
    let (destination, source) = (to.address() as *mut c_void, from.address() as *const c_void);
    let kind = direction(to, from);
    if wait == Wait::Yes && stream.hip.is_null() {
        // SAFETY: both ranges have been checked as far as they are known; the program answers for the rest.
        return stream
            .current
            .check_synchronized(unsafe { hip.hipMemcpy(destination, source, size, kind) });
    }
    let current = &stream.current;
    // SAFETY: as above; the stream has been checked.
    current.check(unsafe { hip.hipMemcpyAsync(destination, source, size, kind, stream.hip) })?;
    match wait {
        Wait::Yes => stream.synchronize(),
        Wait::No => Ok(()),
    }
}

/// A box in memory: where it begins, and the distance of its rows and of its slices in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) address: CopyAddress,
    /// From `address` to the first byte.
    offset: usize,
    pitch: usize,
    slice: usize,
}

/// One side of a copy of a box.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Memory(Region),
    /// A box of an array, whose corner is in bytes, rows and slices.
    Array {
        array: Arc<Array>,
        handle: u64,
        corner: [usize; 3],
    },
}

/// `CUDA_MEMCPY2D` and `CUDA_MEMCPY3D`.
#[derive(Clone, Debug)]
pub(crate) struct BoxCopy {
    pub(crate) to: End,
    pub(crate) from: End,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// A description of a copy, whose pointers only the copy follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Description(pub(crate) CUDA_MEMCPY3D);

// SAFETY: the pointers are kept, not followed.
unsafe impl Send for Description {}
// SAFETY: as above.
unsafe impl Sync for Description {}

/// Handles of none are as wrong as any other value here.
fn copied_array(handle: CUarray) -> CUres<Arc<Array>> {
    array::from_handle(handle).map_err(|_| CUerror::INVALID_VALUE)
}

/// One side of a copy, as a description has it.
struct Side {
    kind: CUmemorytype,
    host: u64,
    device: u64,
    array: CUarray,
    corner: [usize; 3],
    /// "srcLOD and dstLOD members of the CUDA_MEMCPY3D structure must be set to 0", for arrays.
    level: usize,
    pitch: usize,
    height: usize,
}

impl Side {
    fn end(&self, size: [usize; 3]) -> CUres<End> {
        let address = match self.kind {
            CUmemorytype::CU_MEMORYTYPE_HOST => CopyAddress::Host(self.host),
            CUmemorytype::CU_MEMORYTYPE_DEVICE => CopyAddress::Device(self.device),
            CUmemorytype::CU_MEMORYTYPE_UNIFIED => CopyAddress::Unified(self.device),
            CUmemorytype::CU_MEMORYTYPE_ARRAY if self.level != 0 => {
                return Err(CUerror::INVALID_VALUE);
            }
            CUmemorytype::CU_MEMORYTYPE_ARRAY => {
                let array = copied_array(self.array)?;
                return Ok(End::Array { array, handle: self.array as u64, corner: self.corner });
            }
            _ => return Err(CUerror::INVALID_VALUE),
        };
        Region::new(address, self.corner, self.pitch, self.height, size).map(End::Memory)
    }
}

impl Region {
    /// `INVALID_VALUE` for rows or slices that overlap, or offsets that leave the address space. Distances of
    /// 0 mean those of a box without gaps.
    fn new(
        address: CopyAddress,
        [x, y, z]: [usize; 3],
        pitch: usize,
        height: usize,
        size: [usize; 3],
    ) -> CUres<Region> {
        let [width, rows, _] = size;
        let (row, slice) = (width.saturating_add(x), rows.saturating_add(y));
        let pitch = if pitch == 0 { row } else { pitch };
        let height = if height == 0 { slice } else { height };
        if pitch < row || height < slice {
            return Err(CUerror::INVALID_VALUE);
        }
        let offset = || {
            let slice = pitch.checked_mul(height)?;
            let offset =
                z.checked_mul(slice)?.checked_add(y.checked_mul(pitch)?)?.checked_add(x)?;
            Some((slice, offset))
        };
        let (slice, offset) = offset().ok_or(CUerror::INVALID_VALUE)?;
        Ok(Region { address, offset, pitch, slice })
    }

    /// A box without gaps.
    pub(crate) fn packed(address: CopyAddress, [width, height, _]: [usize; 3]) -> Region {
        Region { address, offset: 0, pitch: width, slice: width * height }
    }

    fn check(&self, size: [usize; 3], rules: Rules) -> CUres {
        self.address.check(self.offset, self.span(size)?, rules)
    }

    fn check_writable(&self, size: [usize; 3]) -> CUres {
        check_writable(end(self.address.address(), self.offset)?, self.span(size)?)
    }

    /// Bytes from the first to behind the last one of a box that is not empty.
    fn span(&self, [width, height, depth]: [usize; 3]) -> CUres<usize> {
        let rows = self.pitch.checked_mul(height - 1);
        let slices = self.slice.checked_mul(depth - 1);
        let span = rows
            .zip(slices)
            .and_then(|(rows, slices)| slices.checked_add(rows)?.checked_add(width));
        span.ok_or(CUerror::INVALID_VALUE)
    }

    fn row(&self, z: usize) -> u64 {
        self.address.address() + (self.offset + z * self.slice) as u64
    }

    /// The address at which a row of the box begins.
    pub(crate) fn row_of_slice(&self, y: usize, z: usize) -> u64 {
        self.row(z) + (y * self.pitch) as u64
    }
}

impl End {
    /// The box in memory; none of arrays of the provider.
    fn region(&self) -> Option<Region> {
        match self {
            End::Memory(region) => Some(*region),
            End::Array { array, corner: [x, y, z], .. } => {
                let level = array.storage.level()?;
                let (pitch, slice) = (level.pitch as usize, level.slice as usize);
                let offset = z * slice + y * pitch + x;
                Some(Region { address: CopyAddress::Device(level.start), offset, pitch, slice })
            }
        }
    }

    /// `INVALID_VALUE` if the box, which is not empty, cannot be accessed.
    fn check(&self, size: [usize; 3], rules: Rules) -> CUres {
        let (array, corner) = match self {
            End::Memory(region) => return region.check(size, rules),
            End::Array { array, corner, .. } => (array, corner),
        };
        let inside = (0..3).all(|axis| {
            let all = array.extent()[axis];
            corner[axis] <= all && size[axis] <= all - corner[axis]
        });
        // Texels may be copied in part, blocks of them may not.
        let unit = if array.format.is_blocks() { array.format.size() } else { 1 };
        if inside && corner[0].is_multiple_of(unit) && size[0].is_multiple_of(unit) {
            Ok(())
        } else {
            Err(CUerror::INVALID_VALUE)
        }
    }
}

impl BoxCopy {
    /// The copy of a description; `INVALID_VALUE` where it makes no sense.
    pub(crate) fn from_2d(copy: &CUDA_MEMCPY2D) -> CUres<BoxCopy> {
        // SAFETY: all zeros is a description of a copy.
        let zeros: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
        BoxCopy::from_3d(&CUDA_MEMCPY3D {
            srcXInBytes: copy.srcXInBytes,
            srcY: copy.srcY,
            srcMemoryType: copy.srcMemoryType,
            srcHost: copy.srcHost,
            srcDevice: copy.srcDevice,
            srcArray: copy.srcArray,
            srcPitch: copy.srcPitch,
            dstXInBytes: copy.dstXInBytes,
            dstY: copy.dstY,
            dstMemoryType: copy.dstMemoryType,
            dstHost: copy.dstHost,
            dstDevice: copy.dstDevice,
            dstArray: copy.dstArray,
            dstPitch: copy.dstPitch,
            WidthInBytes: copy.WidthInBytes,
            Height: copy.Height,
            Depth: 1,
            ..zeros
        })
    }

    /// The copy of a description; `INVALID_VALUE` where it makes no sense.
    pub(crate) fn from_3d(copy: &CUDA_MEMCPY3D) -> CUres<BoxCopy> {
        let size = [copy.WidthInBytes, copy.Height, copy.Depth];
        let to = Side {
            kind: copy.dstMemoryType,
            host: copy.dstHost as u64,
            device: copy.dstDevice,
            array: copy.dstArray,
            corner: [copy.dstXInBytes, copy.dstY, copy.dstZ],
            level: copy.dstLOD,
            pitch: copy.dstPitch,
            height: copy.dstHeight,
        };
        let from = Side {
            kind: copy.srcMemoryType,
            host: copy.srcHost as u64,
            device: copy.srcDevice,
            array: copy.srcArray,
            corner: [copy.srcXInBytes, copy.srcY, copy.srcZ],
            level: copy.srcLOD,
            pitch: copy.srcPitch,
            height: copy.srcHeight,
        };
        BoxCopy::new(&to, &from, size)
    }

    fn new(to: &Side, from: &Side, size: [usize; 3]) -> CUres<BoxCopy> {
        // What is said of nothing does not matter.
        let end = |side: &Side| match size.contains(&0) {
            true => Region::new(CopyAddress::Host(0), [0; 3], 0, 0, size).map(End::Memory),
            false => side.end(size),
        };
        let [width, height, depth] = size;
        Ok(BoxCopy { to: end(to)?, from: end(from)?, width, height, depth })
    }

    /// `size` bytes between the first row of an array and memory, or another such row.
    pub(crate) fn line(to: LineEnd, from: LineEnd, size: usize) -> CUres<BoxCopy> {
        let end = |end: LineEnd| match end {
            LineEnd::Memory(address) => {
                Region::new(address, [0; 3], 0, 0, [size, 1, 1]).map(End::Memory)
            }
            // Of arrays of more axes, in the first row.
            LineEnd::Array(array, offset) => {
                let (handle, corner) = (array as u64, [offset, 0, 0]);
                Ok(End::Array { array: copied_array(array)?, handle, corner })
            }
        };
        Ok(BoxCopy { to: end(to)?, from: end(from)?, width: size, height: 1, depth: 1 })
    }

    /// `size` bytes of memory.
    pub(crate) fn bytes(to: CopyAddress, from: CopyAddress, size: usize) -> CUres<BoxCopy> {
        BoxCopy::line(LineEnd::Memory(to), LineEnd::Memory(from), size)
    }

    /// The bytes of a row, the rows and the slices.
    pub(crate) fn size(&self) -> [usize; 3] {
        [self.width, self.height, self.depth]
    }

    /// The copy as programs describe copies.
    pub(crate) fn description(&self) -> Description {
        let (to, from) = (self.to.side(), self.from.side());
        let [from_x, from_y, from_z] = from.corner;
        let [to_x, to_y, to_z] = to.corner;
        Description(CUDA_MEMCPY3D {
            srcXInBytes: from_x,
            srcY: from_y,
            srcZ: from_z,
            srcLOD: from.level,
            srcMemoryType: from.kind,
            srcHost: from.host as *const c_void,
            srcDevice: from.device,
            srcArray: from.array,
            reserved0: null_mut(),
            srcPitch: from.pitch,
            srcHeight: from.height,
            dstXInBytes: to_x,
            dstY: to_y,
            dstZ: to_z,
            dstLOD: to.level,
            dstMemoryType: to.kind,
            dstHost: to.host as *mut c_void,
            dstDevice: to.device,
            dstArray: to.array,
            reserved1: null_mut(),
            dstPitch: to.pitch,
            dstHeight: to.height,
            WidthInBytes: self.width,
            Height: self.height,
            Depth: self.depth,
        })
    }

    /// Whether there is nothing to copy.
    pub(crate) fn is_empty(&self) -> bool {
        self.size().contains(&0)
    }

    /// `INVALID_VALUE` if the boxes, which are not empty, cannot be accessed.
    pub(crate) fn check(&self, rules: Rules) -> CUres {
        self.to.check(self.size(), rules)?;
        if let End::Memory(region) = &self.to {
            region.check_writable(self.size())?;
        }
        self.from.check(self.size(), rules)
    }

    /// The same kinds of memory, and the same shape; the length of a line does not matter.
    pub(crate) fn is_like(&self, other: &BoxCopy) -> bool {
        let shape = |copy: &BoxCopy| match copy.size() {
            [_, 1, 1] => [0, 1, 1],
            size => size,
        };
        let kinds = |copy: &BoxCopy| [copy.to.kind(), copy.from.kind()];
        shape(self) == shape(other) && kinds(self) == kinds(other)
    }

    /// Puts the copy into a stream. `INVALID_VALUE` if the boxes cannot be accessed.
    pub(crate) fn put(&self, stream: &Target, wait: Wait) -> CUres {
        if self.is_empty() {
            return Ok(());
        }
        self.check(Rules::Now)?;
        match (self.to.region(), self.from.region()) {
            (Some(to), Some(from)) => self.run_in_memory(&to, &from, stream)?,
            _ => self.run_with_arrays(stream)?,
        }
        match wait {
            Wait::Yes => stream.synchronize(),
            Wait::No => Ok(()),
        }
    }

    fn run_in_memory(&self, to: &Region, from: &Region, stream: &Target) -> CUres {
        let kind = direction(to.address, from.address);
        for z in 0..self.depth {
            // SAFETY: both boxes have been checked as far as they are known; the program answers for the
            // rest.
            stream.current.check(unsafe {
                stream.current.driver.hip.hipMemcpy2DAsync(
                    to.row(z) as *mut c_void,
                    to.pitch.max(self.width),
                    from.row(z) as *const c_void,
                    from.pitch.max(self.width),
                    self.width,
                    self.height,
                    kind,
                    stream.hip,
                )
            })?;
        }
        Ok(())
    }

    fn run_with_arrays(&self, stream: &Target) -> CUres {
        let (to, from) = (self.to.hip(self.width), self.from.hip(self.width));
        let [x, y, z] = to.corner;
        let [from_x, from_y, from_z] = from.corner;
        let copy = HIP_MEMCPY3D {
            srcMemoryType: from.kind,
            srcHost: from.memory,
            srcDevice: from.memory,
            srcArray: from.array,
            srcXInBytes: from_x,
            srcY: from_y,
            srcZ: from_z,
            srcLOD: 0,
            srcPitch: from.pitch,
            srcHeight: from.height,
            dstMemoryType: to.kind,
            dstHost: to.memory,
            dstDevice: to.memory,
            dstArray: to.array,
            dstXInBytes: x,
            dstY: y,
            dstZ: z,
            dstLOD: 0,
            dstPitch: to.pitch,
            dstHeight: to.height,
            WidthInBytes: self.width,
            Height: self.height,
            Depth: self.depth,
        };
        // SAFETY: both boxes have been checked as above.
        stream
            .current
            .check(unsafe { stream.current.driver.hip.memcpy_3d_async(&copy, stream.hip) })
    }
}

impl End {
    /// The side in the terms of a description.
    fn side(&self) -> Side {
        let (corner, level) = ([0; 3], 0);
        match self {
            End::Array { handle, corner, .. } => Side {
                kind: CUmemorytype::CU_MEMORYTYPE_ARRAY,
                host: 0,
                device: 0,
                array: *handle as CUarray,
                corner: *corner,
                level,
                pitch: 0,
                height: 0,
            },
            End::Memory(region) => {
                let address = region.row(0);
                let (kind, host, device) = match region.address {
                    CopyAddress::Host(_) => (CUmemorytype::CU_MEMORYTYPE_HOST, address, 0),
                    CopyAddress::Device(_) => (CUmemorytype::CU_MEMORYTYPE_DEVICE, 0, address),
                    CopyAddress::Unified(_) => (CUmemorytype::CU_MEMORYTYPE_UNIFIED, 0, address),
                };
                let (array, pitch) = (null_mut(), region.pitch);
                let height = region.slice.checked_div(pitch).unwrap_or(0);
                Side { kind, host, device, array, corner, level, pitch, height }
            }
        }
    }

    /// The kind of memory: 0 is the host's, 1 the device's, 2 an array's.
    fn kind(&self) -> u8 {
        match self {
            End::Array { .. } => 2,
            End::Memory(region) => match region.address {
                CopyAddress::Device(_) => 1,
                address => {
                    u8::from(find_host(address.address()).is_none() && !address.is_unknown())
                }
            },
        }
    }
}

/// One side of a copy as HIP describes it.
struct HipSide {
    kind: hipMemoryType,
    memory: *mut c_void,
    array: hipArray_t,
    corner: [usize; 3],
    pitch: usize,
    height: usize,
}

impl End {
    fn hip(&self, width: usize) -> HipSide {
        match self {
            End::Array { array, corner, .. } => HipSide {
                kind: hipMemoryType::hipMemoryTypeArray,
                memory: null_mut(),
                array: array.storage.hip(),
                corner: *corner,
                pitch: 0,
                height: 0,
            },
            End::Memory(region) => HipSide {
                kind: match region.address {
                    CopyAddress::Host(_) => hipMemoryType::hipMemoryTypeHost,
                    CopyAddress::Device(_) => hipMemoryType::hipMemoryTypeDevice,
                    CopyAddress::Unified(_) => hipMemoryType::hipMemoryTypeUnified,
                },
                memory: region.row(0) as *mut c_void,
                array: null_mut(),
                corner: [0; 3],
                pitch: region.pitch.max(width),
                height: region.slice.checked_div(region.pitch).unwrap_or(0),
            },
        }
    }
}

/// One side of a copy of a line.
#[derive(Clone, Debug)]
pub(crate) enum LineEnd {
    Memory(CopyAddress),
    /// An array, and bytes from its beginning.
    Array(CUarray, usize),
}
