//! Memory of a thread that is taken while it runs.

use llvm_zluda::Value;
use ptx_parser::isa::{Alloca, Stackrestore, Stacksave};
use ptx_parser::{Operand, ScalarType};

use super::Lowered;
use super::function::FunctionLowering;
use super::operand::Width;

/// "If immAlign is not specified, the default alignment is 8."
const ALIGNMENT: u64 = 8;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn alloca(&mut self, i: &Alloca<'a>) -> Lowered {
        self.wide_addresses(i.type_)?;
        let bytes = self.read_width(&i.size, i.type_, Width::AtLeast)?;
        let alignment = match &i.imm_align {
            Some(Operand::Immediate(align)) => align.integer_bits().unwrap_or(ALIGNMENT),
            _ => ALIGNMENT,
        };
        let words = [self.thread_number(), bytes, self.i64(alignment)];
        let address = self.lane("alloca", &words)?;
        self.write(&i.ptr, address)
    }

    pub fn stacksave(&mut self, i: &Stacksave<'a>) -> Lowered {
        self.wide_addresses(i.type_)?;
        let thread = self.thread_number();
        let place = self.lane("stacksave", &[thread])?;
        self.write(&i.d, place)
    }

    pub fn stackrestore(&mut self, i: &Stackrestore<'a>) -> Lowered {
        self.wide_addresses(i.type_)?;
        let place = self.read(&i.a, i.type_)?;
        let thread = self.thread_number();
        self.lane("stackrestore", &[thread, place]).map(drop)
    }

    fn wide_addresses(&self, type_: ScalarType) -> Lowered {
        match type_.bits() {
            64 => Ok(()),
            _ => Err(self.unsupported("32-bit addresses of local memory")),
        }
    }

    /// The thread's number in its block.
    pub fn thread_number(&self) -> Value<'c> {
        let word = |name: &str| self.zluda(name, &[]);
        let rows = self.builder.mul(word("tid.z"), word("ntid.y"));
        let rows = self.builder.add(rows, word("tid.y"));
        let number = self.builder.add(self.builder.mul(rows, word("ntid.x")), word("tid.x"));
        self.builder.zext(number, self.context.i64())
    }
}
