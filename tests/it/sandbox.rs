//! The sandbox: the table in `docs/sandbox.md` is true, for root and for an ordinary user, and what the program says about
//! what it refuses leads on.
//!
//! Attempts are made by tests in the sandbox on files, processes and sockets outside that are made for it. A machine
//! without Landlock or bubblewrap cannot check the table: there the tests fail, and say so.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::{Bench, assert_mentions, stderr};
use clreduce::{
    Cancel, CommandOptions, CommandTest, Confinement, Interestingness, Limits, Permissions,
    TestCase, TestCommand, Verdict,
};

/// Set in the process that makes the attempts: the home, which nobody else uses.
const HOME: &str = "CLREDUCE_SANDBOX_HOME";
/// Set there as well: the program clreduce, which supervises tests.
const WORKER: &str = "CLREDUCE_SANDBOX_WORKER";
/// Begins each line that this process prints about an attempt.
const ROW: &str = "attempt: ";
/// An ordinary user.
const NOBODY: &str = "65534";

/// The number of a file that the process that makes the attempts has inherited.
const INHERITED: u32 = 77;

/// The key of a segment of memory.
const SEGMENT: i32 = 0x636c_7264;

/// A program that makes a system call, by its numbers on x86-64 and AArch64, and succeeds as it does.
fn system_call([x86, arm]: [u32; 2], arguments: &str) -> String {
    let number = if cfg!(target_arch = "x86_64") { x86 } else { arm };
    format!("perl -e \"my @a = ({arguments}); exit(syscall({number}, @a) < 0)\"")
}

/// A program that makes a system call with wrong arguments, and succeeds if the system looks at them.
fn not_forbidden([x86, arm]: [u32; 2], arguments: &str) -> String {
    let number = if cfg!(target_arch = "x86_64") { x86 } else { arm };
    format!("perl -MErrno -e 'syscall({number}, {arguments}); exit($!{{EPERM}} ? 1 : 0)'")
}

/// A program that makes a socket `S` for TCP, and does more with it. `$to` is the address.
fn socket_call(rest: &str, port: u16) -> String {
    format!(
        "perl -MSocket -e '$to = pack_sockaddr_in({port}, inet_aton(\"127.0.0.1\")); exit(!(socket(S, PF_INET, \
         SOCK_STREAM, {rest}));'"
    )
}

/// The machine around a test.
struct Scene {
    home: PathBuf,
    /// Named after it, so that no other scene has the same.
    name: String,
    victim: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    socket: UnixListener,
    hidden_socket: UnixListener,
}

impl Scene {
    fn new(home: &Path) -> Self {
        let name = format!("clreduce-sandbox-{}", std::process::id());
        fs::create_dir_all(home.join(".ssh")).unwrap();
        fs::create_dir_all(home.join(".cache/clreduce")).unwrap();
        fs::write(home.join(".cache/clreduce/host"), "program").unwrap();
        fs::write(home.join(".ssh/id"), "key").unwrap();
        fs::write(home.join("kept"), "kept").unwrap();
        fs::set_permissions(home.join("kept"), fs::Permissions::from_mode(0o644)).unwrap();
        let socket = home.join("socket");
        let _ = fs::remove_file(&socket);
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let scene = Self {
            home: home.to_owned(),
            victim: Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap(),
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            socket: UnixListener::bind(socket).unwrap(),
            hidden_socket: UnixListener::bind_addr(&address).unwrap(),
            name,
        };
        scene.tcp.set_nonblocking(true).unwrap();
        scene.udp.set_nonblocking(true).unwrap();
        scene.socket.set_nonblocking(true).unwrap();
        scene.hidden_socket.set_nonblocking(true).unwrap();
        scene
    }

    fn in_tmp(&self) -> PathBuf {
        Path::new("/tmp").join(format!("{}-written", self.name))
    }

    fn in_shm(&self) -> PathBuf {
        Path::new("/dev/shm").join(format!("{}-written", self.name))
    }

