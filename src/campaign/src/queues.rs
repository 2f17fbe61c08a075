//! The alarms that nobody has concluded yet. Those of a lane of a family of devices are looked into side by side, and concluded
//! in their order.

use std::collections::{BTreeMap, VecDeque};

use crate::knowledge::Lane;
use crate::outcome::Class;

/// An outcome that may be a bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alarm {
    pub program: u64,
    /// The variant of it that showed the outcome; 0 is the program itself.
    pub variant: u32,
    pub configuration: usize,
    pub class: Class,
    /// Several configurations, and none of them has the expected result.
    pub is_everywhere: bool,
}

/// The alarms of a lane of a family of devices.
#[derive(Debug, Default)]
struct Queue {
    /// Those that are looked into, and those that wait for it.
    alarms: VecDeque<Alarm>,
    /// The number of those that are looked into.
    taken: usize,
}

/// The alarms of all devices.
#[derive(Debug)]
pub(crate) struct Queues {
    /// For each family of devices by lane, at the place of its first device.
    all: Vec<[Queue; 2]>,
    /// Programs with alarms of a lane, with the number of these.
    open: [BTreeMap<u64, usize>; 2],
}

impl Queues {
    pub(crate) fn new(devices: usize) -> Self {
        let all = (0..devices).map(|_| Default::default()).collect();
        Self { all, open: Default::default() }
    }

    /// Adds an alarm of a family.
    pub(crate) fn add(&mut self, family: usize, alarm: Alarm) {
        let lane = Lane::of(alarm.class) as usize;
        *self.open[lane].entry(alarm.program).or_default() += 1;
        self.all[family][lane].alarms.push_back(alarm);
    }

    /// The next alarm that nobody looks into.
    pub(crate) fn take(&mut self, family: usize, lane: Lane) -> Option<Alarm> {
        let queue = &mut self.all[family][lane as usize];
        let alarm = queue.alarms.get(queue.taken)?.clone();
        queue.taken += 1;
        Some(alarm)
    }

    /// Returns true if all earlier alarms of the lane of a family are concluded.
    pub(crate) fn is_first(&self, family: usize, alarm: &Alarm) -> bool {
        self.all[family][Lane::of(alarm.class) as usize].alarms.front() == Some(alarm)
    }

    /// Removes the first alarm of a class of a family, which is concluded.
    pub(crate) fn conclude(&mut self, family: usize, class: Class) {
        let lane = Lane::of(class) as usize;
        let queue = &mut self.all[family][lane];
        let Some(alarm) = queue.alarms.pop_front() else { return };
        queue.taken = queue.taken.saturating_sub(1);
        let open = &mut self.open[lane];
        if let Some(count) = open.get_mut(&alarm.program) {
            *count -= 1;
            if *count == 0 {
                open.remove(&alarm.program);
            }
        }
    }

    /// The first program with an alarm of a lane.
    pub(crate) fn first_program(&self, lane: Lane) -> Option<u64> {
        self.open[lane as usize].keys().next().copied()
    }

    /// The number of alarms.
    pub(crate) fn len(&self) -> usize {
        self.open.iter().flat_map(BTreeMap::values).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alarms_are_looked_into_side_by_side_and_concluded_in_their_order() {
        let alarm = |program, class| Alarm {
            program,
            variant: 0,
            configuration: 0,
            class,
            is_everywhere: false,
        };
        let mut queues = Queues::new(1);
        queues.add(0, alarm(3, Class::Wrong));
        queues.add(0, alarm(3, Class::Hang));
        queues.add(0, alarm(5, Class::Crash));
        let [first, second] = [(); 2].map(|()| queues.take(0, Lane::Others).unwrap());
        assert_eq!((first.program, second.program), (3, 5));
        assert!(queues.take(0, Lane::Others).is_none());
        assert!(queues.is_first(0, &first) && !queues.is_first(0, &second));
        queues.conclude(0, Class::Wrong);
        assert!(queues.is_first(0, &second));
        assert_eq!((queues.first_program(Lane::Others), queues.len()), (Some(5), 2));
        queues.add(0, alarm(9, Class::Wrong));
        assert_eq!(queues.take(0, Lane::Others).map(|alarm| alarm.program), Some(9));
        assert_eq!(queues.first_program(Lane::Hangs), Some(3));
    }
}
