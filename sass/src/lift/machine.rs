//! What stands between instructions and PTX: the kernel with its banks of constants and its memories.

use super::apart::{FRAME_OF_CALLER, PARAMETERS_OF_CALLER, State};
use super::emit::{Emitter, Truth, unsupported};
use super::error::Reason;
use super::image::{Half, Image, Kernel, Named, Variable};
use super::launch::{LOCAL_WINDOW, Launch, SIZES, STACK};
use super::shifts::Shifts;
use super::sums::Sums;
use crate::flow::written;
use crate::instruction::{File, Instruction, Register};
use std::collections::{BTreeMap, HashMap};

/// The result of lifting an instruction.
pub(super) type Lifted = Result<(), Reason>;

/// The name of the variable that holds a kernel's bank 2.
pub(super) fn constants_name(kernel: &str) -> String {
    format!("__constants_of_{kernel}")
}

/// The names of a kernel's memories in PTX.
pub(super) const FRAME: &str = "__frame";
/// Dynamic shared memory, and the shared memory that is declared, which lies just before it.
pub(super) const DYNAMIC: &str = "__dynamic";
pub(super) const DECLARED: &str = "__declared";
/// The register with the address of the first byte of shared memory.
pub(super) const SHARED: &str = "%shared";
const BARRIER_RESULT: &str = "%barrier";
/// The stack that a thread has by CUDA's default, for kernels that move the stack's pointer by a register.
pub(super) const ALLOCATED: u32 = 1024;
/// The stack that a thread has besides where functions call themselves or are called by their addresses, so that nothing says how much
/// they need. What does not fit ends the grid.
const OF_FUNCTIONS: u32 = 16 << 10;

/// Where bank 3 lies in files that have none: no memory is there.
const NO_CONSTANTS: &str = "0xffffa00000000000";

/// Of the stack's pointer, unless code rounds it to more.
const STACK_ALIGNMENT: u32 = 16;

/// The state of the lifting of one kernel.
pub(super) struct Machine<'a> {
    pub(super) emit: Emitter,
    pub(super) image: &'a Image,
    pub(super) kernel: &'a Kernel,
    /// What is lifted is a function of the kernel, apart.
    pub(super) is_function: bool,
    /// What the kernel's functions take and give back, where it has any.
    pub(super) state: State,
    /// How many labels there are within instructions.
    pub(super) skips: usize,
    /// A function is called by its address.
    pub(super) uses_prototype: bool,
    pub(super) has_functions: bool,
    pub(super) uses_frame: bool,
    /// What the stack's pointer always is where the thread's own memory is accessed; none where that is not known.
    pub(super) stack_pointer: Option<u32>,
    /// Bytes.
    pub(super) frame_alignment: u32,
    pub(super) uses_shared: bool,
    /// The address of the parameters.
    pub(super) uses_parameters: bool,
    /// Functions of the system that are called, by name.
    pub(super) system_calls: std::collections::BTreeSet<&'static str>,
    /// A reduction at a barrier leaves its result in a register of its own.
    pub(super) uses_barrier_result: bool,
    /// What is known of registers before this instruction, in this block.
    pub(super) known: Known,
    /// What this instruction adds.
    pub(super) fresh: Known,
    /// What the number among the operands of this instruction is half of.
    pub(super) half: Option<Half>,
    /// What the driver has, and this instruction calls.
    pub(super) called: Option<String>,
}

/// What a block knows of registers.
#[derive(Default)]
pub(super) struct Known {
    /// Those that hold the product of an angle and 1 / 2 pi.
    pub(super) turns: BTreeMap<u8, Turn>,
    pub(super) constants: HashMap<(File, u8), u32>,
    /// The mask of the lanes that met last, and went the same way since.
    pub(super) members: Option<String>,
    /// The uniform registers are those of each lane in turn.
    pub(super) in_turn: Option<bool>,
    pub(super) sums: Sums,
    pub(super) shifts: Shifts,
    /// Places in shared memory by the registers that say where they are.
    pub(super) shared_places: Vec<([Option<Register>; 2], String)>,
}