    /// The attempts: names as in the table, and shell commands.
    fn attempts(&self) -> Vec<(&'static str, String)> {
        let victim = self.victim.id();
        let unix = |peer: &str| {
            format!("perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer => {peer}) or die $!'")
        };
        let tcp = self.tcp.local_addr().unwrap().port();
        let udp = self.udp.local_addr().unwrap().port();
        let (socket, kept) = (self.home.join("socket"), self.home.join("kept"));
        vec![
            ("`chmod` of a file outside", "chmod 600 ~/kept".to_owned()),
            ("read `~/.ssh`", "grep -q key ~/.ssh/id".to_owned()),
            ("write in the home", "echo x > ~/written".to_owned()),
            ("write to `/tmp`", format!("echo x > {}", self.in_tmp().display())),
            ("write to `/dev/shm`", format!("echo x > {}", self.in_shm().display())),
            ("connect by TCP", format!("bash -c 'echo x > /dev/tcp/127.0.0.1/{tcp}'")),
            ("send by UDP", format!("bash -c 'echo x > /dev/udp/127.0.0.1/{udp}'")),
            ("connect to a Unix socket in the home", unix(&format!("\"{}\"", socket.display()))),
            ("connect to an abstract Unix socket", unix(&format!("\"\\0{}\"", self.name))),
            ("change a program that clreduce keeps", "echo x > ~/.cache/clreduce/host".to_owned()),
            ("limit another process", format!("prlimit --pid {victim} --nofile=77:77")),
            ("renice another process", format!("renice -n 5 -p {victim}")),
            ("bind another process to a core", format!("taskset -p -c 0 {victim}")),
            ("connect by MPTCP", socket_call("262) && connect(S, $to)", tcp)),
            ("connect by TCP Fast Open", socket_call("0) && send(S, \"x\", 0x20000000, $to)", tcp)),
            ("listen on TCP without an address", socket_call("0) && listen(S, 1)", tcp)),
            (
                "make or remove a subvolume (`ioctl`)",
                not_forbidden([16, 29], "-1, 0x5000940e, 0")
                    + " || "
                    + &not_forbidden([16, 29], "-1, 0x5000940f, 0"),
            ),
            (
                "freeze or encrypt a file system (`ioctl`)",
                not_forbidden([16, 29], "-1, 0xc0045877, 0")
                    + " || "
                    + &not_forbidden([16, 29], "-1, 0x800c6613, 0"),
            ),
            ("change how a folder is mounted", not_forbidden([442, 442], "-1, 0, 0, 0, 0")),
            (
                "write to a file that whoever started clreduce has open",
                format!("bash -c 'echo x >&{INHERITED}'"),
            ),
            (
                "keep a key in a keyring",
                system_call([248, 217], "'user', 'clreduce-sandbox', 'x', 1, -4"),
            ),
            (
                "set an extended attribute of a file outside",
                system_call([188, 5], &format!("'{}', 'user.x', 'x', 1, 0", kept.display())),
            ),
            ("keep memory of System V", system_call([29, 194], &format!("{SEGMENT}, 4096, 01600"))),
            (
                "`ptrace` of another process",
                // PTRACE_ATTACH; the victim goes on when the attempt ends.
                system_call([101, 117], &format!("16, {victim}, 0, 0")),
            ),
            ("`kill -9` of another process", format!("kill -9 {victim}")),
            ("`rm -rf ~`", "rm -rf ~/*".to_owned()),
        ]
    }

    /// What the system says of the victim.
    fn of_victim(&self, file: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{file}", self.victim.id())).unwrap()
    }

