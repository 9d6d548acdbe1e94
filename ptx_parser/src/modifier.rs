//! The words after the dots: one enum for each kind of modifier, shared by all instructions.

/// An enum whose values are modifiers.
pub trait Modifier: Copy + Eq + 'static {
    /// All values, in the order of [`Modifier::WORDS`].
    const ALL: &'static [Self];
    /// The values' spellings, without the leading dot.
    const WORDS: &'static [&'static str];

    /// 1 + the value's index in [`Modifier::ALL`].
    fn code(self) -> u16;

    /// The value of a [`Modifier::code`]; none for 0.
    fn from_code(code: u16) -> Option<Self> {
        Self::ALL.get(usize::from(code).checked_sub(1)?).copied()
    }

    /// The spelling, without the leading dot.
    fn word(self) -> &'static str {
        Self::WORDS.get(usize::from(self.code()) - 1).copied().unwrap_or_default()
    }

    fn from_word(word: &str) -> Option<Self> {
        let index = Self::WORDS.iter().position(|w| *w == word)?;
        Self::ALL.get(index).copied()
    }
}

macro_rules! modifiers {
    ($($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $word:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$value_doc])* $value,)* }

        impl Modifier for $name {
            const ALL: &'static [Self] = &[$($name::$value,)*];
            const WORDS: &'static [&'static str] = &[$($word,)*];

            fn code(self) -> u16 {
                self as u16 + 1
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, ".{}", self.word())
            }
        }
    )*};
}