impl Known {
    /// Forgets registers that are written, and adds what an instruction tells.
    fn learn(&mut self, i: &Instruction, fresh: &mut Self) {
        let written = &written(i)[..];
        self.sums.learn(i, written, &mut fresh.sums);
        self.shifts.learn(written, &mut fresh.shifts);
        for (file, number) in written {
            self.constants.remove(&(*file, *number));
            if *file == File::General {
                self.turns.remove(number);
            }
        }
        self.turns.append(&mut fresh.turns);
        self.constants.extend(fresh.constants.drain());
        self.shared_places.append(&mut fresh.shared_places);
        let is_written = |register: &Register| written.contains(&(register.file, register.number));
        self.shared_places.retain(|(of, _)| !of.iter().flatten().any(is_written));
        self.members = fresh.members.take().or(self.members.take());
        self.in_turn = fresh.in_turn.take().or(self.in_turn.take());
    }
}

/// An angle in radians, as it was when it was multiplied.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) angle: String,
    /// The guard of the product.
    pub(super) guard: String,
    /// Subnormal angles are zeros.
    pub(super) flushed: bool,
}

impl<'a> Machine<'a> {
    pub(super) fn new(image: &'a Image, kernel: &'a Kernel, state: &State) -> Self {
        let mut emit = Emitter::default();
        emit.registers.extend(state.registers.iter().cloned());
        emit.predicates.extend(state.predicates.iter().cloned());
        Self {
            emit,
            image,
            kernel,
            is_function: false,
            state: state.clone(),
            skips: 0,
            uses_prototype: false,
            has_functions: false,
            uses_frame: false,
            stack_pointer: None,
            frame_alignment: state.frame_alignment.max(STACK_ALIGNMENT),
            uses_shared: false,
            uses_parameters: false,
            system_calls: Default::default(),
            uses_barrier_result: false,
            known: Known::default(),
            fresh: Known::default(),
            half: None,
            called: None,
        }
    }

    /// Nothing is known of registers here.
    pub(super) fn forget(&mut self) {
        self.known = Known::default();
        self.emit.forget();
    }

    /// Ends an instruction: takes over what it tells.
    pub(super) fn learn(&mut self, i: &Instruction) {
        let mut fresh = std::mem::take(&mut self.fresh);
        self.known.learn(i, &mut fresh);
        self.emit.end(written(i));
    }

    /// A label to put behind what follows, to which threads go for which the guard does not hold.
    pub(super) fn skip(&mut self) -> String {
        self.skips += 1;
        let end = format!("C{}", self.skips);
        if let Truth::Register(name, not) = self.emit.guard_truth() {
            let not = if not { "" } else { "!" };
            self.emit.line(format_args!("@{not}{name} bra {end}"));
        }
        end
    }

    /// A word of a bank at an offset.
    pub(super) fn bank_word(&mut self, bank: u8, offset: i32) -> Result<String, Reason> {
        match bank {
            0 => self.launch_word(offset),
            2 => {
                let bytes = usize::try_from(offset)
                    .ok()
                    .and_then(|at| self.kernel.constants.get(at..)?.first_chunk());
                match bytes {
                    Some(bytes) => Ok(format!("{:#x}", u32::from_le_bytes(*bytes))),
                    None => {
                        Err(Reason::Invalid(format!("c[2][{offset:#x}] lies outside of the bank")))
                    }
                }
            }
            3 => {
                let place = self.constant_place(offset)?;
                Ok(self.emit.b32("ld.const.b32", &[&format!("[{place}]")]))
            }
            4 => {
                let at = offset & !7;
                let address = self.address_in_bank(at)?;
                let (low, high) = self.emit.halves(&address);
                Ok(if offset & 4 == 0 { low } else { high })
            }
            _ => unsupported(format!("constant bank {bank}")),
        }
    }

