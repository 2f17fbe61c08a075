//! Built-in functions: names, parameters and the version of OpenCL C that has them.

use super::signatures::*;
use super::types::{ScalarType, Ty};

macro_rules! builtins {
    ($($variant:ident $name:literal $shape:expr, $since:expr;)*) => {
        /// A built-in function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "their names in OpenCL C")]
        pub enum Builtin { $($variant,)* }

        impl Builtin {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its name in OpenCL C.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Its parameters.
            #[must_use]
            pub fn signature(self) -> BuiltinSignature {
                match self { $(Self::$variant => $shape,)* }
            }

            /// The first version of OpenCL C that has it with a certain result, as in 120 for 1.2; [`NEVER`](Self::NEVER) for
            /// CUDA's functions. Version 1.2 allows any result of `mad` on floating-point numbers.
            #[must_use]
            pub fn since(self) -> u32 {
                match self { $(Self::$variant => $since,)* }
            }
        }
    };
}

builtins! {
    Abs "abs" BuiltinSignature::Magnitude(1), 120;
    AbsDiff "abs_diff" BuiltinSignature::Magnitude(2), 120;
    AddSat "add_sat" BuiltinSignature::Same(2), 120;
    All "all" BuiltinSignature::Truth, 120;
    Any "any" BuiltinSignature::Truth, 120;
    Bitselect "bitselect" BuiltinSignature::Same(3), 120;
    Ceil "ceil" BuiltinSignature::Float(1), 120;
    Clamp "clamp" BuiltinSignature::SameOrScalar(3), 120;
    Clz "clz" BuiltinSignature::Same(1), 120;
    Copysign "copysign" BuiltinSignature::Float(2), 120;
    Ctz "ctz" BuiltinSignature::Same(1), 200;
    Fabs "fabs" BuiltinSignature::Float(1), 120;
    Fdim "fdim" BuiltinSignature::Float(2), 120;
    Floor "floor" BuiltinSignature::Float(1), 120;
    Fma "fma" BuiltinSignature::Float(3), 120;
    Fmax "fmax" BuiltinSignature::Float(2), 120;
    Fmin "fmin" BuiltinSignature::Float(2), 120;
    Hadd "hadd" BuiltinSignature::Same(2), 120;
    Mad "mad" BuiltinSignature::Float(3), 200;
    Mad24 "mad24" BuiltinSignature::Only32(3), 120;
    MadHi "mad_hi" BuiltinSignature::Same(3), 120;
    MadSat "mad_sat" BuiltinSignature::Same(3), 120;
    Max "max" BuiltinSignature::SameOrScalar(2), 120;
    Min "min" BuiltinSignature::SameOrScalar(2), 120;
    Mul24 "mul24" BuiltinSignature::Only32(2), 120;
    MulHi "mul_hi" BuiltinSignature::Same(2), 120;
    Popcount "popcount" BuiltinSignature::Same(1), 120;
    Rhadd "rhadd" BuiltinSignature::Same(2), 120;
    Rint "rint" BuiltinSignature::Float(1), 120;
    Rotate "rotate" BuiltinSignature::Same(2), 120;
    Round "round" BuiltinSignature::Float(1), 120;
    Select "select" BuiltinSignature::Choice, 120;
    Shuffle "shuffle" BuiltinSignature::Shuffle, 120;
    Shuffle2 "shuffle2" BuiltinSignature::Shuffle2, 120;
    SubSat "sub_sat" BuiltinSignature::Same(2), 120;
    Trunc "trunc" BuiltinSignature::Float(1), 120;
    Upsample "upsample" BuiltinSignature::Halves, 120;
    BytePerm "__byte_perm" UINT_OF_3, Self::NEVER;
    FunnelshiftL "__funnelshift_l" UINT_OF_3, Self::NEVER;
    FunnelshiftLc "__funnelshift_lc" UINT_OF_3, Self::NEVER;
    FunnelshiftR "__funnelshift_r" UINT_OF_3, Self::NEVER;
    FunnelshiftRc "__funnelshift_rc" UINT_OF_3, Self::NEVER;
    Dp4a "__dp4a" INT_OF_3, Self::NEVER;
    Dp4aUnsigned "__dp4a" UINT_OF_3, Self::NEVER;
    Brev "__brev" UINT_OF_1, Self::NEVER;
    Brevll "__brevll" ULONG_OF_1, Self::NEVER;
    Ffs "__ffs" INT_OF_INT, Self::NEVER;
    Ffsll "__ffsll" INT_OF_LONG, Self::NEVER;
    Popc "__popc" INT_OF_UINT, Self::NEVER;
    Popcll "__popcll" INT_OF_ULONG, Self::NEVER;
    ClzInt "__clz" INT_OF_INT, Self::NEVER;
    Clzll "__clzll" INT_OF_LONG, Self::NEVER;
    MulhiInt "__mulhi" INT_OF_2, Self::NEVER;
    MulhiUint "__umulhi" UINT_OF_2, Self::NEVER;
    Mul64hi "__mul64hi" LONG_OF_2, Self::NEVER;
    Umul64hi "__umul64hi" ULONG_OF_2, Self::NEVER;
    Sad "__sad" UINT_OF_INTS, Self::NEVER;
    Usad "__usad" UINT_OF_3, Self::NEVER;
    HaddInt "__hadd" INT_OF_2, Self::NEVER;
    RhaddInt "__rhadd" INT_OF_2, Self::NEVER;
    HaddUint "__uhadd" UINT_OF_2, Self::NEVER;
    RhaddUint "__urhadd" UINT_OF_2, Self::NEVER;
    Vadd4 "__vadd4" UINT_OF_2, Self::NEVER;
    Vsub4 "__vsub4" UINT_OF_2, Self::NEVER;
    Vavgu4 "__vavgu4" UINT_OF_2, Self::NEVER;
    Vabsdiffu4 "__vabsdiffu4" UINT_OF_2, Self::NEVER;
    Vmaxu4 "__vmaxu4" UINT_OF_2, Self::NEVER;
    Vmins4 "__vmins4" UINT_OF_2, Self::NEVER;
    Vcmpeq4 "__vcmpeq4" UINT_OF_2, Self::NEVER;
    Vcmpgts4 "__vcmpgts4" UINT_OF_2, Self::NEVER;
    Vadd2 "__vadd2" UINT_OF_2, Self::NEVER;
    Vsub2 "__vsub2" UINT_OF_2, Self::NEVER;
    Vmaxs2 "__vmaxs2" UINT_OF_2, Self::NEVER;
    Vminu2 "__vminu2" UINT_OF_2, Self::NEVER;
    Vcmpltu2 "__vcmpltu2" UINT_OF_2, Self::NEVER;
    PtxPrmt "ptx_prmt" UINT_OF_3, Self::NEVER;
    PtxShfL "ptx_shf_l" UINT_OF_3, Self::NEVER;
    PtxBfe "ptx_bfe_u32" UINT_OF_3, Self::NEVER;
    PtxBfeInt "ptx_bfe_s32" INT_OF_BITS, Self::NEVER;
    PtxBfi "ptx_bfi" UINT_OF_3, Self::NEVER;
    PtxBfind "ptx_bfind" UINT_OF_1, Self::NEVER;
    PtxLop3Majority "ptx_lop3_e8" UINT_OF_3, Self::NEVER;
    PtxLop3Odd "ptx_lop3_96" UINT_OF_3, Self::NEVER;
    PtxMadHi "ptx_mad_hi" INT_OF_3, Self::NEVER;
    PtxAddCc "ptx_add_cc" ULONG_OF_2, Self::NEVER;
    PtxSubCc "ptx_sub_cc" ULONG_OF_2, Self::NEVER;
    PtxAdd "ptx_add" BuiltinSignature::Words(2), Self::PTX;
    PtxSub "ptx_sub" BuiltinSignature::Words(2), Self::PTX;
    PtxMulLo "ptx_mul_lo" BuiltinSignature::Words(2), Self::PTX;
    PtxMulHi "ptx_mul_hi" BuiltinSignature::Words(2), Self::PTX;
    PtxMadLo "ptx_mad_lo" BuiltinSignature::Words(3), Self::PTX;
    PtxMadHiAny "ptx_mad_hi_any" BuiltinSignature::Words(3), Self::PTX;
    PtxNeg "ptx_neg" BuiltinSignature::Words(1), Self::PTX;
    PtxAbs "ptx_abs" BuiltinSignature::Words(1), Self::PTX;
    PtxNot "ptx_not" BuiltinSignature::Words(1), Self::PTX;
    PtxCnot "ptx_cnot" BuiltinSignature::Words(1), Self::PTX;
    PtxAnd "ptx_and" BuiltinSignature::Words(2), Self::PTX;
    PtxOr "ptx_or" BuiltinSignature::Words(2), Self::PTX;
    PtxXor "ptx_xor" BuiltinSignature::Words(2), Self::PTX;
    PtxSad "ptx_sad" BuiltinSignature::Words(3), Self::PTX;
    PtxMulWide "ptx_mul_wide" BuiltinSignature::Wide(2), Self::PTX;
    PtxMadWide "ptx_mad_wide" BuiltinSignature::Wide(3), Self::PTX;
    PtxShl "ptx_shl" BuiltinSignature::Shifted, Self::PTX;
    PtxShr "ptx_shr" BuiltinSignature::Shifted, Self::PTX;
    PtxSetEq "ptx_set_eq" BuiltinSignature::Compared, Self::PTX;
    PtxSetNe "ptx_set_ne" BuiltinSignature::Compared, Self::PTX;
    PtxSetLt "ptx_set_lt" BuiltinSignature::Compared, Self::PTX;
    PtxSetLe "ptx_set_le" BuiltinSignature::Compared, Self::PTX;
    PtxSetGt "ptx_set_gt" BuiltinSignature::Compared, Self::PTX;
    PtxSetGe "ptx_set_ge" BuiltinSignature::Compared, Self::PTX;
    PtxSlct "ptx_slct" BuiltinSignature::BySign, Self::PTX;
    PtxPopc "ptx_popc" BuiltinSignature::Counted, Self::PTX;
    PtxClz "ptx_clz" BuiltinSignature::Counted, Self::PTX;
    PtxBfindAny "ptx_bfind_any" BuiltinSignature::Counted, Self::PTX;
    PtxBfindShiftamt "ptx_bfind_shiftamt" BuiltinSignature::Counted, Self::PTX;
    PtxBrev "ptx_brev" BuiltinSignature::LongWords(1), Self::PTX;
    PtxAddc "ptx_addc" BuiltinSignature::LongWords(3), Self::PTX;
    PtxSubc "ptx_subc" BuiltinSignature::LongWords(3), Self::PTX;
    PtxBfeAny "ptx_bfe_any" BuiltinSignature::Field(1), Self::PTX;
    PtxBfiAny "ptx_bfi_any" BuiltinSignature::Field(2), Self::PTX;
    PtxMadc "ptx_madc" ULONG_OF_MADC, Self::PTX;
    PtxAddSat "ptx_add_sat" INT_OF_2, Self::PTX;
    PtxSubSat "ptx_sub_sat" INT_OF_2, Self::PTX;
    PtxMadHiSat "ptx_mad_hi_sat" INT_OF_3, Self::PTX;
    PtxMul24Lo "ptx_mul24_lo" BuiltinSignature::Only32(2), Self::PTX;
    PtxMul24Hi "ptx_mul24_hi" BuiltinSignature::Only32(2), Self::PTX;
    PtxMad24Lo "ptx_mad24_lo" BuiltinSignature::Only32(3), Self::PTX;
    PtxPrmtF4e "ptx_prmt_f4e" UINT_OF_3, Self::PTX;
    PtxPrmtB4e "ptx_prmt_b4e" UINT_OF_3, Self::PTX;
    PtxPrmtRc8 "ptx_prmt_rc8" UINT_OF_3, Self::PTX;
    PtxPrmtEcl "ptx_prmt_ecl" UINT_OF_3, Self::PTX;
    PtxPrmtEcr "ptx_prmt_ecr" UINT_OF_3, Self::PTX;
    PtxPrmtRc16 "ptx_prmt_rc16" UINT_OF_3, Self::PTX;
    PtxLop302 "ptx_lop3_02" UINT_OF_3, Self::PTX;
    PtxLop31a "ptx_lop3_1a" UINT_OF_3, Self::PTX;
    PtxLop32d "ptx_lop3_2d" UINT_OF_3, Self::PTX;
    PtxLop33c "ptx_lop3_3c" UINT_OF_3, Self::PTX;
    PtxLop340 "ptx_lop3_40" UINT_OF_3, Self::PTX;
    PtxLop36a "ptx_lop3_6a" UINT_OF_3, Self::PTX;
    PtxLop3B1 "ptx_lop3_b1" UINT_OF_3, Self::PTX;
    PtxLop3Ca "ptx_lop3_ca" UINT_OF_3, Self::PTX;
    PtxLop3D8 "ptx_lop3_d8" UINT_OF_3, Self::PTX;
    PtxLop3F4 "ptx_lop3_f4" UINT_OF_3, Self::PTX;
    PtxDp4aMixed "ptx_dp4a_mixed" INT_OF_DP, Self::PTX;
    PtxDp2aLo "ptx_dp2a_lo" INT_OF_3, Self::PTX;
    PtxDp2aHi "ptx_dp2a_hi" INT_OF_3, Self::PTX;
    PtxBmskClamp "ptx_bmsk_clamp" UINT_OF_2, Self::PTX;
    PtxBmskWrap "ptx_bmsk_wrap" UINT_OF_2, Self::PTX;
    PtxTestpFinite "ptx_testp_finite" UINT_OF_1, Self::PTX;
    PtxTestpNormal "ptx_testp_normal" UINT_OF_1, Self::PTX;
    PtxTestpSubnormal "ptx_testp_subnormal" UINT_OF_1, Self::PTX;
    PtxTestpNotanumber "ptx_testp_notanumber" UINT_OF_1, Self::PTX;
    PtxFma "ptx_fma" INT_OF_3, Self::PTX;
    PtxRcp "ptx_rcp" UINT_OF_1, Self::PTX;
    PtxSqrt "ptx_sqrt" UINT_OF_1, Self::PTX;
}

