//! Which rows of a table may be told apart, so that no small group can be computed from
//! what was shown.
//!
//! The rows are parted into *atoms*: rows that every set shown so far either has all of, or
//! none of. A set is shown only if it leaves each atom either whole or in two parts that both
//! have at least `least` rows. So all that was ever shown is a function of sums over atoms,
//! and each atom has `least` rows or more: no sum over fewer rows follows from them, by no
//! subtraction of answers, however many they are and in whichever order they were asked. A
//! total less all groups but a small one is such a subtraction; so is a filter that leaves
//! one person out.
//!
//! It is more than what is needed against two answers that differ in a few rows, and simpler
//! to be sure of.

/// The parts of one table's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Atoms {
    least: u64,
    /// Of each row, its atom.
    of_row: Vec<u32>,
    /// Of each atom, its rows.
    sizes: Vec<u64>,
}

impl Atoms {
    /// A table that nothing was shown of: one atom.
    pub(crate) fn whole(rows: usize, least: u64) -> Self {
        Self { least, of_row: vec![0; rows], sizes: vec![rows as u64] }
    }

    /// As it was kept: the atom of each row.
    pub(crate) fn kept(of_row: Vec<u32>, least: u64) -> Self {
        let count = of_row.iter().max().map_or(1, |most| *most as usize + 1);
        let mut sizes = vec![0; count];
        for atom in &of_row {
            sizes[*atom as usize] += 1;
        }
        Self { least, of_row, sizes }
    }

    /// The atom of each row.
    pub(crate) fn of_row(&self) -> &[u32] {
        &self.of_row
    }

    /// Takes a set of rows, each named once, for one that is shown, if it may be. A set that
    /// may not leaves everything as it was.
    pub(crate) fn take(&mut self, set: &[u32]) -> bool {
        if set.is_empty() {
            return false;
        }
        let mut within = vec![0u64; self.sizes.len()];
        for row in set {
            let Some(atom) = self.of_row.get(*row as usize) else { return false };
            within[*atom as usize] += 1;
        }
        let may_be = |(rows, size): (&u64, &u64)| {
            *rows == 0 || (*rows >= self.least && (rows == size || size - rows >= self.least))
        };
        if !within.iter().zip(&self.sizes).all(may_be) {
            return false;
        }
        // Each atom of which a part is in the set becomes two.
        let mut parts: Vec<Option<u32>> = vec![None; self.sizes.len()];
        for (atom, rows) in within.into_iter().enumerate() {
            if rows > 0 && rows < self.sizes[atom] {
                parts[atom] = u32::try_from(self.sizes.len()).ok();
                self.sizes.push(rows);
                self.sizes[atom] -= rows;
            }
        }
        for row in set {
            let atom = &mut self.of_row[*row as usize];
            *atom = parts[*atom as usize].unwrap_or(*atom);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(from: u32, to: u32) -> Vec<u32> {
        (from..to).collect()
    }

    #[test]
    fn groups_that_are_large_enough_are_shown() {
        let mut atoms = Atoms::whole(30, 5);
        assert!(atoms.take(&rows(0, 30)));
        assert!(atoms.take(&rows(0, 10)) && atoms.take(&rows(10, 20)) && atoms.take(&rows(20, 30)));
        assert!(atoms.take(&rows(5, 25)), "again in parts of five");
    }

    #[test]
    fn a_small_group_is_not_nor_what_would_leave_one() {
        let mut atoms = Atoms::whole(30, 5);
        assert!(!atoms.take(&rows(0, 4)) && !atoms.take(&rows(0, 26)) && !atoms.take(&[]));
        assert!(atoms.take(&rows(0, 5)) && atoms.take(&rows(0, 25)));
        // The difference of two that are each large.
        assert!(!atoms.take(&rows(0, 24)) && !atoms.take(&rows(1, 25)));
        assert!(!Atoms::whole(4, 5).take(&rows(0, 4)));
    }

    #[test]
    fn the_last_small_group_does_not_follow_from_the_total_and_the_others() {
        let mut atoms = Atoms::whole(23, 5);
        assert!(atoms.take(&rows(0, 23)) && atoms.take(&rows(0, 10)));
        // 23 - 10 - 10 are three rows.
        assert!(!atoms.take(&rows(10, 20)));
    }

    /// Whatever is asked, in whichever order: all atoms stay large. By the draws of a
    /// generator of the textbooks (Knuth's MMIX).
    #[test]
    fn no_order_of_questions_makes_a_small_atom() {
        let mut state = 20u64;
        let mut draw = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..200 {
            let mut atoms = Atoms::whole(40, 4);
            let mut shown = 0;
            for _ in 0..30 {
                let (from, to, step) = (draw(40), draw(41), 1 + draw(3));
                let set: Vec<u32> =
                    (from..to).step_by(step as usize).map(|row| row as u32).collect();
                shown += u32::from(atoms.take(&set));
                let kept = Atoms::kept(atoms.of_row().to_vec(), 4);
                assert!(kept.sizes.iter().all(|size| *size >= 4), "{kept:?}");
                assert_eq!(kept, atoms);
            }
            assert!(shown > 0);
        }
    }
}
