use super::*;

fn tree() -> Tree {
    let mut tree = Tree::new(100, 4);
    let input = tree.host_folder("/in", false).unwrap();
    tree.host_file(input, "a.parquet", Content::Bytes(Arc::from(*b"PAR1"))).unwrap();
    tree.host_folder("/work", true).unwrap();
    tree
}

fn create(tree: &mut Tree, path: &str) -> Result<NodeId> {
    match tree.place(ROOT, path)? {
        Place::Entry { folder, name, .. } => tree.create(folder, name),
        Place::Itself(_) => Err(Errno::EXIST),
    }
}

#[test]
fn dot_dot_stops_at_the_folder_it_started_from() {
    let tree = tree();
    let work = tree.find(ROOT, "work").unwrap();
    assert_eq!(tree.find(ROOT, "in/../in/a.parquet"), tree.find(ROOT, "in/a.parquet"));
    for path in ["../in/a.parquet", "..", "x/../../in", "../../etc/passwd"] {
        let found = tree.find(work, path);
        assert!(matches!(found, Err(Errno::NOTCAPABLE | Errno::NOENT)), "{path}: {found:?}");
    }
    assert_eq!(tree.find(ROOT, "/in/a.parquet"), Err(Errno::NOTCAPABLE));
}

#[test]
fn a_trailing_slash_needs_a_folder() {
    let tree = tree();
    assert_eq!(tree.find(ROOT, "in/a.parquet/"), Err(Errno::NOTDIR));
    assert_eq!(tree.find(ROOT, "in/a.parquet/x"), Err(Errno::NOTDIR));
    assert!(tree.find(ROOT, "in/").is_ok());
}

#[test]
fn inputs_cannot_be_changed() {
    let mut tree = tree();
    create(&mut tree, "work/b").unwrap();
    assert_eq!(create(&mut tree, "in/b"), Err(Errno::ROFS));
    assert_eq!(create(&mut tree, "b"), Err(Errno::ROFS));
    assert_eq!(tree.unlink(ROOT, "in/a.parquet"), Err(Errno::ROFS));
    assert_eq!(tree.rename((ROOT, "in/a.parquet"), (ROOT, "work/c")), Err(Errno::ROFS));
    assert_eq!(tree.rename((ROOT, "work/b"), (ROOT, "in/c")), Err(Errno::ROFS));
    let input = tree.find(ROOT, "in/a.parquet").unwrap();
    assert_eq!(tree.write(input, 0, b"x"), Err(Errno::ROFS));
    assert_eq!(tree.resize(input, 0), Err(Errno::ROFS));
    assert_eq!(tree.rename((ROOT, "work/b"), (ROOT, "work/c")), Ok(()));
}

#[test]
fn bytes_are_counted_and_given_back() {
    let mut tree = tree();
    let a = create(&mut tree, "work/a").unwrap();
    tree.write(a, 0, &[1; 60]).unwrap();
    assert_eq!(tree.write(a, 1 << 40, b"x"), Err(Errno::NOSPC));
    assert_eq!(tree.write(a, 60, &[1; 41]), Err(Errno::NOSPC));
    tree.write(a, 60, &[1; 40]).unwrap();
    tree.resize(a, 10).unwrap();
    let b = create(&mut tree, "work/b").unwrap();
    tree.write(b, 0, &[2; 90]).unwrap();
    // Unlinked while open: the bytes stay until the descriptor is closed.
    tree.hold(b).unwrap();
    tree.unlink(ROOT, "work/b").unwrap();
    assert_eq!(tree.write(a, 10, b"x"), Err(Errno::NOSPC));
    tree.release(b).unwrap();
    assert_eq!(tree.write(a, 10, &[3; 90]), Ok(()));
    assert_eq!(tree.scratch_most(), 100);
    assert_eq!(tree.refused(), (true, false));
}

#[test]
fn files_are_counted_and_given_back() {
    let mut tree = tree();
    for name in ["work/1", "work/2", "work/3", "work/4"] {
        create(&mut tree, name).unwrap();
    }
    assert_eq!(create(&mut tree, "work/5"), Err(Errno::NOSPC));
    assert_eq!(tree.refused(), (false, true));
    tree.unlink(ROOT, "work/1").unwrap();
    assert_eq!(tree.make_folder(ROOT, "work/d"), Ok(()));
}

#[test]
fn a_folder_cannot_move_into_itself() {
    let mut tree = tree();
    tree.make_folder(ROOT, "work/a").unwrap();
    tree.make_folder(ROOT, "work/a/b").unwrap();
    assert_eq!(tree.rename((ROOT, "work/a"), (ROOT, "work/a/b/c")), Err(Errno::INVAL));
    assert_eq!(tree.rename((ROOT, "work/a/b"), (ROOT, "work/c")), Ok(()));
    assert_eq!(tree.find(ROOT, "work/c/../c"), tree.find(ROOT, "work/c"));
    assert_eq!(tree.remove_folder(ROOT, "work/a"), Ok(()));
}

#[test]
fn a_clone_of_a_frozen_tree_changes_only_itself() {
    let mut tree = tree();
    tree.freeze();
    let (mut one, other) = (tree.with_quotas(100, 4), tree.with_quotas(100, 4));
    let same = tree.find(ROOT, "in/a.parquet").unwrap();
    let mine = create(&mut one, "work/b").unwrap();
    one.write(mine, 0, b"hello").unwrap();
    assert_eq!(one.find(ROOT, "work/b"), Ok(mine));
    assert_eq!(other.find(ROOT, "work/b"), Err(Errno::NOENT));
    assert_eq!(one.find(ROOT, "in/a.parquet"), Ok(same));
    // What all share stays, however often it is opened, closed and refused.
    for _ in 0..3 {
        one.hold(same).unwrap();
        one.release(same).unwrap();
        one.release(same).unwrap();
        assert_eq!(one.unlink(ROOT, "in/a.parquet"), Err(Errno::ROFS));
        assert_eq!(one.write(same, 0, b"x"), Err(Errno::ROFS));
    }
    assert_eq!(one.content(same).unwrap().length(), 4);
    // A number of the tree's own is used again, one of the base never.
    one.unlink(ROOT, "work/b").unwrap();
    assert_eq!(create(&mut one, "work/c"), Ok(mine));
    assert_ne!(mine, same);
}

#[test]
fn what_is_added_after_freezing_can_be_frozen_too() {
    let mut tree = tree();
    tree.freeze();
    let before = tree.find(ROOT, "in/a.parquet").unwrap();
    let more = tree.host_folder("/mnt/x", false).unwrap();
    let file = tree.host_file(more, "y", Content::Bytes(Arc::from(*b"y"))).unwrap();
    tree.freeze();
    let clone = tree.with_quotas(100, 4);
    assert_eq!(clone.find(ROOT, "mnt/x/y"), Ok(file));
    assert_eq!(clone.find(ROOT, "in/a.parquet"), Ok(before));
}
