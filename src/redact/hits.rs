//! What the rules find in a text, in all of its views.

use std::ops::Range;

use super::checks::Check;
use super::encoded;
use super::rules::{Kind, Rule, Rules};
use super::view::{View, views};

/// How deep encodings are looked into: base64 in a URL in base64.
const DEPTH: usize = 3;

/// No rule's name is longer.
const LONGEST_NAME: usize = 40;

/// A piece of a text that is to be hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub start: usize,
    pub end: usize,
    /// The rule, by its place.
    pub rule: usize,
}

/// What is to be hidden, in order and without overlaps.
pub(super) fn in_text(text: &str, rules: &Rules, kinds: &[Kind]) -> Vec<Hit> {
    let mut hits = Vec::new();
    look(text, rules, kinds, 0, &mut hits);
    let markers = markers(text, rules);
    // What was hidden before is not hidden again.
    hits.retain(|hit| around(&markers, hit.start).is_none_or(|marker| hit.end > marker.end));
    merged(without_ends(hits, rules))
}

/// In `://name:password@host` the password and the host look like an address for mail: what
/// is less than a secret and begins within one is none.
fn without_ends(mut hits: Vec<Hit>, rules: &Rules) -> Vec<Hit> {
    let is_secret = |hit: &Hit| rules.kind(hit.rule) == Some(Kind::Secret);
    let secrets = merged(hits.iter().copied().filter(is_secret).collect());
    let secrets: Vec<Range<usize>> = secrets.iter().map(|hit| hit.start..hit.end).collect();
    hits.retain(|hit| is_secret(hit) || around(&secrets, hit.start).is_none());
    hits
}

/// Of ranges in order and without overlaps, the one that a place lies in.
fn around(ranges: &[Range<usize>], at: usize) -> Option<&Range<usize>> {
    let next = ranges.partition_point(|range| range.start <= at);
    ranges[..next].last().filter(|range| at < range.end)
}

fn look(text: &str, rules: &Rules, kinds: &[Kind], depth: usize, hits: &mut Vec<Hit>) {
    for view in views(text) {
        let mut found = Vec::new();
        for (place, rule) in rules.iter().filter(|(_, rule)| kinds.contains(&rule.kind)) {
            by_rule(view.text(), place, rule, &mut found);
        }
        if depth < DEPTH {
            for (run, decoded, is_text) in encoded::runs(view.text()) {
                let mut inner = Vec::new();
                look(&decoded, rules, kinds, depth + 1, &mut inner);
                // Bytes that are no text hold an address or a number by chance.
                let sure = |hit: &Hit| is_text || rules.kind(hit.rule) == Some(Kind::Secret);
                if let Some(rule) = inner.iter().filter(|h| sure(h)).map(|h| h.rule).min() {
                    found.push(Hit { start: run.start, end: run.end, rule });
                }
            }
        }
        hits.extend(found.into_iter().map(|hit| mapped(&view, hit)));
    }
}

fn by_rule(text: &str, place: usize, rule: &Rule, found: &mut Vec<Hit>) {
    let mut from = 0;
    while let Some(groups) = rule.pattern.captures_at(text, from) {
        let Some(whole) = groups.get(0) else { return };
        let group = rule.hide.iter().find_map(|group| groups.get(*group)).unwrap_or(whole);
        let hide = match &rule.check {
            Some(check) => check.of(text, group.range()),
            None => Some(group.range()),
        };
        // What did not pass may have something within that would, where the pattern takes more
        // than one thing; such patterns are short, so that time stays linear.
        let begins_within = rule.check.is_some_and(Check::may_pass_within);
        from = match &hide {
            None if begins_within => after_word(text, whole.range()),
            _ => whole.end().max(hide.as_ref().map_or(0, |hide| hide.end)),
        };
        found.extend(hide.map(|hide| Hit { start: hide.start, end: hide.end, rule: place }));
        if from >= text.len() {
            return;
        }
    }
}

/// Where to look again after a match that was none: after its first word, so that each byte is
/// looked at a bounded number of times.
fn after_word(text: &str, range: Range<usize>) -> usize {
    let matched = &text[range.clone()];
    let word = matched.find(|c: char| !c.is_alphanumeric()).unwrap_or(matched.len());
    let step = matched[word..].chars().next().map_or(0, char::len_utf8);
    (range.start + word + step).max(range.start + 1).min(range.end.max(range.start + 1))
}

fn mapped(view: &View<'_>, hit: Hit) -> Hit {
    Hit { start: view.origin(hit.start), end: view.origin_end(hit.end), rule: hit.rule }
}

/// Where something was hidden before, in the words of a rule.
fn markers(text: &str, rules: &Rules) -> Vec<Range<usize>> {
    let begins = text.match_indices("[redacted: ");
    let known = |(start, begin): (usize, &str)| {
        let rest = &text[start + begin.len()..];
        let end = rest.bytes().take(LONGEST_NAME).position(|byte| byte == b']')?;
        let name = &rest[..end];
        rules
            .iter()
            .any(|(_, rule)| rule.name == name)
            .then(|| start..start + begin.len() + name.len() + 1)
    };
    begins.filter_map(known).collect()
}

/// Overlapping hits become one, under the name of the rule that stands first.
fn merged(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.retain(|hit| hit.start < hit.end);
    hits.sort_by_key(|hit| (hit.start, hit.rule));
    let mut merged: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits {
        match merged.last_mut() {
            Some(last) if hit.start < last.end => {
                last.end = last.end.max(hit.end);
                last.rule = last.rule.min(hit.rule);
            }
            _ => merged.push(hit),
        }
    }
    merged
}