modifiers! {
    /// Types of registers, variables and operations.
    ScalarType {
        B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64", B128 = "b128",
        U8 = "u8", U16 = "u16", U32 = "u32", U64 = "u64",
        S8 = "s8", S16 = "s16", S32 = "s32", S64 = "s64",
        F16 = "f16", F16x2 = "f16x2", F32 = "f32", F32x2 = "f32x2", F64 = "f64",
        Bf16 = "bf16", Bf16x2 = "bf16x2", Tf32 = "tf32",
        U16x2 = "u16x2", S16x2 = "s16x2", U8x4 = "u8x4", S8x4 = "s8x4",
        Pred = "pred",
        B1 = "b1", B2 = "b2", B4 = "b4", U2 = "u2", S2 = "s2", U4 = "u4", S4 = "s4",
        E4m3 = "e4m3", E5m2 = "e5m2", E2m3 = "e2m3", E3m2 = "e3m2", E2m1 = "e2m1",
        E4m3x2 = "e4m3x2", E5m2x2 = "e5m2x2", E2m3x2 = "e2m3x2", E3m2x2 = "e3m2x2", E2m1x2 = "e2m1x2",
        E4m3x4 = "e4m3x4", E5m2x4 = "e5m2x4", E2m3x4 = "e2m3x4", E3m2x4 = "e3m2x4", E2m1x4 = "e2m1x4",
        Ue8m0 = "ue8m0", Ue8m0x2 = "ue8m0x2", Ue4m3 = "ue4m3", S2f6x2 = "s2f6x2",
        B8x16 = "b8x16", B6x16P32 = "b6x16_p32", B4x16P64 = "b4x16_p64", B1024 = "b1024",
        Texref = "texref", Samplerref = "samplerref", Surfref = "surfref",
    }
    /// Rounding of results.
    Rounding {
        /// To nearest, ties to even.
        Rn = "rn",
        /// To nearest, ties away from zero.
        Rna = "rna",
        /// Towards zero.
        Rz = "rz",
        /// Towards negative infinity.
        Rm = "rm",
        /// Towards positive infinity.
        Rp = "rp",
        /// Stochastic.
        Rs = "rs",
        /// To the nearest integer, ties to even.
        Rni = "rni",
        /// To an integer, towards zero.
        Rzi = "rzi",
        /// To an integer, towards negative infinity.
        Rmi = "rmi",
        /// To an integer, towards positive infinity.
        Rpi = "rpi",
    }
    /// State spaces, as instructions and variables name them.
    StateSpace {
        Reg = "reg", Sreg = "sreg", Const = "const", Global = "global", Local = "local",
        Param = "param", ParamEntry = "param::entry", ParamFunc = "param::func",
        Shared = "shared", SharedCta = "shared::cta", SharedCluster = "shared::cluster",
        Tex = "tex",
    }
    /// Cache operators of loads and stores.
    CacheOperator { Ca = "ca", Cg = "cg", Cs = "cs", Lu = "lu", Cv = "cv", Wb = "wb", Wt = "wt", }
    /// Eviction priority in L1.
    L1Eviction {
        Normal = "L1::evict_normal", Unchanged = "L1::evict_unchanged", First = "L1::evict_first",
        Last = "L1::evict_last", NoAllocate = "L1::no_allocate",
    }
    /// Eviction priority in L2.
    L2Eviction {
        Normal = "L2::evict_normal", First = "L2::evict_first", Last = "L2::evict_last",
        Unchanged = "L2::evict_unchanged",
    }
    /// A hint how much to bring to L2.
    PrefetchSize { L2B64 = "L2::64B", L2B128 = "L2::128B", L2B256 = "L2::256B", }
    /// Memory ordering.
    Semantics {
        Weak = "weak", Volatile = "volatile", Relaxed = "relaxed", Acquire = "acquire", Release = "release",
        AcqRel = "acq_rel", Sc = "sc", Mmio = "mmio",
    }
    /// The threads that see a memory operation in order. `Gl` is `membar.gl`, the same as `Gpu`.
    Scope { Cta = "cta", Cluster = "cluster", Gpu = "gpu", Gl = "gl", Sys = "sys", }
    /// Number of elements of a vector access.
    VectorSize { V2 = "v2", V4 = "v4", V8 = "v8", }
    /// The part of a product that is kept.
    MulMode { Lo = "lo", Hi = "hi", Wide = "wide", }
    /// Comparisons; those in `u` also hold when an operand is NaN, `lo`, `ls`, `hi`, `hs` are unsigned.
    Comparison {
        Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge",
        Lo = "lo", Ls = "ls", Hi = "hi", Hs = "hs",
        Equ = "equ", Neu = "neu", Ltu = "ltu", Leu = "leu", Gtu = "gtu", Geu = "geu",
        Num = "num", Nan = "nan",
    }
    /// The operation that joins a predicate to a comparison.
    BoolOp { And = "and", Or = "or", Xor = "xor", }
    /// The operation of `bar` and `barrier`.
    BarrierOp { Sync = "sync", Arrive = "arrive", RedPopc = "popc", RedAnd = "and", RedOr = "or", }
    ClusterBarrierOp { Arrive = "arrive", Wait = "wait", }
    GridAction { LaunchDependents = "launch_dependents", Wait = "wait", }
    RegisterAction { Inc = "inc", Dec = "dec", }
    /// Atomic and reduction operations.
    AtomicOp {
        And = "and", Or = "or", Xor = "xor", Cas = "cas", Exch = "exch", Add = "add", Inc = "inc", Dec = "dec",
        Min = "min", Max = "max",
    }
    /// Proxies that a fence orders.
    Proxy {
        Alias = "alias", Async = "async", TensormapGeneric = "tensormap::generic", AsyncGeneric = "async::generic",
        GenericFabric = "generic::fabric", FabricGeneric = "fabric::generic", FabricFabric = "fabric::fabric",
    }
    StateSpaceRestriction {
        SharedCta = "sync_restrict::shared::cta", SharedCluster = "sync_restrict::shared::cluster",
        SharedClusterRead = "sync_restrict::shared::cluster::read", Read = "sync_restrict::read",
    }
    /// The words of an mbarrier object.
    MbarrierLayout { V0 = "layout::v0", V1 = "layout::v1", }
    /// The phase of an mbarrier object that a wait is for.
    PhaseType { Primary = "phase_type::primary", Conditional = "phase_type::conditional", }
    AccumulatorPrecision { F32 = "acc::f32", F16 = "acc::f16", }
    ShuffleMode { Up = "up", Down = "down", Bfly = "bfly", Idx = "idx", }
    VoteMode { All = "all", Any = "any", Uni = "uni", Ballot = "ballot", }
    MatchMode { Any = "any", All = "all", }
    /// The treatment of a shift or position beyond the width.
    ClampMode { Clamp = "clamp", Wrap = "wrap", }
    Direction { L = "l", R = "r", }
    PrmtMode { F4e = "f4e", B4e = "b4e", Rc8 = "rc8", Ecl = "ecl", Ecr = "ecr", Rc16 = "rc16", }
    TestpOp {
        Finite = "finite", Infinite = "infinite", Number = "number", Notanumber = "notanumber", Normal = "normal",
        Subnormal = "subnormal",
    }
    /// The factor or sum that a fragment is of.
    WmmaMatrix { A = "a", B = "b", C = "c", }
    Layout { Row = "row", Col = "col", }
    /// Shapes of `mma` and `wmma`.
    MatrixShape {
        M8n8k4 = "m8n8k4", M8n8k16 = "m8n8k16", M8n8k32 = "m8n8k32", M8n8k128 = "m8n8k128",
        M16n8k4 = "m16n8k4", M16n8k8 = "m16n8k8", M16n8k16 = "m16n8k16", M16n8k32 = "m16n8k32",
        M16n8k64 = "m16n8k64", M16n8k128 = "m16n8k128", M16n8k256 = "m16n8k256",
        M16n16k16 = "m16n16k16", M16n16k8 = "m16n16k8", M8n32k16 = "m8n32k16", M32n8k16 = "m32n8k16",
    }
    MmaKind {
        F8f6f4 = "kind::f8f6f4", Mxf4 = "kind::mxf4", Mxf4nvf4 = "kind::mxf4nvf4", Mxf8f6f4 = "kind::mxf8f6f4",
        F16 = "kind::f16", Tf32 = "kind::tf32", I8 = "kind::i8",
    }
    ScaleVecSize {
        X1 = "scale_vec::1X", X2 = "scale_vec::2X", X4 = "scale_vec::4X", Block16 = "block16", Block32 = "block32",
    }
    SparseVariant { Sp = "sp", SpOrderedMetadata = "sp::ordered_metadata", }
    /// Shapes of `ldmatrix` and `stmatrix`.
    TileShape { M8n8 = "m8n8", M16n16 = "m16n16", M8n16 = "m8n16", M16n8 = "m16n8", }
    TileCount {
        X1 = "x1", X2 = "x2", X4 = "x4", X8 = "x8", X16 = "x16", X32 = "x32", X64 = "x64", X128 = "x128",
    }
    Geometry {
        D1 = "1d", D2 = "2d", D3 = "3d", A1d = "a1d", A2d = "a2d", Cube = "cube", Acube = "acube", D2ms = "2dms",
        A2dms = "a2dms", D4 = "4d", D5 = "5d",
    }
    TextureComponent { R = "r", G = "g", B = "b", A = "a", }
    TextureQuery {
        Width = "width", Height = "height", Depth = "depth", ChannelDataType = "channel_data_type",
        ChannelOrder = "channel_order", NormalizedCoords = "normalized_coords", ArraySize = "array_size",
        NumMipmapLevels = "num_mipmap_levels", NumSamples = "num_samples",
        ForceUnnormalizedCoords = "force_unnormalized_coords", FilterMode = "filter_mode",
        AddrMode0 = "addr_mode_0", AddrMode1 = "addr_mode_1", AddrMode2 = "addr_mode_2",
        MemoryLayout = "memory_layout",
    }
    /// The behaviour of an access outside of a surface.
    SurfaceMode { Trap = "trap", Clamp = "clamp", Zero = "zero", }
    SurfaceFormat { B = "b", P = "p", }
    CacheLevel { L1 = "L1", L2 = "L2", }
    CtaidDimension { X = "get_first_ctaid::x", Y = "get_first_ctaid::y", Z = "get_first_ctaid::z", }
    /// A byte or half of a word.
    Selector { B0 = "b0", B1 = "b1", B2 = "b2", B3 = "b3", H0 = "h0", H1 = "h1", }
    VideoScale { Shr7 = "shr7", Shr15 = "shr15", }
    /// The halves of a result that are written.
    HalfMask { H0 = "h0", H1 = "h1", H10 = "h10", }
    /// The halves that the high and the low lane read.
    HalfSelector { H00 = "h00", H01 = "h01", H02 = "h02", H03 = "h03", H10 = "h10", H11 = "h11", H12 = "h12", H13 = "h13", H20 = "h20", H21 = "h21", H22 = "h22", H23 = "h23", H30 = "h30", H31 = "h31", H32 = "h32", H33 = "h33", }
    /// The bytes of a result that are written.
    ByteMask { B0 = "b0", B1 = "b1", B10 = "b10", B2 = "b2", B20 = "b20", B21 = "b21", B210 = "b210", B3 = "b3", B30 = "b30", B31 = "b31", B310 = "b310", B32 = "b32", B320 = "b320", B321 = "b321", B3210 = "b3210", }
    CtaGroup { One = "cta_group::1", Two = "cta_group::2", }
    /// The way in which a tensor is cut to boxes.
    TensorMode {
        Tile = "tile", TileGather4 = "tile::gather4", TileScatter4 = "tile::scatter4", Im2col = "im2col",
        Im2colW = "im2col::w", Im2colW128 = "im2col::w::128", Im2colNoOffs = "im2col_no_offs",
    }
    TensormapField {
        GlobalAddress = "global_address", Rank = "rank", BoxDim = "box_dim", GlobalDim = "global_dim",
        GlobalStride = "global_stride", ElementStride = "element_stride", Elemtype = "elemtype",
        InterleaveLayout = "interleave_layout", SwizzleMode = "swizzle_mode",
        SwizzleAtomicity = "swizzle_atomicity", FillMode = "fill_mode",
    }
    /// Shapes of accesses to tensor memory.
    TmemShape {
        S128x256b = "128x256b", S4x256b = "4x256b", S128x128b = "128x128b", S64x128b = "64x128b",
        S32x128b = "32x128b", S16x64b = "16x64b", S16x128b = "16x128b", S16x256b = "16x256b", S32x32b = "32x32b",
        S16x32bx2 = "16x32bx2",
    }
    WarpMulticast { X2In02And13 = "warpx2::02_13", X2In01And23 = "warpx2::01_23", X4 = "warpx4", }
    TmemFence { BeforeThreadSync = "fence::before_thread_sync", AfterThreadSync = "fence::after_thread_sync", }
    TmemWait { Ld = "wait::ld", St = "wait::st", }
    /// The use that a product makes of a matrix in the collector buffer.
    CollectorUsage { AFill = "collector::a::fill", AUse = "collector::a::use", ALastuse = "collector::a::lastuse", ADiscard = "collector::a::discard", B0Fill = "collector::b0::fill", B0Use = "collector::b0::use", B0Lastuse = "collector::b0::lastuse", B0Discard = "collector::b0::discard", B1Fill = "collector::b1::fill", B1Use = "collector::b1::use", B1Lastuse = "collector::b1::lastuse", B1Discard = "collector::b1::discard", B2Fill = "collector::b2::fill", B2Use = "collector::b2::use", B2Lastuse = "collector::b2::lastuse", B2Discard = "collector::b2::discard", B3Fill = "collector::b3::fill", B3Use = "collector::b3::use", B3Lastuse = "collector::b3::lastuse", B3Discard = "collector::b3::discard", }
}