    pub(super) fn bank_wide(&mut self, bank: u8, offset: i32) -> Result<String, Reason> {
        if bank == 4 && offset & 7 == 0 {
            return self.address_in_bank(offset);
        }
        if bank == 0
            && let Some(both) = self.launch_words(offset)?
        {
            return Ok(both);
        }
        let low = self.bank_word(bank, offset)?;
        let high = self.bank_word(bank, offset + 4)?;
        Ok(self.emit.joined(&low, &high))
    }

    /// The handle of a texture or surface at a place of bank 0: of a parameter, or the name of what programs bind.
    pub(super) fn handle(&mut self, offset: i32) -> Result<String, Reason> {
        let bound = u32::try_from(offset).ok().and_then(|at| self.kernel.handles.get(&at));
        match bound {
            Some(Some(name)) => Ok(name.clone()),
            Some(None) => unsupported("a sampler apart from its texture"),
            None if offset >= self.launch().parameters => self.bank_wide(0, offset),
            None => unsupported(format!("a texture in c[0][{offset:#x}]")),
        }
    }

    /// The address that the loader puts in bank 4.
    pub(super) fn address_in_bank(&mut self, offset: i32) -> Result<String, Reason> {
        let at = u32::try_from(offset).ok();
        if let Some(kind) = at.and_then(|at| self.image.unknown.get(&at)) {
            return unsupported(format!("a relocation of kind {kind:#x} in c[4][{offset:#x}]"));
        }
        let Some(named) = at.and_then(|at| self.image.addresses.get(&at)) else {
            return Err(Reason::Invalid(format!("c[4][{offset:#x}] has no relocation")));
        };
        self.address_of(&named.clone())
    }

    /// Half of the address that is due in this instruction.
    pub(super) fn half_address(&mut self, half: &Half) -> Result<String, Reason> {
        let address = self.address_of(&half.of)?;
        Ok(if half.is_upper { self.emit.high(&address) } else { self.emit.low(&address) })
    }

    /// The address of what has a symbol.
    fn address_of(&mut self, named: &Named) -> Result<String, Reason> {
        let Named { symbol, addend } = named;
        if let Some(address) = super::call::address(symbol) {
            return Ok(self.emit.b64("mov.b64", &[&address.to_string()]));
        }
        if let Some(place) = self.image.functions.get(symbol) {
            let address = super::call::code_address(*place).wrapping_add_signed(*addend);
            return Ok(self.emit.b64("mov.b64", &[&address.to_string()]));
        }
        let Some(variable) =
            self.image.variables.iter().find(|variable| variable.symbol == *symbol)
        else {
            return unsupported(format!("the address of `{symbol}`"));
        };
        self.check_relocations(variable)?;
        let address = self.emit.b64("mov.b64", &[&variable.name]);
        let address = if variable.is_constant {
            self.emit.b64("cvta.const.u64", &[&address])
        } else {
            address
        };
        Ok(if *addend == 0 {
            address
        } else {
            self.emit.b64("add.s64", &[&address, &addend.to_string()])
        })
    }

    /// Whether all is known that loading puts into a variable, and into what is found by it.
    fn check_relocations(&self, variable: &Variable) -> Lifted {
        match self.image.unknown_behind(variable) {
            Some((name, kind)) => {
                unsupported(format!("a relocation of kind {kind:#x} in `{name}`"))
            }
            None => Ok(()),
        }
    }

    /// The variable in bank 3 that an offset lies in, as an address in PTX.
    pub(super) fn constant_place(&mut self, offset: i32) -> Result<String, Reason> {
        let constants = self.image.variables.iter().filter(|variable| variable.is_constant);
        let found = constants
            .filter(|variable| i64::from(offset) >= variable.offset as i64)
            .max_by_key(|v| v.offset);
        match found {
            Some(variable) => {
                self.check_relocations(variable)?;
                Ok(format!("{}+{}", variable.name, i64::from(offset) - variable.offset as i64))
            }
            None => Err(Reason::Invalid(format!("c[3][{offset:#x}] lies in no variable"))),
        }
    }