    /// Returns true if an attempt changed something outside, or was answered.
    fn shows(&mut self, attempt: &str, verdict: Verdict) -> bool {
        let accepted = verdict == Verdict::Interesting;
        match attempt {
            "`rm -rf ~`" => !self.home.join("kept").exists(),
            "write to `/tmp`" => fs::remove_file(self.in_tmp()).is_ok(),
            "write to `/dev/shm`" => fs::remove_file(self.in_shm()).is_ok(),
            "write in the home" => self.home.join("written").exists(),
            "`chmod` of a file outside" => {
                fs::metadata(self.home.join("kept")).unwrap().permissions().mode() & 0o777 == 0o600
            }
            "`kill -9` of another process" => {
                std::thread::sleep(Duration::from_millis(100));
                self.victim.try_wait().unwrap().is_some()
            }
            "change a program that clreduce keeps" => {
                fs::read(self.home.join(".cache/clreduce/host")).unwrap() != b"program"
            }
            "limit another process" => self.of_victim("limits").contains(" 77 "),
            "renice another process" => self.of_victim("stat").split(' ').nth(18) == Some("5"),
            "bind another process to a core" => {
                self.of_victim("status").contains("Cpus_allowed_list:\t0\n")
            }
            "keep memory of System V" => {
                let kept = fs::read_to_string("/proc/sysvipc/shm").unwrap();
                let key = SEGMENT.to_string();
                let is_kept = kept.lines().any(|line| line.split_whitespace().next() == Some(&key));
                let _ = Command::new("ipcrm").args(["-M", &key]).output();
                is_kept
            }
            "connect by TCP" | "connect by MPTCP" | "connect by TCP Fast Open" => {
                self.tcp.accept().is_ok()
            }
            "send by UDP" => self.udp.recv(&mut [0; 8]).is_ok(),
            "connect to a Unix socket in the home" => self.socket.accept().is_ok(),
            "connect to an abstract Unix socket" => self.hidden_socket.accept().is_ok(),
            "write to a file that whoever started clreduce has open" => {
                fs::metadata(self.home.with_file_name("inherited")).unwrap().len() > 0
            }
            "`ptrace` of another process"
            | "make or remove a subvolume (`ioctl`)"
            | "freeze or encrypt a file system (`ioctl`)"
            | "change how a folder is mounted"
            | "read `~/.ssh`"
            | "listen on TCP without an address"
            | "keep a key in a keyring"
            | "set an extended attribute of a file outside" => accepted,
            other => panic!("{other}"),
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

fn level(name: &str) -> Confinement {
    let permissions = Permissions::default();
    match name {
        "off" => Confinement::Unconfined,
        "auto" => Confinement::landlock(permissions).expect(
            "this machine cannot check the table: its kernel has no Landlock, which `auto` needs",
        ),
        _ => Confinement::bubblewrap(permissions).expect(
            "this machine cannot check the table: `strict` needs bubblewrap (scripts/setup sandbox) and user \
             namespaces",
        ),
    }
}

fn judge(line: &str, confinement: Confinement, limits: Limits) -> Verdict {
    let worker = Some(PathBuf::from(std::env::var_os(WORKER).unwrap()));
    let options = CommandOptions { limits, worker, confinement, ..CommandOptions::default() };
    let test = CommandTest::new(&TestCommand::Shell(line.to_owned()), options).unwrap();
    test.judge(&TestCase::single("a.c", b"int a;".as_slice()).unwrap(), &Cancel::new())
        .unwrap()
        .verdict
}

/// What Landlock stops only since a version of Linux, as the page says.
const SINCE: [(&str, (u32, u32)); 2] =
    [("connect to an abstract Unix socket", (6, 12)), ("`kill -9` of another process", (6, 12))];

/// The version of this kernel.
fn kernel() -> (u32, u32) {
    let text = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// Makes every attempt in every level, as the user of this process, and prints what came of it.
#[test]
#[ignore = "the tests below start this one in a process of its own, as root and as another user"]
fn make_attempts() {
    let home = PathBuf::from(std::env::var_os(HOME).unwrap());
    for name in ["off", "auto", "strict"] {
        let mut scene = Scene::new(&home);
        for (attempt, line) in scene.attempts() {
            let verdict = judge(&line, level(name), Limits::default());
            let outcome = if scene.shows(attempt, verdict) { "done" } else { "refused" };
            println!("{ROW}{attempt} | {name} | {outcome}");
        }
        let few = Limits { processes: 100, disk_bytes: 8 << 20, ..Limits::default() };
        for (attempt, line) in [
            ("start 300 processes", "for i in $(seq 300); do sleep 60 & done; wait"),
            ("write more than the limit to disk", "yes > big; sleep 60"),
        ] {
            let ended = judge(line, level(name), few.clone()) == Verdict::Unresolved;
            println!("{ROW}{attempt} | {name} | {}", if ended { "ended" } else { "done" });
        }
        // A home of the user, who can write it, and what has to work in it in any level.
        let allowed = "echo x > mine && echo x > $TMPDIR/mine && echo x > /dev/null && \
                       echo x > /dev/stderr && mkdir d && mv mine d && rm -r d && kill -0 $$ && \
                       sleep 60 & kill $!";
        let verdict = judge(allowed, level(name), Limits::default());
        assert_eq!(verdict, Verdict::Interesting, "{name}: {allowed}");
    }
}

/// The table of the page, as it holds for this kernel: by attempt and level.
fn table() -> BTreeMap<String, String> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/sandbox.md"));
    let page = page.unwrap();
    let rows = page.lines().skip_while(|line| !line.starts_with("| attempt |")).skip(2);
    let mut cells = BTreeMap::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let row: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        for (level, cell) in ["off", "auto", "strict"].iter().zip(&row[1..]) {
            cells.insert(format!("{} | {level}", row[0]), (*cell).to_owned());
        }
    }
    for (attempt, _) in SINCE.into_iter().filter(|&(_, since)| kernel() < since) {
        cells.insert(format!("{attempt} | auto"), "done".to_owned());
    }
    cells
}

fn check_table(user: Option<&str>) {
    // Another user must be able to run the programs, and to enter the folder.
    let folder = tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(0o755))
        .tempdir_in("/tmp")
        .unwrap();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::set_permissions(&home, fs::Permissions::from_mode(0o777)).unwrap();
    let inherited = folder.path().join("inherited");
    fs::write(&inherited, "").unwrap();
    fs::set_permissions(&inherited, fs::Permissions::from_mode(0o666)).unwrap();
    let copy = |from: &Path, name: &str| {
        let to = folder.path().join(name);
        fs::copy(from, &to).unwrap();
        to
    };
    let own = copy(&std::env::current_exe().unwrap(), "attempts");
    let worker = copy(Path::new(env!("CARGO_BIN_EXE_clreduce")), "worker");
    let inherits = format!("exec \"$0\" \"$@\" {INHERITED}>>\"$HOME/../inherited\"");
    let mut command = match user {
        Some(user) => {
            let mut command = Command::new("setpriv");
            let (uid, gid) = (format!("--reuid={user}"), format!("--regid={user}"));
            command.args([&*uid, &*gid, "--clear-groups", "--", "bash"]);
            command
        }
        None => Command::new("bash"),
    };
    command
        .args(["-c", &inherits])
        .arg(own)
        .args(["--exact", "sandbox::make_attempts", "--ignored", "--nocapture", "--test-threads=1"])
        .env("HOME", &home)
        .env(HOME, &home)
        .env(WORKER, worker)
        .env("TMPDIR", "/tmp")
        .env_remove("XDG_CACHE_HOME")
        .current_dir("/");
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    let seen: BTreeMap<String, String> = printed
        .lines()
        .filter_map(|line| line.split_once(ROW)?.1.rsplit_once(" | "))
        .map(|(cell, outcome)| (cell.to_owned(), outcome.to_owned()))
        .collect();
    assert!(seen.len() > 30, "attempts are made: {printed}");
    assert_eq!(seen, table(), "docs/sandbox.md (right) does not say what happens (left)");
}

#[test]
fn the_table_is_true_for_whoever_runs_this() {
    check_table(None);
}

#[test]
fn the_table_is_true_for_an_ordinary_user() {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| {
        use std::os::unix::fs::MetadataExt;
        own.uid() == 0
    });
    check_table(is_root.then_some(NOBODY));
}

