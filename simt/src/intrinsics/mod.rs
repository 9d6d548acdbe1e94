//! The intrinsics of per-thread IR: functions without a body whose names begin with `zluda.`.
//!
//! [`table::ROWS`] says all that is known of them. From it come the declarations ([`declare`]), what analyses ask
//! ([`called`]), the check of IR ([`verify`]), the table of `docs/dev/per_thread_ir.md` ([`markdown`]) and the declarations for
//! the C of device libraries ([`c_header`]). A target that
//! has functions of its own besides, of which nobody else knows, has a table of the same form for them ([`Private`]).

mod c_header;
mod declare;
mod lookup;
mod markdown;
mod pattern;
mod private;
mod signature;
mod table;
mod verify;

pub use c_header::c_header;
pub use declare::declare;
pub use lookup::{called, named};
pub use markdown::markdown;
pub use private::Private;
pub use table::ROWS;
pub use verify::{verify, verify_definitions};

/// The prefix of the names of all intrinsics.
pub const PREFIX: &str = "zluda.";

/// One row of the table: an intrinsic, or some that differ in their names alone.
#[derive(Debug, PartialEq, Eq)]
pub struct Intrinsic {
    /// The names without [`PREFIX`]: alternatives are in braces, `#` is a number, and `*` at the end is anything.
    pub names: &'static str,
    /// The type as LLVM writes it, with names of parameters. `...` behind the last parameter is any number of such
    /// parameters; `{i32...}` is a structure of as many words as the name's first number says, and `void` if it says 0.
    /// In a [`Private`] table `*` is the type of the intrinsic that the name's `*` names, and `...` alone any type.
    pub signature: &'static str,
    pub effects: Effects,
    pub participants: Participants,
    pub uniformity: Uniformity,
    /// Facts besides that passes may rely on.
    pub properties: &'static [Property],
    pub meaning: &'static str,
}

/// Facts about some intrinsics that passes may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// A thread has the result at hand everywhere: to ask again costs less than a register does.
    AtHand,
    /// The first argument is a constant that packs a `simt_abi::MatrixOperation`.
    MatrixOperation,
    /// The result is no subnormal number.
    NeverSubnormal,
    /// The result is the first argument, but for the bits of a NaN.
    SameNumber,
    /// The result does not depend on the bits of a NaN among the arguments.
    AnyNan,
    /// The result is NaN where an argument is.
    NanOfNan,
}

/// The effects of a call besides its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// Nothing: the result depends on the arguments and on who takes part.
    Pure,
    /// Nothing, but the result is another one at another time.
    Momentary,
    /// Accesses to memory before it are seen behind it, by those who take part.
    OrdersMemory,
    /// Reads or writes memory.
    AccessesMemory,
    /// Other threads of the block may run meanwhile.
    Preempts,
    /// The host sees it, or time passes.
    World,
    EndsThread,
    EndsGrid,
}

/// Whose calls belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Participants {
    /// Each thread calls for itself.
    Thread,
    /// The threads of the warp that call together, whoever they are: nobody waits.
    Present,
    /// The threads of the warp that the last argument names. They wait for each other.
    Members,
    /// The warp. PTX forbids that some of its threads call and others do not (`.aligned`).
    Aligned,
    /// The warp, whose threads wait for each other.
    Warp,
    /// The block, which waits for its threads.
    Block,
    /// The blocks of the cluster, which wait for each other.
    Cluster,
}

/// For which threads the result is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uniformity {
    /// For none of them.
    Thread,
    /// For threads with the same arguments.
    Arguments,
    /// For threads of one warp whose last argument names the same members.
    Members,
    /// For the threads of a warp that call together.
    Warp,
    /// For threads that call together, in several warps too.
    Lockstep,
    /// For the threads of a block.
    Block,
}

impl Intrinsic {
    /// A row without properties.
    pub const fn new(
        names: &'static str,
        signature: &'static str,
        effects: Effects,
        participants: Participants,
        uniformity: Uniformity,
        meaning: &'static str,
    ) -> Self {
        Self { names, signature, effects, participants, uniformity, properties: &[], meaning }
    }

    /// The same row with properties.
    pub const fn with(self, properties: &'static [Property]) -> Self {
        Self { properties, ..self }
    }

    /// Whether passes may rely on something.
    pub fn has(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }

    /// Whether LLVM must not move calls to where other threads call.
    pub fn is_convergent(&self) -> bool {
        self.participants != Participants::Thread
    }

    /// Whether a thread may have to wait there for another one that is still elsewhere.
    pub fn is_rendezvous(&self) -> bool {
        use Participants::*;
        matches!(self.participants, Members | Warp | Block | Cluster)
    }

    /// Whether a call for no thread at all does nothing.
    pub fn is_harmless_for_nobody(&self) -> bool {
        use Effects::*;
        use Participants::*;
        !matches!(self.effects, Preempts | World | EndsThread | EndsGrid)
            && !matches!(self.participants, Block | Cluster)
    }
}
