//! Addresses, caches, the stack, and clusters.

use super::prelude::*;

isa! {
    /// Whether a generic address is in a state space.
    Isspacep = r"
        isspacep.space  p, a;
        .space: StateSpace = { .const, .global, .local, .shared, .shared::cta, .shared::cluster, .param, .param::entry };
        types p = .pred, a = .u64;
        needs 7.7 for .param;
        needs 7.8 for .shared::cta;
        needs 8.3 for .param::entry;
        needs 7.8 sm_90 for .shared::cluster;
    ";

    /// The address, in another block of the cluster, of a variable in shared memory.
    Mapa = r"
        mapa{.space}.type  d, a, b;
        .space: StateSpace = { .shared::cluster };
        .type = { .u32, .u64, .s32, .s64 };
        types b = .u32;
        needs 7.8 sm_90;
    ";

    /// The rank of the block that owns an address in shared memory.
    Getctarank = r"
        getctarank{.space}.type d, a;
        .space: StateSpace = { .shared::cluster };
        .type = { .u32, .u64, .s32, .s64 };
        types d = .u32, a = type_;
        needs 7.8 sm_90;
    ";

    /// Brings a line to a cache.
    Prefetch = r"
        prefetch{.space}.level   [a];
        prefetch{.global@space}.level::eviction_priority  [a];
        prefetch{.global@space}.L1::32B.valid_addr  [a];
        prefetch{.tensormap_space@space}.tensormap [a];
        .space: StateSpace = { .global, .local };
        .level: CacheLevel = { .L1, .L2 };
        .level::eviction_priority: L2Eviction = { .L2::evict_last, .L2::evict_normal };
        .tensormap_space: StateSpace = { .const, .param };
        types * =;
        needs 7.4 sm_80 for .L2::evict_last | .L2::evict_normal;
        needs 8.0 sm_90 for .tensormap;
        needs 9.4 sm_90 for .valid_addr;
    ";

    /// Brings a line to the uniform cache.
    Prefetchu = r"
        prefetchu.L1  [a];
        types * =;
        spaces a = .global;
    ";

    /// Sets the priority of a line.
    Applypriority = r"
        applypriority{.global}.L2::evict_normal  [a], size;
        types * =;
        constants size = 128;
        needs 7.4 sm_80;
    ";

    /// Drops a line without writing it back.
    Discard = r"
        discard{.global}.L2  [a], size;
        types * =;
        constants size = 128;
        needs 7.4 sm_80;
    ";

    /// Makes a policy for cache hints.
    Createpolicy = r"
        createpolicy.range{.global}.level::primary_priority{.level::secondary_priority}.b64  cache-policy, [a], primary-size, total-size;
        createpolicy.fractional.level::primary_priority{.level::secondary_priority}.b64      cache-policy{, fraction};
        createpolicy.cvt.L2.b64            cache-policy, access-property;
        .level::primary_priority: L2Eviction = { .L2::evict_last, .L2::evict_normal, .L2::evict_first, .L2::evict_unchanged };
        .level::secondary_priority: L2Eviction = { .L2::evict_first, .L2::evict_unchanged };
        writes = cache-policy;
        types cache-policy access-property = .u64, primary-size total-size = .u32, fraction = .f32, * =;
        needs 7.4 sm_80;
    ";

    /// Takes memory from the stack.
    Alloca = r"
        alloca.type  ptr, size{, immAlign};
        .type = { .u32, .u64 };
        writes = ptr;
        needs 7.3;
        constants imm-align = 1 | 2 | 4 | 8 | 16 | 32 | 64 | 128 | 256 | 512 | 1024 | 2048 | 4096;
    ";

    /// The stack pointer.
    Stacksave = r"
        stacksave.type  d;
        .type = { .u32, .u64 };
        needs 7.3;
    ";

    /// Sets the stack pointer back.
    Stackrestore = r"
        stackrestore.type  a;
        .type = { .u32, .u64 };
        needs 7.3;
    ";

    /// Asks for the cancellation of a cluster that has not started.
    ClusterlaunchcontrolTryCancel = r"
        clusterlaunchcontrol.try_cancel.async{.space}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128 [addr], [mbar];
        .space: StateSpace = { .shared::cta };
        types * =;
        needs 8.6 sm_100;
        needs 8.6 sm_100f sm_110f sm_120f for .multicast::cluster::all;
    ";

    /// Reads the answer to such a request.
    ClusterlaunchcontrolQueryCancel = r"
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128@atype              d, try_cancel_response;
        clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128@atype  d, try_cancel_response;
        clusterlaunchcontrol.query_cancel.dimension.b32.b128@atype           d, try_cancel_response;
        .dimension: CtaidDimension = { .get_first_ctaid::x, .get_first_ctaid::y, .get_first_ctaid::z };
        types try_cancel_response = .b128, d = type_;
        needs 8.6 sm_100;
    ";

    /// Loads a value that is the same for the whole warp.
    Ldu = r"
        ldu{.ss}{.vec}.type  d, [a];
        .ss: StateSpace = { .global };
        .vec: VectorSize = { .v2, .v4 };
        .type = { .b8, .b16, .b32, .b64, .b128, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
        needs 8.3 for .b128;
        never .v4 & .b128 | .b64 | .u64 | .s64 | .f64;
        never .v2 & .b128;
    ";
}
