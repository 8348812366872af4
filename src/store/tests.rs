#![expect(clippy::disallowed_methods, reason = "tests make folders of their own")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, Int32Array, Int64Array};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::test_tables::every_type;
use super::*;
use crate::profile::SensitiveColumns;

struct Home {
    home: tempfile::TempDir,
    store: Store,
}

fn dir(home: &tempfile::TempDir) -> Dir {
    Dir::open_ambient_dir(home.path(), ambient_authority()).unwrap()
}

fn home_with(settings: StoreSettings) -> Home {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(dir(&home), settings).unwrap();
    Home { home, store }
}

fn home() -> Home {
    home_with(StoreSettings::default())
}

fn owner(name: &str) -> Owner {
    Owner::new(name).unwrap()
}

fn draft(name: &str) -> Draft {
    Draft {
        owner: owner(name),
        kind: Kind::Table,
        name: Some("delays".to_owned()),
        origin: Origin::Python { code: "outputs['d'] = d".to_owned(), output: "d".to_owned() },
        inputs: vec![InputRecord {
            variable: "f".to_owned(),
            data: "flights".to_owned(),
            content_hash: "ab".repeat(32),
            file: None,
        }],
        versions: BTreeMap::from([("python".to_owned(), "3.15.0".to_owned())]),
        run: Some(RunRecord { seed: u64::MAX, started: Some(chrono::Utc::now()), fuel: None }),
        warnings: vec!["rows were dropped".to_owned()],
        sensitive: SensitiveColumns::from([("x".to_owned(), crate::profile::Kind::Card)]),
        cut: None,
        time_to_live: None,
    }
}

fn numbers(count: usize) -> RecordBatch {
    // Not compressible to nothing: caps must have something to bite.
    let mut state = 1u64;
    let values = std::iter::repeat_with(|| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state ^ (state >> 29)) as i64
    });
    let array = Int64Array::from_iter_values(values.take(count));
    RecordBatch::try_from_iter([("n", Arc::new(array) as ArrayRef)]).unwrap()
}

fn put(store: &Store, draft: Draft, batch: &RecordBatch) -> Result<Artifact, StoreError> {
    let mut writer = store.create(draft, batch.schema())?;
    writer.write(batch)?;
    writer.finish()
}

fn files(home: &Home, who: &str) -> Vec<String> {
    let Ok(folder) = dir(&home.home).open_dir(owner(who).folder()) else { return Vec::new() };
    let names = folder.entries().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name != ".lock").collect();
    names.sort();
    names
}

fn read(table: &Table) -> Vec<RecordBatch> {
    table.batches(None, None).unwrap().map(Result::unwrap).collect()
}

#[test]
fn every_type_comes_back_as_it_went_in() {
    let home = home();
    let batch = every_type();
    let written = put(&home.store, draft("me"), &batch).unwrap();
    let got = home.store.get(&owner("me"), &written.meta.reference).unwrap();
    assert_eq!(got.meta, written.meta);
    assert_eq!(got.table.schema().fields(), batch.schema().fields());
    let back = read(&got.table);
    assert_eq!(back.len(), 1);
    assert_eq!(back[0].columns(), batch.columns());
    // The hash of what is read is the hash of what was written.
    let mut hasher = ContentHasher::new(got.table.schema()).unwrap();
    hasher.update(&back[0].slice(0, 2)).unwrap();
    hasher.update(&back[0].slice(2, 3)).unwrap();
    assert_eq!(hasher.finish().as_str(), got.meta.content_hash);
    assert_eq!((got.meta.rows, got.meta.columns), (5, 35));
    assert_eq!((got.meta.nulls["null"], got.meta.nulls["text"], got.meta.nulls.len()), (5, 1, 35));
}

