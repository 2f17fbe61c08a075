//! Joint work of a group: exchanges at barriers, reductions, sections.

use super::statements::LOSSLESS;
use super::{Maker, opaque};
use crate::ir::{
    Atomic, AtomicSection, Binary, Block, Buffer, CombineMethod, ExprId, ExprKind, Gather, Path,
    Place, Reduce, Root, ScalarType, Step, StmtId, StmtKind, Storage, Ty, VarId, Variable,
    WorkItemId,
};
use crate::random::{SeedKey, Stream};

/// The variables for communication as in CLsmith. Between two barriers each work-item owns one element of `local` and
/// one of `global`, as `tid` says.
#[derive(Clone, Copy)]
pub(super) struct Communication {
    tid: VarId,
    local: VarId,
    global: VarId,
    permutations: VarId,
    rows: u32,
}

impl Maker<'_> {
    /// Declares the variables for communication, and gives each work-item its first elements.
    pub(super) fn start_communication(&mut self, tokens: usize, key: SeedKey) -> Block {
        let group = self.program.sizes.group();
        let mut stream = key.stream();
        // Each number is two tokens.
        let count = (tokens / (12 * group as usize)).clamp(2, 10) as u32;
        let mut rows = Vec::new();
        for _ in 0..count {
            let mut row: Vec<i64> = (0..group.into()).collect();
            stream.shuffle(&mut row);
            rows.extend(row);
        }
        let mut declare = |name: &str, scalar, length, space| {
            let (name, ty) = (name.to_owned(), Ty::scalar(scalar));
            self.program.declare(Variable { name, ty, length, space })
        };
        let (table, buffer) =
            (Storage::Constant(rows.into()), Storage::Global(Buffer::Communication));
        let communication = Communication {
            tid: declare("tid", ScalarType::Int, None, Storage::Private),
            local: declare("l_comm_values", ScalarType::Long, Some(group), Storage::Local),
            global: declare("g_comm_values", ScalarType::Long, None, buffer),
            permutations: declare("permutations", ScalarType::Int, Some(count * group), table),
            rows: count,
        };
        self.communication = Some(communication);
        let lid = self.program.add(ExprKind::Item(WorkItemId::LinearLocal), Ty::INT, key);
        let one = self.program.literal(1, Ty::scalar(ScalarType::Long), key);
        let place = Place::Element(communication.local, lid);
        let first = self.program.statement(StmtKind::Assign(place, one), key);
        let barrier = self.program.statement(StmtKind::Barrier, key);
        let at = self.program.add(ExprKind::Item(WorkItemId::LinearLocal), Ty::INT, key);
        let tid = self.permuted(communication, at, key);
        let tid = self.program.statement(StmtKind::Declare(communication.tid, tid), key);
        vec![first, barrier, tid]
    }

    /// The first number of the group plus a number from the table.
    fn permuted(&mut self, communication: Communication, at: ExprId, key: SeedKey) -> ExprId {
        let program = &mut self.program;
        let group = program.add(ExprKind::Item(WorkItemId::LinearGroup), Ty::INT, key);
        let size = program.literal(program.sizes.group().into(), Ty::INT, key);
        let first = program.binary(Binary::Multiply, group, size, key);
        let number = ExprKind::Element(communication.permutations, at);
        let number = program.add(number, Ty::INT, key);
        program.binary(Binary::Add, first, number, key)
    }

    /// The number of a work-item's element in the group.
    fn own_index(&mut self, communication: Communication, key: SeedKey) -> ExprId {
        let tid = self.read(communication.tid, key);
        let size = self.program.literal(self.program.sizes.group().into(), Ty::INT, key);
        self.program.binary(Binary::Remainder, tid, size, key)
    }

    pub(super) fn own_place(
        &mut self,
        communication: Communication,
        local: bool,
        key: SeedKey,
    ) -> (VarId, ExprId) {
        match local {
            true => (communication.local, self.own_index(communication, key)),
            false => (communication.global, self.read(communication.tid, key)),
        }
    }

    /// An element that the work-item owns.
    pub(super) fn own_element(&mut self, stream: &mut Stream, key: SeedKey) -> Option<ExprId> {
        let communication = self.communication.filter(|_| !self.in_section && stream.chance(50))?;
        let (array, at) = self.own_place(communication, stream.chance(60), key);
        Some(self.program.add(ExprKind::Element(array, at), Ty::scalar(ScalarType::Long), key))
    }

    /// Writes to an element that the work-item owns, perhaps through a pointer.
    pub(super) fn write_own(&mut self, depth: u32, key: SeedKey) -> Option<Block> {
        let communication = self.communication.filter(|_| !self.in_section)?;
        let mut stream = key.stream();
        let (array, at) = self.own_place(communication, stream.chance(60), key);
        let long = Ty::scalar(ScalarType::Long);
        let value = self.expression(long, depth, key.child(1));
        if self.features.weight("pointer", Ty::INT) == 0 || !stream.chance(30) {
            let (old, place) = (ExprKind::Element(array, at), Place::Element(array, at));
            let old = self.program.add(old, long, key);
            let weights = LOSSLESS.map(|op| (self.features.binary(op, long), op));
            let update = stream.weighted(&weights).filter(|_| stream.chance(65));
            // An old value that would be lost is added to the result before.
            let (before, value) = match update {
                Some(operator) => (None, self.program.binary(operator, old, value, key)),
                None => (Some(self.program.statement(StmtKind::Hash(old), key)), value),
            };
            let write = self.program.statement(StmtKind::Assign(place, value), key);
            return Some(before.into_iter().chain([write]).collect());
        }
        let path = Path { root: Root::Variable(array), steps: vec![Step::Index(at)] };
        let (pointer, declared) = self.pointer_to(path, key);
        // After the next barrier, the element belongs to another work-item.
        self.objects.pop();
        let path =
            Path { root: Root::Pointer(Box::new(Path::to(pointer)), None), steps: Vec::new() };
        let old = self.program.add(ExprKind::Part(Box::new(path.clone())), long, key);
        let value = match self.features.allows("xor", long) {
            true => self.program.binary(Binary::Xor, old, value, key),
            false => value,
        };
        let write = StmtKind::Assign(Place::Part(path), value);
        Some(vec![declared, self.program.statement(write, key)])
    }

    /// A barrier, after which each work-item owns other elements. The result shows which it owned before.
    pub(super) fn communicate(&mut self, key: SeedKey) -> Option<Block> {
        let communication = self.communication?;
        let mut block = self.meeting(key);
        let row = self.uniform(key.child(1));
        let uint = Ty::scalar(ScalarType::Uint);
        let row = self.program.convert(row, uint, key);
        let rows = self.program.literal(communication.rows.into(), uint, key);
        let row = self.program.binary(Binary::Remainder, row, rows, key);
        let size = self.program.literal(self.program.sizes.group().into(), uint, key);
        let start = self.program.binary(Binary::Multiply, row, size, key);
        let own = self.own_index(communication, key);
        let own = self.program.convert(own, uint, key);
        let at = self.program.binary(Binary::Add, start, own, key);
        let tid = self.permuted(communication, at, key);
        let seen = self.hashed(communication.tid, key);
        let place = Place::Variable(communication.tid);
        block.extend([seen, self.program.statement(StmtKind::Assign(place, tid), key)]);
        Some(block)
    }

    /// An `int` that is the same for all work-items of a group.
    pub(super) fn uniform(&mut self, key: SeedKey) -> ExprId {
        let mut stream = key.stream();
        let value = stream.within(0, 20);
        let known = opaque(&mut self.program, value, key.child(1));
        let by = match stream.below(3) {
            0 => return known,
            1 => self.program.add(ExprKind::Item(WorkItemId::LinearGroup), Ty::INT, key),
            _ => match self.counters.first().filter(|_| stream.chance(80)) {
                Some(&counter) => self.read(counter, key),
                None => return known,
            },
        };
        let operator = stream.pick(&[Binary::Add, Binary::Xor, Binary::Multiply]);
        self.program.binary(operator, known, by, key)
    }

    /// Adds the own element at the end of the kernel, after a barrier.
    pub(super) fn finish_communication(&mut self, key: SeedKey) -> Block {
        let Some(communication) = self.communication else { return Vec::new() };
        let seen = self.hashed(communication.tid, key);
        let mut block = vec![self.program.statement(StmtKind::Barrier, key), seen];
        for local in [true, false] {
            let (array, at) = self.own_place(communication, local, key);
            let value = ExprKind::Element(array, at);
            let value = self.program.add(value, Ty::scalar(ScalarType::Long), key);
            block.push(self.program.statement(StmtKind::Hash(value), key));
        }
        block
    }

    /// Writes to local memory, and reads what another work-item wrote.
    pub(super) fn exchange(&mut self, depth: u32, key: SeedKey) -> Option<Block> {
        if self.writable.is_empty() {
            return None;
        }
        let mut stream = key.stream();
        let target = stream.pick(&self.writable);
        let ty = self.program.variable(target).ty;
        let group = self.program.sizes.group();
        let (array, written) = self.written_elements(ty, depth, key);
        let (_, other) = self.partner(group, &mut stream, key.child(2));
        let read = self.program.add(ExprKind::Element(array, other), ty, key);
        let read = self.program.statement(StmtKind::Assign(Place::Variable(target), read), key);
        Some(written.into_iter().chain([read]).collect())
    }

    /// An array in local memory of which each work-item has written its own element, and the statements that do so.
    pub(super) fn written_elements(&mut self, ty: Ty, depth: u32, key: SeedKey) -> (VarId, Block) {
        let array = self.local_array(ty, self.program.sizes.group());
        let before = self.program.statement(StmtKind::Barrier, key);
        let value = self.expression(ty, depth, key.child(1));
        let own = self.lid(key);
        let write = StmtKind::Assign(Place::Element(array, own), value);
        let write = self.program.statement(write, key);
        let between = self.meeting(key);
        (array, [vec![before, write], between].concat())
    }

    /// The number of the work-item in its group.
    pub(super) fn lid(&mut self, key: SeedKey) -> ExprId {
        self.program.add(ExprKind::Item(WorkItemId::LinearLocal), Ty::INT, key)
    }

    /// An array in local memory with an element for each work-item.
    pub(super) fn local_array(&mut self, ty: Ty, group: u32) -> VarId {
        let found = self.program.variables.iter().position(|v| {
            v.space == Storage::Local && v.ty == ty && v.name.starts_with("exchange")
        });
        if let Some(index) = found {
            return VarId(index as u32);
        }
        let name = format!("exchange{}", self.program.variables.len());
        self.program.declare(Variable { name, ty, length: Some(group), space: Storage::Local })
    }

    /// The own number in the group, and that of another work-item.
    fn partner(&mut self, group: u32, stream: &mut Stream, key: SeedKey) -> (ExprId, ExprId) {
        let program = &mut self.program;
        let lid = program.add(ExprKind::Item(WorkItemId::LinearLocal), Ty::INT, key);
        let own = program.add(ExprKind::Item(WorkItemId::LinearLocal), Ty::INT, key);
        let last = program.literal((group - 1).into(), Ty::INT, key);
        let other = match stream.below(3) {
            0 => program.binary(Binary::Subtract, last, lid, key),
            1 if group.is_power_of_two() => {
                let by = program.literal(stream.below(group.into()).into(), Ty::INT, key);
                program.binary(Binary::Xor, lid, by, key)
            }
            _ => {
                let by = program.literal((1 + stream.below(group.into())).into(), Ty::INT, key);
                let sum = program.binary(Binary::Add, lid, by, key);
                let size = program.literal(group.into(), Ty::INT, key);
                program.binary(Binary::Remainder, sum, size, key)
            }
        };
        (own, other)
    }

    /// All work-items of the group add up a value.
    pub(super) fn reduction(&mut self, depth: u32, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let function = stream.pick(&Atomic::ALL);
        let value = self.expression(Ty::INT, depth, key.child(1));
        let value = if stream.chance(50) && self.features.allows("id", Ty::INT) {
            let id = self.program.add(ExprKind::Item(WorkItemId::LinearGlobal), Ty::INT, key);
            self.program.binary(Binary::Xor, value, id, key)
        } else {
            value
        };
        let zero = self.program.literal(0, Ty::INT, key);
        let (declared, into) = self.declare(Ty::INT, zero, key);
        let reduce = StmtKind::Reduce(Reduce { function, value, into });
        vec![declared, self.program.statement(reduce, key)]
    }

    /// True if atomic functions whose results are used are among the features of the seed.
    pub(super) fn gathers(&self) -> bool {
        let on = |name| self.features.weight(name, Ty::INT) > 0;
        self.mode.has_reductions() && (on("ticket") || on("compare_exchange"))
    }

    /// The work-items of the group put values together in local memory, by atomic functions whose results are used.
    pub(super) fn gather(&mut self, depth: u32, key: SeedKey) -> Block {
        let mut stream = key.stream();
        let ways =
            ["ticket", "compare_exchange"].map(|name| (self.features.weight(name, Ty::INT), name));
        let is_ticket = stream.weighted(&ways) == Some("ticket");
        let function = stream.pick(&Atomic::ALL);
        let first = stream.within(-100, 100);
        let zero = self.program.literal(0, Ty::INT, key);
        let (declared, into) = self.declare(Ty::INT, zero, key);
        let (name, length) = (format!("cells{}", self.program.variables.len()), Some(2));
        let cells = Variable { name, ty: Ty::INT, length, space: Storage::Local };
        let cells = self.program.declare(cells);
        let (way, value) = if is_ticket {
            let ticket = self.variable('t', Ty::INT, None);
            let value = self.of_ticket(ticket, &mut stream, key.child(1));
            (CombineMethod::Ticket(ticket), value)
        } else {
            (CombineMethod::CompareExchange, self.expression(Ty::INT, depth, key.child(1)))
        };
        let gather = StmtKind::Gather(Gather { way, function, first, value, cells, into });
        vec![declared, self.program.statement(gather, key)]
    }

    /// A value that depends on a ticket, and on what is the same for the group.
    fn of_ticket(&mut self, ticket: VarId, stream: &mut Stream, key: SeedKey) -> ExprId {
        let mut value = self.read(ticket, key);
        for part in 0..1 + stream.below(3) {
            let operators =
                [Binary::Add, Binary::Multiply, Binary::Xor, Binary::And, Binary::ShiftLeft];
            let weights = operators.map(|op| (self.features.binary(op, Ty::INT), op));
            let Some(operator) = stream.weighted(&weights) else { continue };
            let number = stream.within(1, 300);
            let other = match stream.chance(50) {
                true => self.hidden(number, key.child(part)),
                false => self.program.literal(number.into(), Ty::INT, key.child(part)),
            };
            value = self.program.binary(operator, value, other, key.child(part));
        }
        value
    }

    /// One work-item of the group computes something from values that all have.
    pub(super) fn section(&mut self, room: usize, key: SeedKey) -> StmtId {
        let mut stream = key.stream();
        let index = self.sections;
        self.sections += 1;
        let group = u64::from(self.program.sizes.group());
        let arrival = stream.below(group.min(10)) as u32;
        self.in_section = true;
        let outer = std::mem::take(&mut self.writable);
        let arrays = std::mem::take(&mut self.arrays);
        let labels = std::mem::take(&mut self.labels);
        let (body, sum) = self.scoped(|maker| {
            let mut body = Vec::new();
            for index in 0..=stream.below(2) {
                let types = [ScalarType::Int, ScalarType::Uint].map(Ty::scalar);
                let ty = stream.pick(&types);
                let ty = if maker.features.allows("uint", ty) { ty } else { Ty::INT };
                let value = maker.expression(ty, 2, key.child(10 + index));
                body.push(maker.declare(ty, value, key.child(20 + index)).0);
            }
            let sum: Box<[VarId]> = maker.writable.clone().into();
            body.extend(maker.block(room.saturating_sub(60), 1, key.child(1)));
            (body, sum)
        });
        self.writable = outer;
        (self.arrays, self.labels) = (arrays, labels);
        self.in_section = false;
        let section = AtomicSection { index, arrival, body, sum };
        self.program.statement(StmtKind::Section(section), key)
    }
}
