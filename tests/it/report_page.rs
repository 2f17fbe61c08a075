//! The page of a batch report, drawn by a browser: Chromium or Chrome, on the `PATH`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Bench, SCRIPT, TEST, assert_mentions};
use clreduce::TestCase;
use clreduce::batch::CaseRecord;
use clreduce::report::{
    BatchReport, CampaignOutcomes, CaseDetails, DATA, OutcomeRow, PAGE, SCHEMA,
};
use clreduce::triage::{Triage, TriageCase};
use serde_json::{Value, json};

const BROWSERS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// A signature that is wider than a telephone.
const LONG: &str =
    "pass loop-vectorize; in llvm::VPRecipeBuilder::tryToCreateWidenRecipeForALongName";

fn record(name: &str, outcome: &str, tests: u64) -> CaseRecord {
    serde_json::from_value(json!({
        "name": name, "original": "", "outcome": outcome, "reason": "",
        "before": { "bytes": 4000, "tokens": 1234, "work_items": 64 },
        "after": { "bytes": 40, "tokens": 12, "work_items": 1 },
        "steps": 150, "tests": tests, "seconds": 3.2, "timeout": 2.0, "contradictions": 0,
        "passes": [{ "name": "lines", "steps": 4, "interesting": 1, "tokens_removed": 1222, "seconds": 2.5 }],
        "stages": [{ "name": "compile", "looked": 9, "seconds": 0.5 }],
        "files": [{ "path": "a.c", "lines": 2000 }],
        "exit_code": 0, "output": "Assertion `<b>' failed",
    }))
    .unwrap()
}

fn commit(tests: u64, tokens: u64, taken: [u32; 2]) -> Value {
    json!({ "taken": [taken],
         "step": tests, "tests": tests, "seconds": 1.0, "pass": "lines", "bytes": 40, "tokens": tokens,
        "work_items": 1, "diff": "@@\n-gone\n+<i>new</i>\n" })
}

/// A report on two cases that were reduced, with two bugs, and one that was not.
fn report(out: &Path) {
    let program = "\nint a; // </script>\n";
    let folder = out.join("cases/a b.c");
    fs::create_dir_all(folder.join("reduced")).unwrap();
    fs::write(folder.join("reduced/a b.c"), program).unwrap();
    let other = out.join("cases/c.c");
    fs::create_dir_all(other.join("reduced")).unwrap();
    fs::write(other.join("reduced/c.c"), program).unwrap();
    let commits = format!("{}\n{}\n", commit(10, 100, [1, 1500]), commit(137, 12, [1502, 2000]));
    fs::write(folder.join("history.jsonl"), commits).unwrap();
    let crash = CaseRecord { output: format!("signature: {LONG}"), ..record("c.c", "minimal", 20) };
    let records = [record("</script>.c", "flaky", 7), record("a b.c", "minimal", 137), crash];
    let case = TestCase::single("a.c", program.as_bytes()).unwrap();
    let cases = [&records[1], &records[2]]
        .map(|record| TriageCase::new(&case, &record.output, Some(0), []));
    let report = BatchReport {
        title: "clreduce batch <cases>",
        records: &records,
        triage: &Triage::of(&cases, &[]),
        triaged: &[1, 2],
        outcomes: Some(&outcomes()),
        details: &|record| {
            let name = &record.name;
            Ok(CaseDetails {
                commands: vec![("reduce this case again".to_owned(), format!("clreduce {name}"))],
                path: Path::new("/originals").join(name),
                ..CaseDetails::read(&out.join("cases").join(name))?
            })
        },
    };
    report.write(out).unwrap();
}

/// The outcomes of a campaign with one configuration.
fn outcomes() -> CampaignOutcomes {
    let row = OutcomeRow {
        configuration: "pocl <opt>".to_owned(),
        counts: vec![1234],
        bugs: 2,
        avoids: vec!["mad_sat.long".to_owned()],
        left_out: true,
    };
    let classes = vec!["wrong result".to_owned()];
    CampaignOutcomes { programs: 98_765, classes, rows: vec![row], found_by: vec![70_000, 12] }
}

/// The elements that the browser draws, without the scripts after them.
fn drawn(browser: &str, page: &Path, part: &str) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--virtual-time-budget=10000", "--dump-dom", "--allow-file-access-from-files"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}#{part}", page.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = String::from_utf8(output.stdout).unwrap();
    page.split("<script").next().unwrap_or_default().to_owned()
}

fn browser() -> &'static str {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found =
        BROWSERS.into_iter().find(|name| folders.iter().any(|folder| folder.join(name).is_file()));
    found.unwrap_or_else(|| {
        panic!("none of {BROWSERS:?} is installed; scripts/setup browser installs Chromium")
    })
}

