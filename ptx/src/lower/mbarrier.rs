//! Barriers in shared memory that count arrivals and bytes.
//!
//! Their words are ours (`simt_abi::mbarrier`): programs see them as opaque. A phase is known by its parity
//! alone, as `mbarrier.test_wait` may be asked for the current phase and the one before only.

use llvm_zluda::{AtomicOrdering, Value};
use ptx_parser::isa::{
    CpAsyncMbarrierArrive, MbarrierArrive, MbarrierArriveDrop, MbarrierCompleteTx,
    MbarrierExpectTx, MbarrierInit, MbarrierInval, MbarrierPendingCount, MbarrierTestWait,
    MbarrierTryWait,
};
use ptx_parser::{Address, Operand, ScalarType, StateSpace};
use simt_abi::mbarrier::{COUNT_BITS, EXPECTED_SHIFT, PARITY_SHIFT, PENDING_SHIFT};

use super::Lowered;
use super::function::FunctionLowering;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    /// An operation of one thread that targets implement as a call: `zluda.lane.<name>`, all words.
    pub fn lane(&mut self, name: &str, words: &[Value<'c>]) -> Lowered<Value<'c>> {
        Ok(self.zluda(&format!("lane.{name}"), words))
    }

    /// `[a]` as a generic address.
    pub fn word_address(
        &mut self,
        address: &Address<'a>,
        space: Option<StateSpace>,
    ) -> Lowered<Value<'c>> {
        let pointer = self.pointer(address, space, 0)?;
        let generic = self.builder.addr_space_cast(pointer, self.generic_pointer());
        Ok(self.builder.ptr_to_int(generic, self.context.i64()))
    }

    /// A 32-bit operand as a word.
    pub fn read_word(&mut self, operand: &Operand<'a>) -> Lowered<Value<'c>> {
        let value = self.read_u32(operand)?;
        Ok(self.builder.zext(value, self.context.i64()))
    }

    pub fn mbarrier_init(&mut self, i: &MbarrierInit<'a>) -> Lowered {
        let count = self.read_word(&i.count)?;
        let count = self.builder.and(count, self.i64((1 << COUNT_BITS) - 1));
        let pending = self.builder.shl(count, self.i64(PENDING_SHIFT.into()));
        let expected = self.builder.shl(count, self.i64(EXPECTED_SHIFT.into()));
        let word = self.builder.or(pending, expected);
        self.set_mbarrier(&i.addr, i.space, word)
    }

    pub fn mbarrier_inval(&mut self, i: &MbarrierInval<'a>) -> Lowered {
        let nothing = self.i64(0);
        self.set_mbarrier(&i.addr, i.space, nothing)
    }

    fn set_mbarrier(
        &mut self,
        address: &Address<'a>,
        space: Option<StateSpace>,
        word: Value<'c>,
    ) -> Lowered {
        self.check_mbarrier(address, space)?;
        let pointer = self.pointer(address, space, 0)?;
        self.builder.store(word, pointer, 8).set_volatile(true);
        Ok(())
    }

    pub fn mbarrier_expect_tx(&mut self, i: &MbarrierExpectTx<'a>) -> Lowered {
        let words = [self.mbarrier_address(&i.addr, i.space)?, self.read_word(&i.tx_count)?];
        self.lane("mbarrier.expect_tx", &words).map(drop)
    }

    pub fn mbarrier_complete_tx(&mut self, i: &MbarrierCompleteTx<'a>) -> Lowered {
        let words = [self.mbarrier_address(&i.addr, i.space)?, self.read_word(&i.tx_count)?];
        self.lane("mbarrier.complete_tx", &words).map(drop)
    }

    pub fn mbarrier_arrive(&mut self, i: &MbarrierArrive<'a>) -> Lowered {
        let address = self.mbarrier_address(&i.addr, i.space)?;
        let (count, bytes) = (i.count.as_ref(), i.tx_count.as_ref());
        self.arrive("mbarrier.arrive", address, &i.state, count, bytes)
    }

    pub fn mbarrier_arrive_drop(&mut self, i: &MbarrierArriveDrop<'a>) -> Lowered {
        let address = self.mbarrier_address(&i.addr, i.space)?;
        let (count, bytes) = (i.count.as_ref(), i.tx_count.as_ref());
        self.arrive("mbarrier.arrive_drop", address, &i.state, count, bytes)
    }

    fn arrive(
        &mut self,
        name: &str,
        address: Value<'c>,
        state: &Operand<'a>,
        count: Option<&Operand<'a>>,
        bytes: Option<&Operand<'a>>,
    ) -> Lowered {
        if let Some(bytes) = bytes {
            let bytes = self.read_word(bytes)?;
            self.lane("mbarrier.expect_tx", &[address, bytes])?;
        }
        let count = match count {
            Some(count) => self.read_word(count)?,
            None => self.i64(1),
        };
        let before = self.lane(name, &[address, count])?;
        self.write(state, before)
    }

    /// The copies of a thread are finished already: so this arrives, or takes back what it adds.
    pub fn cp_async_mbarrier_arrive(&mut self, i: &CpAsyncMbarrierArrive<'a>) -> Lowered {
        if !i.noinc {
            return Ok(());
        }
        let words = [self.mbarrier_address(&i.addr, i.space)?, self.i64(1)];
        self.lane("mbarrier.arrive", &words).map(drop)
    }

    pub fn mbarrier_pending_count(&mut self, i: &MbarrierPendingCount<'a>) -> Lowered {
        let state = self.read(&i.state, ScalarType::B64)?;
        let count = self.builder.lshr(state, self.i64(PENDING_SHIFT.into()));
        let count = self.builder.and(count, self.i64((1 << COUNT_BITS) - 1));
        let count = self.builder.trunc(count, self.context.i32());
        self.write(&i.count, count)
    }

    pub fn mbarrier_test_wait(&mut self, i: &MbarrierTestWait<'a>) -> Lowered {
        let parity = self.asked_parity(i.state.as_ref(), i.phase_parity.as_ref())?;
        let complete = self.is_complete(&i.addr, i.space, parity)?;
        self.write(&i.wait_complete, complete)?;
        self.no_report(i.report_predicate.as_ref(), i.report_value.as_ref())
    }

    /// Reports are those of fabric operations that failed: here is none. So conditional phases end with the primary ones.
    fn no_report(
        &mut self,
        predicate: Option<&Operand<'a>>,
        value: Option<&Operand<'a>>,
    ) -> Lowered {
        if let Some(predicate) = predicate {
            self.write(predicate, self.i1(false))?;
        }
        if let Some(value) = value {
            self.write(value, self.context.int(8).zero())?;
        }
        Ok(())
    }

    /// Waits for a moment at most: others run, then it looks again.
    pub fn mbarrier_try_wait(&mut self, i: &MbarrierTryWait<'a>) -> Lowered {
        let parity = self.asked_parity(i.state.as_ref(), i.phase_parity.as_ref())?;
        let at_once = self.is_complete(&i.addr, i.space, parity)?;
        let before = self.builder.block();
        let (sleep, done) = (self.new_block("sleep"), self.new_block("tried"));
        self.builder.cond_br(at_once, done, sleep);
        self.builder.position_at_end(sleep);
        let no_time = self.i32(0);
        self.zluda("nanosleep", &[no_time]);
        let later = self.is_complete(&i.addr, i.space, parity)?;
        let after = self.builder.block();
        self.builder.br(done);
        self.builder.position_at_end(done);
        let complete = self.builder.phi(self.context.i1());
        complete.add_incoming(&[(at_once, before), (later, after)]);
        self.write(&i.wait_complete, complete)?;
        self.no_report(i.report_predicate.as_ref(), i.report_value.as_ref())
    }

    /// The parity of the phase that is asked for, in bit 0.
    fn asked_parity(
        &mut self,
        state: Option<&Operand<'a>>,
        parity: Option<&Operand<'a>>,
    ) -> Lowered<Value<'c>> {
        match (state, parity) {
            (Some(state), _) => {
                let state = self.read(state, ScalarType::B64)?;
                Ok(self.builder.lshr(state, self.i64(PARITY_SHIFT.into())))
            }
            (None, Some(parity)) => {
                let parity = self.read_word(parity)?;
                Ok(self.builder.and(parity, self.i64(1)))
            }
            (None, None) => Err(self.invalid("which phase?")),
        }
    }

    fn is_complete(
        &mut self,
        address: &Address<'a>,
        space: Option<StateSpace>,
        parity: Value<'c>,
    ) -> Lowered<Value<'c>> {
        self.check_mbarrier(address, space)?;
        let pointer = self.pointer(address, space, 0)?;
        let word = self.builder.load(self.context.i64(), pointer, 8);
        word.set_ordering(AtomicOrdering::LLVMAtomicOrderingAcquire);
        word.set_sync_scope(self.scope(None));
        let current = self.builder.lshr(word, self.i64(PARITY_SHIFT.into()));
        Ok(self.ne(current, parity))
    }
}
