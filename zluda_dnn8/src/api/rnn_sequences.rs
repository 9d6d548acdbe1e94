//! The sequences that a network reads and writes: a tensor for each step, or a descriptor of all of them.

use super::made::Made;
use super::rnn_weights::Shape;
use crate::convert::check;
use crate::engine;
use cuda_types::cudnn8::*;
use std::ffi::c_int;

/// Sequences are counted one by one: as many as no program has.
const LARGEST_BATCH: c_int = 1 << 24;

pub(super) struct Sequences {
    /// The engine's descriptor, which is of this call alone where the program has described each step.
    descriptor: cudnnRNNDataDescriptor_t,
    _made: Option<Made<cudnnRNNDataStruct>>,
    pub(super) ty: cudnnDataType_t,
    pub(super) width: c_int,
    layout: cudnnRNNDataLayout_t,
    steps: c_int,
    lengths: Vec<c_int>,
}

impl Sequences {
    /// Of a tensor for each of `count` steps, of the batch that still goes on: the longest sequences come first, and nothing
    /// lies between the vectors.
    ///
    /// # Safety
    /// The place is null or has as many descriptors.
    pub(super) unsafe fn of_steps(
        count: c_int,
        tensors: *const cudnnTensorDescriptor_t,
    ) -> CudnnResult<Self> {
        check(count > 0 && !tensors.is_null())?;
        // SAFETY: the caller says so.
        let tensor = |step: c_int| unsafe { tensors.add(step as usize).read_unaligned() };
        let first = Shape::of(tensor(0))?;
        let (batch, width) = (first.dims[0], first.dims[1]);
        if batch > LARGEST_BATCH {
            return Err(cudnnError::NOT_SUPPORTED);
        }
        let mut lengths = vec![0; batch as usize];
        let mut going = batch;
        for step in 0..count {
            let shape = Shape::of(tensor(step))?;
            check(shape.ty == first.ty && shape.dims[1] == width && shape.dims[0] <= going)?;
            check(shape.strides[..2] == [width, 1])?;
            going = shape.dims[0];
            for length in lengths.iter_mut().take(going as usize) {
                *length += 1;
            }
        }
        let layout = cudnnRNNDataLayout_t::CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
        let made = Made::new()?;
        let none = std::ptr::null_mut();
        // SAFETY: there are as many lengths as sequences.
        unsafe {
            engine::cudnnSetRNNDataDescriptor(
                made.get(),
                first.ty,
                layout,
                count,
                batch,
                width,
                lengths.as_ptr(),
                none,
            )
        }?;
        let descriptor = made.get();
        let (ty, steps) = (first.ty, count);
        Ok(Sequences { descriptor, _made: Some(made), ty, width, layout, steps, lengths })
    }

    /// Of a descriptor of all.
    pub(super) fn described(descriptor: cudnnRNNDataDescriptor_t) -> CudnnResult<Self> {
        let mut found = Sequences {
            descriptor,
            _made: None,
            ty: cudnnDataType_t::CUDNN_DATA_FLOAT,
            width: 0,
            layout: cudnnRNNDataLayout_t::CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
            steps: 0,
            lengths: Vec::new(),
        };
        let mut batch = 0;
        // What fills the rest, which has the size of an element.
        let mut fill = 0u64;
        // First the size of the batch, then the lengths.
        for _ in 0..2 {
            found.lengths = vec![0; batch as usize];
            // SAFETY: there is room for as many lengths as are asked for, and for an element of any type.
            unsafe {
                engine::cudnnGetRNNDataDescriptor(
                    descriptor,
                    &mut found.ty,
                    &mut found.layout,
                    &mut found.steps,
                    &mut batch,
                    &mut found.width,
                    found.lengths.len() as c_int,
                    found.lengths.as_mut_ptr(),
                    (&raw mut fill).cast(),
                )
            }?;
        }
        Ok(found)
    }

    pub(super) fn get(&self) -> cudnnRNNDataDescriptor_t {
        self.descriptor
    }

    /// `BAD_PARAM` unless both are as many sequences of the same lengths, types and, where that is asked for, widths.
    pub(super) fn check_like(&self, other: &Self, also_wide: bool) -> CudnnResult {
        check(self.ty == other.ty && self.lengths == other.lengths && self.steps == other.steps)?;
        check(!also_wide || self.width == other.width)
    }

    /// Whether vectors of sequences that have ended lie between the others, or all vectors of a sequence lie together: for
    /// what a network must be set.
    pub(super) fn needs_padding(&self) -> bool {
        use cudnnRNNDataLayout_t as L;
        match self.layout {
            L::CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED => false,
            L::CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED => {
                self.lengths.iter().any(|length| *length != self.steps)
            }
            _ => true,
        }
    }
}
