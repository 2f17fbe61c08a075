//! Whole kernels: variables, statements until the budget is used, and the result.

use super::statements::COMPOUND;
use super::{Maker, opaque, shapes, tensors};
use crate::features::Features;
use crate::ir::{
    Block, Buffer, ExprKind, LoopForm, Program, ScalarType, StmtKind, Storage, Ty, Variable,
};
use crate::print::{self, Extras};
use crate::profile::{COMMUNICATION, Mode, Profile};
use crate::random::{SeedKey, Stream};

/// See [`Portions::owed`].
const OWED: usize = 3;
/// The tokens of values that a group puts together in local memory.
const LEAST_GATHER: usize = 170;
/// The tokens of values that are combined in a loop.
const LEAST_TREE: usize = 150;
/// The tokens of a call of a collective function.
const LEAST_COLLECTIVE: usize = 60;
/// The tokens of a copy by a group, with what uses it.
const LEAST_COPY: usize = 160;
/// The tokens that are kept for each of the first two.
const OWED_TOKENS: usize = 80;

/// Makes a kernel with about this number of tokens. It may misbehave.
pub(crate) fn kernel(
    profile: &Profile,
    features: &Features,
    tokens: usize,
    key: SeedKey,
) -> Program {
    let mut stream = key.named("shape").stream();
    let mode = profile.mode;
    let exchanging = exchanges(mode);
    let sizes = shapes::sizes(exchanging, tokens, &mut stream);
    let of_warps = tensors::warps(mode, features, tokens, &mut key.named("warps").stream());
    let mut of_sub_groups = key.named("sub-groups").stream();
    let of_sub_groups = (exchanging && features.has_sub_groups())
        .then(|| shapes::of_sub_groups(tokens, &mut of_sub_groups));
    let mut program = Program::new(of_sub_groups.or(of_warps).unwrap_or(sizes));
    program.fixed_size = features.allows("reqd_work_group_size", Ty::INT) && stream.chance(50);
    let mut maker = Maker::new(program, features, mode);
    maker.make(tokens, &mut stream, key);
    maker.program
}

/// How much there is of what stands around the statements of a kernel, and beside others.
struct Portions {
    /// The most variables beyond the first two.
    variables: u64,
    /// The most private arrays.
    arrays: u64,
    /// A table of constants is in kernels with more tokens than that.
    table: usize,
    /// The kernels in a hundred in which work-items communicate, where the mode leaves it open.
    communication: u64,
    /// How many statements with the feature of the mode there are at least.
    owed: usize,
    /// The statements in a hundred at the outermost level that are data flow.
    data_flow: u64,
}

fn exchanges(mode: Mode) -> bool {
    mode.has_barriers() || mode.has_reductions() || mode.has_sections()
}

