//! What was shown of a dataset's groups, so that no small one follows from it.
//!
//! [`Atoms`](crate::policy::Atoms) say which sets of rows may be shown beside all that were;
//! they are kept by the content of the dataset, in the home's folder `groups`, so that neither
//! another process nor a restart begins anew. A file is the number of queries that were
//! answered and the atom of each row. Whoever cannot read or write it shows nothing.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write as _};

use cap_std::fs::{Dir, OpenOptions};

use super::{Room, RoomError};
use crate::policy::Atoms;
use crate::sql::Groups;
use crate::store::temporary::Temporary;

/// The texts of the columns by which a group is known.
pub type Key = Vec<Option<String>>;

/// The groups of a result that may be shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownGroups {
    /// Where in the result their columns are.
    pub key_columns: Vec<usize>,
    /// What they are called.
    pub keys: HashSet<Key>,
    /// Groups that are withheld; not how many, which would tell of them.
    pub some_are_withheld: bool,
}

impl Room {
    /// Which groups may be shown, and takes them for shown.
    pub(super) fn shown_groups(
        &self,
        content_hash: &str,
        groups: Groups,
    ) -> Result<ShownGroups, RoomError> {
        let folder = self.home()?.folder("groups")?;
        let name = blake3::hash(content_hash.as_bytes()).to_hex()[..32].to_owned();
        let shown =
            take(&folder, &name, groups, self.policy().min_group, self.policy().group_queries);
        shown.map_err(|cause| RoomError::Folder {
            what: "the folder of groups",
            path: self.home().map(|home| home.path().join("groups")).unwrap_or_default(),
            cause,
        })
    }
}

fn take(dir: &Dir, name: &str, groups: Groups, least: u64, budget: u32) -> io::Result<ShownGroups> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true);
    // Held until the end of the function.
    let lock: File = dir.open_with(".lock", &options)?.into_std();
    lock.lock()?;
    let kept = match dir.read(name) {
        Ok(bytes) => Some(parsed(&bytes).ok_or(io::ErrorKind::InvalidData)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let (asked, mut atoms) = match kept {
        Some((asked, of_row)) => (asked, Atoms::kept(of_row, least)),
        None => (0, Atoms::whole(groups.rows, least)),
    };
    let mut shown = ShownGroups { key_columns: groups.key_columns, ..ShownGroups::default() };
    if asked >= budget || atoms.of_row().len() != groups.rows {
        shown.some_are_withheld = true;
        return Ok(shown);
    }
    // The largest first: they leave the most behind.
    let mut all = groups.all;
    all.sort_by(|one, other| other.rows.len().cmp(&one.rows.len()).then(one.key.cmp(&other.key)));
    let before = atoms.clone();
    for group in all {
        match atoms.take(&group.rows) {
            true => drop(shown.keys.insert(group.key)),
            false => shown.some_are_withheld = true,
        }
    }
    if groups.is_cut && shown.some_are_withheld {
        // Which groups came first tells of those that are withheld.
        shown.keys.clear();
        atoms = before;
    }
    if !shown.keys.is_empty() {
        let file = Temporary::create(dir, "groups-")?;
        file.file().write_all(&written(asked + 1, atoms.of_row()))?;
        file.sync()?;
        file.publish(name)?;
    }
    Ok(shown)
}

fn written(asked: u32, of_row: &[u32]) -> Vec<u8> {
    std::iter::once(&asked).chain(of_row).flat_map(|number| number.to_le_bytes()).collect()
}

fn parsed(bytes: &[u8]) -> Option<(u32, Vec<u32>)> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    let (asked, of_row) = numbers.split_first()?;
    let of_row: Vec<u32> = of_row.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let count = of_row.len();
    let is_whole = rest.is_empty() && of_row.iter().all(|atom| (*atom as usize) < count);
    is_whole.then(|| (u32::from_le_bytes(*asked), of_row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::Group;
    use cap_std::ambient_authority;

    fn groups(sets: &[std::ops::Range<u32>], is_cut: bool) -> Groups {
        let group = |(at, rows): (usize, &std::ops::Range<u32>)| Group {
            key: vec![Some(at.to_string())],
            rows: rows.clone().collect(),
        };
        let all = sets.iter().enumerate().map(group).collect();
        Groups { all, key_columns: vec![0], is_cut, rows: 30 }
    }

    fn keys(shown: &ShownGroups) -> Vec<&str> {
        let mut keys: Vec<&str> = shown.keys.iter().filter_map(|key| key[0].as_deref()).collect();
        keys.sort_unstable();
        keys
    }

    fn only(rows: std::ops::Range<u32>) -> Vec<std::ops::Range<u32>> {
        vec![rows]
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests make folders of their own")]
    fn what_was_shown_is_remembered_and_the_budget_ends() {
        let folder = tempfile::tempdir().unwrap();
        let ask = |groups: Groups, budget| {
            let dir = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
            take(&dir, "a", groups, 5, budget).unwrap()
        };
        let shown = ask(groups(&[0..12, 12..27, 27..30], false), 9);
        // The third is small, and it would follow from the total and the first two.
        assert_eq!((keys(&shown), shown.some_are_withheld), (vec!["1"], true));
        assert_eq!(keys(&ask(groups(&only(0..12), false), 9)), Vec::<&str>::new());
        assert_eq!(keys(&ask(groups(&only(12..27), false), 9)), ["0"]);
        assert_eq!(keys(&ask(groups(&[12..27, 0..2], true), 9)), Vec::<&str>::new());
        assert_eq!(keys(&ask(groups(&only(12..27), false), 2)), Vec::<&str>::new());
    }
}
