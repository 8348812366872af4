//! The files that a script leaves behind, for whoever ran it.
//!
//! A script writes where its author is used to: into the folder where it starts, into
//! `/out`, into `/tmp`. All of it counts but hidden files, the interpreter's caches and
//! what Python's `tempfile` made and nobody removed.

use std::collections::HashSet;

use crate::outcome::WrittenFile;
use crate::wasi::tree::Tree;

/// In the order in which their files are taken.
const FOLDERS: &[&str] = &["out", "work", "tmp"];

/// At most `most` files, and how many more there were.
pub(crate) fn of(tree: &Tree, most: u32) -> (Vec<WrittenFile>, usize) {
    let mut taken = HashSet::new();
    let mut files = Vec::new();
    for folder in FOLDERS {
        for (path, bytes) in tree.scratch_files(folder) {
            if path.split('/').any(is_nobodys) {
                continue;
            }
            let path = if taken.contains(&path) { format!("{folder}/{path}") } else { path };
            if taken.insert(path.clone()) {
                files.push(WrittenFile { path, bytes });
            }
        }
    }
    let more = files.len().saturating_sub(most as usize);
    files.truncate(most as usize);
    (files, more)
}

/// Names of hidden files, of caches and of `tempfile` (`tmp` and eight characters).
fn is_nobodys(name: &str) -> bool {
    let temporary = name.strip_prefix("tmp").is_some_and(|rest| {
        let stem = rest.split('.').next().unwrap_or_default();
        stem.len() == 8
            && stem.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    });
    name.starts_with('.') || name == "__pycache__" || temporary
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wasi::tree::ROOT;

    fn tree(paths: &[&str]) -> Tree {
        let mut tree = Tree::new(1000, 1000);
        for folder in FOLDERS {
            tree.host_folder(folder, true).unwrap();
        }
        for path in paths {
            let (folder, name) = path.rsplit_once('/').unwrap();
            if tree.find(ROOT, folder).is_err() {
                tree.make_folder(ROOT, folder).unwrap();
            }
            let folder = tree.find(ROOT, folder).unwrap();
            let file = tree.create(folder, name).unwrap();
            tree.write(file, 0, path.as_bytes()).unwrap();
        }
        tree
    }

    fn taken(paths: &[&str], most: u32) -> (Vec<String>, usize) {
        let (files, more) = of(&tree(paths), most);
        (files.into_iter().map(|file| file.path).collect(), more)
    }

    #[test]
    fn files_of_all_three_folders_are_taken_and_told_apart() {
        let (files, _) = of(&tree(&["tmp/a.txt", "work/a.txt", "out/a.txt", "out/b/c.txt"]), 9);
        let shown: Vec<_> = files
            .iter()
            .map(|file| (file.path.as_str(), std::str::from_utf8(&file.bytes).unwrap()))
            .collect();
        let expected = [
            ("a.txt", "out/a.txt"),
            ("b/c.txt", "out/b/c.txt"),
            ("work/a.txt", "work/a.txt"),
            ("tmp/a.txt", "tmp/a.txt"),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_nobody_wrote_for_a_reader_is_left() {
        let left =
            ["tmp/tmpab12_xyz", "tmp/tmpab12_xyz.csv", "work/.cache", "out/__pycache__/a.pyc"];
        assert_eq!(taken(&left, 9), (vec![], 0));
        let kept = ["tmp/tmp.csv", "tmp/tmpl.csv", "work/tmpABCDEFGH"];
        assert_eq!(taken(&kept, 9).0.len(), 3);
    }

    #[test]
    fn more_than_the_limit_are_counted_and_left() {
        let paths = ["out/1", "out/2", "out/3"];
        assert_eq!(taken(&paths, 3), (vec!["1".into(), "2".into(), "3".into()], 0));
        assert_eq!(taken(&paths, 2), (vec!["1".into(), "2".into()], 1));
    }
}
