//! Instructions of PTX in neighbourhoods where optimisers fold: an operation and its inverse, one value by way of two
//! widths, numbers and ranges that are known after another step, loops that end at once.

use super::Maker;
use super::loops::Rounds;
use crate::ir::{Block, Builtin, BuiltinSignature, ExprId, ExprKind, ScalarType, StmtId, Ty};
use crate::random::{SeedKey, Stream};

const UINT: Ty = Ty::scalar(ScalarType::Uint);

/// Instructions whose result has a range that is known.
const RANGES: [Builtin; 7] = [
    Builtin::PtxShr,
    Builtin::PtxAnd,
    Builtin::PtxCnot,
    Builtin::PtxBfeAny,
    Builtin::PtxPopc,
    Builtin::PtxClz,
    Builtin::PtxBmskClamp,
];

/// Instructions in chains.
const LINKS: [Builtin; 33] = [
    Builtin::PtxAdd,
    Builtin::PtxSub,
    Builtin::PtxSub,
    Builtin::PtxMulLo,
    Builtin::PtxMulLo,
    Builtin::PtxMulHi,
    Builtin::PtxMadLo,
    Builtin::PtxNeg,
    Builtin::PtxNot,
    Builtin::PtxCnot,
    Builtin::PtxAbs,
    Builtin::PtxAnd,
    Builtin::PtxOr,
    Builtin::PtxXor,
    Builtin::PtxShl,
    Builtin::PtxShr,
    Builtin::Min,
    Builtin::Max,
    Builtin::PtxBrev,
    Builtin::PtxAddc,
    Builtin::PtxSubc,
    Builtin::PtxBfiAny,
    Builtin::PtxSlct,
    Builtin::PtxSubSat,
    Builtin::FunnelshiftL,
    Builtin::FunnelshiftR,
    Builtin::PtxPrmt,
    Builtin::PtxClz,
    Builtin::PtxBfindAny,
    Builtin::Vsub4,
    Builtin::PtxLop3Odd,
    Builtin::PtxLop3Majority,
    Builtin::PtxLop32d,
];

