//! Expressions of a wanted type. What a type cannot be directly, such as the sum of two `char`, is converted to it.

use super::Maker;
use crate::ir::{Binary, Builtin, BuiltinSignature, ExprId, ExprKind, Ty, Unary};
use crate::random::{SeedKey, Stream};

/// The ways to make an expression.
#[derive(Clone, Copy)]
enum ExprChoice {
    Leaf,
    Arithmetic,
    Relational,
    Unary,
    Conditional,
    Call,
    Convert,
    Saturate,
    Reinterpret,
    Vector,
    Swizzle,
    Function,
    Neighbourhood,
}

impl Maker<'_> {
    /// An expression of a type with operators at most `depth` deep.
    pub(super) fn expression(&mut self, ty: Ty, depth: u32, key: SeedKey) -> ExprId {
        if depth == 0 {
            return self.leaf(ty, key);
        }
        let mut stream = key.stream();
        let on = |name, weight| if self.features.weight(name, ty) > 0 { weight } else { 0 };
        let vector = |weight| if ty.is_vector() { weight } else { 0 };
        let ways = [
            (14, ExprChoice::Leaf),
            (30, ExprChoice::Arithmetic),
            (if ty == ty.truth() { 9 } else { 0 }, ExprChoice::Relational),
            (6, ExprChoice::Unary),
            (on("conditional", 8), ExprChoice::Conditional),
            (if self.features.are_of_ptx() { 70 } else { 28 }, ExprChoice::Call),
            (on("convert", 8), ExprChoice::Convert),
            (on("convert_sat", 5), ExprChoice::Saturate),
            (on("reinterpret", 4), ExprChoice::Reinterpret),
            (vector(5), ExprChoice::Vector),
            (if self.mode.has_vectors() { on("swizzle", 5) } else { 0 }, ExprChoice::Swizzle),
            (if self.functions.is_empty() { 0 } else { 8 }, ExprChoice::Function),
            (if self.features.are_of_ptx() { 25 } else { 0 }, ExprChoice::Neighbourhood),
        ];
        let way = stream.weighted(&ways).unwrap_or(ExprChoice::Leaf);
        let made = match way {
            ExprChoice::Leaf => None,
            ExprChoice::Arithmetic => self.arithmetic(ty, depth, &mut stream, key),
            ExprChoice::Relational => self.relational(ty, depth, &mut stream, key),
            ExprChoice::Unary => self.unary(ty, depth, &mut stream, key),
            ExprChoice::Conditional => Some(self.conditional(ty, depth, &mut stream, key)),
            ExprChoice::Call => self.call(ty, depth, &mut stream, key),
            ExprChoice::Convert => self.converted(ty, depth, false, &mut stream, key),
            ExprChoice::Saturate => self.converted(ty, depth, true, &mut stream, key),
            ExprChoice::Reinterpret => self.reinterpreted(ty, depth, &mut stream, key),
            ExprChoice::Vector => Some(self.vector(ty, depth, &mut stream, key)),
            ExprChoice::Swizzle => self.swizzled(ty, depth, &mut stream, key),
            ExprChoice::Function => self.some_invocation(ty, depth, &mut stream, key),
            ExprChoice::Neighbourhood => self.neighbourhood(ty, depth, &mut stream, key),
        };
        made.unwrap_or_else(|| self.leaf(ty, key.child(9)))
    }

    /// True if nothing is avoided that a construct with operands of these types has.
    fn allows(&self, name: &str, operands: &[Ty]) -> bool {
        operands.iter().all(|ty| {
            self.features.allows(name, *ty)
                && (!ty.is_vector() || self.features.allows("vector", *ty))
        })
    }

    /// The type that an operation must have to be converted to `ty`: narrow scalars are promoted.
    fn computed(ty: Ty) -> Ty {
        if ty.is_vector() { ty } else { Ty::scalar(ty.scalar.promoted()) }
    }

    /// A type of an operand that does not change the type of the result.
    fn beside(&self, ty: Ty, stream: &mut Stream) -> Ty {
        if ty.is_vector() {
            return if stream.chance(20) { ty.lane() } else { ty };
        }
        let fits = self.features.scalars().filter(|other| {
            ty.scalar.usual(*other) == ty.scalar
                && (other.is_float() || !ty.scalar.is_float() || other.bits() <= 16)
                && self.features.allows(other.name(), Ty::scalar(*other))
        });
        let fits: Vec<_> = fits.collect();
        if fits.is_empty() || stream.chance(50) { ty } else { Ty::scalar(stream.pick(&fits)) }
    }

    fn arithmetic(
        &mut self,
        ty: Ty,
        depth: u32,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let computed = Self::computed(ty);
        let weights = Binary::ARITHMETIC.map(|op| (self.features.binary(op, computed), op));
        let operator = stream.weighted(&weights)?;
        if operator == Binary::Divide && ty.scalar.is_float() {
            return Some(self.scaled(ty, depth, stream, key));
        }
        let other = if operator.is_shift() && !ty.is_vector() {
            Ty::scalar(self.integer_type(stream))
        } else {
            self.beside(computed, stream)
        };
        let (mut first, mut second) = (computed, other);
        if stream.chance(30) && !operator.is_shift() {
            (first, second) = (second, first);
        }
        let value = self.operation(operator, [first, second], depth, key)?;
        Some(self.program.convert(value, ty, key))
    }

    /// A floating-point number divided by a power of two.
    fn scaled(&mut self, ty: Ty, depth: u32, stream: &mut Stream, key: SeedKey) -> ExprId {
        let a = self.expression(ty, depth - 1, key.child(1));
        let by = self.program.literal(stream.pick(&[2, 4, 8, -2]), ty, key);
        self.program.binary(Binary::Divide, a, by, key)
    }

    fn relational(
        &mut self,
        ty: Ty,
        depth: u32,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let weights = Binary::RELATIONAL.map(|op| (self.features.binary(op, ty), op));
        let operator = stream.weighted(&weights)?;
        let (first, second) = if ty.is_vector() {
            let operands = ty.of(ty.scalar.with_sign(stream.chance(60)));
            let floats = self
                .features
                .scalars()
                .filter(|other| other.is_float() && other.bits() == ty.scalar.bits());
            let operands = match floats.last().filter(|_| stream.chance(20)) {
                Some(float) => ty.of(float),
                None => operands,
            };
            (operands, self.beside(operands, stream))
        } else {
            let first = Ty::scalar(self.scalar_type(stream));
            let other = Ty::scalar(self.scalar_type(stream));
            let mixed = !first.scalar.is_float() && !other.scalar.is_float();
            (first, if mixed && stream.chance(40) { other } else { first })
        };
        if !operator.has(first.scalar) {
            return None;
        }
        self.operation(operator, [first, second], depth, key)
    }

    /// An operator on new operands of these types, unless it is to be avoided on them.
    fn operation(
        &mut self,
        operator: Binary,
        types: [Ty; 2],
        depth: u32,
        key: SeedKey,
    ) -> Option<ExprId> {
        if !self.allows(operator.texts().1, &types) {
            return None;
        }
        let [first, second] = types;
        let a = self.expression(first, depth - 1, key.child(1));
        let b = self.expression(second, depth - 1, key.child(2));
        Some(self.program.binary(operator, a, b, key))
    }

    fn unary(&mut self, ty: Ty, depth: u32, stream: &mut Stream, key: SeedKey) -> Option<ExprId> {
        let computed = Self::computed(ty);
        let weights = Unary::ALL.map(|op| {
            let fits = (op != Unary::Not || ty == ty.truth()) && op.has(computed.scalar);
            (if fits { self.features.weight(op.texts().1, computed) } else { 0 }, op)
        });
        let operator = stream.weighted(&weights)?;
        let a = self.expression(computed, depth - 1, key.child(1));
        let result = operator.result(computed);
        let value = self.program.add(ExprKind::Unary(operator, a), result, key);
        Some(self.program.convert(value, ty, key))
    }

    /// A truth value of a scalar, for `if` and the like.
    pub(super) fn condition(&mut self, depth: u32, key: SeedKey) -> ExprId {
        let mut stream = key.stream();
        if stream.chance(8)
            && let Some(same) = self.same_address(&mut stream, key.child(1))
        {
            return same;
        }
        if self.features.are_of_ptx() && stream.chance(50) {
            return self.decision(&mut stream, key.child(2));
        }
        let made = self.relational(Ty::INT, depth.max(1), &mut stream, key);
        made.unwrap_or_else(|| self.leaf(Ty::INT, key))
    }

    fn conditional(&mut self, ty: Ty, depth: u32, stream: &mut Stream, key: SeedKey) -> ExprId {
        let computed = Self::computed(ty);
        let by_lane = ty.is_vector() && stream.chance(75);
        let condition = if by_lane {
            self.expression(ty.truth(), depth - 1, key.child(1))
        } else {
            self.condition(depth - 1, key.child(1))
        };
        let other = if ty.is_vector() { ty } else { self.beside(computed, stream) };
        let b = self.expression(computed, depth - 1, key.child(2));
        let c = self.expression(other, depth - 1, key.child(3));
        let value = self.program.add(ExprKind::Conditional(condition, b, c), computed, key);
        self.program.convert(value, ty, key)
    }

    /// One of CUDA's own functions, as a value of a type.
    fn intrinsic(
        &mut self,
        ty: Ty,
        depth: u32,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let results = Builtin::ALL.iter().filter_map(|&builtin| match builtin.signature() {
            BuiltinSignature::Exactly(result, _) => Some((builtin, Ty::scalar(result))),
            _ => None,
        });
        let weights = results.map(|(builtin, result)| {
            let fits = result == ty || self.allows("convert", &[result, ty]);
            (if fits { self.features.builtin(builtin, result) } else { 0 }, (builtin, result))
        });
        let weights: Vec<_> = weights.collect();
        let (builtin, result) = stream.weighted(&weights)?;
        let value = self.call_of(builtin, result, depth, stream, key)?;
        Some(self.fitted(value, ty, stream, key))
    }

    fn call(&mut self, ty: Ty, depth: u32, stream: &mut Stream, key: SeedKey) -> Option<ExprId> {
        if (self.features.are_of_cuda() || self.features.are_of_ptx()) && stream.chance(25) {
            return self.intrinsic(ty, depth, stream, key);
        }
        let weights = Builtin::ALL.iter().map(|&builtin| {
            let vectors =
                self.mode.has_vectors() || !matches!(builtin, Builtin::Shuffle | Builtin::Shuffle2);
            (if vectors { self.features.builtin(builtin, ty) } else { 0 }, builtin)
        });
        let weights: Vec<_> = weights.collect();
        let builtin = stream.weighted(&weights)?;
        self.call_of(builtin, ty, depth, stream, key)
    }

    fn call_of(
        &mut self,
        builtin: Builtin,
        ty: Ty,
        depth: u32,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let parameters = self.parameters(builtin, ty, stream)?;
        if !self.allows(builtin.name(), &parameters) {
            return None;
        }
        let mut arguments = [ExprId(0); 3];
        for (index, parameter) in parameters.iter().enumerate() {
            arguments[index] = self.expression(*parameter, depth - 1, key.child(1 + index as u64));
        }
        let count = parameters.len() as u8;
        for index in parameters.len()..3 {
            arguments[index] = arguments[0];
        }
        Some(self.program.add(ExprKind::Call(builtin, count, arguments), ty, key))
    }

    /// The types of the parameters of a function with this result.
    pub(super) fn parameters(
        &self,
        builtin: Builtin,
        ty: Ty,
        stream: &mut Stream,
    ) -> Option<Vec<Ty>> {
        Some(match builtin.signature() {
            BuiltinSignature::Same(count)
            | BuiltinSignature::Only32(count)
            | BuiltinSignature::Float(count) => {
                vec![ty; count.into()]
            }
            BuiltinSignature::SameOrScalar(count) => {
                let rest = if ty.is_vector() && stream.chance(30) { ty.lane() } else { ty };
                [vec![ty], vec![rest; usize::from(count) - 1]].concat()
            }
            BuiltinSignature::Magnitude(count) => {
                vec![ty.of(ty.scalar.with_sign(stream.chance(60))); count.into()]
            }
            BuiltinSignature::Halves => {
                let half = ty.scalar.scaled(false)?;
                vec![ty.of(half), ty.of(half.with_sign(false))]
            }
            BuiltinSignature::Choice => vec![ty, ty, ty.of(ty.scalar.with_sign(stream.chance(50)))],
            BuiltinSignature::Truth => {
                let scalar = self.scalar_type(stream).with_sign(true);
                vec![Ty { scalar, lanes: self.lanes(scalar, stream).unwrap_or(1) }]
            }
            BuiltinSignature::Exactly(_, types) => types.iter().copied().map(Ty::scalar).collect(),
            BuiltinSignature::Shuffle | BuiltinSignature::Shuffle2 => {
                let lanes = self.lanes(ty.scalar, stream).filter(|lanes| *lanes != 3)?;
                let (of, mask) = (Ty { lanes, ..ty }, ty.of(ty.scalar.with_sign(false)));
                if builtin == Builtin::Shuffle { vec![of, mask] } else { vec![of, of, mask] }
            }
            other => self.ptx_parameters(other, ty, stream)?,
        })
    }

    fn converted(
        &mut self,
        ty: Ty,
        depth: u32,
        saturate: bool,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        let from = ty.of(self.scalar_type(stream));
        if !self.allows(if saturate { "convert_sat" } else { "convert" }, &[from])
            || saturate && ty.scalar.is_float()
        {
            return None;
        }
        let a = self.expression(from, depth - 1, key.child(1));
        if saturate {
            return Some(self.program.add(ExprKind::Saturate(a), ty, key));
        }
        Some(self.program.convert(a, ty, key))
    }

    fn reinterpreted(
        &mut self,
        ty: Ty,
        depth: u32,
        stream: &mut Stream,
        key: SeedKey,
    ) -> Option<ExprId> {
        // In memory, a vector of three has four lanes.
        let lanes = [1, 2, 4, 8, 16].into_iter().filter(|_| ty.lanes != 3);
        let types =
            lanes.flat_map(|lanes| self.features.scalars().map(move |scalar| Ty { scalar, lanes }));
        let types: Vec<_> = types
            .filter(|_| !ty.scalar.is_float())
            .filter(|from| from.bits() == ty.bits() && *from != ty)
            .filter(|from| !from.is_vector() || self.mode.has_vectors())
            .filter(|from| self.allows("reinterpret", &[*from]))
            .collect();
        if types.is_empty() {
            return None;
        }
        let from = stream.pick(&types);
        let a = self.expression(from, depth - 1, key.child(1));
        Some(self.program.add(ExprKind::Reinterpret(a), ty, key))
    }
}
