#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and set their scenes by path"
)]

use std::path::Path;

use super::*;

/// A catalog over a folder, with its own cache.
pub(super) struct Desk {
    pub data: tempfile::TempDir,
    pub cache: tempfile::TempDir,
}

impl Desk {
    pub(super) fn new() -> Self {
        Self { data: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap() }
    }

    pub(super) fn write(&self, path: &str, contents: impl AsRef<[u8]>) -> &Self {
        let path = self.data.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
        self
    }

    pub(super) fn catalog(&self) -> Catalog {
        open(&[self.data.path()], self.cache.path())
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.catalog().list().unwrap().into_iter().map(|info| info.name).collect()
    }
}

fn open(folders: &[&Path], cache: &Path) -> Catalog {
    let cache = cap_std::fs::Dir::open_ambient_dir(cache, cap_std::ambient_authority()).unwrap();
    let folders: Vec<PathBuf> = folders.iter().map(|f| f.to_path_buf()).collect();
    Catalog::open(&folders, cache).unwrap()
}

pub(super) fn go() -> bool {
    false
}

fn message<T: std::fmt::Debug>(result: Result<T, CatalogError>) -> String {
    result.unwrap_err().to_string()
}

const ONE: &str = "a\n1\n";

#[test]
fn every_format_is_listed_and_nothing_else() {
    let desk = Desk::new();
    desk.write("a.csv", ONE).write("b.TSV", ONE).write("c.json", "[]").write("d.ndjson", "{}");
    desk.write("e.jsonl", "{}").write("deep/er/f.csv", ONE).write("notes.txt", "x");
    desk.write(".hidden.csv", ONE).write(".git/g.csv", ONE).write("h.csv.partial", ONE);
    let infos = desk.catalog().list().unwrap();
    let seen: Vec<_> = infos.iter().map(|i| (i.name.as_str(), i.format, i.file.as_str())).collect();
    assert_eq!(
        seen,
        [
            ("a", "csv", "a.csv"),
            ("b", "tsv", "b.TSV"),
            ("c", "json", "c.json"),
            ("d", "ndjson", "d.ndjson"),
            ("e", "ndjson", "e.jsonl"),
            ("f", "csv", "deep/er/f.csv"),
        ]
    );
    assert_eq!((infos[0].bytes, infos[0].rows), (4, None));
    assert!(message(desk.catalog().table("notes.txt", &go)).contains("its ending is none of"));
    assert!(message(desk.catalog().table(".git/g.csv", &go)).contains("hidden"));
}

#[test]
fn names_are_stems_where_unique_and_paths_where_not() {
    let desk = Desk::new();
    desk.write("orders.csv", ONE).write("old/orders.csv", "a\n1\n2\n").write("planes.csv", ONE);
    assert_eq!(desk.names(), ["old/orders.csv", "orders.csv", "planes"]);
    let catalog = desk.catalog();
    assert_eq!(catalog.table("old/orders.csv", &go).unwrap().table.rows(), 2);
    assert_eq!(catalog.table("orders.csv", &go).unwrap().table.rows(), 1);
    assert_eq!(catalog.table("planes.csv", &go).unwrap().name.as_str(), "planes");
    assert_eq!(
        message(catalog.table("orders", &go)),
        "`orders` may be any of `old/orders.csv`, `orders.csv`; ask for one of them"
    );
    assert_eq!(
        message(catalog.table("plnaes", &go)),
        "no dataset is named `plnaes` (nearest: `planes`)"
    );
    assert_eq!(catalog.nearest("Planes"), ["planes"]);
}

#[test]
fn two_folders_with_the_same_file_are_told_apart() {
    let desk = Desk::new();
    desk.write("x/shop/a.csv", ONE).write("y/shop/a.csv", "a\n1\n2\n");
    let [x, y] = ["x/shop", "y/shop"].map(|p| desk.data.path().join(p));
    let catalog = open(&[&x, &y, &x], desk.cache.path());
    let names: Vec<_> = catalog.list().unwrap().into_iter().map(|i| i.name).collect();
    assert_eq!(names, ["shop#2/a.csv", "shop/a.csv"]);
    assert_eq!(catalog.table("shop#2/a.csv", &go).unwrap().table.rows(), 2);
    assert!(matches!(catalog.table("a", &go), Err(CatalogError::Ambiguous { .. })));
}