/// A folder outside every test.
fn outside(bench: &Bench) -> String {
    let folder = bench.path("logs");
    fs::create_dir(&folder).unwrap();
    folder.display().to_string()
}

#[test]
fn what_the_sandbox_refuses_is_named_with_the_option_that_allows_it() {
    let bench = Bench::with_bug();
    let logs = outside(&bench);
    bench.script("test.sh", &format!("#!/bin/sh\ngrep -q needle bug.c && echo x >> {logs}/log\n"));
    let refused = bench.run(&["bug.c", "--test", "./test.sh"]).code(1);
    assert_mentions(
        &stderr(&refused),
        &[
            "the sandbox is the reason",
            "Permission denied",
            &format!("{logs}/log"),
            "--writable",
            "--sandbox off",
        ],
    );
    fs::remove_file(bench.path("logs/log")).unwrap();
    bench.reduce(&["bug.c", "--test", "./test.sh", "--writable", &logs, "-q"]);
    assert!(bench.path("logs/log").exists());
}

#[test]
fn strict_hides_what_is_beside_the_test_unless_it_is_allowed() {
    let bench = Bench::with_bug();
    let logs = outside(&bench);
    fs::write(bench.path("logs/word"), "needle").unwrap();
    bench.script("test.sh", &format!("#!/bin/sh\ngrep -qf {logs}/word bug.c\n"));
    let refused = bench.run(&["bug.c", "--test", "./test.sh", "--sandbox", "strict"]).code(1);
    assert_mentions(&stderr(&refused), &["the sandbox is the reason", "--readable"]);
    bench.reduce(&["bug.c", "-t", "./test.sh", "--sandbox", "strict", "--readable", &logs, "-q"]);
    assert!(bench.read("bug.c").contains("needle"));
}

