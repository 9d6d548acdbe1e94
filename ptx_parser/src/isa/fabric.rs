//! Copies, reductions and atomic operations over a fabric of devices, on memory that handles name.

use super::prelude::*;

isa! {
    /// Copies from the memory of a handle.
    FabricTryGet = r"
        fabric.try_get.async.shared::cta@dst.mbarrier::complete_tx::bytes.mbarrier::report::fabric{.relaxed@sem}.sys@scope.b128 [dstMem], [srcLeId, srcDataOff], size, [mbar];
        types src-le-id size = .u32, src-data-off = .u64, * =;
        needs 9.3 sm_100;
    ";

    /// Copies to the memory of a handle.
    FabricTryPut = r"
        fabric.try_put.async{.multimem}.shared::cta@src.mbarrier::complete_tx::16B.mbarrier::report::fabric{.relaxed@sem}.sys@scope.b128 [dstLeId, dstDataOff], [srcMem], size, [mbar];
        fabric.try_put.async{.multimem}.shared::cta@src.mbarrier::complete_tx::16B.mbarrier::report::fabric.cp_mask{.relaxed@sem}.sys@scope.b128 [dstLeId, dstDataOff], [srcMem], size, [mbar], byteMask;
        fabric.try_put.async{.multimem}.shared::cta@src.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes{.relaxed@sem}.sys@scope.b128 [dstLeId, dstDataOff, dstCounterOff], [srcMem], size, [mbar];
        types dst-le-id size = .u32, dst-data-off dst-counter-off = .u64, * =;
        needs 9.3 sm_100;
    ";

    /// Reduces into the memory of a handle.
    FabricTryRed = r"
        fabric.try_red.async{.multimem}.shared::cta@src.mbarrier::complete_tx::16B.mbarrier::report::fabric{.relaxed@sem}.sys@scope.op.type [dstLeId, dstDataOff], [srcMem], size, [mbar];
        fabric.try_red.async{.multimem}.shared::cta@src.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes{.relaxed@sem}.sys@scope.op.type [dstLeId, dstDataOff, dstCounterOff], [srcMem], size, [mbar];
        .op: AtomicOp = { .and, .or, .xor, .add, .min, .max };
        .type = { .b32, .b64, .u32, .s32, .u64, .s64, .f16, .bf16, .f32, .f64 };
        types dst-le-id size = .u32, dst-data-off dst-counter-off = .u64, * =;
        needs 9.3 sm_100;
        never .and | .or | .xor & !.b32 | .b64;
        never .b32 | .b64 & .add | .min | .max;
        never .f32 | .f64 & !.add;
        never .add & .s32 | .s64;
    ";

    /// Copies the reduction of the memory of all devices of a handle.
    FabricTryPullred = r"
        fabric.try_pullred.async.multimem.shared::cta@dst.mbarrier::complete_tx::bytes.mbarrier::report::fabric{.relaxed@sem}.sys@scope.op{.acc_prec}.type.sync [dstMem], [srcLeId, srcDataOff], size, [mbar], membermask;
        .op: AtomicOp = { .and, .or, .xor, .add, .min, .max };
        .acc_prec: AccumulatorPrecision = { .acc::f32 };
        .type = { .b32, .b64, .u32, .s32, .u64, .s64, .f16, .bf16, .f32 };
        types src-le-id size = .u32, src-data-off = .u64, * =;
        constants membermask = 4294967295;
        needs 9.3 sm_100;
        needs sm_100f sm_110f for .acc::f32;
        never .and | .or | .xor & !.b32 | .b64;
        never .b32 | .b64 & .add | .min | .max;
        never .f32 & !.add;
        never .add & .s32 | .s64;
        never .acc::f32 & !.add;
        never .acc::f32 & !.f16 | .bf16;
    ";

    /// Sends what the thread's fabric operations have not sent yet.
    FabricSubmit = r"
        fabric.submit{.op_restrict::fetching};
        fabric.submit.commit_group;
        needs 9.3 sm_100;
        needs 9.5 for .commit_group;
    ";

    /// Waits until the sources of the thread's fabric operations are read: of all, or of all but the `n` last groups.
    FabricWait = r"
        fabric.wait.sync_restrict::reads;
        fabric.wait.sync_restrict::read n;
        types * =;
        constants n = ..;
        needs 9.3 sm_100;
        needs 9.5 for .sync_restrict::read;
    ";
}
