use std::time::Duration;

use dataroom_sandbox::{Captured, LimitName};
use serde_json::json;

use super::*;
use crate::policy::Values;
use crate::room::RoomSettings;
use crate::runtime::Cache;

fn room(policy: Policy) -> Room {
    let cache = Cache::locate(Some("no-cache".into())).unwrap();
    Room::new(RoomSettings { policy, ..RoomSettings::new("no-home".into(), cache) })
}

fn outcome(ending: Ending, result: Option<Value>) -> Outcome {
    Outcome {
        ending,
        result,
        last_line: false,
        stdout: Captured { text: "SECRET\n".into(), total_bytes: 7, truncated: false },
        stderr: Captured { text: "SECRET".into(), total_bytes: 6, truncated: false },
        error: None,
        outputs: vec![],
        files: vec![],
        warnings: vec!["SECRET".into()],
        usage: Usage { wall: Duration::from_micros(1_234), ..Usage::default() },
    }
}

fn shown(policy: Policy, outcome: Outcome) -> Reply {
    let report = RunReport { outcome, kept: vec![], files: vec![], lost: vec![], inputs: vec![] };
    reply(&room(policy), "code = 1\ncode", report, &Call::new())
}

#[test]
fn a_last_line_that_may_not_be_shown_is_no_error() {
    let policies = [
        Policy { values: crate::policy::Values::None, ..Policy::default() },
        Policy { result_bytes: 3, ..Policy::default() },
    ];
    for policy in policies {
        let value = || outcome(Ending::Completed, Some(json!("SECRET")));
        let habit = shown(policy.clone(), Outcome { last_line: true, ..value() });
        assert!(!habit.failed());
        let shown_value = &habit.structured().unwrap()["result"];
        assert!(shown_value.is_null() && habit.text().contains("the last line's value"));
        assert!(shown(policy, value()).failed());
    }
}

#[test]
fn a_good_run_has_the_shape_of_the_contract() {
    let reply = shown(Policy::default(), outcome(Ending::Completed, Some(json!({"a": 1}))));
    assert!(!reply.failed());
    assert_eq!(
        reply.structured().unwrap(),
        &json!({
            "ok": true, "result": {"a": 1}, "stdout": "SECRET\n", "outputs": {},
            "warnings": ["SECRET", "stderr: SECRET"],
            "limits": {"used": {"fuel": 0, "wall_ms": 1.2, "memory_bytes": 0,
                                "scratch_bytes": 0, "host_calls": 0}},
            "ending": "completed",
        })
    );
}

#[test]
fn with_values_hidden_nothing_of_them_is_shown() {
    let policy = Policy { values: Values::None, ..Policy::default() };
    let reply = shown(policy.clone(), outcome(Ending::Completed, Some(json!("SECRET"))));
    assert!(reply.failed() && !reply.text().contains("SECRET"), "{}", reply.text());
    assert!(reply.text().contains("export_data"));
    let mut raised = outcome(Ending::Raised, None);
    raised.error = Some(GuestError {
        kind: "ValueError".into(),
        message: "SECRET".into(),
        line: Some(2),
        source: Some("SECRET".into()),
        column: None,
        frames: vec!["SECRET".into()],
        hint: Some("SECRET".into()),
    });
    let mut elsewhere = raised.clone();
    elsewhere.error.as_mut().unwrap().line = Some(98_765);
    assert!(!shown(policy.clone(), elsewhere).text().contains("98765"));
    let reply = shown(policy.clone(), raised);
    assert!(!reply.text().contains("SECRET"), "{}", reply.text());
    assert_eq!(reply.structured().unwrap()["error"]["kind"], "ValueError");
    assert_eq!(reply.structured().unwrap()["error"]["line"], 2);
    let exited = shown(policy, outcome(Ending::Exited { code: 1234 }, None));
    assert!(!exited.text().contains("1234"), "{}", exited.text());
}

#[test]
fn a_result_too_big_says_how_big_and_what_to_do() {
    let policy = Policy { result_bytes: 100, ..Policy::default() };
    let fits = shown(policy.clone(), outcome(Ending::Completed, Some(json!("x".repeat(98)))));
    assert!(!fits.failed());
    let over = shown(policy, outcome(Ending::Completed, Some(json!("x".repeat(99)))));
    let error = &over.structured().unwrap()["error"];
    assert!(error["message"].as_str().unwrap().contains("101 bytes"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("outputs"), "{error}");
}

#[test]
fn a_limit_is_named_with_its_value_and_the_next_step() {
    let ending = Ending::Limit { limit: LimitName::Wall };
    let reply = shown(Policy::default(), outcome(ending, None));
    let shown = reply.structured().unwrap();
    assert_eq!(shown["error"]["kind"], "LimitReached");
    assert_eq!(shown["error"]["message"], "the run met its limit wall_ms = 60000 and was ended");
    assert_eq!((&shown["limits"]["hit"], &shown["ending"]), (&json!("wall_ms"), &json!("limit")));
}
