//! The chain, as it is written by several at once, and as somebody meddles with it.

use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use serde_json::json;

use super::*;

#[expect(clippy::disallowed_methods, reason = "tests make folders of their own")]
fn audit(folder: &Path, file_bytes: u64) -> Audit {
    let dir = Dir::open_ambient_dir(folder, ambient_authority()).unwrap();
    let settings = AuditSettings { file_bytes, sync: Sync::Never, ..AuditSettings::default() };
    Audit::new(dir, folder.to_owned(), settings)
}

fn call(tool: &str) -> Event {
    Event::Call(Box::new(CallLine { tool: tool.to_owned(), ..CallLine::default() }))
}

fn filled(lines: u64) -> (tempfile::TempDir, Audit) {
    let folder = tempfile::tempdir().unwrap();
    let audit = audit(folder.path(), 16 << 20);
    for line in 1..=lines {
        assert_eq!(audit.append(call(&format!("tool{line}"))).unwrap(), Some(line));
    }
    (folder, audit)
}

#[expect(clippy::disallowed_methods, reason = "tests meddle with files")]
fn meddle(folder: &Path, how: impl FnOnce(Vec<String>) -> Vec<String>) {
    let file = folder.join("audit-000001.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    let lines = how(text.lines().map(str::to_owned).collect());
    std::fs::write(&file, lines.iter().map(|line| format!("{line}\n")).collect::<String>())
        .unwrap();
}

fn problems(audit: &Audit) -> Vec<String> {
    let told = audit.verify(None).unwrap();
    told.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn what_nobody_meddled_with_is_whole() {
    let (_folder, audit) = filled(9);
    let told = audit.verify(None).unwrap();
    assert_eq!((told.lines, told.problems.len(), told.notes.len()), (9, 0, 0));
    let last = told.last.unwrap();
    assert_eq!(audit.verify(Some(&last)).unwrap().problems, []);
}

#[test]
fn each_way_to_meddle_is_named_with_its_line() {
    let swap = |mut lines: Vec<String>| {
        lines.swap(3, 4);
        lines
    };
    let without = |at: usize| {
        move |mut lines: Vec<String>| {
            lines.remove(at);
            lines
        }
    };
    let changed = |at: usize, from: &'static str, to: &'static str| {
        move |mut lines: Vec<String>| {
            assert!(lines[at].contains(from));
            lines[at] = lines[at].replace(from, to);
            lines
        }
    };
    type Meddle = Box<dyn FnOnce(Vec<String>) -> Vec<String>>;
    let cases: Vec<(Meddle, &str)> = vec![
        (Box::new(changed(3, "tool4", "tool7")), "line 4 was changed"),
        (Box::new(changed(0, "tool1", "tool7")), "line 1 was changed"),
        (Box::new(changed(8, "tool9", "tool7")), "line 9 was changed"),
        (Box::new(changed(5, "\"prev\":\"", "\"prev\":\"0")), "line 6 was changed"),
        (Box::new(without(0)), "line 1 was removed"),
        (Box::new(without(4)), "line 5 was removed"),
        (Box::new(without(8)), "lines 9 to 9 were written and are not there"),
        (Box::new(|lines: Vec<String>| lines[..6].to_vec()), "lines 7 to 9 were written"),
        (Box::new(|_| Vec::new()), "lines 1 to 9 were written"),
        (Box::new(swap), "line 4 was moved"),
        (
            Box::new(|lines: Vec<String>| [lines.clone(), lines[2..3].to_vec()].concat()),
            "line 3 is there twice",
        ),
        (Box::new(changed(6, "{", "")), "line 7 of the file, is no line"),
    ];
    for (how, says) in cases {
        let (folder, audit) = filled(9);
        meddle(folder.path(), how);
        let told = problems(&audit);
        assert!(told.iter().any(|problem| problem.contains(says)), "{says}: {told:?}");
    }
}

#[test]
fn an_end_that_was_cut_off_stays_missing_when_calls_go_on() {
    let (folder, audit) = filled(9);
    meddle(folder.path(), |lines| lines[..7].to_vec());
    audit.append(call("later")).unwrap();
    let told = problems(&audit);
    assert!(told.iter().any(|p| p.contains("lines 8 to 9 were removed")), "{told:?}");
    assert!(told.iter().any(|p| p.contains("shorter than what was written")), "{told:?}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests meddle with files")]
fn another_chain_with_another_head_is_not_the_one_whose_head_was_kept() {
    let (folder, audit) = filled(9);
    let kept = audit.verify(None).unwrap().last.unwrap();
    let (other, _) = filled(9);
    for file in ["audit-000001.jsonl", "head.json"] {
        std::fs::copy(other.path().join(file), folder.path().join(file)).unwrap();
    }
    assert_eq!(audit.verify(None).unwrap().problems, []);
    assert_eq!(audit.verify(Some(&kept)).unwrap().problems, [Problem::OtherChain { line: 9 }]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests meddle with files")]
fn a_crash_within_a_line_is_recovered_and_said() {
    let (folder, audit) = filled(3);
    let file = folder.path().join("audit-000001.jsonl");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, [&whole[..], &whole[..50]].concat()).unwrap();
    assert!(audit.verify(None).unwrap().notes[0].contains("half a line"));
    audit.append(call("next")).unwrap();
    let told = audit.verify(None).unwrap();
    assert_eq!((told.lines, &told.problems[..]), (5, &[][..]));
    assert!(told.notes[0].contains("line 4") && told.notes[0].contains("50 bytes"), "{told:?}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests meddle with files")]
fn a_crash_between_a_line_and_the_head_loses_nothing() {
    let (folder, audit) = filled(3);
    let head = std::fs::read(folder.path().join("head.json")).unwrap();
    audit.append(call("fourth")).unwrap();
    std::fs::write(folder.path().join("head.json"), head).unwrap();
    audit.append(call("fifth")).unwrap();
    let told = audit.verify(None).unwrap();
    assert_eq!((told.lines, &told.problems[..]), (6, &[][..]));
    assert!(told.notes[0].contains("1 whole lines were taken in"), "{told:?}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests meddle with files")]
fn a_head_that_is_gone_is_a_problem_for_good() {
    let (folder, audit) = filled(3);
    std::fs::remove_file(folder.path().join("head.json")).unwrap();
    assert_eq!(audit.verify(None).unwrap().problems, [Problem::NoHead]);
    audit.append(call("next")).unwrap();
    assert_eq!(problems(&audit), ["line 4 says: the head is gone"]);
}

#[test]
fn the_chain_goes_on_across_files() {
    let folder = tempfile::tempdir().unwrap();
    let small = audit(folder.path(), 1_000);
    for _ in 0..40 {
        small.append(call("t")).unwrap();
    }
    let told = small.verify(None).unwrap();
    assert_eq!((told.lines, &told.problems[..]), (40, &[][..]));
    assert!(folder.path().join("audit-000005.jsonl").exists());
    #[expect(clippy::disallowed_methods, reason = "tests meddle with files")]
    std::fs::remove_file(folder.path().join("audit-000002.jsonl")).unwrap();
    assert!(problems(&small)[0].contains("were removed"));
}

#[test]
fn many_writers_make_one_chain() {
    let folder = tempfile::tempdir().unwrap();
    // Each with a folder of its own, as processes have.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let audit = audit(folder.path(), 2_000);
            scope.spawn(move || {
                for _ in 0..25 {
                    audit.append(call("t")).unwrap();
                }
            });
        }
    });
    let told = audit(folder.path(), 2_000).verify(None).unwrap();
    assert_eq!((told.lines, &told.problems[..], &told.notes[..]), (100, &[][..], &[][..]));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests meddle with files")]
fn what_cannot_be_written_is_an_error_or_is_counted() {
    let (folder, required) = filled(1);
    let dir = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
    let settings = AuditSettings { required: false, ..AuditSettings::default() };
    let free = Audit::new(dir, folder.path().to_owned(), settings);
    // A folder where the head is to be: nobody may write there, not even root.
    std::fs::rename(folder.path().join("head.json"), folder.path().join("kept")).unwrap();
    std::fs::create_dir(folder.path().join("head.json")).unwrap();
    let error = required.append(call("x")).unwrap_err().to_string();
    assert!(
        error.contains("cannot be written") && error.contains("nothing was answered"),
        "{error}"
    );
    assert!(required.ready().is_err() && free.ready().is_ok());
    assert_eq!(free.append(call("x")).unwrap(), None);
    std::fs::remove_dir(folder.path().join("head.json")).unwrap();
    std::fs::rename(folder.path().join("kept"), folder.path().join("head.json")).unwrap();
    free.append(call("y")).unwrap();
    let lines = free.lines(None).unwrap();
    assert!(matches!(&lines[1].event, Event::Call(call) if call.lost == 1 && call.tool == "y"));
}

#[test]
fn of_a_query_words_are_left_and_no_values() {
    for (sql, normal) in [
        (
            "SELECT a FROM t WHERE b = 'x''y' AND c > 1.5e-3",
            "SELECT a FROM t WHERE b = ? AND c > ?",
        ),
        ("select  *\n from \"Smith\" -- secret\n where x=1", "select * from ? where x=?"),
        ("SELECT /* a /* b */ c */ E'x', $$a'b$$, $t$ z $t$, X'ff'", "SELECT ?, ?, ?, ?"),
        ("SELECT 'never ends", "SELECT ?"),
        ("SELECT 'a\\' OR 'secret", "SELECT ?"),
        ("SELECT t1.c2, 0x1F, 1_000, `q`, [w]", "SELECT t1.c2, ?, ?, ?, ?"),
        ("SELECT «тайна», имя FROM t", "SELECT ?тайна?, имя FROM t"),
    ] {
        assert_eq!(normal_sql(sql), normal, "{sql}");
    }
}

#[test]
fn of_arguments_shapes_are_left_and_no_values() {
    let reference = "data_0123456789abcdef0123456789abcdef";
    let arguments = json!({
        "sql": "SELECT 'ann@example.org'", "data": reference, "name": "Smith", "top": 7,
        "inputs": {"x": "flights", "y": reference}, "columns": ["a", "b"], "Smith": 1,
    });
    let known = |name: &str| name != "Smith";
    let have = shapes(arguments.as_object().unwrap(), known);
    let want = json!({
        "sql": "text of 24", "data": "dataRef", "name": "text of 5", "top": "integer",
        "inputs": "object of 2", "columns": "list of 2", "unknown": 1,
    });
    assert_eq!(serde_json::Value::Object(have.arguments), want);
    assert_eq!(have.sql.as_deref(), Some("SELECT ?"));
    assert_eq!(have.references, ["data_01234567…", "data_01234567…"]);
    assert_eq!(have.names, ["flights"]);
}