/// A shape of `wgmma`, where m is always 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WgmmaShape {
    pub n: u16,
    pub k: u16,
}

/// The k of all types, `.sp` included.
const WGMMA_K: [u16; 6] = [8, 16, 32, 64, 128, 256];
const WGMMA_COUNT: usize = 32 * WGMMA_K.len();

static WGMMA_TEXT: [([u8; 12], usize); WGMMA_COUNT] = {
    let mut texts = [([0; 12], 0); WGMMA_COUNT];
    let mut i = 0;
    while i < WGMMA_COUNT {
        let shape = WgmmaShape::at(i);
        let (text, end) = append(*b"m64n\0\0\0\0\0\0\0\0", 4, shape.n);
        let (mut text, end) = (text, end);
        text[end] = b'k';
        texts[i] = append(text, end + 1, shape.k);
        i += 1;
    }
    texts
};

const fn append(mut text: [u8; 12], mut end: usize, number: u16) -> ([u8; 12], usize) {
    let mut unit = 100;
    while unit > 0 {
        if number >= unit {
            text[end] = b'0' + (number / unit % 10) as u8;
            end += 1;
        }
        unit /= 10;
    }
    (text, end)
}

const fn ascii(text: &'static [u8]) -> &'static str {
    match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(_) => "",
    }
}