impl Builtin {
    /// The version of OpenCL C that has what no version has.
    pub const NEVER: u32 = u32::MAX;
    /// The version of OpenCL C that has what only PTX has.
    pub const PTX: u32 = Self::NEVER - 1;

    /// True if there is a function of this name with this result.
    #[must_use]
    pub fn can_return(self, ty: Ty) -> bool {
        let is_float = ty.scalar.is_float();
        match self.signature() {
            BuiltinSignature::SameOrScalar(_) | BuiltinSignature::Choice => true,
            BuiltinSignature::Same(_) => !is_float,
            BuiltinSignature::Float(_) => is_float,
            BuiltinSignature::Magnitude(_) => !ty.scalar.is_signed(),
            BuiltinSignature::Only32(_) => ty.scalar.bits() == 32 && !is_float,
            BuiltinSignature::Halves => ty.scalar.bits() > 8 && !is_float,
            BuiltinSignature::Truth => ty == Ty::INT,
            BuiltinSignature::Shuffle | BuiltinSignature::Shuffle2 => {
                matches!(ty.lanes, 2 | 4 | 8 | 16)
            }
            BuiltinSignature::Exactly(result, _) => ty == Ty::scalar(result),
            BuiltinSignature::Words(_) | BuiltinSignature::Shifted | BuiltinSignature::BySign => {
                !is_float && !ty.is_vector() && ty.scalar.bits() >= 16
            }
            BuiltinSignature::Wide(_)
            | BuiltinSignature::LongWords(_)
            | BuiltinSignature::Field(_) => !is_float && !ty.is_vector() && ty.scalar.bits() >= 32,
            BuiltinSignature::Compared => !is_float && !ty.is_vector() && ty.scalar.bits() == 32,
            BuiltinSignature::Counted => ty == Ty::scalar(ScalarType::Uint),
        }
    }
}
