//! Generators: what makes them and what is set of them.

use crate::convert::{FromC, Out};
use crate::generators::sequence::{Algorithm, Sequence};
use crate::generators::sobol::DIMENSIONS;

use cuda_types::curand::*;
use parking_lot::Mutex;
use std::ffi::{c_uint, c_ulonglong};
use std::sync::{Arc, LazyLock};
use zluda_api::driver::{Driver, Failures, ProviderKind};
use zluda_common::handle::{HandleTable, Kind};

use curandOrdering as Order;
use curandRngType as Type;

/// A generator.
pub(crate) struct Generator {
    kind: Type,
    pub(crate) target: Target,
    pub(crate) state: Mutex<State>,
}

/// Where a generator's values go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// Into memory of the host, at the call.
    Host,
    /// Into memory of a device, which is this machine's, as work of a stream.
    Here,
    /// Into memory of an AMD GPU.
    Rocm,
}

/// The state of a generator that changes.
pub(crate) struct State {
    pub(crate) sequence: Sequence,
    /// The stream that its work goes into, as a number.
    pub(crate) stream: usize,
}

static GENERATORS: LazyLock<HandleTable<Generator>> =
    LazyLock::new(|| HandleTable::new(Kind::CURAND_GENERATOR));

impl FromC<curandGenerator_t> for Arc<Generator> {
    unsafe fn from_c(handle: curandGenerator_t) -> CurandResult<Self> {
        GENERATORS.get(handle as u64).ok_or(curandError::NOT_INITIALIZED)
    }
}

/// While a generator is made.
const SETUP: Failures<curandError> = Failures::all(curandError::INITIALIZATION_FAILED);

/// The driver, from the first generator on a device on.
pub(crate) fn driver() -> CurandResult<&'static Driver> {
    SETUP.driver()
}

/// The type that a default type means, and the sequence that it begins with.
fn algorithm(kind: Type, order: Order) -> CurandResult<(Type, Algorithm)> {
    let kind = match kind {
        Type::CURAND_RNG_PSEUDO_DEFAULT => Type::CURAND_RNG_PSEUDO_XORWOW,
        Type::CURAND_RNG_QUASI_DEFAULT => Type::CURAND_RNG_QUASI_SOBOL32,
        other => other,
    };
    let legacy = order == Order::CURAND_ORDERING_PSEUDO_LEGACY;
    let seeded = order == Order::CURAND_ORDERING_PSEUDO_SEEDED;
    let is_best = order == Order::CURAND_ORDERING_PSEUDO_BEST;
    let is_default = is_best || order == Order::CURAND_ORDERING_PSEUDO_DEFAULT;
    let is_quasi = order == Order::CURAND_ORDERING_QUASI_DEFAULT;
    let (algorithm, allowed) = match kind {
        Type::CURAND_RNG_PSEUDO_XORWOW => {
            (Algorithm::Xorwow { seeded }, is_default || legacy || seeded)
        }
        Type::CURAND_RNG_PSEUDO_MRG32K3A => (Algorithm::Mrg32k3a { legacy }, is_default || legacy),
        Type::CURAND_RNG_PSEUDO_MTGP32 => (Algorithm::Mtgp32 { legacy }, is_default || legacy),
        Type::CURAND_RNG_PSEUDO_MT19937 => (Algorithm::Mt19937, (is_default && !is_best) || legacy),
        Type::CURAND_RNG_PSEUDO_PHILOX4_32_10 => (Algorithm::Philox, is_default || legacy),
        Type::CURAND_RNG_QUASI_SOBOL32 => (Algorithm::Sobol32 { scrambled: false }, is_quasi),
        Type::CURAND_RNG_QUASI_SOBOL64 => (Algorithm::Sobol64 { scrambled: false }, is_quasi),
        Type::CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 => {
            (Algorithm::Sobol32 { scrambled: true }, is_quasi)
        }
        Type::CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 => {
            (Algorithm::Sobol64 { scrambled: true }, is_quasi)
        }
        _ => return Err(curandError::TYPE_ERROR),
    };
    if allowed { Ok((kind, algorithm)) } else { Err(curandError::OUT_OF_RANGE) }
}