#[test]
fn what_the_draft_says_comes_back_after_a_restart() {
    let home = home();
    let before = chrono::Utc::now();
    let reference = put(&home.store, draft("me"), &numbers(3)).unwrap().meta.reference;
    let again = Store::open(dir(&home.home), StoreSettings::default()).unwrap();
    let meta = again.get(&owner("me"), &reference).unwrap().meta;
    let said = draft("me");
    assert_eq!((&meta.name, &meta.origin, &meta.inputs), (&said.name, &said.origin, &said.inputs));
    assert_eq!(
        (&meta.versions, &meta.warnings, meta.kind),
        (&said.versions, &said.warnings, said.kind)
    );
    assert!(meta.created >= before && meta.created <= chrono::Utc::now());
    assert_eq!((meta.expires - meta.created).num_days(), 7);
    assert!(meta.nulls.is_empty());
    assert_eq!(again.list(&owner("me")).unwrap(), [meta]);
}

#[test]
fn the_schemas_metadata_is_in_the_file_and_comes_back_and_cannot_forge_ours() {
    let home = home();
    let metadata = [("pandas", "{\"a\": 1}"), ("dataroom.columns", "[0]"), (FOOTER_KEY, "forged")];
    let metadata = metadata.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    let batch = numbers(1);
    let schema = Arc::new(batch.schema().as_ref().clone().with_metadata(metadata));
    let mut writer = home.store.create(draft("me"), schema).unwrap();
    writer.write(&batch).unwrap();
    let artifact = writer.finish().unwrap();
    let got = home.store.get(&owner("me"), &artifact.meta.reference).unwrap();
    assert_eq!(got.table.schema().metadata()["pandas"], "{\"a\": 1}");
    assert_eq!(got.table.schema().metadata()["dataroom.columns"], "[0]");
    let in_file = got.table.metadata().metadata().file_metadata().key_value_metadata().unwrap();
    // pyarrow takes it from the Arrow schema alone (read_table, checked by hand).
    let arrow: Vec<_> = in_file.iter().filter(|pair| pair.key == "ARROW:schema").cloned().collect();
    let footer = got.table.metadata().metadata().file_metadata();
    let alone =
        parquet::arrow::parquet_to_arrow_schema(footer.schema_descr(), Some(&arrow)).unwrap();
    assert_eq!(alone.metadata()["pandas"], "{\"a\": 1}");
    assert!(!alone.metadata().contains_key(FOOTER_KEY));
    let of = |key: &str| in_file.iter().filter(|pair| pair.key == key).count();
    assert_eq!((of("pandas"), of("dataroom.columns"), of(FOOTER_KEY)), (1, 1, 1));
}

#[test]
fn empty_tables_are_tables() {
    let home = home();
    let artifact = put(&home.store, draft("me"), &numbers(0)).unwrap();
    assert_eq!((artifact.table.rows(), artifact.meta.columns), (0, 1));
    let untouched = home.store.create(draft("me"), numbers(0).schema()).unwrap().finish().unwrap();
    assert_eq!(untouched.meta.content_hash, artifact.meta.content_hash);
    let no_columns = |rows| {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options).unwrap()
    };
    let artifact = put(&home.store, draft("me"), &no_columns(0)).unwrap();
    let got = home.store.get(&owner("me"), &artifact.meta.reference).unwrap();
    assert_eq!((got.table.rows(), got.table.schema().fields().len()), (0, 0));
    let error = put(&home.store, draft("me"), &no_columns(3)).unwrap_err();
    assert!(matches!(error, StoreError::NoColumns { rows: 3 }), "not lost in silence: {error}");
}

