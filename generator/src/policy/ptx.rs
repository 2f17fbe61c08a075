//! Instructions of PTX in neighbourhoods where optimisers fold: an operation and its inverse, one value by way of two
//! widths, numbers and ranges that are known after another step.

use super::Maker;
use crate::ir::{Binary, Builtin, BuiltinSignature, ExprId, ExprKind, ScalarType, Ty};
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

/// Instructions in chains, with weights: plain ones beside each other lead optimisers astray more often than rare ones.
/// `lop3` with one table stands for all of them.
const LINKS: [(u32, Builtin); 34] = [
    (4, Builtin::PtxAdd),
    (6, Builtin::PtxSub),
    (6, Builtin::PtxMulLo),
    (2, Builtin::PtxMulHi),
    (3, Builtin::PtxMadLo),
    (2, Builtin::PtxNeg),
    (2, Builtin::PtxNot),
    (2, Builtin::PtxCnot),
    (2, Builtin::PtxAbs),
    (5, Builtin::PtxAnd),
    (3, Builtin::PtxOr),
    (3, Builtin::PtxXor),
    (4, Builtin::PtxShl),
    (4, Builtin::PtxShr),
    (2, Builtin::Min),
    (2, Builtin::Max),
    (1, Builtin::PtxBrev),
    (1, Builtin::PtxAddc),
    (1, Builtin::PtxSubc),
    (2, Builtin::PtxBfiAny),
    (1, Builtin::PtxSlct),
    (1, Builtin::PtxSubSat),
    (2, Builtin::FunnelshiftL),
    (2, Builtin::FunnelshiftR),
    (1, Builtin::PtxPrmt),
    (1, Builtin::PtxClz),
    (1, Builtin::PtxPopc),
    (1, Builtin::PtxBfindAny),
    (1, Builtin::Vsub4),
    (3, Builtin::PtxLop32d),
    (1, Builtin::PtxBfeAny),
    (1, Builtin::PtxBmskClamp),
    (1, Builtin::PtxSetEq),
    (1, Builtin::PtxSetLt),
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
            3..6 => Some(self.chain([value; 2], ty, 4, stream, key)),
            _ => Some(self.decided(value, ty, stream, key)),
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

    /// A value that goes through some instructions, one after another. Its bits have a sign in some of them, and none in others.
    pub(super) fn chain(
        &mut self,
        [a, other]: [ExprId; 2],
        ty: Ty,
        most: u64,
        stream: &mut Stream,
        key: SeedKey,
    ) -> ExprId {
        let mut value = a;
        let of_range = stream.chance(40);
        for link in 0..1 + stream.below(most) {
            let key = key.child(20 + link);
            let own = self.with_some_sign(ty, stream);
            let [same, other] = [value, other].map(|id| self.program.convert(id, own, key));
            value = match stream.below(16) {
                0 => self.narrowed(same, own, stream, key),
                1..3 if self.features.allows("conditional", own) => {
                    self.chosen([same, other], own, stream, key)
                }
                3 => self.widened(same, own, stream, key).unwrap_or(same),
                _ => {
                    let fits = |one: Builtin| one.can_return(own);
                    let of_range = (link == 0 && of_range).then(|| stream.pick(&RANGES));
                    let any = || {
                        stream.weighted(
                            &LINKS.map(|(weight, one)| (weight * u32::from(fits(one)), one)),
                        )
                    };
                    let function = of_range.filter(|one| fits(*one)).or_else(any);
                    let made = function.and_then(|function| {
                        let function = match function {
                            Builtin::PtxLop32d => stream.pick(&Builtin::PTX_TABLES),
                            function => function,
                        };
                        self.linked(function, [same, other], own, stream, key)
                    });
                    made.unwrap_or(same)
                }
            };
        }
        self.program.convert(value, ty, key)
    }

    /// The lower half of a product of twice the width.
    fn widened(
        &mut self,
        value: ExprId,
        ty: Ty,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let wide = Ty::scalar(ty.scalar.scaled(true)?);
        let number = self.number(ty.scalar, stream);
        let number = self.program.literal(number, ty, key.child(1));
        let product =
            self.instruction(Builtin::PtxMulWide, &[value, number], wide, key.child(2))?;
        Some(self.program.convert(product, ty, key))
    }

    /// The lower half of a value, or the lowest byte.
    fn narrowed(&mut self, value: ExprId, ty: Ty, stream: &mut Stream, key: SeedKey) -> ExprId {
        if ty.scalar.bits() == 16 || stream.chance(30) {
            let byte = self.program.literal(255, ty, key);
            return self.instruction(Builtin::PtxAnd, &[value, byte], ty, key).unwrap_or(value);
        }
        let half = ty.scalar.with_sign(stream.chance(50)).scaled(false).unwrap_or(ty.scalar);
        let half = self.program.convert(value, Ty::scalar(half), key);
        self.program.convert(half, ty, key)
    }

    /// One of two values, by a comparison of the first.
    fn chosen(
        &mut self,
        [value, a]: [ExprId; 2],
        ty: Ty,
        stream: &mut Stream,
        key: SeedKey,
    ) -> ExprId {
        let condition = self.compared(value, a, ty, stream, key.child(1));
        let number = self.number(ty.scalar, stream);
        let number = self.program.literal(number, ty, key.child(2));
        let values = [value, a, number];
        let (first, second) = (stream.pick(&values), stream.pick(&values));
        self.program.add(ExprKind::Conditional(condition, first, second), ty, key.child(3))
    }

    /// A comparison of a value with a number, or with another value.
    pub(super) fn compared(
        &mut self,
        value: ExprId,
        a: ExprId,
        ty: Ty,
        stream: &mut Stream,
        key: SeedKey,
    ) -> ExprId {
        let own = self.with_some_sign(ty, stream);
        let other = match stream.below(10) {
            0..2 => self.program.literal(0, own, key),
            2..7 => {
                let number = self.number(own.scalar, stream);
                self.program.literal(number, own, key)
            }
            7..9 => self.program.convert(a, own, key),
            _ => self.leaf(own, key.child(1)),
        };
        let value = self.program.convert(value, own, key);
        if stream.chance(30) {
            let by_set = stream.pick(&Builtin::PTX_COMPARISONS);
            if let Some(made) = self.instruction(by_set, &[value, other], Ty::INT, key) {
                return made;
            }
        }
        let weights = Binary::RELATIONAL.map(|one| match one.is_logical() {
            true => (0, one),
            false => (self.features.binary(one, own), one),
        });
        let operator = stream.weighted(&weights).unwrap_or(Binary::NotEqual);
        self.program.binary(operator, value, other, key)
    }

    /// A condition that the optimiser may decide: the end of a chain, compared.
    pub(super) fn decision(&mut self, stream: &mut Stream, key: SeedKey) -> ExprId {
        let ty = self.some_word(stream);
        let leaf = self.leaf(ty, key.child(1));
        let end = self.chain([leaf; 2], ty, 3, stream, key.child(2));
        self.compared(end, leaf, ty, stream, key.child(3))
    }

    /// An integer of at least 16 bits, mostly of 32.
    pub(super) fn some_word(&self, stream: &mut Stream) -> Ty {
        let ty = if stream.chance(70) { Some(Ty::INT) } else { self.word_type(16, stream) };
        self.with_some_sign(ty.unwrap_or(Ty::INT), stream)
    }

    /// The type with a sign or without one, if that is not avoided.
    pub(super) fn with_some_sign(&self, ty: Ty, stream: &mut Stream) -> Ty {
        let other = Ty::scalar(ty.scalar.with_sign(stream.chance(50)));
        if self.features.allows(other.scalar.name(), other) { other } else { ty }
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
        let amount = match function {
            Builtin::PtxShl | Builtin::PtxShr => 1,
            Builtin::FunnelshiftL | Builtin::FunnelshiftR => 2,
            _ => usize::MAX,
        };
        let operands = (0..).zip(&types).map(|(index, parameter)| {
            let key = key.child(index as u64);
            match stream.below(10) {
                _ if index == place => value,
                // Most amounts are below the width.
                0..6 if index == amount => self.program.literal(stream.below(33).into(), UINT, key),
                0 if *parameter == ty => value,
                1..4 if *parameter == ty => a,
                4 => self.leaf(*parameter, key),
                5 => self.program.literal(0, *parameter, key),
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
    fn decided(&mut self, a: ExprId, ty: Ty, stream: &mut Stream, key: SeedKey) -> ExprId {
        let end = self.chain([a; 2], ty, 4, stream, key);
        self.chosen([end, a], ty, stream, key.child(10))
    }
}
