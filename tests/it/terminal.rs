//! The screen of a reduction, in a terminal emulator.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::support::{BUG, Bench, assert_mentions};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Bytes from which on the test waits while a file is there.
const HELD_BELOW: usize = 60;

/// A program on a terminal.
pub(crate) struct Emulator {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    shown: Arc<Mutex<(vt100::Parser, Vec<u8>)>>,
    reader: JoinHandle<()>,
}

/// A terminal in which clreduce runs.
type Started = (Box<dyn MasterPty + Send>, Box<dyn Child + Send + Sync>);

/// Starts clreduce in a terminal.
fn start(bench: &Bench, args: &[&str], columns: u16, environment: &[(&str, &str)]) -> Started {
    let size = PtySize { rows: 24, cols: columns, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_clreduce"));
    command.args(args);
    command.cwd(bench.path(""));
    command.env_remove("NO_COLOR");
    command.env("TERM", "xterm-256color");
    command.env("TMPDIR", bench.temporary());
    environment.iter().for_each(|(name, value)| command.env(name, value));
    let child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    (pair.master, child)
}

impl Emulator {
    pub(crate) fn start(
        bench: &Bench,
        args: &[&str],
        columns: u16,
        environment: &[(&str, &str)],
    ) -> Self {
        let (master, child) = start(bench, args, columns, environment);
        let shown = Arc::new(Mutex::new((vt100::Parser::new(24, columns, 200), Vec::new())));
        let (mut from, to) = (master.try_clone_reader().unwrap(), Arc::clone(&shown));
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                let mut shown = to.lock().unwrap();
                shown.0.process(&bytes[..count]);
                shown.1.extend_from_slice(&bytes[..count]);
            }
        });
        let keys = master.take_writer().unwrap();
        Self { master, keys, child, shown, reader }
    }

    fn screen(&self) -> vt100::Screen {
        self.shown.lock().unwrap().0.screen().clone()
    }

    /// Waits until all of this is on the screen.
    #[track_caller]
    fn wait_for(&self, parts: &[&str]) -> String {
        self.wait(|text| parts.iter().all(|part| text.contains(part)))
    }

    /// Waits until the screen is like this.
    #[track_caller]
    fn wait(&self, is_there: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            let text = self.screen().contents();
            if is_there(&text) {
                return text;
            }
            assert!(Instant::now() < deadline, "not what was waited for:\n{text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn resize(&self, columns: u16) {
        let size = PtySize { rows: 24, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.shown.lock().unwrap().0.screen_mut().set_size(24, columns);
        self.master.resize(size).unwrap();
    }

    /// Waits for the end. Returns the exit status, what is on the terminal then, and every byte that was sent to it.
    /// The terminal is as it was before.
    pub(crate) fn end(mut self) -> (u32, String, String) {
        let status = self.child.wait().unwrap();
        drop((self.keys, self.master));
        self.reader.join().unwrap();
        let (parser, bytes) = &*self.shown.lock().unwrap();
        let screen = parser.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{}", screen.contents());
        (status.exit_code(), screen.contents(), String::from_utf8_lossy(bytes).into_owned())
    }
}

/// A reduction that goes on until the program is small, and then waits while `hold` is there.
fn held() -> Bench {
    let bench = Bench::new();
    let lines: String = (0..200).map(|n| format!("int value{n} = {n};\n")).collect();
    bench.write("bug.c", format!("{lines}{BUG}"));
    let hold = bench.write("hold", "").display().to_string();
    bench.script(
        "test.sh",
        &format!(
            "#!/bin/sh\necho looking at *.c\ngrep -q 'needle(' bug.c || exit 1\n\
             [ $(wc -c <bug.c) -lt {HELD_BELOW} ] && while [ -e {hold} ]; do sleep 0.05; done\nexit 0\n"
        ),
    );
    bench
}

const ARGS: [&str; 7] = ["bug.c", "--test", "./test.sh", "--timeout", "600", "-j", "2"];

#[test]
fn figures_commits_and_the_program_at_every_width() {
    let bench = held();
    let mut emulator = Emulator::start(&bench, &ARGS, 80, &[]);
    let parts = ["clreduce bug.c", "tokens", "pass ", "2 of 2 running", "last success", "\n  -"];
    emulator.wait_for(&parts);
    assert!(emulator.screen().alternate_screen());
    // Wide enough for the program beside the commits.
    emulator.resize(200);
    let right = |line: &str| line.chars().skip(100).collect::<String>().contains("needle(");
    emulator.wait(|text| text.contains("\n  -") && text.lines().any(right));
    emulator.resize(40);
    let text = emulator.wait_for(&["2 of 2 running", "last success", "\n  -", "p program"]);
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
    emulator.press("p");
    emulator.wait(|text| {
        text.contains("p commits") && text.contains("needle(") && !text.contains("\n  -")
    });
    emulator.press("p");
    emulator.wait_for(&["\n  -", "p program"]);
    emulator.press("?");
    emulator.wait_for(&["p  show the program", "o  show what the last", "q  stop", "Page Up"]);
    emulator.press("o");
    let text = emulator.wait_for(&["the test of step", "looking at bug.c"]);
    assert!(!text.contains("\n  -"), "{text}");
    // The clock moves while no test ends.
    let clock = |text: &str| text.lines().next().unwrap().to_owned();
    emulator.wait(|now| clock(now) != clock(&text));
    fs::remove_file(bench.path("hold")).unwrap();
    let (status, text, bytes) = emulator.end();
    assert_eq!(status, 0);
    // A short result is printed.
    assert_mentions(&text, &["No single token is left to remove", "result:", "needle("]);
    // The table of passes has no room, so that its rows are sentences.
    assert_mentions(&text, &[": steps "]);
    assert!(!text.contains("tokens removed  "), "{text}");
    assert!(bytes.contains("\x1b[31") || bytes.contains("\x1b[38;5;1"), "there is colour");
}

#[test]
fn keys_stop_and_the_same_command_goes_on() {
    for key in ["q", "\x03"] {
        let bench = held();
        let mut emulator = Emulator::start(&bench, &ARGS, 80, &[("NO_COLOR", "1")]);
        emulator.wait_for(&["2 of 2 running", "last success"]);
        emulator.press(key);
        let (status, text, bytes) = emulator.end();
        assert_eq!(status, 130, "{text}");
        assert_mentions(&text, &["Interrupted"]);
        // 39 gives the terminal its own colour back.
        let colors = ["\x1b[31", "\x1b[32", "\x1b[33", "\x1b[38;"];
        assert!(colors.iter().all(|color| !bytes.contains(color)), "NO_COLOR");
        bench.assert_nothing_left();
        fs::remove_file(bench.path("hold")).unwrap();
        bench.reduce(&ARGS);
    }
}

#[test]
fn a_skipped_pass_is_part_of_the_journal() {
    let bench = held();
    let events = [&ARGS[..], &["--events", "events.jsonl"]].concat();
    let mut emulator = Emulator::start(&bench, &events, 80, &[]);
    emulator.wait_for(&["2 of 2 running", "pass "]);
    emulator.press("s");
    emulator.wait_for(&["skipping the pass"]);
    fs::remove_file(bench.path("hold")).unwrap();
    let (status, ..) = emulator.end();
    assert_eq!(status, 0);
    let all = bench.events("events.jsonl");
    let skipped = all.iter().filter(|event| event["event"] == "pass_skipped").count();
    assert_eq!(skipped, 1);
}

#[test]
fn the_program_is_edited_and_gone_on_from() {
    let edit = |text: &str| {
        let bench = held();
        bench.script("edit.sh", &format!("#!/bin/sh\necho '{text}' >\"$2\"\n"));
        let editor = format!("{} --wait", bench.path("edit.sh").display());
        let events = [&ARGS[..], &["--events", "events.jsonl"]].concat();
        let mut emulator = Emulator::start(&bench, &events, 80, &[("EDITOR", &*editor)]);
        emulator.wait_for(&["2 of 2 running", "pass "]);
        emulator.press("e");
        emulator
            .wait(|text| ["testing the edit", "edit is not"].iter().any(|it| text.contains(it)));
        fs::remove_file(bench.path("hold")).unwrap();
        let (status, shown, _) = emulator.end();
        assert_eq!(status, 0, "{shown}");
        assert_mentions(&bench.read("bug.c"), &["needle("]);
        let judged = bench.events("events.jsonl");
        let judged = judged.iter().filter(|it| it["event"] == "judged" && it["pass"] == "edit");
        let verdicts: Vec<bool> = judged.map(|it| it["interesting"].as_bool().unwrap()).collect();
        (verdicts, shown, bench.path("bug.c.edited").exists())
    };
    let padding = "int more; ".repeat(HELD_BELOW);
    let (verdicts, shown, is_aside) = edit(&format!("int needle(int mine); {padding}"));
    assert_eq!((verdicts, is_aside), (vec![true], false), "{shown}");
    let (verdicts, shown, is_aside) = edit(&padding);
    assert_eq!((verdicts, is_aside), (vec![false], true), "{shown}");
}

#[test]
fn an_error_gives_the_terminal_back() {
    let bench = held();
    let emulator = Emulator::start(&bench, &ARGS, 80, &[]);
    emulator.wait_for(&["2 of 2 running", "last success"]);
    bench.write("bug.c", "somebody else wrote this\n");
    fs::remove_file(bench.path("hold")).unwrap();
    let (status, text, _) = emulator.end();
    assert_eq!(status, 1);
    assert_mentions(&text, &["error", "bug.c"]);
}

#[test]
fn plain_lines_where_they_are_wanted() {
    let bench = held();
    fs::remove_file(bench.path("hold")).unwrap();
    for (args, environment) in
        [(&["--plain"][..], &[][..]), (&["-v"], &[]), (&[], &[("TERM", "dumb")])]
    {
        bench.write("bug.c", BUG);
        let args = [&ARGS[..], args].concat();
        let (status, text, bytes) = Emulator::start(&bench, &args, 80, environment).end();
        assert_eq!(status, 0, "{text}");
        assert!(!bytes.contains("\x1b[?1049h"), "{args:?}");
        assert_mentions(&text, &["No single token is left to remove"]);
    }
}

#[test]
fn a_terminal_that_goes_away_ends_the_run() {
    let bench = held();
    let (master, mut child) = start(&bench, &ARGS, 80, &[]);
    let mut screen = master.try_clone_reader().unwrap();
    let mut shown = Vec::new();
    while !String::from_utf8_lossy(&shown).contains("?1049h") {
        let mut bytes = [0; 256];
        let count = screen.read(&mut bytes).unwrap();
        assert!(count > 0, "{}", String::from_utf8_lossy(&shown));
        shown.extend_from_slice(&bytes[..count]);
    }
    drop((screen, master));
    // It used to read the end of the terminal for ever.
    child.wait().unwrap();
    assert!(bench.read("bug.c").contains("needle("));
}
