//! `exit`: the end of a thread, from within functions too.
//!
//! In a kernel it is `ret`. In a function it is `zluda.exit`, and inlining makes that a part of the kernel
//! (`passes/inline_exits.rs`). Functions that call each other in circles cannot be inlined: where `exit` stands in
//! such functions, all functions of the module have one parameter more, the address of a word of the thread.
//! `exit` sets the word and returns, and whoever called looks at it and returns too.

use llvm_zluda::{Type, Value};
use simt::space;

use super::function::FunctionLowering;
use super::module::ModuleLowering;

const WORD: u64 = 4;

impl<'c> ModuleLowering<'_, 'c, '_> {
    /// The type of the parameter that functions have more.
    pub fn exit_parameter(&self) -> Option<Type<'c>> {
        let told = self.unit.reached.exits_from_recursion;
        told.then(|| self.context.ptr(space::LOCAL))
    }
}

impl<'c> FunctionLowering<'_, '_, 'c, '_> {
    /// Ends the thread, and the block: a return in the kernel; in functions a return that tells the callers, or
    /// `zluda.exit`.
    pub fn exit(&mut self) {
        if self.is_kernel() {
            self.builder.ret_void();
        } else if let Some(word) = self.exit_word() {
            self.builder.store(self.i32(1), word, WORD as u32);
            self.leave();
        } else {
            self.zluda("exit", &[]);
            self.builder.unreachable();
        }
    }

    /// Calls a function of the module, and ends with it where it ends the thread.
    pub fn call_function(&mut self, callee: Value<'c>, mut arguments: Vec<Value<'c>>) -> Value<'c> {
        let Some(word) = self.exit_word() else { return self.builder.call(callee, &arguments) };
        arguments.push(word);
        let result = self.builder.call(callee, &arguments);
        let said = self.builder.load(self.context.i32(), word, WORD as u32);
        let (ended, goes_on) = (self.new_block("ended"), self.new_block("returned"));
        self.builder.cond_br(self.eq(said, self.i32(0)), goes_on, ended);
        self.builder.position_at_end(ended);
        self.leave();
        self.builder.position_at_end(goes_on);
        result
    }

    /// Returns whatever: nobody will look at it.
    fn leave(&self) {
        match self.signature.as_ref().and_then(|signature| signature.returned().map(|_| signature))
        {
            Some(signature) => self.builder.ret(signature.return_type(self.context).zero()),
            None => self.builder.ret_void(),
        };
    }

    /// The pointer to the word that tells the thread's end, if any does: a variable of the kernel, a parameter of
    /// functions.
    fn exit_word(&mut self) -> Option<Value<'c>> {
        self.module.exit_parameter()?;
        if let Some(word) = self.exit_word {
            return Some(word);
        }
        let word = if self.is_kernel() {
            let word = self.local(WORD, WORD);
            self.in_entry(|s| s.builder.store(s.i32(0), word, WORD as u32));
            word
        } else {
            *self.value.parameters().last()?
        };
        self.exit_word = Some(word);
        Some(word)
    }
}