#[test]
fn nobody_gets_what_is_not_theirs_and_all_hear_the_same_words() {
    let home = home();
    let mine = put(&home.store, draft("me"), &numbers(3)).unwrap().meta.reference;
    put(&home.store, draft("you"), &numbers(3)).unwrap();
    let words = |reference: &DataRef| format!("unknown or expired dataRef {reference}");
    let refused = |who: &str, reference: &DataRef| {
        home.store.get(&owner(who), reference).map(|a| a.meta).unwrap_err().to_string()
    };
    let never = DataRef::random().unwrap();
    assert_eq!(refused("me", &never), words(&never));
    assert_eq!(refused("you", &mine), words(&mine), "foreign");
    assert_eq!(refused("nobody", &mine), words(&mine), "no folder");

    // Moved, and copied under another name: the footer says otherwise.
    let root = dir(&home.home);
    let name = format!("{mine}.parquet");
    let (from, to) = (owner("me").folder(), owner("you").folder());
    root.copy(format!("{from}/{name}"), &root, format!("{to}/{name}")).unwrap();
    root.copy(format!("{from}/{name}"), &root, format!("{from}/{never}.parquet")).unwrap();
    assert_eq!(refused("you", &mine), words(&mine), "moved");
    assert_eq!(refused("me", &never), words(&never), "renamed");
    assert_eq!(home.store.list(&owner("you")).unwrap().len(), 1);
    assert_eq!(home.store.list(&owner("me")).unwrap().len(), 1);
    assert!(home.store.get(&owner("me"), &mine).is_ok());
}

#[cfg(unix)]
#[test]
fn links_are_not_artifacts() {
    let home = home();
    let theirs = put(&home.store, draft("you"), &numbers(3)).unwrap().meta.reference;
    put(&home.store, draft("me"), &numbers(3)).unwrap();
    let of =
        |who: &str| home.home.path().join(owner(who).folder()).join(format!("{theirs}.parquet"));
    std::os::unix::fs::symlink(of("you"), of("me")).unwrap();
    assert!(matches!(home.store.get(&owner("me"), &theirs), Err(StoreError::Unknown(_))));
    assert_eq!(home.store.list(&owner("me")).unwrap().len(), 1);
}

#[test]
fn what_has_expired_is_unknown_and_swept() {
    let home = home();
    let short = |time_to_live| Draft { time_to_live: Some(time_to_live), ..draft("me") };
    let gone = put(&home.store, short(Duration::ZERO), &numbers(3)).unwrap();
    let kept = put(&home.store, short(Duration::from_secs(60)), &numbers(3)).unwrap();
    assert!(
        gone.table.batches(None, None).unwrap().all(|b| b.is_ok()),
        "its maker may still read it"
    );
    assert!(matches!(
        home.store.get(&owner("me"), &gone.meta.reference),
        Err(StoreError::Unknown(_))
    ));
    assert_eq!(home.store.list(&owner("me")).unwrap(), std::slice::from_ref(&kept.meta));
    let swept = home.store.sweep().unwrap();
    assert_eq!((swept.expired, swept.abandoned), (1, 0));
    assert!(swept.bytes > 0);
    assert_eq!(files(&home, "me"), [format!("{}.parquet", kept.meta.reference)]);
    assert_eq!(home.store.sweep().unwrap(), Swept::default());
}

#[test]
fn a_dropped_writer_leaves_nothing_and_a_dead_ones_file_is_swept() {
    let home = home();
    let mut writer = home.store.create(draft("me"), numbers(0).schema()).unwrap();
    writer.write(&numbers(1000)).unwrap();
    assert_eq!(files(&home, "me").len(), 1);
    let other_server = Store::open(dir(&home.home), StoreSettings::default()).unwrap();
    assert_eq!(other_server.sweep().unwrap().abandoned, 0, "it is being written");
    assert!(other_server.list(&owner("me")).unwrap().is_empty());
    drop(writer);
    assert!(files(&home, "me").is_empty());

    let left = format!("{}/.artifact-{}.part", owner("me").folder(), "0".repeat(32));
    dir(&home.home).write(left, "PAR1 half of a table").unwrap();
    assert_eq!(other_server.sweep().unwrap().abandoned, 1);
    assert!(files(&home, "me").is_empty());
}

