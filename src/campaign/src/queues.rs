//! The alarms that nobody has concluded yet. Those of a lane of a family of devices are looked into side by side, and concluded
//! in their order.

use std::collections::{BTreeMap, VecDeque};

use crate::outcome::Class;

/// Programs start this far ahead of the first one whose outcomes are not in the log. So a program depends only on outcomes that
/// were certain before it started.
pub const WINDOW: u64 = 512;

/// What is learnt from an alarm changes programs after this many later ones of its queue. More would pile up behind it.
const ALARMS_AHEAD: usize = 32;

/// Where alarms are rare, what is learnt from one changes the programs that come this many later: about as many as run on a GPU
/// while its bug is reduced.
const PROGRAMS_AHEAD: u64 = 16 * WINDOW;

/// A hang takes that many times as long, as each of its tests takes a whole limit.
const OF_A_HANG: u64 = 8;

/// Alarms of a family of devices that are looked into one after the other. What is learnt from one does not depend on the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Programs that hang.
    Hangs,
    /// All others.
    Others,
}

impl Lane {
    /// Both of them, in the order of their numbers.
    pub(crate) const ALL: [Self; 2] = [Self::Others, Self::Hangs];

    /// The lane of an alarm.
    pub(crate) fn of(class: Class) -> Self {
        if class == Class::Hang { Self::Hangs } else { Self::Others }
    }
}

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

/// The place of an alarm among all of its queue, the concluded ones as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AlarmRank {
    /// The family of the device: see [`Matrix::family`](crate::matrix::Matrix::family).
    pub family: usize,
    pub lane: Lane,
    pub number: usize,
}

/// The alarms of a lane of a family of devices.
#[derive(Debug, Default)]
struct Queue {
    /// Those that are looked into, and those that wait for it.
    alarms: VecDeque<Alarm>,
    /// The number of those that are looked into.
    taken: usize,
    /// The programs of all alarms so far.
    raised: Vec<u64>,
    /// Alarms that are looked into, by the program and its configuration, with what is known so far to cure each.
    cures: BTreeMap<(u64, usize), Vec<String>>,
}

impl Queue {
    fn concluded(&self) -> usize {
        self.raised.len() - self.alarms.len()
    }

    /// The first program that depends on what is learnt from an alarm, if the outcomes of all programs that are a [`WINDOW`]
    /// before it are taken. `None` if there is no such alarm.
    fn matters_from(&self, number: usize, lane: Lane) -> Option<u64> {
        let ahead = match lane {
            Lane::Hangs => OF_A_HANG * PROGRAMS_AHEAD,
            Lane::Others => PROGRAMS_AHEAD,
        };
        let rare = self.raised.get(number)? + ahead;
        let frequent = self.raised.get(number + ALARMS_AHEAD).map(|program| program + WINDOW);
        Some(frequent.map_or(rare, |frequent| rare.min(frequent)))
    }
}

/// The alarms of all devices.
#[derive(Debug)]
pub(crate) struct Queues {
    /// For each family of devices by lane, at the place of its first device.
    all: Vec<[Queue; 2]>,
}

impl Queues {
    pub(crate) fn new(devices: usize) -> Self {
        Self { all: (0..devices).map(|_| Default::default()).collect() }
    }

