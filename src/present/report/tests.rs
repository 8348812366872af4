use std::convert::Infallible;

use super::*;

fn html(text: &str) -> String {
    let mut value = |name: &str| Ok::<_, Infallible>(link(0, &format!("<{name}>")));
    markup(text, &mut value).unwrap()
}

#[test]
fn a_text_has_a_small_markup_and_no_other() {
    let check = |text: &str, expected: &str| assert_eq!(html(text), expected, "{text}");
    check("a\nb\n\nc", "<p dir=\"auto\">a b</p>\n<p dir=\"auto\">c</p>\n");
    check("# T\n#no", "<h2 dir=\"auto\">T</h2>\n<p dir=\"auto\">#no</p>\n");
    check(
        "- a\n* b\n1. c",
        "<ul>\n<li dir=\"auto\">a</li>\n<li dir=\"auto\">b</li>\n</ul>\n<ol>\n<li dir=\"auto\">c</li>\n</ol>\n",
    );
    check(
        "x **b `c`** `<i>` ** ` {{",
        "<p dir=\"auto\">x <strong>b <code>c</code></strong> <code>&lt;i&gt;</code> ** ` {{</p>\n",
    );
    check("```\n<b>\n- x\n```", "<pre><code>&lt;b&gt;\n- x</code></pre>\n");
    check(
        "<script>alert(1)</script> [l](javascript:x) ![i](http://x)",
        "<p dir=\"auto\">&lt;script&gt;alert(1)&lt;/script&gt; [l](javascript:x) ![i](http://x)</p>\n",
    );
    check("sum {{ a:b }}!", "<p dir=\"auto\">sum <a href=\"#s1\">&lt;a:b&gt;</a>!</p>\n");
    check("", "");
}

#[test]
fn an_unknown_placeholder_is_an_error() {
    let mut value = |name: &str| Err::<String, String>(name.to_owned());
    assert_eq!(markup("**a {{x:y}}**", &mut value), Err("x:y".to_owned()));
}

#[test]
fn pictures_are_written_in() {
    // RFC 4648, section 10.
    let check = |bytes: &str, expected: &str| {
        let uri = data_uri("x.PNG", bytes.as_bytes()).unwrap();
        assert_eq!(uri, format!("data:image/png;base64,{expected}"));
    };
    check("", "");
    check("f", "Zg==");
    check("fo", "Zm8=");
    check("foo", "Zm9v");
    check("foob", "Zm9vYg==");
    check("foobar", "Zm9vYmFy");
    assert_eq!(data_uri("x.html", b""), None);
}

#[test]
fn a_page_escapes_all_that_it_is_given() {
    let bad = || "</code><script>\"'&".to_owned();
    let blocks = [
        Block::Table { heads: vec![(bad(), true)], rows: vec![vec![bad()]], all: 2, source: 0 },
        Block::Picture { uri: "data:image/png;base64,".into(), name: bad(), source: 0 },
        Block::Number { label: bad(), value: bad(), source: 0 },
    ];
    let step = Step { title: bad(), facts: vec![("hash", bad())], code: Some(bad()) };
    let source = Source { data: bad(), steps: vec![step], warnings: vec![bad()] };
    let page = page(&bad(), &blocks, &[source]);
    assert!(!page.contains("<script>") && page.matches("&lt;script&gt;").count() > 11);
    assert!(page.contains("the first 1 of 2 rows") && page.contains("default-src 'none'"));
    assert!(page.contains("<section id=\"s1\"") && page.contains("href=\"#s1\""));
}