#[test]
fn the_data_have_a_schema_and_every_case() {
    let out = tempfile::tempdir().unwrap();
    report(out.path());
    let data: Value = serde_json::from_slice(&fs::read(out.path().join(DATA)).unwrap()).unwrap();
    assert_eq!(
        (&data["schema"], &data["title"]),
        (&json!(SCHEMA), &json!("clreduce batch <cases>"))
    );
    assert_eq!(data["clusters"], json!(["assertion <b>", LONG]));
    let [first, _, second] = &data["cases"].as_array().unwrap()[..] else { panic!("{data}") };
    assert_eq!((&first["name"], &first["rank"]), (&json!("a b.c"), &json!(1)));
    assert_eq!(first["reduced"][0], json!({ "path": "a b.c", "text": "\nint a; // </script>\n" }));
    assert_eq!(first["path"], "/originals/a b.c");
    assert_eq!((&second["rank"], &second["cluster"]), (&Value::Null, &Value::Null));
    let page = fs::read_to_string(out.path().join(PAGE)).unwrap();
    assert!(!page.contains("</script>.c"), "a name cannot end the element that it stands in");
}

#[test]
#[cfg_attr(windows, ignore = "asks a browser: done on Linux")]
fn a_browser_draws_the_table_and_each_case() {
    let browser = browser();
    let out = tempfile::tempdir().unwrap();
    report(out.path());
    let page = out.path().join(PAGE);

    let all = drawn(browser, &page, "");
    for part in [
        "<h1>clreduce batch &lt;cases&gt;</h1>",
        "<a href=\"#a%20b.c\">a b.c</a>",
        "<a href=\"#%3C%2Fscript%3E.c\">&lt;/script&gt;.c</a>",
        "assertion &lt;b&gt;",
        "<td class=\"outcome left good\" title=\"\">minimal</td>",
        "<code>int a; // &lt;/script&gt;</code>",
        "assertion &lt;b&gt; <small>1 case</small>",
        "Not reduced <small>1 case</small>",
        "a b.c: 1,234 → 12 tokens, assertion",
        "Bugs, by the first program that showed each",
        "group by bug",
        "<td class=\"\">1,234</td>",
        "8,000 → 80",
        "Outcomes of 98,765 programs",
        "<td class=\"left\">pocl &lt;opt&gt; (left out)</td>",
        "<td>2</td><td class=\"left\">mad_sat.long</td>",
    ] {
        assert!(all.contains(part), "{part} is not in {all}");
    }

    let one = drawn(browser, &page, "a%20b.c");
    for part in [
        "int a; <span class=\"comment\">// &lt;/script&gt;</span>",
        "<path class=\"line\" d=\"M0.00 ",
        ">50</span>",
        ">100</span>",
        "lines 1 to 1,500: lines, commit 1, after 1.0 s",
        "lines 1,501 to 1,504: left",
        "<i class=\"left\"></i>left <small>1 line</small>",
        "<span>2.5 s</span>",
        "By stage of the test",
        "<dd>64 → 1</dd>",
        "<span class=\"minus\">-gone</span><span class=\"plus\">+&lt;i&gt;new&lt;/i&gt;</span>",
        "1 of 2: lines, step 10, 100 tokens, 40 bytes after 1.0 s",
        "<code>clreduce a b.c</code>",
        "Original: <code>/originals/a b.c</code> <button class=\"copy\" type=\"button\">Copy</button>",
        "25 %",
    ] {
        assert!(one.contains(part), "{part} is not in {one}");
    }
    assert!(!one.contains("NaN") && !one.contains("undefined"), "{one}");
    for below in one.split("<div class=\"x\">").skip(1) {
        let below = below.split("</div>").next().unwrap_or_default();
        let ticks = below.matches("<span").count();
        assert!((2..=6).contains(&ticks), "{ticks} numbers below the curve: {below}");
    }

    // Nothing was removed, and there is no curve: the page of the case is there all the same.
    let other = drawn(browser, &page, "%3C%2Fscript%3E.c");
    assert!(other.contains("<h1>&lt;/script&gt;.c</h1>") && !other.contains("NaN"), "{other}");
}

/// A browser that runs no scripts shows the results, and all pictures of a reduction.
#[test]
#[cfg_attr(windows, ignore = "asks a browser: done on Linux")]
fn a_page_is_read_without_scripts() {
    let out = tempfile::tempdir().unwrap();
    report(out.path());
    let all = drawn_without_scripts(&out.path().join(PAGE));
    assert_mentions(&all, &["pocl &lt;opt&gt;", "int a; // &lt;/script&gt;", "a b.c: 1,234 → 12"]);
    assert_mentions(&all, &[LONG, "<td class=\"left\">flaky</td>"]);

    let bench = Bench::with_bug();
    bench.reduce(&["bug.c", "--test", SCRIPT, "--timeout", "20s", "--report", "page.html"]);
    let one = drawn_without_scripts(&bench.path("page.html"));
    assert_mentions(&one, &["needle", "<div class=\"strip\">", "<div class=\"bars\">", "Commands"]);
    assert_eq!(one.matches("class=\"plot\"").count(), 2, "over tests and over time: {one}");
}

