//! Where bank 0 has what a launch says, by architecture.

use crate::decode::Encoding;

/// A place of bank 0 and the special register that it has.
type Words = &'static [(i32, &'static str)];

pub(super) struct Launch {
    /// Where the kernel's parameters begin.
    pub(super) parameters: i32,
    pub(super) words: Words,
    /// Reciprocals of special registers, of which products, cut off, are quotients.
    pub(super) reciprocals: Words,
    /// Numbers of 64 bits.
    pub(super) shared_window: Option<i32>,
    pub(super) constant_window: i32,
    /// The generic address of the bank's beginning or of the first parameter, and the place in the bank that it is the address of.
    pub(super) parameter_window: i32,
    pub(super) begins_at: u32,
    pub(super) grid: Option<i32>,
    /// Whether the launch is one in clusters.
    pub(super) explicit_cluster: Option<i32>,
    /// The graph that the kernel is of.
    pub(super) graph_exec: i32,
    /// The bytes of shared memory that are the system's.
    pub(super) reserved: Option<i32>,
    /// What is zero here: shared memory of the system's, and the descriptor of global memory.
    pub(super) zeros: &'static [i32],
    /// The address of the first byte of shared memory that programs see.
    pub(super) shared: u32,
}

/// The sizes of blocks and grids, of all architectures.
pub(super) const SIZES: Words = &[
    (0x0, "%ntid.x"),
    (0x4, "%ntid.y"),
    (0x8, "%ntid.z"),
    (0xc, "%nctaid.x"),
    (0x10, "%nctaid.y"),
    (0x14, "%nctaid.z"),
    (0x2c, "%dynamic_smem_size"),
];
/// The generic address of the first byte of the thread's own memory, and where the stack begins in it.
pub(super) const LOCAL_WINDOW: i32 = 0x20;
pub(super) const STACK: i32 = 0x28;

const SM_80: Launch = Launch {
    parameters: 0x160,
    words: &[(0x8c, "%envreg1"), (0x90, "%envreg2"), (0x94, "%envreg3"), (0x10c, "%nsmid")],
    reciprocals: &[],
    shared_window: Some(0x18),
    constant_window: 0x50,
    parameter_window: 0x40,
    begins_at: 0,
    grid: Some(0x30),
    explicit_cluster: None,
    graph_exec: 0x130,
    reserved: None,
    zeros: &[0x114, 0x118, 0x11c],
    shared: 0,
};

const SM_75: Launch = Launch { graph_exec: 0x120, ..SM_80 };

const SM_90: Launch = Launch {
    parameters: 0x210,
    words: &[
        (0x44, "%envreg1"),
        (0x48, "%envreg2"),
        (0x4c, "%envreg3"),
        (0x68, "%reserved_smem_offset_end"),
        (0x6c, "%reserved_smem_offset_1"),
        (0x13c, "%aggr_smem_size"),
        (0x144, "%cluster_nctaid.x"),
        (0x148, "%cluster_nctaid.y"),
        (0x14c, "%cluster_nctaid.z"),
        (0x15c, "%nclusterid.x"),
        (0x160, "%nclusterid.y"),
        (0x164, "%nclusterid.z"),
        (0x188, "%cluster_nctarank"),
    ],
    reciprocals: &[
        (0x150, "%cluster_nctaid.x"),
        (0x154, "%cluster_nctaid.y"),
        (0x158, "%cluster_nctaid.z"),
    ],
    shared_window: None,
    constant_window: 0xd0,
    parameter_window: 0x198,
    begins_at: 0x210,
    grid: None,
    explicit_cluster: Some(0x140),
    graph_exec: 0x190,
    reserved: Some(0x114),
    zeros: &[0x208, 0x20c],
    shared: 0x400,
};

impl Launch {
    pub(super) fn of(encoding: Encoding) -> &'static Launch {
        match encoding {
            Encoding::Sm75 => &SM_75,
            Encoding::Sm80 | Encoding::Sm86 | Encoding::Sm89 => &SM_80,
            Encoding::Sm90 => &SM_90,
        }
    }
}
