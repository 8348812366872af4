#![expect(clippy::disallowed_methods, reason = "tests make folders of their own")]

use std::io::Write;

use cap_std::ambient_authority;

use super::*;

fn folder() -> (tempfile::TempDir, Dir) {
    let home = tempfile::tempdir().unwrap();
    let dir = Dir::open_ambient_dir(home.path(), ambient_authority()).unwrap();
    (home, dir)
}

fn names(dir: &Dir) -> Vec<String> {
    let mut names: Vec<_> =
        dir.entries().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn dropped_leaves_nothing_and_published_leaves_the_file() {
    let (_home, dir) = folder();
    drop(Temporary::create(&dir, "x-").unwrap());
    assert!(names(&dir).is_empty());

    let temporary = Temporary::create(&dir, "x-").unwrap();
    temporary.file().write_all(b"whole").unwrap();
    assert!(!dir.exists("a"), "not before it is published");
    temporary.sync().unwrap();
    temporary.publish("a").unwrap();
    assert_eq!(names(&dir), ["a"]);
    assert_eq!(dir.read("a").unwrap(), b"whole");
}

#[test]
fn publishing_under_a_new_name_never_replaces() {
    let (_home, dir) = folder();
    dir.write("a", "theirs").unwrap();
    let temporary = Temporary::create(&dir, "x-").unwrap();
    let got = temporary.publish_new(["a", "b"].map(String::from).into_iter()).unwrap();
    assert_eq!(got, "b");
    assert_eq!(names(&dir), ["a", "b"]);
    assert_eq!(dir.read("a").unwrap(), b"theirs");

    let temporary = Temporary::create(&dir, "x-").unwrap();
    let error = temporary.publish_new(["a", "b"].map(String::from).into_iter()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(names(&dir), ["a", "b"], "nothing is left");
}

#[test]
fn where_there_are_no_hard_links_a_taken_name_is_still_safe() {
    let (_home, dir) = folder();
    dir.write("a", "theirs").unwrap();
    let mut temporary = Temporary::create(&dir, "x-").unwrap();
    temporary.file().write_all(b"ours").unwrap();
    let error = temporary.claim_without_links("a").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    temporary.claim_without_links("b").unwrap();
    temporary.published = true;
    drop(temporary);
    assert_eq!(names(&dir), ["a", "b"]);
    assert_eq!(dir.read("a").unwrap(), b"theirs");
    assert_eq!(dir.read("b").unwrap(), b"ours");
}

#[test]
fn the_sweep_takes_what_nobody_writes_and_only_that() {
    let (home, dir) = folder();
    let living = Temporary::create(&dir, "x-").unwrap();
    let dead = format!(".x-{}.part", "0".repeat(32));
    let foreign = [".x-short.part", ".y-00000000000000000000000000000000.part", "x.part"];
    dir.write(&dead, "half").unwrap();
    for name in foreign {
        dir.write(name, "").unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        "/etc/passwd",
        home.path().join(format!(".x-{}.part", "1".repeat(32))),
    )
    .unwrap();
    let other_process = Dir::open_ambient_dir(home.path(), ambient_authority()).unwrap();
    assert_eq!(sweep_temporaries(&other_process, "x-").unwrap(), 1);
    assert!(!dir.exists(&dead));
    assert!(dir.exists(living.name()));
    for name in foreign {
        assert!(dir.exists(name), "{name}");
    }
    living.publish("a").unwrap();
}

#[test]
fn makers_and_sweepers_at_once_lose_nothing() {
    let (_home, dir) = folder();
    std::thread::scope(|scope| {
        let sweeper = scope.spawn(|| {
            for _ in 0..400 {
                sweep_temporaries(&dir, "x-").unwrap();
            }
        });
        for maker in 0..3 {
            let dir = &dir;
            scope.spawn(move || {
                for n in 0..60 {
                    let temporary = Temporary::create(dir, "x-").unwrap();
                    temporary.publish(&format!("{maker}-{n}")).unwrap();
                }
            });
        }
        sweeper.join().unwrap();
    });
    assert_eq!(names(&dir).len(), 180);
}