impl WgmmaShape {
    const fn at(index: usize) -> Self {
        WgmmaShape { n: 8 * (index / WGMMA_K.len() + 1) as u16, k: WGMMA_K[index % WGMMA_K.len()] }
    }
}

impl Modifier for WgmmaShape {
    const ALL: &'static [Self] = &{
        let mut all = [WgmmaShape { n: 0, k: 0 }; WGMMA_COUNT];
        let mut i = 0;
        while i < WGMMA_COUNT {
            all[i] = WgmmaShape::at(i);
            i += 1;
        }
        all
    };
    const WORDS: &'static [&'static str] = &{
        let mut words = [""; WGMMA_COUNT];
        let mut i = 0;
        while i < WGMMA_COUNT {
            words[i] = ascii(WGMMA_TEXT[i].0.split_at(WGMMA_TEXT[i].1).0);
            i += 1;
        }
        words
    };

    fn code(self) -> u16 {
        Self::ALL.iter().position(|s| *s == self).map_or(0, |i| i as u16 + 1)
    }
}

/// `.b7654`: the bytes, 0 to 7, that the lanes 3, 2, 1 and 0 read, as octal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteSelector(u16);

impl ByteSelector {
    /// The byte, 0 to 7, that a lane (0 to 3) reads.
    pub fn byte(self, lane: u32) -> u16 {
        self.0 >> (3 * lane) & 7
    }
}

static BYTE_SELECTOR_TEXT: [[u8; 5]; 4096] = {
    let mut texts = [*b"b0000"; 4096];
    let mut i = 0;
    while i < 4096 {
        let mut digit = 0;
        while digit < 4 {
            texts[i][4 - digit] = b'0' + (i >> (3 * digit) & 7) as u8;
            digit += 1;
        }
        i += 1;
    }
    texts
};

impl Modifier for ByteSelector {
    const ALL: &'static [Self] = &{
        let mut all = [ByteSelector(0); 4096];
        let mut i = 0;
        while i < 4096 {
            all[i] = ByteSelector(i as u16);
            i += 1;
        }
        all
    };
    const WORDS: &'static [&'static str] = &{
        let mut words = [""; 4096];
        let mut i = 0;
        while i < 4096 {
            words[i] = ascii(&BYTE_SELECTOR_TEXT[i]);
            i += 1;
        }
        words
    };

    fn code(self) -> u16 {
        self.0 + 1
    }
}