#[test]
fn a_missing_folder_is_named() {
    let cache = tempfile::tempdir().unwrap();
    let dir =
        cap_std::fs::Dir::open_ambient_dir(cache.path(), cap_std::ambient_authority()).unwrap();
    let error = Catalog::open(&[cache.path().join("nowhere")], dir).unwrap_err().to_string();
    assert!(error.contains("nowhere` cannot be opened"), "{error}");
}

#[test]
fn changes_are_noticed_at_once_even_under_an_old_time_stamp() {
    let desk = Desk::new();
    desk.write("a.csv", "n\n1\n");
    let catalog = desk.catalog();
    let first = catalog.table("a", &go).unwrap();
    let path = desk.data.path().join("a.csv");
    let stamp = std::fs::metadata(&path).unwrap().modified().unwrap();
    std::fs::write(&path, "n\n2\n").unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(stamp).unwrap();
    let second = catalog.table("a", &go).unwrap();
    assert_ne!(first.content_hash, second.content_hash);
    assert_eq!(second.content_hash, blake3::hash(b"n\n2\n").to_hex().as_str());
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(catalog.table("a", &go), Err(CatalogError::Unknown { .. })));
    assert!(catalog.list().unwrap().is_empty());
}

#[test]
fn a_parquet_file_is_opened_as_it_is() {
    let desk = Desk::new();
    desk.write("a.csv", "n\n1\n2\n");
    desk.catalog().table("a", &go).unwrap();
    let made = std::fs::read_dir(desk.cache.path()).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(made).unwrap();
    desk.write("b.parquet", &bytes).write("c.parquet", "PAR1 no PAR1");
    let catalog = desk.catalog();
    let info = catalog.list().unwrap().into_iter().find(|i| i.name == "b").unwrap();
    assert_eq!((info.rows, info.columns), (Some(2), Some(1)));
    let dataset = catalog.table("b", &go).unwrap();
    assert_eq!(dataset.content_hash, blake3::hash(&bytes).to_hex().as_str());
    assert_eq!(dataset.table.rows(), 2);
    let error = message(catalog.table("c", &go));
    assert!(error.starts_with("`c.parquet`: this is not a readable Parquet file"), "{error}");
}

#[test]
fn a_damaged_conversion_is_made_again_and_a_whole_one_is_not() {
    let desk = Desk::new();
    desk.write("a.csv", "n,t\n1,x\n2,y\n");
    desk.catalog().table("a", &go).unwrap();
    let made = std::fs::read_dir(desk.cache.path()).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&made).unwrap();
    let inode = || std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&made).unwrap());
    let before = inode();
    desk.catalog().table("a", &go).unwrap();
    assert_eq!(inode(), before);
    let mut flipped = whole.clone();
    flipped[6] ^= 1;
    for damage in [&whole[..whole.len() / 2], &[], &flipped] {
        std::fs::write(&made, damage).unwrap();
        assert_eq!(desk.catalog().table("a", &go).unwrap().table.rows(), 2);
        assert_eq!(std::fs::read(&made).unwrap(), whole);
    }
}

#[test]
fn asked_to_stop_nothing_is_left_behind() {
    let desk = Desk::new();
    desk.write("a.csv", "n\n".to_owned() + &"1\n".repeat(50_000));
    let calls = std::cell::Cell::new(0);
    let stop = || {
        calls.set(calls.get() + 1);
        calls.get() > 12 // within the pass that builds
    };
    let result = desk.catalog().table("a", &stop);
    assert!(matches!(result, Err(CatalogError::Stopped { .. })), "{result:?}");
    assert_eq!(std::fs::read_dir(desk.cache.path()).unwrap().count(), 0);
    assert_eq!(desk.catalog().table("a", &go).unwrap().table.rows(), 50_000);
}

#[test]
fn old_partial_files_are_swept_and_young_ones_left_to_their_writers() {
    let desk = Desk::new();
    let [old, young] = ["old.1.partial", "young.1.partial"].map(|n| desk.cache.path().join(n));
    std::fs::write(&young, "x").unwrap();
    let file = std::fs::File::create(&old).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(3700)).unwrap();
    desk.catalog();
    assert!(!old.exists() && young.exists());
}

#[test]
fn many_threads_convert_the_same_file_once_each_right() {
    let desk = Desk::new();
    desk.write("a.csv", "n\n".to_owned() + &"1\n".repeat(20_000));
    let (one, other) = (desk.catalog(), desk.catalog());
    std::thread::scope(|scope| {
        for catalog in [&one, &other, &one, &other, &one] {
            scope.spawn(move || assert_eq!(catalog.table("a", &go).unwrap().table.rows(), 20_000));
        }
    });
    assert_eq!(std::fs::read_dir(desk.cache.path()).unwrap().count(), 1);
}