#[test]
fn damaged_and_foreign_files_are_passed_over() {
    let home = home();
    let good = put(&home.store, draft("me"), &every_type()).unwrap().meta;
    let folder = dir(&home.home).open_dir(owner("me").folder()).unwrap();
    let whole = folder.read(format!("{}.parquet", good.reference)).unwrap();
    let put_bytes = |bytes: &[u8]| {
        let reference = DataRef::random().unwrap();
        folder.write(format!("{reference}.parquet"), bytes).unwrap();
        reference
    };
    let mut bad = vec![put_bytes(b""), put_bytes(b"PAR1PAR1"), put_bytes(b"hello")];
    for cut in [1, 4, 8, 100, whole.len() / 2, whole.len() - 1] {
        bad.push(put_bytes(&whole[..whole.len() - cut]));
    }
    // One byte of the footer wrong, at many places.
    for place in (0..whole.len().min(12_000)).step_by(97) {
        let mut copy = whole.clone();
        let at = copy.len() - 1 - place;
        copy[at] ^= 0xff;
        bad.push(put_bytes(&copy));
    }
    folder.write("notes.txt", "x").unwrap();
    folder.write("data_zz.parquet", &whole).unwrap();
    folder.create_dir(format!("{}.parquet", DataRef::random().unwrap())).unwrap();
    dir(&home.home).write("stray", "x").unwrap();
    dir(&home.home).create_dir("not an owner").unwrap();
    assert_eq!(home.store.list(&owner("me")).unwrap(), [good]);
    assert_eq!(home.store.sweep().unwrap(), Swept::default());
    for reference in &bad {
        assert!(matches!(home.store.get(&owner("me"), reference), Err(StoreError::Unknown(_))));
    }
}

#[test]
fn one_artifact_has_a_limit_that_bites_while_it_is_written() {
    let bytes = put(&home().store, draft("me"), &numbers(400_000))
        .map(|artifact| artifact.table.file().length());
    let bytes = bytes.unwrap();
    let limit = |artifact_bytes| home_with(StoreSettings { artifact_bytes, ..Default::default() });
    let fits = limit(bytes + 64);
    put(&fits.store, draft("me"), &numbers(400_000)).unwrap();
    let bites = limit(bytes / 4);
    let mut writer = bites.store.create(draft("me"), numbers(0).schema()).unwrap();
    let error = writer.write(&numbers(400_000)).unwrap_err();
    assert!(
        matches!(error, StoreError::ArtifactTooLarge { limit } if limit == bytes / 4),
        "{error}"
    );
    drop(writer);
    assert!(files(&bites, "me").is_empty());
    put(&bites.store, draft("me"), &numbers(1000)).unwrap();
}

#[test]
fn one_owner_has_a_limit_and_others_do_not_feel_it() {
    let one = put(&home().store, draft("me"), &numbers(10_000)).unwrap().table.file().length();
    let home = home_with(StoreSettings { owner_bytes: one * 2 + 100, ..Default::default() });
    let brief = Draft { time_to_live: Some(Duration::from_millis(400)), ..draft("me") };
    put(&home.store, brief, &numbers(10_000)).unwrap();
    put(&home.store, draft("me"), &numbers(10_000)).unwrap();
    let error = put(&home.store, draft("me"), &numbers(10_000)).unwrap_err();
    assert!(matches!(error, StoreError::OwnerFull { .. }), "{error}");
    assert_eq!(files(&home, "me").len(), 2, "nothing is left of it");
    put(&home.store, draft("you"), &numbers(10_000)).unwrap();
    // What has expired makes room by itself.
    std::thread::sleep(Duration::from_millis(500));
    put(&home.store, draft("me"), &numbers(10_000)).unwrap();
}

