//! The values of pointers: null, or the place of something that exists.

use super::{Node, Pointee, Pointers};
use crate::interpret::{Faults, Machine, items};
use crate::ir::{Address, Path, Root, StmtId};

impl Machine<'_> {
    /// The values of pointers that lie at a path, where they have one.
    pub(super) fn pointers(&mut self, path: &Path, mask: u64, node: Node) -> Pointers {
        let (places, _) = self.resolve(path, (mask, false), node);
        let mut values = vec![None; self.width];
        for item in items(mask) {
            let Some(place) = places[item] else { continue };
            let bytes = &self.bytes(place, item)[..8];
            let value = bytes
                .iter()
                .rev()
                .try_fold(0, |value, byte| byte.map(|byte| value << 8 | u64::from(byte)));
            let stale = |target: Pointee| {
                self.objects.lives[target.variable.0 as usize * self.width + item] != target.life
            };
            let pointer =
                value.map(|value: u64| Some(self.objects.targets[value.checked_sub(1)? as usize]));
            match pointer {
                Some(pointer) if !pointer.is_some_and(stale) => values[item] = Some(pointer),
                _ => self.note(node, Faults::UNSET),
            }
        }
        values
    }

    /// The values that pointers get.
    pub(in crate::interpret) fn address(
        &mut self,
        address: &Address,
        mask: u64,
        node: Node,
    ) -> Pointers {
        let targets = match address {
            Address::Null => return vec![Some(None); self.width],
            Address::Value(path) => return self.pointers(path, mask, node),
            Address::Of(path) => self.resolve(path, (mask, false), node).0,
            Address::Moved(path, by) => {
                let at = Root::Pointer(Box::new(path.clone()), Some(*by));
                self.resolve(&Path { root: at, steps: Vec::new() }, (mask, false), node).0
            }
        };
        targets.into_iter().map(|target| target.map(Some)).collect()
    }

    /// 1 where two pointers are equal.
    pub(in crate::interpret) fn same_address(
        &mut self,
        both: &[Address; 2],
        mask: u64,
        node: Node,
    ) {
        let [a, b] = [0, 1].map(|which| self.address(&both[which], mask, node));
        for item in 0..self.width {
            let [a, b] = [&a, &b].map(|values| {
                let target = values[item].flatten();
                target.map(|target| (target.variable, target.life, target.offset))
            });
            self.stack.push(i64::from(a == b));
        }
    }

    /// Assigns to a pointer.
    pub(in crate::interpret) fn point(
        &mut self,
        id: StmtId,
        into: &Path,
        address: &Address,
        mask: u64,
    ) {
        let node = Node::Stmt(id);
        let values = self.address(address, mask, node);
        let (targets, _) = self.resolve(into, (mask, true), node);
        for item in items(mask) {
            if let (Some(target), Some(value)) = (targets[item], values[item])
                && self.may_write(target, node)
            {
                self.set_pointer(target, item, value);
            }
        }
    }

    pub(super) fn set_pointer(&mut self, target: Pointee, item: usize, pointer: Option<Pointee>) {
        self.objects.targets.extend(pointer);
        let value = pointer.map_or(0, |_| self.objects.targets.len() as u64);
        for (byte, new) in self.bytes(target, item).iter_mut().zip(value.to_le_bytes()) {
            *byte = Some(new);
        }
    }
}
