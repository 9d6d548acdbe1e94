//! The system functions that `libcudadevrt` calls: launches of kernels by kernels, their streams and events, questions;
//! and those that it has as machine code only: launches of graphs by kernels, changes of the nodes of graphs.
//!
//! NVIDIA says nothing about the former; what they take and give is what the library's own PTX does with them. Results
//! are `CNPerror`s, which the library turns into CUDA's. The latter are functions of CUDA's manual.

use llvm_zluda::Value;

use super::Lowered;
use super::function::FunctionLowering;

/// The prefix of names of the second version. Those of the first, which launches from within blocks could wait for, do
/// not have it, and are refused.
const PREFIX: &str = "__cuda_syscall_cnpv2";

/// The way in which the words of a lane operation come from a function's arguments.
enum Words {
    /// As they are.
    Own,
    /// After the segment of the module's variables, by which the driver knows the module.
    OfModule,
    /// The same, without the last argument.
    WithoutFlags,
    /// After the number of the thread in its block.
    OfThread,
    /// As they are, where the second and the third are three words each in memory.
    Shape,
}

/// The functions of CUDA's own names, the lane operation of each and the words of that.
const GRAPH_FUNCTIONS: &[(&str, &str, Words)] = &[
    ("cudaGraphLaunch", "graph.launch", Words::Own),
    ("cudaGraphKernelNodeSetParam", "node.parameter", Words::Own),
    ("cudaGraphKernelNodeSetEnabled", "node.enabled", Words::Own),
    ("cudaGraphKernelNodeSetGridDim", "node.grid", Words::Shape),
    ("cudaGraphKernelNodeUpdatesApply", "node.updates", Words::Own),
];

/// Whether kernels ask something of graphs by the function of this name.
pub fn is_about_graphs(name: &str) -> bool {
    GRAPH_FUNCTIONS.iter().any(|(known, ..)| *known == name)
}

/// Whether kernels launch graphs by the function of this name.
pub fn launches_graphs(name: &str) -> bool {
    name == "cudaGraphLaunch"
}

/// A function without the prefix, its lane operation and the words of that.
const FUNCTIONS: &[(&str, &str, Words)] = &[
    ("GetParameterBufferV2", "launch.buffer", Words::Shape),
    ("GetParameterBuffer", "launch.room", Words::Own),
    ("LaunchDeviceV2", "launch.device", Words::OfModule),
    ("GetLastError", "launch.last_error", Words::OfThread),
    ("SetLastError", "launch.set_last_error", Words::OfThread),
    ("StreamCreate", "launch.stream", Words::Own),
    ("StreamDestroy", "launch.end_stream", Words::Own),
    ("StreamWaitEvent", "launch.wait", Words::Own),
    ("EventCreate", "launch.event", Words::Own),
    ("EventRecord", "launch.record", Words::Own),
    ("EventDestroy", "launch.end_event", Words::Own),
    ("FuncGetAttribute", "launch.function_attribute", Words::OfModule),
    ("DeviceGetAttribute", "launch.device_attribute", Words::OfModule),
    ("GetLimit", "launch.limit", Words::OfModule),
    ("MaxActiveBlocksPerMultiprocessor", "launch.occupancy", Words::OfModule),
    ("MaxActiveBlocksPerMultiprocessorWithFlags", "launch.occupancy", Words::WithoutFlags),
];

impl<'c> FunctionLowering<'_, '_, 'c, '_> {
    /// Nothing if the function is none of these.
    pub fn device_runtime_function(
        &mut self,
        name: &str,
        arguments: &[Value<'c>],
    ) -> Lowered<Option<Value<'c>>> {
        let Some(name) = name.strip_prefix(PREFIX) else {
            return match GRAPH_FUNCTIONS.iter().find(|(known, ..)| *known == name) {
                Some((_, operation, kind)) => {
                    let word = self.runtime_operation(operation, kind, arguments)?;
                    Ok(Some(self.builder.trunc(word, self.context.i32())))
                }
                None => Ok(None),
            };
        };
        // What there is one device and one setting of.
        let constant = match name {
            "GetDevice" | "GetCacheConfig" | "GetSharedMemConfig" => Some(0),
            "GetDeviceCount" => Some(1),
            _ => None,
        };
        if let (Some(value), &[place]) = (constant, arguments) {
            let place = self.builder.int_to_ptr(place, self.generic_pointer());
            self.builder.store(self.context.i32().const_int(value), place, 4);
            return Ok(Some(self.context.i32().zero()));
        }
        if let ("LaunchDevice", &[function, buffer, grid, block, shared, stream]) =
            (name, arguments)
        {
            let word = self.launch_device(function, buffer, [grid, block], shared, stream)?;
            return Ok(Some(self.builder.trunc(word, self.context.i32())));
        }
        let Some((_, operation, kind)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) else {
            return Ok(None);
        };
        let word = self.runtime_operation(operation, kind, arguments)?;
        let wide = name.starts_with("GetParameterBuffer");
        Ok(Some(if wide { word } else { self.builder.trunc(word, self.context.i32()) }))
    }

    fn runtime_operation(
        &mut self,
        operation: &str,
        kind: &Words,
        arguments: &[Value<'c>],
    ) -> Lowered<Value<'c>> {
        let arguments = match (kind, arguments) {
            (Words::WithoutFlags, [others @ .., _flags]) => others,
            _ => arguments,
        };
        let mut words = Vec::new();
        match kind {
            Words::Own | Words::Shape => {}
            Words::OfModule | Words::WithoutFlags => {
                let segment = self.globals_segment();
                words.push(self.builder.ptr_to_int(segment, self.context.i64()));
            }
            Words::OfThread => words.push(self.thread_number()),
        }
        for (index, &argument) in arguments.iter().enumerate() {
            if matches!(kind, Words::Shape) && matches!(index, 1 | 2) {
                words.extend(self.three_sizes(argument));
            } else {
                words.push(self.builder.zext(argument, self.context.i64()));
            }
        }
        self.lane(operation, &words)
    }

    /// The launch whose room for parameters knows nothing of it: `shapes` are addresses of grid and block.
    fn launch_device(
        &mut self,
        function: Value<'c>,
        buffer: Value<'c>,
        shapes: [Value<'c>; 2],
        shared: Value<'c>,
        stream: Value<'c>,
    ) -> Lowered<Value<'c>> {
        let mut words = vec![buffer, function];
        for address in shapes {
            let place = self.builder.int_to_ptr(address, self.generic_pointer());
            words.extend(self.three_sizes(place));
        }
        words.push(self.builder.zext(shared, self.context.i64()));
        let described = self.lane("launch.describe", &words)?;
        self.runtime_operation("launch.device", &Words::OfModule, &[described, stream])
    }

    /// Three words of 32 bits in memory, as words of 64.
    fn three_sizes(&mut self, at: Value<'c>) -> [Value<'c>; 3] {
        [0, 4, 8].map(|offset| {
            let place = self.builder.byte_offset(at, self.i64(offset));
            let size = self.builder.load(self.context.i32(), place, 4);
            self.builder.zext(size, self.context.i64())
        })
    }
}
