use std::io::Write as _;

use dataroom_sandbox::packages::Key;
use zip::write::SimpleFileOptions;

use super::*;

const WHEEL: &str = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n";

/// A wheel with these files besides its `.dist-info`.
fn wheel(folder: &Path, name: &str, files: &[(&str, &str)]) -> PathBuf {
    let path = folder.join(name);
    let mut zip = zip::ZipWriter::new(File::create(&path).unwrap());
    let about = name.split('-').take(2).collect::<Vec<_>>().join("-");
    let own = [("WHEEL", WHEEL), ("METADATA", "Name: x\n"), ("licenses/LICENSE", "do\n")];
    let own = own.map(|(name, text)| (format!("{about}.dist-info/{name}"), text));
    let mut all: Vec<(String, &str)> = files.iter().map(|(n, t)| ((*n).to_owned(), *t)).collect();
    for (path, text) in own {
        if !all.iter().any(|(name, _)| *name == path) {
            all.push((path, text));
        }
    }
    for (path, text) in all {
        zip.start_file(path, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    path
}

fn refused(folder: &Path, name: &str, files: &[(&str, &str)]) -> String {
    match Wheel::open(&wheel(folder, name, files), None) {
        Ok(_) => panic!("{name} is taken"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_lock_pins_each_package_once() {
    let locked = locked();
    let lines = LOCK.lines().filter(|line| line.contains("==")).count();
    assert_eq!(locked.len(), lines);
    assert!(locked.iter().all(|one| one.sha256.len() == 64), "{locked:?}");
    let mut names: Vec<_> = locked.iter().map(|one| plain_name(&one.name)).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), lines);
    let docx = locked.iter().find(|one| one.name == "python-docx").unwrap();
    assert!(docx.is_named("python_docx-1.2.0-py3-none-any.whl"));
    for other in ["python_pptx-1.2.0-py3-none-any.whl", "python_docx-1.2.1-py3-none-any.whl", "x"] {
        assert!(!docx.is_named(other), "{other}");
    }
}

#[test]
fn a_wheel_that_is_not_pure_is_refused_and_its_twin_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let python = ("x/__init__.py", "");
    assert!(Wheel::open(&wheel(at, "x-1.0-py3-none-any.whl", &[python]), None).is_ok());
    assert!(Wheel::open(&wheel(at, "x-1.0-py2.py3-none-any.whl", &[python]), None).is_ok());
    assert!(Wheel::open(&wheel(at, "x-1.0-1-py3-none-any.whl", &[python]), None).is_ok());
    for file in [
        "x/fast.so",
        "x/fast.cpython-313-x86_64-linux-gnu.so",
        "x/lib/a.so.6",
        "x/Fast.PYD",
        "x/a.dll",
        "x/a.dylib",
        "x/a.wasm",
    ] {
        let error = refused(at, "x-1.0-py3-none-any.whl", &[python, (file, "")]);
        assert!(error.contains("not pure Python") && error.contains(file), "{error}");
        assert!(error.contains("x-1.0-py3-none-any.whl") && error.contains("name one"), "{error}");
    }
    let soft = ("x/so.py", "");
    assert!(Wheel::open(&wheel(at, "x-1.0-py3-none-any.whl", &[soft]), None).is_ok());

    let impure = [("x-1.0.dist-info/WHEEL", "Root-Is-Purelib: false\n")];
    let error = refused(at, "x-1.0-py3-none-any.whl", &impure);
    assert!(error.contains("says of itself"), "{error}");
    let error = refused(at, "x-1.0-cp313-cp313-manylinux_2_28_x86_64.whl", &[python]);
    assert!(error.contains("made for manylinux_2_28_x86_64"), "{error}");
    let error = refused(at, "x-1.0-py2-none-any.whl", &[python]);
    assert!(error.contains("another Python (py2)"), "{error}");
    assert!(refused(at, "x.zip", &[python]).contains("no wheel"));
}

#[test]
fn a_wheel_that_is_damaged_or_another_one_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = wheel(folder.path(), "x-1.0-py3-none-any.whl", &[]);
    let sha256 = Wheel::open(&path, None).unwrap().sha256;
    assert!(Wheel::open(&path, Some(&sha256)).is_ok());
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let open = |wanted| Wheel::open(&path, wanted).err().unwrap();
    assert!(matches!(open(Some(&sha256)), SetupError::WrongHash { .. }));
    assert!(open(None).to_string().contains("no wheel"));
    fs::remove_file(&path).unwrap();
    assert!(open(None).to_string().contains("x-1.0-py3-none-any.whl"));
}

struct Packed {
    _folder: tempfile::TempDir,
    bytes: Vec<u8>,
    target: PathBuf,
}

fn packed(
    locked: &[(&str, &[(&str, &str)])],
    extra: &[(&str, &[(&str, &str)])],
) -> Result<Packed, SetupError> {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    fs::create_dir(&target).unwrap();
    let open = |which: &str, wheels: &[(&str, &[(&str, &str)])]| {
        let at = folder.path().join(which);
        fs::create_dir(&at).unwrap();
        wheels
            .iter()
            .map(|(name, files)| Wheel::open(&wheel(&at, name, files), None).unwrap())
            .collect()
    };
    let (locked, extra) = (open("locked", locked), open("extra", extra));
    pack(locked, extra, &Key::locked(), &target, &mut |_| ())?;
    let bytes = fs::read(target.join(FILE)).unwrap();
    Ok(Packed { _folder: folder, bytes, target })
}

/// The index, as text: it stands before the last 48 bytes.
fn index(bytes: &[u8]) -> Vec<String> {
    let end = bytes.len() - 48;
    let length = u64::from_le_bytes(bytes[end..end + 8].try_into().unwrap());
    let index = &bytes[end - usize::try_from(length).unwrap()..end];
    String::from_utf8_lossy(index).lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn wheels_are_packed_in_the_order_of_their_paths() {
    let packed = packed(
        &[
            ("b-1.0-py3-none-any.whl", &[("b/__init__.py", "bb"), ("b-1.0.data/scripts/run", "x")]),
            ("a-2.0-py3-none-any.whl", &[("a.py", "a"), ("a-2.0.data/purelib/deep/a2.py", "")]),
        ],
        &[],
    )
    .unwrap();
    let index = index(&packed.bytes);
    let names: Vec<_> = index.iter().map(|line| line.split_once(' ').unwrap()).collect();
    assert_eq!(
        names.iter().filter(|(_, path)| path.ends_with(".py")).copied().collect::<Vec<_>>(),
        [("1", "a.py"), ("2", "b/__init__.py"), ("0", "deep/a2.py")],
    );
    assert!(names.iter().all(|(_, path)| !path.contains("run")), "{names:?}");
    assert!(names.is_sorted_by_key(|(_, path)| *path));
    // Licences are beside the file, and the list of both is as in the runtime's folder.
    let licence = fs::read_to_string(packed.target.join("LICENSES/a/licenses-LICENSE")).unwrap();
    assert_eq!(licence, "do\n");
    let list = fs::read_to_string(packed.target.join(CONTENTS)).unwrap();
    assert_eq!(list.lines().count(), 5);
    assert!(list.lines().next().unwrap().ends_with(&format!("{} {FILE}", packed.bytes.len())));
}

#[test]
fn the_same_wheels_give_the_same_bytes() {
    let one: (&str, &[(&str, &str)]) = ("a-1.0-py3-none-any.whl", &[("a.py", "a")]);
    let two: (&str, &[(&str, &str)]) = ("b-1.0-py3-none-any.whl", &[("b.py", "b")]);
    let bytes = |wheels: &[_]| packed(wheels, &[]).unwrap().bytes;
    assert_eq!(bytes(&[one, two]), bytes(&[two, one]));
}

#[test]
fn a_rooms_own_wheel_is_listed_and_stands_for_the_locked_one() {
    let packed = packed(
        &[
            ("A_b-1.0-py3-none-any.whl", &[("ab/__init__.py", "old"), ("ab/gone.py", "")]),
            ("c-1.0-py3-none-any.whl", &[("c.py", "")]),
        ],
        &[(
            "a.b-2.0-py3-none-any.whl",
            &[("ab/__init__.py", "new"), ("more.py", ""), ("d/e.txt", "")],
        )],
    )
    .unwrap();
    let text = String::from_utf8_lossy(&packed.bytes).into_owned();
    assert!(text.starts_with(r#"{"a.b-2.0-py3-none-any.whl":["ab","more"]}"#), "{text}");
    let index = index(&packed.bytes).join("\n");
    assert!(index.contains("3 ab/__init__.py") && index.contains("0 c.py"), "{index}");
    assert!(!index.contains("gone"), "{index}");
}

#[test]
fn two_wheels_that_hold_the_same_file_are_named() {
    let same: &[(&str, &str)] = &[("shared/__init__.py", "x")];
    let other: &[(&str, &str)] = &[("shared/__init__.py", "y")];
    let (a, b) = ("a-1.0-py3-none-any.whl", "b-1.0-py3-none-any.whl");
    assert!(packed(&[(a, same)], &[(b, same)]).is_ok());
    let error = packed(&[(a, same)], &[(b, other)]).err().unwrap().to_string();
    for word in [a, b, "shared/__init__.py", "leave one of them out"] {
        assert!(error.contains(word), "{word} in {error}");
    }
}

#[test]
fn a_wheel_that_leads_out_of_its_folder_is_refused() {
    for path in ["../out.py", "x/../../out.py", "x\\..\\out.py"] {
        let wheels: &[(&str, &[(&str, &str)])] = &[("a-1.0-py3-none-any.whl", &[(path, "")])];
        let error = packed(wheels, &[]).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|e| e.contains("leads out")), "{path}: {error:?}");
    }
}