    /// Adds an alarm of a family.
    pub(crate) fn add(&mut self, family: usize, alarm: Alarm) {
        let queue = &mut self.all[family][Lane::of(alarm.class) as usize];
        queue.raised.push(alarm.program);
        queue.alarms.push_back(alarm);
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

    /// Takes down what cures the program of an alarm, which may be nothing.
    pub(crate) fn take_cures(&mut self, family: usize, alarm: &Alarm, by: &[String]) {
        let queue = &mut self.all[family][Lane::of(alarm.class) as usize];
        let known = queue.cures.entry((alarm.program, alarm.configuration)).or_default();
        known.extend_from_slice(by);
    }

    /// Returns true if an earlier alarm of the same queue may have the same cure, so that it is probably the same bug.
    pub(crate) fn has_likeness(&self, family: usize, alarm: &Alarm) -> bool {
        let queue = &self.all[family][Lane::of(alarm.class) as usize];
        let cures = |one: &Alarm| queue.cures.get(&(one.program, one.configuration));
        let Some(own) = cures(alarm).filter(|own| !own.is_empty()) else { return false };
        let is_alike = |cures: &Vec<String>| cures.iter().any(|cure| own.contains(cure));
        let mut earlier = queue.alarms.iter().take_while(|one| *one != alarm);
        earlier.any(|one| cures(one).is_none_or(is_alike))
    }

    /// Removes the first alarm of a class of a family, which is concluded, and returns its place.
    pub(crate) fn conclude(&mut self, family: usize, class: Class) -> Option<AlarmRank> {
        let lane = Lane::of(class);
        let queue = &mut self.all[family][lane as usize];
        let number = queue.concluded();
        let alarm = queue.alarms.pop_front()?;
        queue.cures.remove(&(alarm.program, alarm.configuration));
        queue.taken = queue.taken.saturating_sub(1);
        Some(AlarmRank { family, lane, number })
    }

    /// The first program that depends on what is learnt from an alarm. It may start when the alarm is concluded.
    pub(crate) fn matters_from(&self, alarm: AlarmRank) -> u64 {
        let queue = &self.all[alarm.family][alarm.lane as usize];
        queue.matters_from(alarm.number, alarm.lane).unwrap_or(u64::MAX)
    }

    /// The first program that waits for an open alarm.
    pub(crate) fn first_waiting(&self) -> u64 {
        let of_lane = |lane: Lane| {
            let queues = self.all.iter().map(move |lanes| &lanes[lane as usize]);
            let open = queues.filter(|queue| !queue.alarms.is_empty());
            open.filter_map(move |queue| queue.matters_from(queue.concluded(), lane))
        };
        Lane::ALL.into_iter().flat_map(of_lane).min().unwrap_or(u64::MAX)
    }

    /// The number of alarms.
    pub(crate) fn len(&self) -> usize {
        self.all.iter().flatten().map(|queue| queue.alarms.len()).sum()
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
        assert_eq!(queues.len(), 2);
        queues.add(0, alarm(9, Class::Wrong));
        assert_eq!(queues.take(0, Lane::Others).map(|alarm| alarm.program), Some(9));
    }

    #[test]
    fn programs_wait_for_an_alarm_until_many_others_came_or_many_programs() {
        let mut queues = Queues::new(1);
        let alarm = |program| Alarm {
            program,
            variant: 0,
            configuration: 0,
            class: Class::Wrong,
            is_everywhere: false,
        };
        assert_eq!(queues.first_waiting(), u64::MAX);
        queues.add(0, alarm(3));
        assert_eq!(queues.first_waiting(), 3 + PROGRAMS_AHEAD);
        (1..=32).for_each(|number| queues.add(0, alarm(3 + number)));
        assert_eq!(queues.first_waiting(), 35 + WINDOW);
        let first = queues.conclude(0, Class::Wrong).unwrap();
        // It stays at this program, whatever comes later; the next alarm has only 31 behind it.
        assert_eq!(queues.matters_from(first), 35 + WINDOW);
        assert_eq!(queues.first_waiting(), 4 + PROGRAMS_AHEAD);
        queues.add(0, alarm(900));
        assert_eq!(queues.matters_from(first), 35 + WINDOW);
        assert_eq!(queues.first_waiting(), 900 + WINDOW);
    }

    #[test]
    fn an_alarm_waits_for_earlier_ones_that_the_same_change_may_cure() {
        let mut queues = Queues::new(1);
        let [first, second, third] = [1, 2, 3].map(|program| Alarm {
            program,
            variant: 0,
            configuration: 0,
            class: Class::Wrong,
            is_everywhere: false,
        });
        [&first, &second, &third].into_iter().for_each(|alarm| queues.add(0, alarm.clone()));
        let cured =
            |queues: &mut Queues, alarm, by: &str| queues.take_cures(0, alarm, &[by.to_owned()]);
        queues.take_cures(0, &second, &[]);
        assert!(!queues.has_likeness(0, &second), "nothing is known to cure it");
        cured(&mut queues, &third, "vec3");
        assert!(queues.has_likeness(0, &third), "the first one may be the same");
        cured(&mut queues, &first, "initialiser");
        assert!(!queues.has_likeness(0, &third));
        cured(&mut queues, &first, "vec3");
        assert!(queues.has_likeness(0, &third) && !queues.has_likeness(0, &first));
        queues.conclude(0, Class::Wrong);
        assert!(!queues.has_likeness(0, &third));
    }
}
