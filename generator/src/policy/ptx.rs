//! Instructions of PTX in neighbourhoods where optimisers fold: an operation and its inverse, one value by way of two
//! widths, numbers and ranges that are known after another step, loops that end at once.

use super::Maker;
use super::loops::Rounds;
use crate::ir::{Block, Builtin, BuiltinSignature, ExprId, ExprKind, ScalarType, StmtId, Ty};
use crate::random::{SeedKey, Stream};

const UINT: Ty = Ty::scalar(ScalarType::Uint);

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

    /// An integer type that is not avoided and has so many bits or more.
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
        let value = self.expression(ty, depth - 1, key.child(1));
        match stream.below(4) {
            0 => self.undone(value, ty, stream, key),
            1 => self.by_two_widths(value, ty, stream, key),
            2 => self.known_later(value, ty, stream, key),
            _ => self.ranged(value, ty, stream, key),
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

    /// A value whose range is known, in a chain.
    fn ranged(&mut self, a: ExprId, ty: Ty, stream: &mut Stream, key: SeedKey) -> Option<ExprId> {
        let width = u64::from(ty.scalar.bits());
        let amount = width - 1 - stream.below(width / 2);
        let amount = self.program.literal(amount.into(), UINT, key.child(2));
        let small = match stream.below(3) {
            0 => self.instruction(Builtin::PtxShr, &[a, amount], ty, key.child(3))?,
            1 => {
                let mask = (1 << stream.below(12)) - 1;
                let mask = self.program.literal(mask, ty, key.child(4));
                self.instruction(Builtin::PtxAnd, &[a, mask], ty, key.child(3))?
            }
            _ => self.instruction(Builtin::PtxCnot, &[a], ty, key.child(3))?,
        };
        let other = match stream.chance(40) {
            true => small,
            false => self.leaf(ty, key.child(5)),
        };
        let functions = [
            Builtin::PtxMulLo,
            Builtin::PtxSub,
            Builtin::PtxAdd,
            Builtin::PtxOr,
            Builtin::Min,
            Builtin::Max,
        ];
        let chained =
            self.instruction(stream.pick(&functions), &[small, other], ty, key.child(6))?;
        let last = [Builtin::PtxAbs, Builtin::PtxNeg, Builtin::PtxNot, Builtin::PtxCnot];
        match stream.chance(50) {
            true => self.instruction(stream.pick(&last), &[chained], ty, key.child(7)),
            false => Some(chained),
        }
    }

    /// A loop without statements, or one that ends at once.
    pub(super) fn empty_loop(&mut self, most: u64, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let rounds = Rounds::each(stream.below(most.min(6)) as i64);
        self.counted(rounds, &mut stream, key, |_, _| Block::new())
    }
}
