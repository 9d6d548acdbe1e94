//! The registers that PTX predefines.

use std::fmt;

use crate::operand::Component;

macro_rules! special_registers {
    (vectors { $($vector:ident = $vector_word:literal,)* } scalars { $($scalar:ident = $word:literal,)* }) => {
        /// A predefined register.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SpecialRegister {
            $(
                #[doc = concat!("`", $vector_word, ".x`; without a component all of the vector.")]
                $vector(Option<Component>),
            )*
            $(#[doc = concat!("`", $word, "`")] $scalar,)*
            /// `%envreg0` to `%envreg31`
            Envreg(u8),
            /// `%pm0` to `%pm7`
            Pm(u8),
            /// `%pm0_64` to `%pm7_64`
            Pm64(u8),
            /// `%reserved_smem_offset_0` and `_1`
            ReservedSmemOffset(u8),
        }

        impl SpecialRegister {
            fn plain(name: &str) -> Option<Self> {
                match name {
                    $($vector_word => Some(SpecialRegister::$vector(None)),)*
                    $($word => Some(SpecialRegister::$scalar),)*
                    _ => None,
                }
            }

            /// The same register, one element of it; none if it is no vector.
            pub fn component(self, component: Component) -> Option<Self> {
                match self {
                    $(SpecialRegister::$vector(None) => Some(SpecialRegister::$vector(Some(component))),)*
                    _ => None,
                }
            }
        }

        impl fmt::Display for SpecialRegister {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(
                        SpecialRegister::$vector(None) => f.write_str($vector_word),
                        SpecialRegister::$vector(Some(c)) => write!(f, "{}.{}", $vector_word, c.word()),
                    )*
                    $(SpecialRegister::$scalar => f.write_str($word),)*
                    SpecialRegister::Envreg(n) => write!(f, "%envreg{n}"),
                    SpecialRegister::Pm(n) => write!(f, "%pm{n}"),
                    SpecialRegister::Pm64(n) => write!(f, "%pm{n}_64"),
                    SpecialRegister::ReservedSmemOffset(n) => write!(f, "%reserved_smem_offset_{n}"),
                }
            }
        }
    };
}

special_registers! {
    vectors {
        Tid = "%tid", Ntid = "%ntid", Ctaid = "%ctaid", Nctaid = "%nctaid",
        Clusterid = "%clusterid", Nclusterid = "%nclusterid",
        ClusterCtaid = "%cluster_ctaid", ClusterNctaid = "%cluster_nctaid",
    }
    scalars {
        Laneid = "%laneid", Warpid = "%warpid", Nwarpid = "%nwarpid", Smid = "%smid", Nsmid = "%nsmid",
        Gridid = "%gridid", IsExplicitCluster = "%is_explicit_cluster",
        ClusterCtarank = "%cluster_ctarank", ClusterNctarank = "%cluster_nctarank",
        LanemaskEq = "%lanemask_eq", LanemaskLe = "%lanemask_le", LanemaskLt = "%lanemask_lt",
        LanemaskGe = "%lanemask_ge", LanemaskGt = "%lanemask_gt",
        Clock = "%clock", ClockHi = "%clock_hi", Clock64 = "%clock64",
        Globaltimer = "%globaltimer", GlobaltimerLo = "%globaltimer_lo", GlobaltimerHi = "%globaltimer_hi",
        TotalSmemSize = "%total_smem_size", AggrSmemSize = "%aggr_smem_size",
        DynamicSmemSize = "%dynamic_smem_size", CurrentGraphExec = "%current_graph_exec",
        ReservedSmemOffsetBegin = "%reserved_smem_offset_begin",
        ReservedSmemOffsetEnd = "%reserved_smem_offset_end",
        ReservedSmemOffsetCap = "%reserved_smem_offset_cap",
    }
}

impl SpecialRegister {
    /// Whether it has four elements, and all of them are meant.
    pub fn is_vector(self) -> bool {
        self.component(Component::X).is_some()
    }

    /// The register that `name` (with `%`, without a component) means, if any.
    pub fn from_name(name: &str) -> Option<Self> {
        let rest = name.strip_prefix('%')?;
        // The names of almost all other registers: one letter or two, and a number.
        if rest.len() < 3 {
            return None;
        }
        if rest.ends_with(|c: char| c.is_ascii_digit()) {
            let number = |text: &str, count: u8| text.parse().ok().filter(|n| *n < count);
            if let Some(n) = rest.strip_prefix("envreg") {
                return Some(SpecialRegister::Envreg(number(n, 32)?));
            }
            if let Some(n) = rest.strip_prefix("reserved_smem_offset_") {
                return Some(SpecialRegister::ReservedSmemOffset(number(n, 2)?));
            }
            if let Some(n) = rest.strip_prefix("pm") {
                return match n.strip_suffix("_64") {
                    Some(n) => Some(SpecialRegister::Pm64(number(n, 8)?)),
                    None => Some(SpecialRegister::Pm(number(n, 8)?)),
                };
            }
            if rest != "clock64" {
                return None;
            }
        }
        Self::plain(name)
    }
}
