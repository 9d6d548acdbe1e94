//! Addresses that are sums of integers become offsets from pointers.
//!
//! Input: IR after inlining, in which `inttoptr` stands right before each access.
//! Output: `getelementptr` from the part of the sum that is the pointer, where one part is.
//! Why here: LLVM's analyses of aliases, loops and uniform loads know pointers, and nothing of integers that become
//! some; they run next. PTX's other targets have no use for it.

use llvm_zluda::{Module, Opcode, Value};
use rustc_hash::FxHashMap;

/// Deeper sums stay sums.
const DEPTH: u32 = 16;

/// Makes offsets from pointers of addresses that are sums of integers, in all functions of the module.
pub fn run(module: &Module<'_>) {
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction.opcode() == Opcode::LLVMIntToPtr && instruction.ty().is_pointer() {
                    form(module, instruction);
                }
            }
        }
    }
}

fn form<'c>(module: &Module<'c>, cast: Value<'c>) {
    let narrow = module.size_of(cast.ty()) == 4;
    let mut former = Former { module, cast, narrow, likely: FxHashMap::default() };
    let address = cast.operand(0);
    if let Some(pointer) = former.pointer(address, 0) {
        cast.replace_all_uses_with(pointer);
        cast.erase();
    }
}

struct Former<'m, 'c> {
    module: &'m Module<'c>,
    /// The cast that becomes something else, which new instructions precede.
    cast: Value<'c>,
    /// Its pointers have 32 bits: what addresses have beyond is dropped.
    narrow: bool,
    likely: FxHashMap<Value<'c>, u32>,
}

