//! Convolutions and their gradients, in ways that MIOpen chooses once for each shape.

use super::descriptors::{self, Descriptor, Order};
use super::functions::*;
use super::memory::Scratch;
use super::placed::{Placed, single};
use super::{Miopen, Refusal};
use hip_runtime_sys::hipStream_t;
use neural::convolution::{Convolution, ConvolutionLayer, Direction};
use neural::{Format, Layout, Scale, Tensor};
use std::ffi::c_void;
use std::ptr::from_ref;
use std::sync::Arc;

/// A shape: the direction, the convolution, and its three tensors.
pub(super) type Key = (Direction, Convolution, [Layout; 3]);

/// How convolutions of one shape are computed.
pub(super) struct Plan {
    direction: Direction,
    x: Descriptor,
    w: Descriptor,
    y: Descriptor,
    convolution: Descriptor,
    solution: u64,
    /// Bytes.
    workspace: usize,
}

pub(super) fn key(layer: &ConvolutionLayer) -> Key {
    let layouts = [&layer.x, &layer.w, &layer.y].map(|tensor| tensor.layout.clone());
    (layer.direction, layer.convolution.clone(), layouts)
}

/// The order of the elements of all tensors.
fn order(layer: &ConvolutionLayer) -> Result<Order, Refusal> {
    let z = layer.epilogue.as_ref().and_then(|epilogue| epilogue.z.as_ref());
    let all = [&layer.x, &layer.w, &layer.y].into_iter().chain(z);
    Order::of(&all.map(|tensor| &tensor.layout).collect::<Vec<_>>())
}