/// Programs that were compiled once and run later decide which kernels are valid.
#[test]
fn programs_that_are_kept_are_nobodys_to_change() {
    let bench = Bench::with_bug();
    bench.write(
        "race.cl",
        "// -g 4,1,1 -l 4,1,1\n__kernel void entry(__global ulong *r) { r[0] = get_global_id(0); }\n",
    );
    let caches = bench.path("caches");
    let run = |args: &[&str]| {
        let output = bench.command(args).env("XDG_CACHE_HOME", &caches).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        format!("{}{}", text(&output.stdout), text(&output.stderr))
    };
    // Takes the word that has the program look for races away.
    let poison = format!(
        "#!/bin/bash\ngrep -q needle bug.c || exit 1\n\
         for f in $(find {caches} -type f -name 'host-*'); do case $f in *.*) continue;; esac\n\
         mv $f $f.real && printf '#!/bin/bash\\na=(); for x; do [ \"$x\" = races ] || a+=(\"$x\"); done; exec %s \
         \"${{a[@]}}\"\\n' $f.real > $f && chmod 700 $f; done\nexit 0\n",
        caches = caches.display()
    );
    bench.script("poison.sh", &poison);
    for level in ["auto", "strict", "off"] {
        for _ in 0..2 {
            let said = run(&["check", "race.cl", "--only", "sanitize", "--sandbox", level]);
            assert_mentions(&said, &["race.cl:2: data-race:"]);
            bench.write("bug.c", "int needle;\nint other;\n");
            let reduced = ["bug.c", "--test", "./poison.sh", "--sandbox", level, "--fresh", "-q"];
            let said = run(&reduced);
            assert_eq!(bench.read("bug.c").trim(), "needle", "{level}: {said}");
        }
    }
}

#[test]
fn strict_without_bubblewrap_refuses() {
    let bench = Bench::with_bug();
    let mut command = bench.command(&["bug.c", "--test", "./test.sh", "--sandbox", "strict"]);
    command.env("PATH", bench.path("nothing"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_mentions(&said, &["bwrap", "not installed", "--sandbox strict"]);
}

#[test]
fn another_sandbox_does_not_continue_a_reduction() {
    let bench = Bench::with_bug();
    bench.reduce(&["bug.c", "--test", "./test.sh", "--max-steps", "3", "-q"]);
    let mut journal = String::new();
    let file = fs::File::open(bench.path("bug.c.clreduce/journal")).unwrap();
    let _ = file.take(1 << 20).read_to_string(&mut journal);
    assert_mentions(&journal, &["the sandbox", "Landlock", "--writable"]);
    let other = bench.run(&["bug.c", "--test", "./test.sh", "--sandbox", "off"]).code(1);
    assert_mentions(&stderr(&other), &["sandbox"]);
}

#[test]
fn a_recipe_that_works_only_outside_is_told_so() {
    let bench = Bench::with_bug();
    let logs = outside(&bench);
    let recipe = format!(
        "preset = \"crash\"\n[[configuration]]\nname = \"cc\"\naccused = true\n\
         build = \"sh -c 'echo x > {logs}/log && kill -SEGV $$' {{file}}\"\n"
    );
    bench.write("bug.toml", recipe);
    let refused = bench.run(&["bug.c", "--test", "bug.toml"]).code(1);
    assert_mentions(&stderr(&refused), &["the sandbox is the reason", "--writable"]);
}