#[test]
fn a_failed_conversion_leaves_nothing_and_a_mended_file_is_read() {
    let desk = Desk::new();
    let catalog = desk.catalog();
    desk.write("a.csv", "n,m\n1,2\n3\n").write("b.json", "[{\"a\": 1}, {\"a\": \"x\"}]");
    assert!(catalog.table("a", &go).is_err() && catalog.table("b", &go).is_err());
    assert_eq!(std::fs::read_dir(desk.cache.path()).unwrap().count(), 0);
    desk.write("a.csv", "n,m\n1,2\n3,4\n");
    assert_eq!(catalog.table("a", &go).unwrap().table.rows(), 2);
}

#[test]
fn the_same_bytes_read_as_another_format_are_another_conversion() {
    let desk = Desk::new();
    desk.write("a.csv", "a\tb,c\n1\t2,3\n").write("b.tsv", "a\tb,c\n1\t2,3\n");
    let names = |name: &str| {
        let dataset = desk.catalog().table(name, &go).unwrap();
        let fields = dataset.table.schema().fields().clone();
        fields.iter().map(|f| f.name().clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("a"), ["a\tb", "c"]);
    assert_eq!(names("b"), ["a", "b,c"]);
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_that_leave_are_not_listed_and_say_why() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.csv"), ONE).unwrap();
        let desk = Desk::new();
        desk.write("a.csv", ONE).write("sub/b.csv", ONE);
        let at = |name: &str| desk.data.path().join(name);
        symlink(outside.path().join("secret.csv"), at("absolute.csv")).unwrap();
        symlink("../../../../../../etc/hosts", at("sub/upward.csv")).unwrap();
        symlink(outside.path(), at("folder")).unwrap();
        symlink("nothing.csv", at("dangling.csv")).unwrap();
        symlink("sub", at("inner")).unwrap();
        symlink("../a.csv", at("sub/neighbour.csv")).unwrap();
        assert_eq!(desk.names(), ["a", "b", "neighbour"]);
        let catalog = desk.catalog();
        assert_eq!(catalog.table("neighbour", &go).unwrap().table.rows(), 1);
        for name in ["absolute", "absolute.csv", "sub/upward.csv", "folder/secret.csv"] {
            assert!(message(catalog.table(name, &go)).contains("leaves the data folder"), "{name}");
        }
        assert!(message(catalog.table("dangling", &go)).contains("does not exist"));
        assert!(message(catalog.table("inner/b.csv", &go)).contains("not followed"));
        let inside = desk.data.path().file_name().unwrap().to_str().unwrap().to_owned();
        for name in ["../a.csv", "/etc/hosts", "sub/../a.csv", &format!("../{inside}/a.csv")] {
            assert!(
                matches!(catalog.table(name, &go), Err(CatalogError::Unknown { .. })),
                "{name}"
            );
        }
    }

    #[test]
    fn a_file_swapped_for_a_link_after_the_listing_is_refused() {
        let desk = Desk::new();
        desk.write("a.csv", ONE);
        let catalog = desk.catalog();
        let listing = catalog.look().unwrap();
        std::fs::remove_file(desk.data.path().join("a.csv")).unwrap();
        symlink("/etc/hosts", desk.data.path().join("a.csv")).unwrap();
        let error = message(catalog.read(&listing.found[0], &go));
        assert!(error.contains("leaves the data folder"), "{error}");
    }

    #[test]
    fn a_fifo_is_never_waited_for() {
        let desk = Desk::new();
        let path = desk.data.path().join("pipe.csv");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(desk.names().is_empty());
        assert!(message(desk.catalog().table("pipe", &go)).contains("not a regular file"));
        assert!(desk.catalog().folders[0].open("pipe.csv").is_err());
    }
}

#[test]
fn folders_are_followed_sixteen_deep() {
    let desk = Desk::new();
    let deep = "d/".repeat(16);
    desk.write(&format!("{deep}at.csv"), ONE).write(&format!("{deep}d/below.csv"), ONE);
    assert_eq!(desk.names(), ["at"]);
    let error = message(desk.catalog().table(&format!("{deep}d/below.csv"), &go));
    assert!(error.contains("too many folders down"), "{error}");
}
