//! Types as they are written: specifiers and declarators.

use super::{Read, Reader};
use crate::ir::{ObjectType, Region, ScalarType, Ty};

/// The words in front of the names of a declaration.
#[derive(Default)]
pub(super) struct DeclarationSpecifiers {
    /// The type; `None` for `void`.
    pub shape: Option<ObjectType>,
    pub region: Option<Region>,
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_static: bool,
    pub is_kernel: bool,
    pub is_apart: bool,
    pub group: Option<[u64; 3]>,
}

/// The size of an object that a work-item or a group can have, and of each member of a structure.
const MOST_BYTES: u64 = 1 << 14;

impl DeclarationSpecifiers {
    /// True if there are words that belong to functions alone.
    pub(super) fn has_extras(&self) -> bool {
        self.is_static || self.is_kernel || self.is_apart || self.group.is_some()
    }
}

/// A declared name with its type.
pub(super) struct ParsedDeclarator<'a> {
    pub name: &'a str,
    pub shape: ObjectType,
    /// True if the variable itself cannot be changed.
    pub is_const: bool,
    /// The address space of the variable itself.
    pub region: Option<Region>,
}

/// The type of a scalar or vector with this name.
pub(super) fn named(name: &str) -> Option<Ty> {
    if name == "size_t" {
        return Some(Ty::scalar(ScalarType::Ulong));
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let scalar = ScalarType::ALL.into_iter().find(|scalar| scalar.name() == stem)?;
    let lanes = match &name[stem.len()..] {
        "" => 1,
        digits => Ty::LANES.into_iter().find(|lanes| lanes.to_string() == digits)?,
    };
    Some(Ty { scalar, lanes })
}

/// True if a name begins a type.
pub(super) fn is_type(word: &str) -> bool {
    named(word).is_some()
        || matches!(
            word,
            "unsigned" | "signed" | "struct" | "union" | "const" | "volatile" | "static" | "void"
        )
        || region(word).is_some()
}

fn region(word: &str) -> Option<Region> {
    Some(match word {
        "__private" | "private" => Region::Private,
        "__local" | "local" => Region::Local,
        "__global" | "global" => Region::Global,
        "__constant" | "constant" => Region::Constant,
        _ => return None,
    })
}

impl<'a> Reader<'a> {
    /// Reads the words in front of the names of a declaration.
    pub(super) fn specifiers(&mut self) -> Read<DeclarationSpecifiers> {
        let mut found = DeclarationSpecifiers::default();
        let mut has_type = false;
        loop {
            let word = self.tokens.peek();
            let once = |flag: &mut bool| !std::mem::replace(flag, true);
            let is_good = match word {
                "const" => once(&mut found.is_const),
                "volatile" => once(&mut found.is_volatile),
                "static" => once(&mut found.is_static),
                "__kernel" | "kernel" => once(&mut found.is_kernel),
                "__attribute__" => {
                    self.attribute(&mut found)?;
                    continue;
                }
                "struct" | "union" if !has_type => {
                    self.tokens.next();
                    let tag = self.tokens.peek();
                    let known = self.records.iter().find(|record| record.tag == tag);
                    let Some(id) = known.map(|record| record.id) else {
                        return Err(self.tokens.outside_here());
                    };
                    if self.program.record(id).is_union != (word == "union") {
                        return Err(self.tokens.outside_here());
                    }
                    found.shape = Some(ObjectType::Record(id));
                    once(&mut has_type)
                }
                "unsigned" | "signed" if !has_type => {
                    self.tokens.next();
                    let scalar = match self.tokens.peek() {
                        "char" => ScalarType::Char,
                        "short" => ScalarType::Short,
                        "int" => ScalarType::Int,
                        "long" => ScalarType::Long,
                        _ => return Err(self.tokens.outside_here()),
                    };
                    let ty = Ty::scalar(scalar.with_sign(word == "signed"));
                    found.shape = Some(ObjectType::Value(ty));
                    once(&mut has_type)
                }
                "void" if !has_type => once(&mut has_type),
                _ => match (region(word), named(word)) {
                    (Some(region), _) => found.region.replace(region).is_none(),
                    (_, Some(ty)) if !has_type => {
                        found.shape = Some(ObjectType::Value(ty));
                        once(&mut has_type)
                    }
                    _ => break,
                },
            };
            if !is_good {
                return Err(self.tokens.outside_here());
            }
            self.tokens.next();
        }
        if has_type { Ok(found) } else { Err(self.tokens.outside_here()) }
    }

    fn attribute(&mut self, found: &mut DeclarationSpecifiers) -> Read<()> {
        self.tokens.next();
        self.tokens.expect("(")?;
        self.tokens.expect("(")?;
        match self.tokens.next() {
            "noinline" if !found.is_apart => found.is_apart = true,
            "reqd_work_group_size" if found.group.is_none() => {
                self.tokens.expect("(")?;
                let mut sizes = [0; 3];
                for (index, size) in sizes.iter_mut().enumerate() {
                    if index > 0 {
                        self.tokens.expect(",")?;
                    }
                    let number = self.tokens.next().parse();
                    *size = number.map_err(|_| self.tokens.outside("the size of a work-group"))?;
                }
                self.tokens.expect(")")?;
                found.group = Some(sizes);
            }
            _ => return Err(self.tokens.outside("an attribute")),
        }
        self.tokens.expect(")")?;
        self.tokens.expect(")")
    }

    /// Reads a name with the pointers and arrays around it.
    pub(super) fn declarator(&mut self, of: &DeclarationSpecifiers) -> Read<ParsedDeclarator<'a>> {
        let Some(mut shape) = of.shape.clone() else {
            return Err(self.tokens.outside("a variable of type `void`"));
        };
        let target = of.region.unwrap_or(Region::Private);
        let (mut is_const, mut region) = (of.is_const, of.region);
        let mut point = |shape: &mut ObjectType, is_const: &mut bool| {
            // The target of a pointer to constants is not assigned to; the reader does not track it.
            let is_read_only = std::mem::take(is_const) && target != Region::Constant;
            let to = region.take().unwrap_or(Region::Private);
            let inner = std::mem::replace(
                shape,
                ObjectType::Array(Box::new(ObjectType::Value(Ty::INT)), 0),
            );
            *shape = ObjectType::Pointer(Box::new(inner), to);
            !is_read_only
        };
        let mut is_good = true;
        while self.tokens.accept("*") {
            is_good &= point(&mut shape, &mut is_const);
            while matches!(self.tokens.peek(), "const" | "restrict" | "volatile") {
                is_const |= self.tokens.next() == "const";
            }
        }
        let is_inner = self.tokens.accept("(");
        if is_inner {
            self.tokens.expect("*")?;
        }
        let name = self.tokens.word()?;
        if is_inner {
            self.tokens.expect(")")?;
        }
        let mut lengths = Vec::new();
        while self.tokens.accept("[") {
            let length = if self.tokens.peek() == "]" { None } else { Some(self.length()?) };
            lengths.push(length);
            self.tokens.expect("]")?;
        }
        for (index, length) in lengths.iter().enumerate().rev() {
            // The number of elements that an initialiser gives.
            let is_open = length.is_none() && (index > 0 || is_inner);
            if is_open || *length == Some(0) {
                return Err(self.tokens.outside("an array without a length"));
            }
            shape = ObjectType::Array(Box::new(shape), length.unwrap_or(0));
        }
        if is_inner {
            is_good &= point(&mut shape, &mut is_const);
        }
        if self.bytes(&shape) > MOST_BYTES {
            return Err(self.tokens.outside("a large object"));
        }
        if is_good && named(name).is_none() {
            Ok(ParsedDeclarator { name, shape, is_const, region })
        } else {
            Err(self.tokens.outside(&format!("the declaration of `{name}`")))
        }
    }

    /// Reads the number of elements of an array.
    fn length(&mut self) -> Read<u32> {
        let number = self.constant_number()?;
        u32::try_from(number).map_err(|_| self.tokens.outside("the length of an array"))
    }

    /// The size of an object, or more where that is large.
    fn bytes(&self, shape: &ObjectType) -> u64 {
        match shape {
            ObjectType::Array(element, length) => {
                self.bytes(element).saturating_mul(u64::from(*length))
            }
            // Its members have been measured where they are declared.
            ObjectType::Record(_)
            | ObjectType::Value(_)
            | ObjectType::Bits(..)
            | ObjectType::Pointer(..) => u64::from(self.program.layout(shape).0),
        }
    }

    /// Reads the name of a scalar or vector type in a cast.
    pub(super) fn cast_type(&mut self) -> Read<Ty> {
        let of = self.specifiers()?;
        let is_plain = of.region.is_none() && !of.has_extras() && !of.is_const && !of.is_volatile;
        match of.shape {
            Some(ObjectType::Value(ty)) if is_plain => Ok(ty),
            _ => Err(self.tokens.outside("a cast")),
        }
    }
}
