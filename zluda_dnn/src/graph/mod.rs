//! Descriptors of the graph API: attributes that a program sets, and what is told of them once they are final.
//!
//! [`attribute`]: the table of attributes. [`operation`], [`attention`], [`folded`]: operations as work of [`neural`].
//! [`plan`]: graphs of operations, in order, with places for what lies between them. [`rooms`]: which of these share.
//! [`tensor`]: their tensors.
//! [`serial`]: descriptors as text.

mod attention;
pub(crate) mod attribute;
mod folded;
pub(crate) mod operation;
pub(crate) mod plan;
mod rooms;
pub(crate) mod serial;
pub(crate) mod tensor;

use crate::convert::FromC;
use cuda_types::cudnn::{
    CudnnResult, cudnnBackendAttributeName_t as Name, cudnnBackendAttributeType_t as Type,
    cudnnBackendDescriptorType_t as Kind, cudnnError,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind as HandleKind};

/// A value that an attribute is set to.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// The bytes of its elements.
    Plain(Type, Vec<u8>),
    /// Descriptors, which live as long as this one.
    Descriptors(Vec<Arc<Backend>>),
}

/// A descriptor.
#[derive(Debug)]
pub(crate) struct Backend {
    pub(crate) kind: Kind,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_final: bool,
    values: BTreeMap<u32, Value>,
}

static TABLE: LazyLock<HandleTable<Backend>> =
    LazyLock::new(|| HandleTable::new(HandleKind::CUDNN_BACKEND));

impl FromC<*mut c_void> for Arc<Backend> {
    unsafe fn from_c(handle: *mut c_void) -> CudnnResult<Self> {
        if handle.is_null() {
            return Err(cudnnError::BAD_PARAM_NULL_POINTER);
        }
        find(handle as u64)
    }
}

/// The descriptor of a handle.
pub(crate) fn find(handle: u64) -> CudnnResult<Arc<Backend>> {
    TABLE.get(handle).ok_or(cudnnError::BAD_PARAM)
}

/// A new descriptor.
pub(crate) fn create(kind: Kind) -> CudnnResult<u64> {
    zluda_common::log::init();
    TABLE
        .insert(Arc::new(Backend::new(kind)))
        .ok_or(cudnnError::INTERNAL_ERROR_HOST_ALLOCATION_FAILED)
}

/// A descriptor without a handle that is final.
pub(crate) fn made(kind: Kind, values: Vec<(Name, Value)>) -> Arc<Backend> {
    let made = Backend::new(kind);
    made.become_final(values);
    Arc::new(made)
}

/// A descriptor without a handle that is not final yet.
fn create_unfinished(kind: Kind, values: Vec<(Name, Value)>) -> Arc<Backend> {
    let made = Backend::new(kind);
    made.fill(values);
    Arc::new(made)
}

/// Ends a descriptor; others that hold it go on.
pub(crate) fn destroy(handle: u64) -> CudnnResult {
    TABLE.remove(handle).map(drop).ok_or(cudnnError::BAD_PARAM)
}

impl Backend {
    fn new(kind: Kind) -> Backend {
        Backend { kind, state: Mutex::default() }
    }

    pub(crate) fn is_final(&self) -> bool {
        self.state.lock().is_final
    }

    pub(crate) fn finish(&self) {
        self.state.lock().is_final = true;
    }

    /// Sets an attribute; nothing changes once the descriptor is final.
    pub(crate) fn set(&self, name: Name, value: Value) -> CudnnResult {
        let mut state = self.state.lock();
        if state.is_final {
            return Err(cudnnError::BAD_PARAM);
        }
        state.values.insert(name.0, value);
        Ok(())
    }

    /// Makes this descriptor one that has what another one is made of.
    pub(crate) fn become_final(&self, values: Vec<(Name, Value)>) {
        self.fill(values);
        self.finish();
    }

    /// Gives this descriptor other attributes instead of its own.
    pub(crate) fn fill(&self, values: Vec<(Name, Value)>) {
        let values = values.into_iter().map(|(name, value)| (name.0, value)).collect();
        self.state.lock().values = values;
    }

    pub(crate) fn value(&self, name: Name) -> Option<Value> {
        self.state.lock().values.get(&name.0).cloned()
    }

    /// All attributes that are set.
    fn values(&self) -> Vec<(Name, Value)> {
        let state = self.state.lock();
        state.values.iter().map(|(name, value)| (Name(*name), value.clone())).collect()
    }

    /// The descriptors of an attribute.
    pub(crate) fn descriptors(&self, name: Name) -> Vec<Arc<Backend>> {
        match self.value(name) {
            Some(Value::Descriptors(all)) => all,
            _ => Vec::new(),
        }
    }

    /// The one descriptor of an attribute, if it is set.
    pub(crate) fn descriptor(&self, name: Name) -> Option<Arc<Backend>> {
        self.descriptors(name).into_iter().next()
    }

    /// The one descriptor of an attribute that has to be set.
    pub(crate) fn needed(&self, name: Name) -> CudnnResult<Arc<Backend>> {
        self.descriptor(name).ok_or(cudnnError::BAD_PARAM)
    }

    /// Integers, addresses, enumerations and truth values of an attribute.
    pub(crate) fn integers(&self, name: Name) -> Vec<i64> {
        let Some(Value::Plain(ty, bytes)) = self.value(name) else { return Vec::new() };
        let element = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            i64::from_le_bytes(word)
        };
        match ty {
            // The numerator of the denominator.
            Type::CUDNN_TYPE_FRACTION => {
                let pairs = bytes.chunks_exact(16);
                pairs
                    .map(|pair| element(&pair[..8]).checked_div(element(&pair[8..])).unwrap_or(0))
                    .collect()
            }
            _ => bytes.chunks_exact(attribute::size(ty)).map(element).collect(),
        }
    }

    /// The one integer of an attribute, or another one where it is not set.
    pub(crate) fn integer(&self, name: Name, otherwise: i64) -> i64 {
        self.integers(name).first().copied().unwrap_or(otherwise)
    }

    /// A factor or a parameter, or another one where it is not set.
    pub(crate) fn number(&self, name: Name, otherwise: f64) -> f64 {
        match self.value(name) {
            Some(Value::Plain(Type::CUDNN_TYPE_FLOAT, bytes)) => {
                bytes.first_chunk().map_or(otherwise, |bytes| f32::from_le_bytes(*bytes).into())
            }
            Some(Value::Plain(Type::CUDNN_TYPE_DOUBLE, bytes)) => {
                bytes.first_chunk().map_or(otherwise, |bytes| f64::from_le_bytes(*bytes))
            }
            _ => otherwise,
        }
    }
}
