//! Which atomic operations of a device are such to others too.

use crate::convert::{In, Out};
use crate::core::device::driver::driver;
use cuda_types::cuda::{
    CUatomicOperation as Operation, CUatomicOperationCapability as C, CUdevice, CUerror, CUres,
};
use std::ffi::c_uint;

/// The number of operations.
const OPERATIONS: usize = 13;

const BOTH_SIGNS: c_uint = C::CU_ATOMIC_CAPABILITY_SIGNED.0 | C::CU_ATOMIC_CAPABILITY_UNSIGNED.0;
const WORDS: c_uint = C::CU_ATOMIC_CAPABILITY_SCALAR_32.0 | C::CU_ATOMIC_CAPABILITY_SCALAR_64.0;
const REDUCTION: c_uint = C::CU_ATOMIC_CAPABILITY_REDUCTION.0;

/// What the processor does in one step for its own threads and the device's, which are the same: as PTX has `atom` and
/// `red`, by the number of the operation.
const OF_HOST: [c_uint; OPERATIONS] = [
    BOTH_SIGNS | WORDS | REDUCTION,
    BOTH_SIGNS | WORDS | REDUCTION,
    BOTH_SIGNS | WORDS | REDUCTION,
    C::CU_ATOMIC_CAPABILITY_UNSIGNED.0 | C::CU_ATOMIC_CAPABILITY_SCALAR_32.0 | REDUCTION,
    C::CU_ATOMIC_CAPABILITY_UNSIGNED.0 | C::CU_ATOMIC_CAPABILITY_SCALAR_32.0 | REDUCTION,
    WORDS | REDUCTION,
    WORDS | REDUCTION,
    WORDS | REDUCTION,
    WORDS | C::CU_ATOMIC_CAPABILITY_SCALAR_128.0,
    WORDS | C::CU_ATOMIC_CAPABILITY_SCALAR_128.0,
    WORDS | REDUCTION,
    0,
    0,
];

/// The operations that are asked for.
fn asked(operations: &In<Operation>, count: c_uint) -> CUres<Vec<Operation>> {
    if count == 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    // There are few: who passes more asks again and again.
    operations.array(count as usize, 1 << 16)
}

/// The number of an operation; `INVALID_VALUE` for what is none.
fn number(operation: &Operation) -> CUres<usize> {
    let number = operation.0 as usize;
    if number < OPERATIONS { Ok(number) } else { Err(CUerror::INVALID_VALUE) }
}

pub(crate) fn cuDeviceGetHostAtomicCapabilities(
    capabilities: Out<c_uint>,
    operations: In<Operation>,
    count: c_uint,
    device: CUdevice,
) -> CUres {
    capabilities.check()?;
    let asked = asked(&operations, count)?;
    let device = driver()?.device(device)?;
    let is_one = device.backend.is_one_with_host();
    let known = asked.iter().map(|operation| {
        let number = number(operation)?;
        Ok(if is_one { OF_HOST[number] } else { 0 })
    });
    capabilities.set_all(known.collect::<CUres<Vec<_>>>()?, count as usize);
    Ok(())
}

/// "srcDevice" and "dstDevice" are different devices that reach each other: there are none.
pub(crate) fn cuDeviceGetP2PAtomicCapabilities(
    capabilities: Out<c_uint>,
    operations: In<Operation>,
    count: c_uint,
    from: CUdevice,
    to: CUdevice,
) -> CUres {
    capabilities.check()?;
    let asked = asked(&operations, count)?;
    let driver = driver()?;
    driver.device(from)?;
    driver.device(to)?;
    if from == to {
        return Err(CUerror::INVALID_DEVICE);
    }
    let known = asked.iter().map(|operation| number(operation).map(|_| 0));
    capabilities.set_all(known.collect::<CUres<Vec<_>>>()?, count as usize);
    Ok(())
}
