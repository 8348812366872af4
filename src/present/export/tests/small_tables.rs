//! Markdown and HTML: nothing in a table is markup.

use super::*;

const HOSTILE: [&str; 7] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a|b\r\nc\\",
    "![x](https://evil.example/p.png) **b** `c` [l](javascript:alert(1))",
    "www.evil.example \u{202e}fdp.exe",
    "&lt;b&gt; \"q\" 'q'",
    "__proto__",
];

fn hostile(format: Format) -> String {
    let rows: Vec<Option<&str>> = HOSTILE.iter().copied().map(Some).collect();
    text(format, HOSTILE.iter().map(|name| (*name, words(rows.clone()))).collect()).0
}

#[test]
fn html_has_no_markup_of_the_data() {
    let page = hostile(Format::Html);
    let body = &page[page.find("<thead>").unwrap()..];
    let tags = body.split('<').skip(1).map(|rest| rest.split(['>', ' ']).next().unwrap());
    let ours = ["thead", "tr", "th", "tbody", "td", "table", "body", "html"];
    for tag in tags {
        assert!(ours.contains(&tag.trim_start_matches('/')), "{tag}");
    }
    assert!(body.contains("&lt;img src=x onerror=alert(1)&gt;") && body.contains("&amp;lt;b"));
    assert!(body.contains("\\u{202e}fdp.exe") && !body.contains('\u{202e}'));
    assert!(page.contains("default-src 'none'"));
    assert_eq!(body.matches("<td").count(), HOSTILE.len() * HOSTILE.len());
}

#[test]
fn markdown_has_no_markup_of_the_data() {
    let page = hostile(Format::Markdown);
    let lines: Vec<&str> = page.lines().collect();
    assert_eq!(lines.len(), 2 + HOSTILE.len());
    // Of each line, the bars that are not escaped: the table stays a table.
    for line in &lines {
        let bare = line.replace("\\\\", "").replace("\\|", "");
        assert_eq!(bare.matches('|').count(), HOSTILE.len() + 1, "{line}");
    }
    assert!(lines[4].starts_with("| a\\|b<br>c\\\\ |"), "{}", lines[4]);
    let bare = page.replace("<br>", "").replace("\\]", "");
    assert!(!bare.contains('<') && !bare.contains("](") && !bare.contains("://"), "{bare}");
    assert!(!page.contains("www.") && !page.contains('\u{202e}'));
    assert!(page.contains("\\_\\_proto\\_\\_") && page.contains("\\`c\\`"));
}

#[test]
fn numbers_stand_right_and_heads_say_the_unit() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("what", words(vec![Some("a"), None])),
        ("price", Arc::new(Float64Array::from(vec![Some(1.5), None]))),
        ("weight_kg", Arc::new(Int64Array::from(vec![Some(-2), None]))),
        ("paid", Arc::new(Int64Array::from(vec![Some(3), None]))),
    ];
    let folder = folder();
    let some = |unit: &str| Some(unit.to_owned());
    let units = [None, some("EUR"), some("kg"), some("USD cents")];
    let written = |format: Format| {
        let target = target(&folder, Some("t"));
        let table = table(columns.clone());
        let done = export((&table, &units), format.into(), target, &|| false, &mut |_| {}).unwrap();
        folder.1.read_to_string(&done.file).unwrap()
    };
    assert_eq!(
        written(Format::Markdown),
        "| what | price (EUR) | weight\\_kg | paid (USD cents) |\n| :--- | ---: | ---: | ---: |\n\
         | a | 1.5 | -2 | 3 |\n|  |  |  |  |\n"
    );
    let page = written(Format::Html);
    assert!(page.contains("<th scope=\"col\" dir=\"auto\" class=\"n\">price (EUR)</th>"), "{page}");
    assert!(page.contains("<tr><td dir=\"auto\">a</td><td class=\"n\">1.5</td>"), "{page}");
}

#[test]
fn only_what_a_person_reads_is_a_small_table() {
    let folder = folder();
    let rows = |rows: i64| -> Vec<(&str, ArrayRef)> {
        vec![("n", Arc::new(Int64Array::from_iter_values(0..rows)))]
    };
    for format in [Format::Markdown, Format::Html] {
        assert_eq!(run(&table(rows(1_000)), format, &folder).unwrap().rows, 1_000);
        let error = run(&table(rows(1_001)), format, &folder).unwrap_err().to_string();
        assert!(error.starts_with("the table has 1001 rows and 1 columns, and"), "{error}");
        assert!(error.contains("with a query"), "{error}");
        let names: Vec<String> = (0..51).map(|n| format!("c{n}")).collect();
        let wide = |columns: usize| {
            let one = || Arc::new(Int64Array::from(vec![1])) as ArrayRef;
            table(names[..columns].iter().map(|name| (name.as_str(), one())).collect())
        };
        assert!(run(&wide(50), format, &folder).is_ok());
        let error = run(&wide(51), format, &folder).unwrap_err();
        assert!(matches!(error, ExportError::TooLargeToRead { columns: 51, .. }), "{error}");
    }
    assert_eq!(names(&folder), ["t (2).html", "t (2).md", "t.html", "t.md"]);
}

#[test]
fn a_file_is_replaced_only_where_that_was_said() {
    let folder = folder();
    let table = table(vec![("a", words(vec![Some("x")]))]);
    folder.1.write("t.csv", "theirs").unwrap();
    let over = Target { overwrite: true, ..target(&folder, Some("t")) };
    let done = export((&table, &[]), Format::Csv.into(), over, &|| false, &mut |_| {}).unwrap();
    assert_eq!((done.file.as_str(), names(&folder)), ("t.csv", vec!["t.csv".to_owned()]));
    assert_eq!(folder.1.read("t.csv").unwrap(), b"a\r\nx\r\n");
    // What fails replaces nothing.
    let over = Target { overwrite: true, bytes: 3, ..target(&folder, Some("t")) };
    let failed = export((&table, &[]), Format::Csv.into(), over, &|| false, &mut |_| {});
    assert!(matches!(failed, Err(ExportError::TooLarge { .. })));
    assert_eq!(folder.1.read("t.csv").unwrap(), b"a\r\nx\r\n");
    assert_eq!(names(&folder), ["t.csv"]);
}

#[test]
fn xlsx_shows_units_and_has_filters() {
    let folder = folder();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("price", Arc::new(Float64Array::from(vec![1234.5, 2.0]))),
        ("n", Arc::new(Int64Array::from(vec![1, 2]))),
    ];
    let units = [Some("EUR".to_owned()), None];
    let target = target(&folder, Some("t"));
    export((&table(columns), &units), Format::Xlsx.into(), target, &|| false, &mut |_| {}).unwrap();
    let xml = sheet(&folder, "t.xlsx", 1);
    assert!(xml.contains("<autoFilter ref=\"A1:B3\"/>"), "{xml}");
    assert_eq!(cell(&xml, "A2").unwrap(), "<v>1234.5</v>");
    let style =
        |place: &str| xml.split(&format!("<c r=\"{place}\"")).nth(1).unwrap().starts_with(" s=");
    assert!(style("A2") && style("A3") && !style("B2"));
    let mut book = zip::ZipArchive::new(folder.1.open("t.xlsx").unwrap().into_std()).unwrap();
    let mut styles = String::new();
    book.by_name("xl/styles.xml").unwrap().read_to_string(&mut styles).unwrap();
    assert!(styles.contains("formatCode=\"#,##0.00 &quot;EUR&quot;\""), "{styles}");
}