impl Maker<'_> {
    fn make(&mut self, tokens: usize, stream: &mut Stream, key: SeedKey) {
        self.buffer("emi_input", ScalarType::Int, Buffer::Emi);
        if stream.chance(70) && self.features.allows("id", Ty::INT) {
            self.buffer("sequence_input", ScalarType::Int, Buffer::Sequence);
        }
        let mut body = Block::new();
        let portions = self.portions();
        let communicates = self.mode.has_barriers()
            && (self.mode != Mode::Free || stream.chance(portions.communication));
        if communicates && COMMUNICATION.iter().all(|(name, ty)| self.features.allows(name, *ty)) {
            body = self.start_communication(tokens, key.named("communication"));
        }
        body.extend(self.start(tokens, stream, key.named("start")));
        body.extend(self.start_functions(tokens, key.named("functions")));
        body.extend(self.start_objects(tokens, key.named("objects")));
        let room = tokens.saturating_sub(self.spent(&body));
        body.extend(self.start_procedures(room, key.named("procedures")));
        body.extend(self.start_sub_groups(key.named("sub-groups")));
        let mut spent = self.spent(&body);
        let room = tokens.saturating_sub(spent);
        let exchanging = exchanges(self.mode);
        let mut owed = portions.owed;
        for index in 0..1000 {
            if spent >= tokens {
                break;
            }
            let key = key.named("body").child(index);
            let left = tokens - spent;
            let (lengths, sections) = (self.lengths(), self.sections);
            let (unseen, pool) = (self.unseen.clone(), self.pool.clone());
            // Tokens are kept for the first two.
            let kept = if exchanging { (owed + 2).saturating_sub(OWED) * OWED_TOKENS } else { 0 };
            let due =
                left < room * (owed + 1) / (OWED + 2) || kept > 0 && left < kept + OWED_TOKENS;
            let block = if due && owed > 0 {
                owed -= 1;
                self.feature(left / (owed + 1), key)
            } else {
                self.top_statement(left.min(tokens / 3 + 60), key)
            };
            let cost = self.cost(&block);
            // A part that is too large for the rest is left out; the next try draws other numbers.
            let kept = if due { 0 } else { kept };
            if cost + kept > left + tokens / 10 {
                owed += usize::from(due && owed < OWED && left > OWED_TOKENS);
                self.forget(lengths);
                (self.sections, self.unseen, self.pool) = (sections, unseen, pool);
                continue;
            }
            body.extend(block);
            spent = self.spent(&body);
            if left < 25 + tokens / 20 {
                break;
            }
        }
        body.extend(self.finish(key.named("end")));
        self.program.body = body;
    }

    /// In PTX, most of the room is for data flow.
    fn portions(&self) -> Portions {
        if !self.features.are_of_ptx() {
            return Portions {
                variables: 8,
                arrays: 3,
                table: 600,
                communication: 40,
                owed: OWED,
                data_flow: 0,
            };
        }
        let owed = if self.mode == Mode::Free { 1 } else { OWED };
        Portions { variables: 2, arrays: 1, table: 0, communication: 20, owed, data_flow: 80 }
    }

    fn buffer(&mut self, name: &str, scalar: ScalarType, buffer: Buffer) {
        let (name, ty) = (name.to_owned(), Ty::scalar(scalar));
        let space = Storage::Global(buffer);
        self.program.declare(Variable { name, ty, length: None, space });
    }

    /// The first variables and arrays.
    fn start(&mut self, tokens: usize, stream: &mut Stream, key: SeedKey) -> Block {
        let mut block = Block::new();
        let portions = self.portions();
        let variables = 2 + stream.below(2 + tokens as u64 / 250).min(portions.variables);
        // At the end, a loop adds the elements to the result.
        let loops = self.features.allows("loop", Ty::INT);
        let arrays = if loops && self.features.weight("array", Ty::INT) > 0 {
            (1 + stream.below(1 + tokens as u64 / 700)).min(portions.arrays)
        } else {
            0
        };
        if self.features.weight("constant", Ty::INT) > 0 && tokens > portions.table {
            self.table(key.child(100));
        }
        for index in 0..arrays {
            block.push(self.array(key.child(200 + index)));
        }
        for index in 0..variables {
            let key = key.child(index);
            // The first is one that every mode can use.
            let ty = match index {
                0 if self.mode == Mode::Vector => {
                    let scalar = self.scalar_type(stream);
                    Ty { scalar, lanes: self.lanes(scalar, stream).unwrap_or(1) }
                }
                _ => self.any_type(stream),
            };
            let value = if stream.chance(50) {
                let value = stream.within(-5, 60);
                let known = opaque(&mut self.program, value, key.child(1));
                self.program.convert(known, ty, key)
            } else {
                self.leaf(ty, key.child(2))
            };
            let lengths = self.lengths();
            block.push(self.declare(ty, value, key).0);
            // The functions that add a long vector alone may be too much for a small kernel.
            if index > 0 && self.spent(&block) > tokens {
                block.pop();
                self.unseen.pop();
                self.forget(lengths);
            }
        }
        block
    }

    /// The tokens of a kernel with these statements, and with what will come at the end.
    fn spent(&mut self, body: &Block) -> usize {
        self.program.body.clone_from(body);
        let text = print::opencl(&self.program, &Extras::default());
        let so_far = print::tokens(&text);
        let types = self.writable.iter().map(|id| self.program.variable(*id).ty);
        let of_variables: usize = types.clone().map(|ty| if ty.is_vector() { 11 } else { 8 }).sum();
        let in_objects = self.types_in_objects();
        let of_objects = in_objects.len() * 13;
        // The functions that add vectors; those that are there already are in the text.
        let lanes = types.chain(in_objects).map(|ty| ty.lanes).max().unwrap_or(1);
        let there = [16, 8, 4, 2, 1].into_iter().find(|n| text.contains(&format!("note{n}(")));
        let helpers = 30 * lanes.ilog2().saturating_sub(there.unwrap_or(1_u8).ilog2()) as usize;
        let arrays = self.writable_arrays().len() * 26;
        let communication = if self.communication.is_some() { 28 } else { 0 };
        so_far + of_variables + of_objects + arrays + communication + helpers
    }

    /// True where all work-items of a group come to the same statements.
    pub(super) fn synchronises(&self) -> bool {
        self.mode.has_barriers() && !self.is_pure() && self.features.allows("barrier", Ty::INT)
    }

    /// An exchange between work-items.
    pub(super) fn synchronisation(&mut self, room: usize, depth: u32, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let exchange = ["exchange", "id"].iter().all(|f| self.features.allows(f, Ty::INT))
            && self.mode != Mode::Barrier;
        if let Some(tile) = self.tiles(room)
            && stream.chance(50)
        {
            return self.product(tile, false, key);
        }
        let made = if room > LEAST_COLLECTIVE && self.has_collectives() && stream.chance(35) {
            self.collective(depth, false, key)
        } else if room > LEAST_COPY && self.copies_by_group() && stream.chance(45) {
            self.group_copy(key)
        } else if room > LEAST_TREE && exchange && self.combines() && stream.chance(25) {
            Some(self.tree(depth, key))
        } else if self.communication.is_some() && (stream.chance(60) || !exchange) {
            self.communicate(key)
        } else if exchange {
            self.exchange(depth, key)
        } else {
            None
        };
        made.unwrap_or_default()
    }

    /// Statements at the outermost level, where all work-items are.
    fn top_statement(&mut self, room: usize, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let key = key.child(1);
        let share = self.portions().data_flow;
        if share > 0 && room > COMPOUND && stream.chance(share) {
            return self.data_flow(key);
        }
        if room > 60 && stream.chance(7) && self.mode != Mode::Basic && self.mode != Mode::Vector {
            return self.feature(room, key);
        }
        if let Some(tile) = self.tiles(room)
            && stream.chance(25)
        {
            return self.product(tile, true, key);
        }
        // In CUDA, there are two ways to make them.
        let copies = if self.features.are_of_cuda() { 25 } else { 12 };
        if room > LEAST_COPY && self.copies_by_group() && stream.chance(copies) {
            return self.group_copy(key).unwrap_or_default();
        }
        if room > LEAST_COLLECTIVE && self.has_collectives() && stream.chance(12) {
            return self.collective(if room > 150 { 2 } else { 1 }, true, key).unwrap_or_default();
        }
        self.statement(room, 3, key)
    }

    /// A statement with the feature of the mode.
    fn feature(&mut self, room: usize, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let (mode, key) = (self.mode, key.child(1));
        let allows =
            |name| self.features.allows(name, Ty::INT) && self.features.allows("barrier", Ty::INT);
        let of_teams = if self.features.has_sub_groups() { 6 } else { 2 };
        let ways = [
            (u32::from(self.synchronises()), 0),
            (u32::from(mode.has_sections() && allows("atomic_section")), 1),
            (u32::from(mode.has_reductions() && allows("atomic_reduction")), 2),
            (u32::from(mode == Mode::Vector), 3),
            (of_teams * u32::from(room > LEAST_COLLECTIVE && self.has_collectives()), 4),
        ];
        match stream.weighted(&ways) {
            Some(0) => {
                let mut block = self.synchronisation(room, 2, key);
                block.extend(self.write_own(2, key.child(1)).unwrap_or_default());
                block
            }
            Some(1) => vec![self.section(room.clamp(90, 200), key)],
            Some(2) if room > LEAST_GATHER && self.gathers() && stream.chance(35) => {
                self.gather(2, key)
            }
            Some(2) => self.reduction(if room > 80 { 2 } else { 1 }, key),
            Some(4) => self.collective(2, true, key).unwrap_or_default(),
            Some(_) => {
                let scalar = self.scalar_type(&mut stream);
                let lanes = self.lanes(scalar, &mut stream).unwrap_or(1);
                let ty = Ty { scalar, lanes };
                let value = self.expression(ty, 2, key);
                vec![self.declare(ty, value, key).0]
            }
            None => self.statement(room, 3, key),
        }
    }

    /// Adds every live value to the result.
    fn finish(&mut self, key: SeedKey) -> Block {
        let mut block = self.finish_communication(key);
        for variable in self.writable.clone() {
            block.push(self.hashed(variable, key));
        }
        for array in self.writable_arrays() {
            block.push(self.hashed_array(array, key));
        }
        for object in self.objects.clone() {
            block.extend(self.hashed_object(object, key));
        }
        block
    }

    /// Adds the elements of an array.
    fn hashed_array(&mut self, array: crate::ir::VarId, key: SeedKey) -> crate::ir::StmtId {
        let (ty, length) = self.array_type(array);
        let counter = self.variable('i', Ty::INT, None);
        let at = self.read(counter, key);
        let element = self.program.add(ExprKind::Element(array, at), ty, key);
        let hash = self.program.statement(StmtKind::Hash(element), key);
        let start = self.program.literal(0, Ty::INT, key);
        let limit = self.program.literal(length.into(), Ty::INT, key);
        let details = crate::ir::For {
            form: LoopForm::For,
            counter,
            start,
            limit,
            step: 1,
            unroll: None,
            body: vec![hash],
        };
        self.program.statement(StmtKind::For(details), key)
    }
}
