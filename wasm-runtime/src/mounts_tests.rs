#![allow(clippy::disallowed_methods, reason = "tests make folders of their own")]

use super::*;
use crate::packages::Writer;

/// A runtime's folder as far as the mounts care.
fn runtime() -> (tempfile::TempDir, Mounts) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("python315.zip"), b"zip").unwrap();
    fs::create_dir(folder.path().join("mpl-data")).unwrap();
    fs::write(folder.path().join("mpl-data/matplotlibrc"), b"rc").unwrap();
    let packages = folder.path().join("packages");
    let mut writer = Writer::new(File::create(&packages).unwrap(), &Key::locked());
    for (path, text) in [("plot/__init__.py", "import"), ("plot/data/x.js", "js"), ("one.py", "")] {
        writer.file(path, text.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    let (mounts, key) = Mounts::open(folder.path(), &packages).unwrap();
    assert_eq!(key, Key::locked());
    (folder, mounts)
}

fn shown() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("deep/er")).unwrap();
    fs::write(folder.path().join("deep/er/a.txt"), b"hello").unwrap();
    fs::write(folder.path().join("b.txt"), b"").unwrap();
    folder
}

#[test]
fn a_shown_folder_is_there_to_read_and_not_to_write() {
    let (_runtime, mut mounts) = runtime();
    mounts.show("mine-1", shown().path()).unwrap();
    let tree = &mut mounts.files(&[], &Limits::default()).tree;
    let file = tree.find(ROOT, "mnt/mine-1/deep/er/a.txt").unwrap();
    assert!(matches!(tree.content(file).unwrap(), Content::Bytes(bytes) if **bytes == *b"hello"));
    assert!(tree.find(ROOT, "mnt/mine-1/b.txt").is_ok());
    let folder = tree.find(ROOT, "mnt/mine-1").unwrap();
    assert!(tree.create(folder, "new.txt").is_err());
    assert!(tree.unlink(ROOT, "mnt/mine-1/b.txt").is_err());
    assert!(tree.write(file, 0, b"x").is_err());
    // The scratch next to it is the guest's own.
    let scratch = tree.find(ROOT, "work").unwrap();
    assert!(tree.create(scratch, "new.txt").is_ok());
}

#[test]
fn what_one_run_does_to_its_folders_no_other_sees() {
    let (_runtime, mounts) = runtime();
    let tree = || mounts.files(&[], &Limits::default()).tree;
    let (mut first, mut meanwhile) = (tree(), tree());
    let scratch = first.find(ROOT, "work").unwrap();
    let file = first.create(scratch, "mine.txt").unwrap();
    first.write(file, 0, b"x").unwrap();
    let theirs = meanwhile.create(scratch, "mine.txt").unwrap();
    assert_eq!(meanwhile.content(theirs).unwrap().length(), 0);
    assert!(tree().find(ROOT, "work/mine.txt").is_err());
}

#[test]
fn without_a_shown_folder_there_is_no_mnt() {
    let (_runtime, mounts) = runtime();
    assert!(mounts.files(&[], &Limits::default()).tree.find(ROOT, "mnt").is_err());
}

#[test]
fn a_name_is_one_plain_folder_and_taken_once() {
    let (_runtime, mut mounts) = runtime();
    let folder = shown();
    for bad in ["", ".", "..", "a/b", "/in", "a b", "ä"] {
        assert!(matches!(mounts.show(bad, folder.path()), Err(MountError::Name(_))), "{bad:?}");
    }
    mounts.show("a", folder.path()).unwrap();
    assert!(matches!(mounts.show("a", folder.path()), Err(MountError::Name(_))));
    mounts.show("b", folder.path()).unwrap();
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let (_runtime, mut mounts) = runtime();
    let error = mounts.show("a", Path::new("/no/such/folder")).unwrap_err().to_string();
    assert!(error.contains("/no/such/folder"), "{error}");
}

#[test]
fn the_packages_are_a_folder_of_slices_to_read() {
    let (_runtime, mounts) = runtime();
    let mut files = mounts.files(&[], &Limits::default());
    let find = |path: &str| files.tree.find(ROOT, path);
    let read = |path: &str| {
        let mut bytes = [0; 100];
        let n = files.read_at(find(path).unwrap(), 0, &mut bytes).unwrap();
        bytes[..n].to_vec()
    };
    assert_eq!(read("usr/local/lib/packages/plot/__init__.py"), b"import");
    assert_eq!(read("usr/local/lib/packages/plot/data/x.js"), b"js");
    assert_eq!(read("usr/local/lib/packages/one.py"), b"");
    let folder = find("usr/local/lib/packages/plot").unwrap();
    let file = find("usr/local/lib/packages/plot/data/x.js").unwrap();
    assert!(files.tree.create(folder, "new.py").is_err());
    assert!(files.tree.write(file, 0, b"x").is_err());
    assert!(files.tree.unlink(ROOT, "usr/local/lib/packages/one.py").is_err());
}

#[test]
fn a_file_of_packages_that_is_cut_off_is_named() {
    let (folder, _) = runtime();
    let packages = folder.path().join("packages");
    let bytes = fs::read(&packages).unwrap();
    fs::write(&packages, &bytes[..bytes.len() - 1]).unwrap();
    let error = Mounts::open(folder.path(), &packages).unwrap_err().to_string();
    assert!(error.contains("packages") && error.contains("dataroom setup"), "{error}");
}
