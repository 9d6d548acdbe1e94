//! From a per-thread module to a relocatable object or to assembly.

use llvm_zluda::{CodeGenOptLevel, Module, TargetMachine, timed};
use simt::passes::Runner;

use crate::code_object::Relocatable;
use crate::gpu::Gpu;
use crate::library::Library;
use crate::pipeline::{PASSES, State};
use crate::{Error, Options, intrinsics};

const TRIPLE: &str = "amdgcn-amd-amdhsa";

/// Passes of LLVM's code generator that do not pay: kernels have as many instructions without them, or fewer. Addresses in
/// loops are what PTX's compiler made of them; LLVM's strength reduction makes more registers of them, and takes a
/// fifth of the time to generate code from unrolled loops. Live variables take a twelfth of the time to compile, since in
/// each block LLVM looks at all of ten thousand registers, and save three instructions of a thousand.
const NOT_WORTH_THEIR_TIME: [&str; 12] = [
    "AMDGPU Image Intrinsic Optimizer",
    "AMDGPU Uniform Intrinsic Combine",
    "Canonicalize Freeze Instructions in Loops",
    "Constant Hoisting",
    "Expand memcmp() to load/stores",
    "Live Variable Analysis",
    "Loop Invariant Code Motion",
    "Loop Strength Reduction",
    "Machine Copy Propagation Pass",
    "Machine Loop Invariant Code Motion",
    "Merge contiguous icmps into a memcmp",
    "SI Optimize VGPR LiveRange",
];
/// Passes that do not pay the first time that LLVM runs them, and do later. (Machine CSE is not among them: without its
/// first round, LLVM 22 moves constants of 64 bits by `s_mov_b64`, whose literal has 32.)
const NOT_AT_FIRST: [&str; 2] =
    ["Early Machine Loop Invariant Code Motion", "Remove dead machine instructions"];
/// A code generator for one GPU and one kind of launches.
pub struct Machine {
    llvm: TargetMachine,
    gpu: &'static Gpu,
    options: Options,
}

impl Machine {
    /// A code generator for a GPU by LLVM's name or HIP's. Fails if the GPU is unknown here or to LLVM.
    pub fn new(gfx: &str, options: Options) -> Result<Self, Error> {
        let gpu = Gpu::named(gfx).ok_or_else(|| Error::UnknownGpu(gfx.to_owned()))?;
        let mut llvm =
            TargetMachine::new(TRIPLE, gpu.name, "", CodeGenOptLevel::LLVMCodeGenLevelDefault)?;
        llvm.disable_passes(&NOT_WORTH_THEIR_TIME);
        llvm.disable_first_passes(&NOT_AT_FIRST);
        Ok(Self { llvm, gpu, options })
    }

    /// Bytes of shared memory (LDS) that a block may have.
    pub fn shared_memory(&self) -> u32 {
        self.gpu.lds
    }

    /// Gives a module the target's triple and data layout.
    pub fn prepare(&self, module: &Module<'_>) {
        module.set_triple(TRIPLE);
        module.set_data_layout(&self.llvm.data_layout());
    }

    /// From per-thread IR to what goes into LLVM's code generator. The module becomes the result.
    pub fn lower<'c>(&self, module: Module<'c>) -> Result<Module<'c>, Error> {
        let mut state = State::new(&module, self.gpu, &self.options)?;
        self.runner().run(PASSES, module, &mut state)
    }

    /// Runs one pass, for tests of it. Fails if there is no pass of this name.
    pub fn run_pass<'c>(&self, name: &str, module: Module<'c>) -> Result<Module<'c>, Error> {
        let pass = PASSES.iter().find(|pass| pass.name == name);
        let pass = pass.ok_or_else(|| Error::Bug(format!("there is no pass `{name}`")))?;
        let mut state = State::new(&module, self.gpu, &self.options)?;
        self.runner().run([pass], module, &mut state)
    }

    fn runner(&self) -> Runner<'_> {
        Runner {
            machine: Some(&self.llvm),
            private: intrinsics::OWN,
            verify: self.options.verify || cfg!(debug_assertions),
            verify_each: self.options.verify,
            watch: &self.options.watch,
        }
    }

    /// The assembly of a lowered module, with what the code needs of the GPU as comments.
    pub fn emit_assembly(&self, module: &Module<'_>) -> Result<String, Error> {
        self.llvm.comment_assembly();
        Ok(self.llvm.emit_assembly(module)?)
    }

    /// The relocatable object of a lowered module, which [`link`](crate::link) makes a code object of. Fails where LLVM
    /// cannot make one: a mistake of ours.
    pub fn emit_relocatable(&self, module: &Module<'_>) -> Result<Relocatable, Error> {
        let object = timed("LLVM's code generator", || self.llvm.emit_object(module))?;
        let library = Library::new(self.gpu, self.options.clusters);
        Ok(Relocatable::new(object, module, library))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Approximations, Blocks, Matrices};
    use llvm_zluda::Watch;

    pub fn machine(gfx: &str) -> Machine {
        let options = Options {
            blocks: Blocks::Any,
            clusters: false,
            matrices: Matrices::default(),
            approximations: Approximations::default(),
            verify: true,
            watch: Watch::default(),
        };
        Machine::new(gfx, options).expect("one of the GPUs")
    }

    #[test]
    fn llvm_has_the_passes_that_are_left_out() {
        let machine = machine("gfx1100");
        assert_eq!(machine.llvm.left_out_in_vain(), Vec::<String>::new());
    }

    #[test]
    fn llvm_has_the_passes_of_the_pipeline() {
        let machine = machine("gfx1100");
        for pass in PASSES {
            assert_eq!(machine.runner().knows(pass), Ok(()), "{}", pass.name);
        }
    }
}