impl Maker<'_> {
    /// The types of the parameters of an instruction with this result.
    pub(super) fn ptx_parameters(
        &self,
        signature: BuiltinSignature,
        ty: Ty,
        stream: &mut Stream,
    ) -> Option<Vec<Ty>> {
        Some(match signature {
            BuiltinSignature::Words(count) | BuiltinSignature::LongWords(count) => {
                vec![ty; count.into()]
            }
            BuiltinSignature::Wide(count) => {
                let half = Ty::scalar(ty.scalar.scaled(false)?);
                [half, half, ty][..count.into()].to_vec()
            }
            BuiltinSignature::Shifted => vec![ty, UINT],
            BuiltinSignature::BySign => vec![ty, ty, Ty::INT],
            BuiltinSignature::Compared => vec![self.word_type(16, stream)?; 2],
            BuiltinSignature::Counted => vec![self.word_type(32, stream)?],
            BuiltinSignature::Field(count) => [vec![ty; count.into()], vec![UINT]].concat(),
            _ => return None,
        })
    }

    /// An integer type of at least `bits` bits that is not avoided.
    fn word_type(&self, bits: u32, stream: &mut Stream) -> Option<Ty> {
        let types = ScalarType::ALL.into_iter().filter(|one| one.bits() >= bits);
        let allowed = |one: &ScalarType| self.features.allows(one.name(), Ty::scalar(*one));
        let types: Vec<_> = types.filter(allowed).collect();
        (!types.is_empty()).then(|| Ty::scalar(stream.pick(&types)))
    }

    /// An instruction on operands, if it is not avoided.
    fn instruction(
        &mut self,
        function: Builtin,
        operands: &[ExprId],
        ty: Ty,
        key: SeedKey,
    ) -> Option<ExprId> {
        let first = *operands.first()?;
        let types = operands.iter().map(|id| self.program.ty(*id)).chain([ty]);
        let allowed = types.into_iter().all(|ty| self.features.allows(function.name(), ty));
        if !allowed || !function.can_return(ty) {
            return None;
        }
        let arguments = [0, 1, 2].map(|index| operands.get(index).copied().unwrap_or(first));
        Some(self.program.add(ExprKind::Call(function, operands.len() as u8, arguments), ty, key))
    }

    /// An expression in one of the neighbourhoods.
    pub(super) fn neighbourhood(
        &mut self,
        ty: Ty,
        depth: u32,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        if ty.scalar.bits() < 16 {
            return None;
        }
        // A number alone is folded all the way.
        let value = if stream.chance(15) {
            let number = self.number(ty.scalar, stream);
            self.program.literal(number, ty, key.child(1))
        } else {
            self.expression(ty, depth - 1, key.child(1))
        };
        match stream.below(9) {
            0 => self.undone(value, ty, stream, key),
            1 => self.by_two_widths(value, ty, stream, key),
            2 => self.known_later(value, ty, stream, key),
            3..6 => Some(self.chain(value, ty, stream, key)),
            _ => self.decided(value, ty, stream, key),
        }
    }

    /// An operation and its inverse, with the same operands.
    fn undone(&mut self, a: ExprId, ty: Ty, stream: &mut Stream, key: SeedKey) -> Option<ExprId> {
        let b = self.leaf(ty, key.child(2));
        let amount = self.program.literal(stream.below(ty.scalar.bits().into()).into(), UINT, key);
        let (first, second, operand) = stream.pick(&[
            (Builtin::PtxAdd, Builtin::PtxSub, b),
            (Builtin::PtxSub, Builtin::PtxAdd, b),
            (Builtin::PtxXor, Builtin::PtxXor, b),
            (Builtin::PtxNeg, Builtin::PtxNeg, a),
            (Builtin::PtxNot, Builtin::PtxNeg, a),
            (Builtin::PtxNeg, Builtin::PtxNot, a),
            (Builtin::PtxCnot, Builtin::PtxCnot, a),
            (Builtin::PtxNeg, Builtin::PtxAbs, a),
            (Builtin::PtxBrev, Builtin::PtxBrev, a),
            (Builtin::PtxShl, Builtin::PtxShr, amount),
            (Builtin::PtxShr, Builtin::PtxShl, amount),
        ]);
        let apply =
            |maker: &mut Self, function: Builtin, value: ExprId, key: SeedKey| match operand == a {
                true => maker.instruction(function, &[value], ty, key),
                false => maker.instruction(function, &[value, operand], ty, key),
            };
        let once = apply(self, first, a, key.child(3))?;
        apply(self, second, once, key.child(4))
    }

    /// A value beside the same value that went through another width.
    fn by_two_widths(
        &mut self,
        a: ExprId,
        ty: Ty,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let signed = ty.scalar.with_sign(stream.chance(50));
        let wider = stream.chance(50) || ty.scalar.bits() == 16;
        let other = signed.scaled(wider).unwrap_or(ScalarType::Int);
        let there = self.program.convert(a, Ty::scalar(other), key.child(2));
        let there = if stream.chance(50) && other.bits() >= 16 {
            let operand = self.leaf(Ty::scalar(other), key.child(3));
            let functions = [Builtin::PtxAdd, Builtin::PtxMulLo, Builtin::PtxSub, Builtin::Min];
            let function = stream.pick(&functions);
            self.instruction(function, &[there, operand], Ty::scalar(other), key.child(4))?
        } else {
            there
        };
        let back = self.program.convert(there, ty, key.child(5));
        let functions = [Builtin::PtxSub, Builtin::PtxXor, Builtin::PtxMulLo, Builtin::Max];
        self.instruction(stream.pick(&functions), &[back, a], ty, key.child(6))
    }

    /// An operand whose number the optimiser knows after another step.
    fn known_later(
        &mut self,
        a: ExprId,
        ty: Ty,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let some = self.leaf(ty, key.child(2));
        let zero = match stream.below(3) {
            0 => self.instruction(Builtin::PtxSub, &[some, some], ty, key.child(3))?,
            1 => self.instruction(Builtin::PtxXor, &[some, some], ty, key.child(3))?,
            _ => {
                let none = self.program.literal(0, ty, key.child(4));
                self.instruction(Builtin::PtxAnd, &[some, none], ty, key.child(3))?
            }
        };
        let number = self.number(ty.scalar, stream);
        let number = self.program.literal(number, ty, key.child(5));
        let known = self.instruction(Builtin::PtxAdd, &[zero, number], ty, key.child(6))?;
        let functions =
            [Builtin::PtxMulLo, Builtin::PtxMulHi, Builtin::PtxSub, Builtin::Min, Builtin::PtxAnd];
        self.instruction(stream.pick(&functions), &[a, known], ty, key.child(7))
    }

    /// A value that goes through some instructions, one after another.
    fn chain(&mut self, a: ExprId, ty: Ty, stream: &mut Stream, key: SeedKey) -> ExprId {
        let mut value = a;
        let first = if stream.chance(40) { &RANGES[..] } else { &LINKS[..] };
        for link in 0..1 + stream.below(3) {
            let functions = if link == 0 { first } else { &LINKS };
            let fitting: Vec<Builtin> =
                functions.iter().copied().filter(|one| one.can_return(ty)).collect();
            let Some(function) = (!fitting.is_empty()).then(|| stream.pick(&fitting)) else {
                break;
            };
            let key = key.child(20 + link);
            let next = self.linked(function, [value, a], ty, stream, key);
            value = next.unwrap_or(value);
        }
        value
    }

    /// An instruction on a value, which may be several of its operands. Others are numbers, and what the chain began with.
    fn linked(
        &mut self,
        function: Builtin,
        [value, a]: [ExprId; 2],
        ty: Ty,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let types = self.parameters(function, ty, stream)?;
        let places: Vec<usize> = (0..types.len()).filter(|index| types[*index] == ty).collect();
        let place = (!places.is_empty()).then(|| stream.pick(&places))?;
        let operands = (0..).zip(&types).map(|(index, parameter)| {
            let key = key.child(index as u64);
            match stream.below(10) {
                _ if index == place => value,
                0..2 if *parameter == ty => value,
                2..4 if *parameter == ty => a,
                4..5 => self.leaf(*parameter, key),
                // Most amounts are below the width.
                5..8 if *parameter == UINT => {
                    self.program.literal(stream.below(33).into(), UINT, key)
                }
                _ => {
                    let number = self.number(parameter.scalar, stream);
                    self.program.literal(number, *parameter, key)
                }
            }
        });
        let operands: Vec<ExprId> = operands.collect();
        self.instruction(function, &operands, ty, key.child(9))
    }

    /// One of two values: a comparison with the end of a chain decides which.
    fn decided(&mut self, a: ExprId, ty: Ty, stream: &mut Stream, key: SeedKey) -> Option<ExprId> {
        let end = self.chain(a, ty, stream, key);
        let number = self.number(ty.scalar, stream);
        let number = self.program.literal(number, ty, key.child(10));
        let comparison = stream.pick(&Builtin::PTX_COMPARISONS);
        let condition = self.instruction(comparison, &[end, number], Ty::INT, key.child(11))?;
        let values = [end, a, self.leaf(ty, key.child(12)), number];
        let (first, second) = (stream.pick(&values), stream.pick(&values));
        Some(self.program.add(ExprKind::Conditional(condition, first, second), ty, key.child(13)))
    }

    /// A loop without statements, or one that ends at once.
    pub(super) fn empty_loop(&mut self, most: u64, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let rounds = Rounds::each(stream.below(most.min(6)) as i64);
        self.counted(rounds, &mut stream, key, |_, _| Block::new())
    }
}