    /// The generic address of the first byte of bank 3, whose variables lie in the order of their offsets.
    fn constant_window(&mut self) -> Result<String, Reason> {
        if !self.image.variables.iter().any(|variable| variable.is_constant) {
            return Ok(self.emit.b64("mov.b64", &[NO_CONSTANTS]));
        }
        let place = self.constant_place(0)?;
        let base = self.emit.b64("mov.b64", &[&place]);
        Ok(self.emit.b64("cvta.const.u64", &[&base]))
    }

    /// A word of bank 0: what the launch says.
    fn launch_word(&mut self, offset: i32) -> Result<String, Reason> {
        if let Some(both) = self.launch_words(offset & !4)? {
            let (low, high) = self.emit.halves(&both);
            return Ok(if offset & 4 == 0 { low } else { high });
        }
        let launch = self.launch();
        let mut words = SIZES.iter().chain(launch.words);
        if let Some((_, special)) = words.find(|(place, _)| *place == offset) {
            return Ok(self.emit.b32("mov.u32", &[special]));
        }
        let mut reciprocals = launch.reciprocals.iter();
        if let Some((_, special)) = reciprocals.find(|(place, _)| *place == offset) {
            let number = self.emit.b32("mov.u32", &[special]);
            let number = self.emit.b32("cvt.rn.f32.u32", &[&number]);
            return Ok(self.emit.b32("rcp.rp.f32", &[&number]));
        }
        match offset {
            STACK => Ok(self.stack().to_string()),
            _ if launch.zeros.contains(&offset) => Ok("0".to_owned()),
            _ if launch.reserved == Some(offset) => Ok(launch.shared.to_string()),
            _ if launch.explicit_cluster == Some(offset) => {
                let flag = self.emit.flag("mov.pred", &["%is_explicit_cluster"]);
                Ok(self.emit.b32("selp.b32", &["1", "0", &flag]))
            }
            _ if offset >= launch.parameters => self.parameter_word(offset),
            _ => unsupported(format!("c[0][{offset:#x}]")),
        }
    }