#[test]
fn the_owners_limit_bites_while_it_is_written() {
    let home = home_with(StoreSettings { owner_bytes: 1 << 20, ..Default::default() });
    let mut writer = home.store.create(draft("me"), numbers(0).schema()).unwrap();
    let batch = numbers(1 << 20);
    let error = (0..30).find_map(|_| writer.write(&batch).err());
    assert!(matches!(error, Some(StoreError::OwnerFull { .. })), "{error:?}");
}

#[test]
fn two_servers_cannot_both_take_the_last_bytes() {
    let one = put(&home().store, draft("me"), &numbers(10_000)).unwrap().table.file().length();
    let settings = StoreSettings { owner_bytes: one * 5 + 200, ..Default::default() };
    let home = home_with(settings);
    let stores: Vec<_> = (0..2).map(|_| Store::open(dir(&home.home), settings).unwrap()).collect();
    let fitted: usize = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..12)
            .map(|n| {
                let store = &stores[n % 2];
                scope.spawn(move || usize::from(put(store, draft("me"), &numbers(10_000)).is_ok()))
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    assert_eq!(fitted, 5);
    assert_eq!(files(&home, "me").len(), 5);
    assert_eq!(stores[0].list(&owner("me")).unwrap(), stores[1].list(&owner("me")).unwrap());
}

#[test]
fn what_cannot_be_stored_is_named() {
    let home = home();
    let create = |fields: Vec<Field>| {
        home.store.create(draft("me"), Arc::new(Schema::new(fields))).unwrap_err().to_string()
    };
    let interval = DataType::Interval(arrow::datatypes::IntervalUnit::MonthDayNano);
    let error =
        create(vec![Field::new("ok", DataType::Int8, true), Field::new("gap", interval, true)]);
    assert!(error.starts_with("column \"gap\" has the type Interval"), "{error}");
    let twice = vec![Field::new("a", DataType::Int8, true), Field::new("a", DataType::Int8, true)];
    assert_eq!(create(twice), "two columns are named \"a\": give every column its own name");
    assert!(files(&home, "me").is_empty());

    let mut writer = home.store.create(draft("me"), numbers(0).schema()).unwrap();
    let other =
        RecordBatch::try_from_iter([("n", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]);
    assert!(matches!(writer.write(&other.unwrap()), Err(StoreError::WrongBatch(_))));
}

#[test]
fn footers_are_read_once() {
    let home = home();
    let artifact = put(&home.store, draft("me"), &numbers(3)).unwrap();
    home.store.list(&owner("me")).unwrap();
    // Same length, same time, other bytes: who reads again would see the damage.
    let path = format!("{}/{}.parquet", owner("me").folder(), artifact.meta.reference);
    let file =
        dir(&home.home).open_with(&path, cap_std::fs::OpenOptions::new().write(true)).unwrap();
    let file = file.into_std();
    let modified = file.metadata().unwrap().modified().unwrap();
    let length = usize::try_from(file.metadata().unwrap().len()).unwrap();
    std::io::Write::write_all(&mut &file, &vec![0; length]).unwrap();
    file.set_modified(modified).unwrap();
    assert_eq!(home.store.list(&owner("me")).unwrap().len(), 1);
    file.set_modified(modified + Duration::from_secs(1)).unwrap();
    assert_eq!(home.store.list(&owner("me")).unwrap().len(), 0, "it changed, so it is read again");
}

#[test]
fn the_system_s_refusals_have_names() {
    use std::io::{Error, ErrorKind};
    let named = |kind: ErrorKind| StoreError::io("write", &Error::from(kind));
    assert!(matches!(named(ErrorKind::StorageFull), StoreError::DiskFull));
    assert!(matches!(named(ErrorKind::QuotaExceeded), StoreError::DiskFull));
    assert!(matches!(named(ErrorKind::ReadOnlyFilesystem), StoreError::NotWritable(_)));
    assert!(matches!(named(ErrorKind::PermissionDenied), StoreError::NotWritable(_)));
    assert!(matches!(named(ErrorKind::TooManyLinks), StoreError::Io { .. }));
}