impl Plan {
    /// Lets MIOpen choose how, and compile it.
    fn new(
        f: &Functions,
        handle: miopenHandle_t,
        layer: &ConvolutionLayer,
    ) -> Result<Plan, Refusal> {
        if layer.x.format != layer.w.format || layer.x.format != layer.y.format {
            return Err(Refusal::Unsupported("tensors of different types"));
        }
        let order = order(layer)?;
        let mut plan = Plan {
            direction: layer.direction,
            x: descriptors::tensor(f, &layer.x, order)?,
            w: descriptors::tensor(f, &layer.w, order)?,
            y: descriptors::tensor(f, &layer.y, order)?,
            convolution: descriptors::convolution(f, &layer.convolution, layer.x.dims.len())?,
            solution: 0,
            workspace: 0,
        };
        let [x, w, y, convolution] =
            [&plan.x, &plan.w, &plan.y, &plan.convolution].map(|descriptor| descriptor.handle);
        // MIOpen has the tensors in an order of its own for each direction, the one that is computed last.
        let ((first, second, last), count, get, compile) = match layer.direction {
            Direction::Forward => (
                (w, x, y),
                f.miopenConvolutionForwardGetSolutionCount,
                f.miopenConvolutionForwardGetSolution,
                f.miopenConvolutionForwardCompileSolution,
            ),
            Direction::BackwardData => (
                (y, w, x),
                f.miopenConvolutionBackwardDataGetSolutionCount,
                f.miopenConvolutionBackwardDataGetSolution,
                f.miopenConvolutionBackwardDataCompileSolution,
            ),
            Direction::BackwardFilter => (
                (y, x, w),
                f.miopenConvolutionBackwardWeightsGetSolutionCount,
                f.miopenConvolutionBackwardWeightsGetSolution,
                f.miopenConvolutionBackwardWeightsCompileSolution,
            ),
        };
        let mut found = 0;
        // SAFETY: the handle is locked, the descriptors are set, and the place lives during the call.
        let status = unsafe { count(handle, first, second, convolution, last, &mut found) };
        Refusal::check("miopenConvolution...GetSolutionCount", status)?;
        let mut solutions = vec![miopenConvSolution_t::default(); found];
        let (places, most) = (solutions.as_mut_ptr(), solutions.len());
        // SAFETY: as above; there is room for as many.
        let status =
            unsafe { get(handle, first, second, convolution, last, most, &mut found, places) };
        Refusal::check("miopenConvolution...GetSolution", status)?;
        solutions.truncate(found);
        // The best one first; a kernel of one may not compile everywhere.
        let mut refused = Refusal::Unsupported("way to compute this convolution");
        for solution in solutions {
            // SAFETY: as above.
            let status =
                unsafe { compile(handle, first, second, convolution, last, solution.solution_id) };
            match Refusal::check("miopenConvolution...CompileSolution", status) {
                Ok(()) => {
                    plan.solution = solution.solution_id;
                    plan.workspace = solution.workspace_size;
                    return Ok(plan);
                }
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// Puts the convolution alone into the handle's stream.
    fn run(
        &self,
        f: &Functions,
        handle: miopenHandle_t,
        workspace: *mut c_void,
        [x, w, y]: [*mut c_void; 3],
    ) -> Result<(), Refusal> {
        let [dx, dw, dy, convolution] =
            [&self.x, &self.w, &self.y, &self.convolution].map(|descriptor| descriptor.handle);
        let (bytes, id) = (self.workspace, self.solution);
        // SAFETY: the handle is locked, the descriptors are those that the solution was made for; the program answers for
        // its memory.
        let status = unsafe {
            match self.direction {
                Direction::Forward => (f.miopenConvolutionForwardImmediate)(
                    handle,
                    dw,
                    w,
                    dx,
                    x,
                    convolution,
                    dy,
                    y,
                    workspace,
                    bytes,
                    id,
                ),
                Direction::BackwardData => (f.miopenConvolutionBackwardDataImmediate)(
                    handle,
                    dy,
                    y,
                    dw,
                    w,
                    convolution,
                    dx,
                    x,
                    workspace,
                    bytes,
                    id,
                ),
                Direction::BackwardFilter => (f.miopenConvolutionBackwardWeightsImmediate)(
                    handle,
                    dy,
                    y,
                    dx,
                    x,
                    convolution,
                    dw,
                    w,
                    workspace,
                    bytes,
                    id,
                ),
            }
        };
        Refusal::check("miopenConvolution...Immediate", status)
    }
}

/// `to = alpha * a + beta * b`, element by element; `b` is repeated where it has one.
fn add(
    f: &Functions,
    handle: miopenHandle_t,
    (alpha, a): (f32, (*mut c_void, *mut c_void)),
    (beta, b): (f32, (*mut c_void, *mut c_void)),
    to: (*mut c_void, *mut c_void),
) -> Result<(), Refusal> {
    let (alpha, beta, none) = (from_ref(&alpha), from_ref(&beta), from_ref(&0f32));
    // SAFETY: the handle is locked, and the factors live during the call; pairs are descriptors and the memory that they
    // describe.
    let status = unsafe {
        (f.miopenOpTensor)(
            handle,
            miopenTensorOpAdd,
            alpha.cast(),
            a.0,
            a.1,
            beta.cast(),
            b.0,
            b.1,
            none.cast(),
            to.0,
            to.1,
        )
    };
    Refusal::check("miopenOpTensor", status)
}

/// A convolution with its tensors, and what is computed of its result.
pub(super) struct Run {
    plan: Arc<Plan>,
    /// `x`, `w` and `y`.
    places: [usize; 3],
    /// That of them which is computed.
    result: Placed,
    scale: (f32, f32),
    /// Bytes of the result where that is not stored as it is.
    apart: usize,
    z: Option<Placed>,
    bias: Option<Placed>,
    activation: Option<Descriptor>,
}

impl Miopen {
    pub(super) fn convolution(&self, layer: &ConvolutionLayer) -> Result<Run, Refusal> {
        let f = self.functions;
        let plan = self.plan(layer)?;
        let (scale, order) = (single(layer.scale)?, order(layer)?);
        let epilogue = layer.epilogue.as_ref();
        let of_epilogue = |tensor: Option<&Tensor>| match tensor {
            Some(tensor) if tensor.format != layer.y.format => {
                Err(Refusal::Unsupported("tensors of different types"))
            }
            tensor => tensor.map(|tensor| Placed::new(f, tensor, order)).transpose(),
        };
        let z = of_epilogue(epilogue.and_then(|epilogue| epilogue.z.as_ref()))?;
        let bias = of_epilogue(epilogue.and_then(|epilogue| epilogue.bias.as_ref()))?;
        let activation = match epilogue {
            Some(epilogue) => descriptors::activation(f, &epilogue.activation)?,
            None => None,
        };
        // The second factor is that of `z` where there is something behind the convolution.
        let is_plain = scale.0 == 1.0 && (epilogue.is_some() || scale.1 == 0.0);
        let result = layer.result();
        if result.format == Format::Bf16 && (!is_plain || epilogue.is_some()) {
            return Err(Refusal::Unsupported("sums of bfloat16 behind a convolution"));
        }
        Ok(Run {
            plan,
            places: [&layer.x, &layer.w, &layer.y].map(|tensor| tensor.first.expose_provenance()),
            result: Placed::new(f, result, order)?,
            scale,
            apart: if is_plain { 0 } else { result.bytes() },
            z,
            bias,
            activation,
        })
    }

    /// The plan of a shape, which is made once.
    fn plan(&self, layer: &ConvolutionLayer) -> Result<Arc<Plan>, Refusal> {
        let key = key(layer);
        if let Some(plan) = self.plans.lock().get(&key) {
            return plan.clone();
        }
        let plan = Plan::new(self.functions, self.handle.lock().0, layer).map(Arc::new);
        self.plans.lock().entry(key).or_insert(plan).clone()
    }

    pub(super) fn backward_bias(
        &self,
        dy: &Tensor,
        db: &Tensor,
        scale: Scale,
    ) -> Result<BackwardBias, Refusal> {
        if dy.format != db.format || dy.format == Format::Bf16 {
            return Err(Refusal::Unsupported("gradients of biases of these types"));
        }
        if scale != Scale::ONE {
            return Err(Refusal::Unsupported("factors for gradients of biases"));
        }
        // It takes all tensors for such.
        let order = Order::ChannelsFirst;
        if Order::of(&[dy])? != order {
            return Err(Refusal::Unsupported("gradients of biases whose channels are last"));
        }
        let f = self.functions;
        Ok(BackwardBias { dy: Placed::new(f, dy, order)?, db: Placed::new(f, db, order)? })
    }
}

impl Run {
    /// Puts it into the handle's stream.
    pub(super) fn run(
        &self,
        f: &Functions,
        handle: miopenHandle_t,
        stream: hipStream_t,
    ) -> Result<(), Refusal> {
        let plan = &self.plan;
        let workspace = Scratch::new(plan.workspace, stream)?;
        let mut places = self.places.map(std::ptr::with_exposed_provenance_mut);
        let result = &self.result.descriptor;
        let to = (result.handle, self.result.place());
        let apart = Scratch::new(self.apart, stream)?;
        if self.apart != 0 {
            *plan.direction.result(places.each_mut()) = apart.place;
        }
        plan.run(f, handle, workspace.place, places)?;
        let (alpha, beta) = self.scale;
        let sums = (result.handle, plan.direction.result(places));
        let has_epilogue = self.z.is_some() || self.bias.is_some() || self.activation.is_some();
        match &self.z {
            Some(z) => add(f, handle, (alpha, sums), (beta, (z.descriptor.handle, z.place())), to)?,
            // What is multiplied by 0 may be no number.
            None if self.apart != 0 && (has_epilogue || beta == 0.0) => {
                add(f, handle, (alpha, sums), (0.0, sums), to)?
            }
            None if self.apart != 0 => add(f, handle, (alpha, sums), (beta, to), to)?,
            None => {}
        }
        if let Some(bias) = &self.bias {
            add(f, handle, (1.0, to), (1.0, (bias.descriptor.handle, bias.place())), to)?;
        }
        let Some(activation) = &self.activation else { return Ok(()) };
        let (one, none) = (from_ref(&1f32).cast(), from_ref(&0f32).cast());
        // SAFETY: the handle is locked, the factors live during the call, and the result is in its place.
        let status = unsafe {
            let activation = activation.handle;
            (f.miopenActivationForward)(handle, activation, one, to.0, to.1, none, to.0, to.1)
        };
        Refusal::check("miopenActivationForward", status)
    }
}

/// The gradient of a bias.
pub(super) struct BackwardBias {
    dy: Placed,
    db: Placed,
}

impl BackwardBias {
    /// Puts it into the handle's stream.
    pub(super) fn run(&self, f: &Functions, handle: miopenHandle_t) -> Result<(), Refusal> {
        let (alpha, beta) = (from_ref(&1f32).cast(), from_ref(&0f32).cast());
        let (dy, db) = (&self.dy, &self.db);
        let (from, to) = (dy.descriptor.handle, db.descriptor.handle);
        // SAFETY: the handle is locked, and the factors live during the call; the program answers for its memory.
        let status = unsafe {
            (f.miopenConvolutionBackwardBias)(handle, alpha, from, dy.place(), beta, to, db.place())
        };
        Refusal::check("miopenConvolutionBackwardBias", status)
    }
}