impl Generator {
    fn is_quasi(&self) -> bool {
        self.kind.0 >= Type::CURAND_RNG_QUASI_DEFAULT.0
    }

    /// Whether its draws have 64 bits.
    pub(crate) fn has_long_draws(&self) -> bool {
        [Type::CURAND_RNG_QUASI_SOBOL64, Type::CURAND_RNG_QUASI_SCRAMBLED_SOBOL64]
            .contains(&self.kind)
    }
}

fn create(place: Out<curandGenerator_t>, kind: Type, on_host: bool) -> CurandResult {
    zluda_common::log::init();
    place.check()?;
    let is_quasi = kind.0 >= Type::CURAND_RNG_QUASI_DEFAULT.0;
    let order = if is_quasi {
        Order::CURAND_ORDERING_QUASI_DEFAULT
    } else {
        Order::CURAND_ORDERING_PSEUDO_DEFAULT
    };
    let (kind, algorithm) = algorithm(kind, order)?;
    let target = if on_host {
        Target::Host
    } else {
        let provider = driver()?.current_provider();
        match provider.map_err(|error| SETUP.call(error))? {
            ProviderKind::Rocm => Target::Rocm,
            ProviderKind::Cpu | ProviderKind::Emulated => Target::Here,
        }
    };
    let state = Mutex::new(State { sequence: Sequence::new(algorithm, 0), stream: 0 });
    let generator = Arc::new(Generator { kind, target, state });
    let handle = GENERATORS.insert_with(|_| generator).ok_or(curandError::ALLOCATION_FAILED)?;
    place.set(handle as curandGenerator_t)
}

pub(crate) fn curandCreateGenerator(
    generator: Out<curandGenerator_t>,
    kind: curandRngType_t,
) -> CurandResult {
    create(generator, kind, false)
}

pub(crate) fn curandCreateGeneratorHost(
    generator: Out<curandGenerator_t>,
    kind: curandRngType_t,
) -> CurandResult {
    create(generator, kind, true)
}

pub(crate) fn curandDestroyGenerator(generator: curandGenerator_t) -> CurandResult {
    GENERATORS.remove(generator as u64).map(drop).ok_or(curandError::NOT_INITIALIZED)
}

pub(crate) fn curandSetStream(generator: Arc<Generator>, stream: cudaStream_t) -> CurandResult {
    generator.state.lock().stream = stream.expose_provenance();
    Ok(())
}

pub(crate) fn curandSetPseudoRandomGeneratorSeed(
    generator: Arc<Generator>,
    seed: c_ulonglong,
) -> CurandResult {
    if generator.is_quasi() {
        return Err(curandError::TYPE_ERROR);
    }
    generator.state.lock().sequence.set_seed(seed);
    Ok(())
}

pub(crate) fn curandSetGeneratorOffset(
    generator: Arc<Generator>,
    offset: c_ulonglong,
) -> CurandResult {
    let twisters = [Type::CURAND_RNG_PSEUDO_MTGP32, Type::CURAND_RNG_PSEUDO_MT19937];
    if twisters.contains(&generator.kind) {
        return Err(curandError::TYPE_ERROR);
    }
    generator.state.lock().sequence.set_position(offset);
    Ok(())
}

pub(crate) fn curandSetGeneratorOrdering(
    generator: Arc<Generator>,
    order: curandOrdering_t,
) -> CurandResult {
    let (_, algorithm) = algorithm(generator.kind, order)?;
    generator.state.lock().sequence.set_algorithm(algorithm);
    Ok(())
}

pub(crate) fn curandSetQuasiRandomGeneratorDimensions(
    generator: Arc<Generator>,
    dimensions: c_uint,
) -> CurandResult {
    if !generator.is_quasi() {
        return Err(curandError::TYPE_ERROR);
    }
    if dimensions == 0 || dimensions as usize > DIMENSIONS {
        return Err(curandError::OUT_OF_RANGE);
    }
    generator.state.lock().sequence.set_dimensions(dimensions as usize);
    Ok(())
}

/// Seeds are made when they are needed first.
pub(crate) fn curandGenerateSeeds(_: Arc<Generator>) -> CurandResult {
    Ok(())
}