/// What the browser draws of a page that may run no script: in a frame that a page with scripts copies.
fn drawn_without_scripts(page: &Path) -> String {
    let frame = format!(
        "<body><iframe sandbox=allow-same-origin src={}></iframe><script>
        onload = () => {{
          const main = document.querySelector('iframe').contentDocument.querySelector('#plain');
          document.body.replaceChildren(document.importNode(main, true));
        }};
        </script>",
        page.file_name().unwrap().to_str().unwrap()
    );
    let around = page.with_file_name("without-scripts.html");
    fs::write(&around, frame).unwrap();
    drawn(browser(), &around, "")
}

/// From a telephone to a wide screen, nothing has to be moved sideways, and the letters keep their size.
#[test]
#[cfg_attr(windows, ignore = "asks a browser: done on Linux")]
fn pictures_fit_into_every_width() {
    let out = tempfile::tempdir().unwrap();
    report(out.path());
    for width in [390, 800, 1400] {
        let frame = format!(
            "<body><iframe src=report.html#a%20b.c style=width:{width}px;height:800px></iframe><script>
            const look = () => {{
              const page = document.querySelector('iframe').contentDocument;
              const parts = [...page.querySelectorAll('#one .strip, #one .plot, #one .bars')];
              if (parts.length < 6) return setTimeout(look, 50);
              const fits = (part) => part.getBoundingClientRect().right <= {width};
              const letters = page.querySelector('.plot .x span');
              document.body.textContent = [page.documentElement.scrollWidth <= {width}, parts.every(fits),
                parseFloat(getComputedStyle(letters).fontSize) >= 12].join(' ');
            }};
            onload = look;
            </script>"
        );
        fs::write(out.path().join("frame.html"), frame).unwrap();
        let drawn = drawn(browser(), &out.path().join("frame.html"), "");
        assert!(drawn.contains("true true true"), "{width}: {drawn}");
    }
}

/// On a telephone, the signature of a bug is read in full, and nothing has to be moved sideways.
#[test]
#[cfg_attr(windows, ignore = "asks a browser: done on Linux")]
fn a_narrow_screen_shows_the_bugs() {
    let out = tempfile::tempdir().unwrap();
    report(out.path());
    let frame = "<body><iframe src=report.html style=width:390px;height:800px></iframe><script>
        onload = () => {
          const page = document.querySelector('iframe').contentDocument;
          const width = (node) => Math.round(node.getBoundingClientRect().width);
          const seen = () => {
            const bugs = [...page.querySelectorAll('.group th, td.bug')].filter((cell) => width(cell));
            const least = Math.min(...bugs.map(width));
            return `${page.documentElement.scrollWidth <= 390} ${least > 250} ${bugs.length}; `;
          };
          const grouped = seen();
          page.querySelector('#filter input[type=checkbox]').click();
          document.body.textContent = grouped + seen();
        };
        </script>";
    fs::write(out.path().join("frame.html"), frame).unwrap();
    let drawn = drawn(browser(), &out.path().join("frame.html"), "");
    assert!(drawn.contains("true true 3; true true 3; "), "{drawn}");
}

/// `--report` writes the page of one case, and the commands on it do what they say.
#[test]
#[cfg_attr(windows, ignore = "asks a browser: done on Linux")]
fn the_page_of_one_reduction_is_that_of_its_case() {
    let bench = Bench::with_bug();
    bench.reduce(&["bug.c", "--test", SCRIPT, "--timeout", "20s", "--report", "page.html"]);
    let page = drawn(browser(), &bench.path("page.html"), "");
    assert_mentions(
        &page,
        &["<h1>bug.c</h1>", "Reduced program", "needle", "<div class=\"strip\">"],
    );
    assert_mentions(&page, &["--timeout 20000ms", "bug.c.orig"]);
    assert!(!page.contains("All cases") && !page.contains("NaN"), "{page}");

    let commands: Vec<String> = page
        .split("<div class=\"command\">")
        .skip(1)
        .filter_map(|part| Some(part.split_once("<code>")?.1.split_once("</code>")?.0.to_owned()))
        .map(|command| command.replace("&amp;", "&"))
        .collect();
    let [again, on_result, on_original] = &commands[..] else { panic!("{commands:?}") };
    let program = Path::new(env!("CARGO_BIN_EXE_clreduce")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let folder = tempfile::tempdir().unwrap();
    let run = |command: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(folder.path());
        let output = shell.env("PATH", format!("{}:{path}", program.display())).output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    };
    run(on_result);
    run(on_original);
    run(again);
    let reduced = fs::read_to_string(folder.path().join("reduced-bug.c")).unwrap();
    assert_eq!(reduced, bench.read("bug.c"));
    // What the commands test is the file, not anything else.
    bench.script(crate::support::SCRIPT_NAME, &TEST.replace("needle", "nothing"));
    let failed = Command::new("sh").args(["-c", on_result]).current_dir(folder.path()).output();
    assert!(!failed.unwrap().status.success());

    let refused = bench.run(&["bug.c", "--test", SCRIPT, "--report", "no/page.html"]).code(2);
    assert_mentions(&crate::support::stderr(&refused), &["no/page.html"]);
}