    pub(super) fn launch(&self) -> &'static Launch {
        Launch::of(self.image.encoding)
    }

    /// Two words of bank 0 that are one number, if these are.
    fn launch_words(&mut self, offset: i32) -> Result<Option<String>, Reason> {
        let launch = self.launch();
        Ok(Some(match offset {
            LOCAL_WINDOW => self.local_window(),
            _ if launch.shared_window == Some(offset) => self.shared_window(),
            _ if launch.grid == Some(offset) => self.emit.b64("mov.u64", &["%gridid"]),
            _ if launch.parameter_window == offset => self.parameter_window()?,
            _ if launch.constant_window == offset => self.constant_window()?,
            _ if launch.graph_exec == offset => self.emit.b64("mov.u64", &["%current_graph_exec"]),
            _ => return Ok(None),
        }))
    }

    /// The generic address of the first byte of bank 0 or of the parameters: these lie as in the bank, whose offsets their alignments
    /// give. Functions of PTX do not see those of the kernel, which gives it to them.
    pub(super) fn parameter_window(&mut self) -> Result<String, Reason> {
        let Some(first) = self.kernel.parameters.first() else {
            return unsupported("the address of a parameter where there is none");
        };
        self.uses_parameters = true;
        if self.is_function {
            return Ok(PARAMETERS_OF_CALLER.to_owned());
        }
        let launch = self.launch();
        let before = launch.parameters.unsigned_abs() + first.offset - launch.begins_at;
        let address = self.emit.b64("mov.b64", &["p0"]);
        let address = self.emit.b64("cvta.param.u64", &[&address]);
        Ok(self.emit.b64("sub.s64", &[&address, &before.to_string()]))
    }

    /// Four bytes of the parameters, which need not be those of one.
    fn parameter_word(&mut self, offset: i32) -> Result<String, Reason> {
        let at = (offset - self.launch().parameters) as u32;
        let find = |at: u32| {
            let mut all = self.kernel.parameters.iter().enumerate();
            all.find(|(_, p)| (p.offset..p.offset + p.size).contains(&at))
                .map(|(index, p)| (index, at - p.offset, p.size))
        };
        if let Some((index, inside, size)) = find(at)
            && inside + 4 <= size
            && at.is_multiple_of(4)
        {
            return self.part_of_parameter("b32", index, inside);
        }
        let bytes: Vec<_> = (0..4).map(|byte| find(at + byte)).collect();
        let mut word = "0".to_owned();
        for (byte, found) in bytes.into_iter().enumerate() {
            let Some((index, inside, _)) = found else { continue };
            let value = self.part_of_parameter("u8", index, inside)?;
            let shifted = if byte == 0 {
                value
            } else {
                self.emit.b32("shl.b32", &[&value, &(8 * byte).to_string()])
            };
            word = if word == "0" { shifted } else { self.emit.b32("or.b32", &[&word, &shifted]) };
        }
        Ok(word)
    }

    fn part_of_parameter(
        &mut self,
        type_: &str,
        index: usize,
        inside: u32,
    ) -> Result<String, Reason> {
        if !self.is_function {
            let place = format!("[p{index}+{inside}]");
            return Ok(self.emit.b32(&format!("ld.param.{type_}"), &[&place]));
        }
        let (window, launch) = (self.parameter_window()?, self.launch());
        let in_bank = launch.parameters.unsigned_abs() - launch.begins_at;
        let place = in_bank + self.kernel.parameters[index].offset + inside;
        Ok(self.emit.b32(&format!("ld.{type_}"), &[&format!("[{window}+{place}]")]))
    }

    /// The generic address of the first byte of shared memory.
    pub(super) fn shared_window(&mut self) -> String {
        let base = self.shared_word();
        let base = self.emit.b64("cvt.u64.u32", &[&base]);
        self.emit.b64("cvta.shared.u64", &[&base])
    }

    pub(super) fn shared_word(&mut self) -> String {
        self.uses_shared = true;
        SHARED.to_owned()
    }

    pub(super) fn barrier_result(&mut self) -> String {
        self.uses_barrier_result = true;
        BARRIER_RESULT.to_owned()
    }

    /// The variable that holds bank 2.
    pub(super) fn constants(&self) -> Result<String, Reason> {
        let kernel = &self.kernel.name;
        match self.image.banks.iter().any(|bank| bank.kernel == *kernel) {
            true => Ok(constants_name(kernel)),
            false => unsupported("constant bank 2 by register"),
        }
    }

    /// Bytes of the stack.
    pub(super) fn stack(&self) -> u32 {
        let more = match () {
            () if self.has_functions => OF_FUNCTIONS,
            () if self.kernel.allocates => ALLOCATED,
            () => 0,
        };
        let bytes = self.kernel.stack.saturating_add(more).max(STACK_ALIGNMENT);
        bytes.checked_next_multiple_of(self.frame_alignment).unwrap_or(bytes)
    }

    /// The generic address of the first byte of the thread's own memory.
    pub(super) fn local_window(&mut self) -> String {
        let base = self.local_base();
        self.emit.b64("cvta.local.u64", &[&base])
    }

    pub(super) fn local_base(&mut self) -> String {
        if self.is_function {
            return FRAME_OF_CALLER.to_owned();
        }
        self.uses_frame = true;
        self.emit.b64("mov.b64", &[FRAME])
    }
}
