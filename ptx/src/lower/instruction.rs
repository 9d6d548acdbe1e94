//! Which function lowers which instruction. Every instruction of the tables stands here.

use ptx_parser::Instruction;

use super::Lowered;
use super::function::FunctionLowering;

impl<'a> FunctionLowering<'_, '_, '_, 'a> {
    /// Lowers an instruction, without its guard.
    pub fn instruction(&mut self, instruction: &Instruction<'a>) -> Lowered {
        use Instruction::*;
        match instruction {
            // Arithmetic.
            Add(i) => self.add(i),
            Sub(i) => self.sub(i),
            Mul(i) => self.mul(i),
            Mad(i) => self.mad(i),
            Clmad(i) => self.clmad(i),
            Div(i) => self.div(i),
            Rem(i) => self.rem(i),
            Abs(i) => self.abs(i),
            Neg(i) => self.neg(i),
            Min(i) => self.min(i),
            Max(i) => self.max(i),
            Sad(i) => self.sad(i),
            Mul24(i) => self.mul24(i),
            Mad24(i) => self.mad24(i),
            AddCc(i) => self.add_cc(i),
            Addc(i) => self.addc(i),
            SubCc(i) => self.sub_cc(i),
            Subc(i) => self.subc(i),
            MadCc(i) => self.mad_cc(i),
            Madc(i) => self.madc(i),
            Dp4a(i) => self.dp4a(i),
            Dp2a(i) => self.dp2a(i),
            Fma(i) => self.fma(i),
            Rcp(i) => self.rcp(i),
            Sqrt(i) => self.sqrt(i),
            Rsqrt(i) => self.rsqrt(i),
            Sin(i) => self.sin(i),
            Cos(i) => self.cos(i),
            Lg2(i) => self.lg2(i),
            Ex2(i) => self.ex2(i),
            Tanh(i) => self.tanh(i),
            Copysign(i) => self.copysign(i),
            Testp(i) => self.testp(i),

            // Bits, logic and comparisons.
            Popc(i) => self.popc(i),
            Fns(i) => self.fns(i),
            Clz(i) => self.clz(i),
            Bfind(i) => self.bfind(i),
            Brev(i) => self.brev(i),
            Bfe(i) => self.bfe(i),
            Bfi(i) => self.bfi(i),
            Szext(i) => self.szext(i),
            Bmsk(i) => self.bmsk(i),
            Prmt(i) => self.prmt(i),
            And(i) => self.and(i),
            Or(i) => self.or(i),
            Xor(i) => self.xor(i),
            Shl(i) => self.shl(i),
            Shr(i) => self.shr(i),
            Setp(i) => self.setp(i),
            Selp(i) => self.selp(i),
            Not(i) => self.not(i),
            Cnot(i) => self.cnot(i),
            Lop3(i) => self.lop3(i),
            Shf(i) => self.shf(i),
            Set(i) => self.set(i),
            Slct(i) => self.slct(i),

            // Video.
            Vadd(i) => self.vadd(i),
            Vsub(i) => self.vsub(i),
            Vabsdiff(i) => self.vabsdiff(i),
            Vmin(i) => self.vmin(i),
            Vmax(i) => self.vmax(i),
            Vshl(i) => self.vshl(i),
            Vshr(i) => self.vshr(i),
            Vset(i) => self.vset(i),
            Vmad(i) => self.vmad(i),
            Vadd2(i) => self.vadd2(i),
            Vsub2(i) => self.vsub2(i),
            Vavrg2(i) => self.vavrg2(i),
            Vabsdiff2(i) => self.vabsdiff2(i),
            Vmin2(i) => self.vmin2(i),
            Vmax2(i) => self.vmax2(i),
            Vset2(i) => self.vset2(i),
            Vadd4(i) => self.vadd4(i),
            Vsub4(i) => self.vsub4(i),
            Vavrg4(i) => self.vavrg4(i),
            Vabsdiff4(i) => self.vabsdiff4(i),
            Vmin4(i) => self.vmin4(i),
            Vmax4(i) => self.vmax4(i),
            Vset4(i) => self.vset4(i),

            // Data.
            Mov(i) => self.mov(i),
            Ld(i) => self.ld(i),
            Ldu(i) => self.ldu(i),
            St(i) => self.st(i),
            Cvt(i) => self.cvt(i),
            CvtPack(i) => self.cvt_pack(i),
            Cvta(i) => self.cvta(i),
            Isspacep(i) => self.isspacep(i),
            Atom(i) => self.atom(i),
            Red(i) => self.red(i),
            Fence(i) => self.fence(i),
            Membar(i) => self.membar(i),
            CpAsync(i) => self.cp_async(i),

            // Copies and barriers that run beside the threads, and clusters.
            RedAsync(i) => self.red_async(i),
            BarrierCluster(i) => self.barrier_cluster(i),
            CpAsyncMbarrierArrive(i) => self.cp_async_mbarrier_arrive(i),
            CpAsyncBulk(i) => self.cp_async_bulk(i),
            CpReduceAsyncBulk(i) => self.cp_reduce_async_bulk(i),
            StAsync(i) => self.st_async(i),
            StBulk(i) => self.st_bulk(i),
            MultimemLdReduce(i) => self.multimem_ld_reduce(i),
            MultimemSt(i) => self.multimem_st(i),
            MultimemRed(i) => self.multimem_red(i),
            MultimemStAsync(i) => self.multimem_st_async(i),
            MultimemRedAsync(i) => self.multimem_red_async(i),
            MultimemCpAsyncBulk(i) => self.multimem_cp_async_bulk(i),
            MultimemCpReduceAsyncBulk(i) => self.multimem_cp_reduce_async_bulk(i),
            CpAsyncBulkTensor(i) => self.cp_async_bulk_tensor(i),
            CpReduceAsyncBulkTensor(i) => self.cp_reduce_async_bulk_tensor(i),
            TensormapReplace(i) => self.tensormap_replace(i),
            TensormapCpFenceproxy(i) => self.tensormap_cp_fenceproxy(i),
            Mapa(i) => self.mapa(i),
            Getctarank(i) => self.getctarank(i),
            ClusterlaunchcontrolTryCancel(i) => self.try_cancel(i),
            ClusterlaunchcontrolQueryCancel(i) => self.query_cancel(i),
            MbarrierInit(i) => self.mbarrier_init(i),
            MbarrierInval(i) => self.mbarrier_inval(i),
            MbarrierExpectTx(i) => self.mbarrier_expect_tx(i),
            MbarrierCompleteTx(i) => self.mbarrier_complete_tx(i),
            MbarrierArrive(i) => self.mbarrier_arrive(i),
            MbarrierArriveDrop(i) => self.mbarrier_arrive_drop(i),
            MbarrierPendingCount(i) => self.mbarrier_pending_count(i),
            MbarrierTestWait(i) => self.mbarrier_test_wait(i),
            MbarrierTryWait(i) => self.mbarrier_try_wait(i),

            // Textures and surfaces.
            Tex(i) => self.tex(i),
            Tld4(i) => self.tld4(i),
            Txq(i) => self.txq(i),
            Suq(i) => self.suq(i),
            Suld(i) => self.suld(i),
            Sust(i) => self.sust(i),
            Sured(i) => self.sured(i),
            Istypep(i) => self.istypep(i),

            // The warp.
            Shfl(i) => self.shfl(i),
            Vote(i) => self.vote(i),
            MatchSync(i) => self.match_sync(i),
            ReduxSync(i) => self.redux_sync(i),
            Activemask(i) => self.activemask(i),
            ElectSync(i) => self.elect_sync(i),
            BarWarpSync(i) => self.bar_warp_sync(i),

            // Control.
            Bra(i) => self.bra(i),
            BrxIdx(i) => self.brx_idx(i),
            Call(i) => self.call(i),
            Ret(_) => self.return_(),
            Exit(_) => {
                self.exit();
                Ok(())
            }
            // Without a debugger a breakpoint ends the kernel, as on an NVIDIA GPU.
            Trap(_) | Brkpt(_) => {
                self.trap();
                Ok(())
            }
            Bar(i) => self.bar(i),
            Barrier(i) => self.barrier(i),
            Nanosleep(i) => {
                let time = self.read_u32(&i.t)?;
                self.zluda("nanosleep", &[time]);
                Ok(())
            }
            WmmaLoad(i) => self.wmma_load(i),
            WmmaStore(i) => self.wmma_store(i),
            WmmaMma(i) => self.wmma_mma(i),
            Mma(i) => self.mma(i),
            MmaSp(i) => self.mma_sp(i),
            Ldmatrix(i) => self.ldmatrix(i),
            Stmatrix(i) => self.stmatrix(i),
            Movmatrix(i) => self.movmatrix(i),
            WgmmaMmaAsync(i) => self.wgmma(i),
            WgmmaMmaAsyncSp(i) => self.wgmma_sp(i),

            // Without effect here: hints, copies that are finished at once, grids that run
            // one after the other.
            Prefetch(_)
            | Prefetchu(_)
            | Applypriority(_)
            | Discard(_)
            | CpAsyncCommitGroup(_)
            | CpAsyncWaitGroup(_)
            | CpAsyncWaitAll(_)
            | CpAsyncBulkPrefetch(_)
            | CpAsyncBulkPrefetchTensor(_)
            | CpAsyncBulkCommitGroup(_)
            | CpAsyncBulkWaitGroup(_)
            | Griddepcontrol(_)
            | Pmevent(_)
            | Setmaxnreg(_)
            | FabricSubmit(_)
            | FabricWait(_)
            | WgmmaFence(_)
            | WgmmaCommitGroup(_) => Ok(()),
            WgmmaWaitGroup(_) => {
                self.wgmma_wait();
                Ok(())
            }
            Createpolicy(i) => self.write(&i.cache_policy, self.i64(0)),

            // Not yet.
            FabricTryGet(_) | FabricTryPut(_) => self.not_yet("fabric"),
            FabricTryRed(_) | FabricTryPullred(_) => self.not_yet("fabric"),
            MbarrierCheckLayout(_) => self.not_yet("mbarrier.check_layout"),
            TensormapQuery(_) => self.not_yet("tensormap.query"),
            Tcgen05Alloc(_)
            | Tcgen05Dealloc(_)
            | Tcgen05RelinquishAllocPermit(_)
            | Tcgen05Commit(_)
            | Tcgen05Cp(_)
            | Tcgen05Fence(_)
            | Tcgen05Ld(_)
            | Tcgen05St(_)
            | Tcgen05Shift(_)
            | Tcgen05Wait(_)
            | Tcgen05Mma(_)
            | Tcgen05MmaSp(_)
            | Tcgen05MmaWs(_)
            | Tcgen05MmaWsSp(_) => self.not_yet("tcgen05"),
            Alloca(i) => self.alloca(i),
            Stacksave(i) => self.stacksave(i),
            Stackrestore(i) => self.stackrestore(i),
        }
    }

    fn not_yet(&self, mnemonic: &str) -> Lowered {
        Err(self.unsupported(format!("the instruction `{mnemonic}`")))
    }
}