impl<'c> Former<'_, 'c> {
    /// `address` as a pointer into the cast's address space; `None` where a cast is all that can be said of it.
    fn pointer(&mut self, address: Value<'c>, depth: u32) -> Option<Value<'c>> {
        let space = self.cast.ty().address_space();
        if depth > DEPTH || !has_opcode(address) {
            return None;
        }
        match address.opcode() {
            Opcode::LLVMPtrToInt => {
                let pointer = address.operand(0);
                (pointer.ty().address_space() == space && self.is_whole(address)).then_some(pointer)
            }
            Opcode::LLVMZExt | Opcode::LLVMSExt if self.is_extension(address) => {
                self.pointer(address.operand(0), depth + 1)
            }
            Opcode::LLVMAdd => {
                let (a, b) = (address.operand(0), address.operand(1));
                let (base, offset) = match self.likelihood(a, depth).cmp(&self.likelihood(b, depth))
                {
                    std::cmp::Ordering::Greater => (a, b),
                    std::cmp::Ordering::Less => (b, a),
                    std::cmp::Ordering::Equal => return None,
                };
                let base = self.pointer(base, depth + 1).unwrap_or_else(|| self.cast_of(base));
                let builder = self.module.context().builder();
                builder.position_before(self.cast);
                Some(builder.byte_offset(base, offset))
            }
            _ => None,
        }
    }

    /// The value is all of a pointer's address, of which it can be told what else has it. Dynamic shared memory
    /// is there under several names.
    fn is_whole(&self, value: Value<'c>) -> bool {
        let pointer = value.operand(0);
        let is_dynamic = pointer.is_global_variable() && pointer.is_declaration();
        !is_dynamic && u64::from(value.ty().bits()) >= 8 * self.module.size_of(pointer.ty())
    }

    /// The value is an address of 32 bits with more in front of it.
    fn is_extension(&self, value: Value<'c>) -> bool {
        self.narrow && value.operand(0).ty().bits() == 32
    }

    fn cast_of(&self, address: Value<'c>) -> Value<'c> {
        let builder = self.module.context().builder();
        builder.position_before(self.cast);
        builder.int_to_ptr(address, self.cast.ty())
    }

    /// The likelihood that an integer is the pointer of a sum, to compare with that of others. A number that is
    /// multiplied, masked or extended is none.
    fn likelihood(&mut self, value: Value<'c>, depth: u32) -> u32 {
        if let Some(known) = self.likely.get(&value) {
            return *known;
        }
        // For loops that lead back here.
        self.likely.insert(value, 0);
        let found = self.look(value, depth);
        self.likely.insert(value, found);
        found
    }

    fn look(&mut self, value: Value<'c>, depth: u32) -> u32 {
        if value.is_argument() {
            return 1;
        }
        if !has_opcode(value) || depth > DEPTH {
            return 0;
        }
        let operands = match value.opcode() {
            Opcode::LLVMPtrToInt if self.is_whole(value) => return 3,
            Opcode::LLVMLoad => return 2,
            Opcode::LLVMZExt | Opcode::LLVMSExt if self.is_extension(value) => value.operands(),
            Opcode::LLVMAdd => value.operands(),
            Opcode::LLVMPHI => value.incoming().into_iter().map(|(value, _)| value).collect(),
            Opcode::LLVMSelect => vec![value.operand(1), value.operand(2)],
            _ => return 0,
        };
        operands.into_iter().map(|operand| self.likelihood(operand, depth + 1)).max().unwrap_or(0)
    }
}

fn has_opcode(value: Value<'_>) -> bool {
    value.is_instruction() || value.is_constant_expression()
}

#[cfg(test)]
mod tests {
    use super::run;
    use llvm_zluda::{Context, Module};

    /// The lines of a function's body after the pass, for AMD GPUs.
    fn formed(globals: &str, body: &str) -> Vec<String> {
        let context = Context::new();
        let text = format!(
            "target datalayout = \"e-p:64:64-p1:64:64-p3:32:32\"\n{globals}\n\
             define void @f(i64 %p, i32 %i, i64 %x) {{\n{body}\n  ret void\n}}"
        );
        let module = Module::parse(&context, "test", &text).unwrap();
        run(&module);
        module.verify().unwrap();
        let text = module.print();
        let body = text.split_once("i64 %x) {\n").unwrap().1;
        body.lines()
            .map(|line| line.trim().to_owned())
            .take_while(|line| line != "ret void")
            .collect()
    }

    #[test]
    fn a_loaded_address_and_an_offset() {
        let body = "%b = load i64, ptr addrspace(4) null\n%o = shl i64 %x, 2\n%s = add i64 %o, %b\n\
            %t = add i64 %s, 8\n%a = inttoptr i64 %t to ptr addrspace(1)\nstore i8 0, ptr addrspace(1) %a";
        let lines = formed("", body);
        assert_eq!(
            lines[4..],
            [
                "%1 = inttoptr i64 %b to ptr addrspace(1)",
                "%2 = getelementptr i8, ptr addrspace(1) %1, i64 %o",
                "%3 = getelementptr i8, ptr addrspace(1) %2, i64 8",
                "store i8 0, ptr addrspace(1) %3, align 1"
            ]
        );
    }

    #[test]
    fn shared_variables_through_wider_integers() {
        let body = "%s = add i32 ptrtoint (ptr addrspace(3) @v to i32), %i\n%w = zext i32 %s to i64\n\
            %t = add i64 %w, 4\n%a = inttoptr i64 %t to ptr addrspace(3)\nstore i8 0, ptr addrspace(3) %a";
        let lines = formed("@v = internal addrspace(3) global [64 x i8] poison", body);
        assert_eq!(
            lines[3..],
            [
                "%1 = getelementptr i8, ptr addrspace(3) @v, i32 %i",
                "%2 = getelementptr i8, ptr addrspace(3) %1, i64 4",
                "store i8 0, ptr addrspace(3) %2, align 1"
            ]
        );
    }

    #[test]
    fn what_may_be_anything_stays() {
        // Two arguments, and dynamic shared memory, which other names name too.
        let sums = "%s = add i64 %p, %x\n%a = inttoptr i64 %s to ptr addrspace(1)\n\
            store i8 0, ptr addrspace(1) %a";
        assert!(formed("", sums).iter().all(|line| !line.contains("getelementptr")));
        let dynamic = "%m = mul i32 %i, 4\n%s = add i32 ptrtoint (ptr addrspace(3) @v to i32), %m\n\
            %a = inttoptr i32 %s to ptr addrspace(3)\nstore i8 0, ptr addrspace(3) %a";
        let lines = formed("@v = external addrspace(3) global [0 x i8]", dynamic);
        assert!(lines.iter().all(|line| !line.contains("getelementptr")));
    }
}
