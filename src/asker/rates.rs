//! How often a pass was right, as a guess at the next answer. Decides what is fetched early, never
//! what is asked.

/// Counts of answers per pass and size of group.
#[derive(Clone, Default)]
pub(super) struct Rates {
    cells: Vec<(u16, u16)>,
}

/// Groups of 1, 2 to 7, 8 and more proposals are counted apart.
const CLASSES: usize = 3;

impl Rates {
    pub(super) fn new(passes: usize) -> Self {
        Self { cells: vec![(0, 0); passes * CLASSES] }
    }

    pub(super) fn record(&mut self, pass: usize, together: usize, interesting: bool) {
        let (yes, all) = &mut self.cells[cell(pass, together)];
        if *all == u16::MAX {
            (*yes, *all) = (*yes / 2, *all / 2);
        }
        *yes += u16::from(interesting);
        *all += 1;
    }

    /// Chance of "interesting" in thousandths; a quarter before anything is known.
    pub(super) fn chance(&self, pass: usize, together: usize) -> u16 {
        let (yes, all) = self.cells[cell(pass, together)];
        ((u32::from(yes) + 1) * 1000 / (u32::from(all) + 4)) as u16
    }
}

fn cell(pass: usize, together: usize) -> usize {
    let class = match together {
        0..=1 => 0,
        2..=7 => 1,
        _ => 2,
    };
    pass * CLASSES + class
}
