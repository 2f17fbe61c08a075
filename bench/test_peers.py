#!/usr/bin/env python3
"""Tests of bench/peers, with stand-ins for the reducers."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parent
LOADER = importlib.machinery.SourceFileLoader("peers", str(BENCH / "peers"))
peers = importlib.util.module_from_spec(importlib.util.spec_from_loader("peers", LOADER))
sys.modules["peers"] = peers
LOADER.exec_module(peers)

# Asks about a variant with one line less until nothing can go; arguments as clreduce has them.
REDUCER = """#!/usr/bin/env python3
import pathlib, subprocess, sys, tempfile
if sys.argv[1:] == ["--version"]:
    sys.exit(print("line by line 1.0"))
name, test = sys.argv[1], sys.argv[3]
lines = open(name).readlines()
for i in reversed(range(len(lines))):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, name).write_text("".join(lines[:i] + lines[i + 1:]))
        if subprocess.run([test], cwd=folder).returncode == 0:
            del lines[i]
open(name, "w").write("".join(lines))
"""
# Starts a test, leaves a process in a session of its own, and never ends.
HANGING = """#!/bin/bash
[ "$1" = --version ] && exit
mkdir "$TMPDIR/a"; cp "$1" "$TMPDIR/a"; (cd "$TMPDIR/a"; "$3")
setsid sleep 1000 & echo $! >"$PID_FILE"
sleep 1000
"""
LYING = """#!/bin/sh
[ "$1" = --version ] && exit
echo >"$1"
"""


class Tokens(unittest.TestCase):
    def test_comments_and_white_space_do_not_count(self):
        self.assertEqual(peers.count_tokens(b"// a\n/* b\n c */ \t\r\n"), 0)
        self.assertEqual(peers.count_tokens(b"int a; // b"), 3)

    def test_one_token_each(self):
        for text in [b'u8"a\\"b"', b"L'x'", b"'\\n'", b"0x1.8p-3f", b".5e+7", b"a_1$", b"<<=", b"...",
                     b"->", b"##", b"::", b"<<<", b"%=", b"@", b"\xff"]:
            self.assertEqual(peers.count_tokens(text), 1, text)

    def test_what_is_not_closed_falls_apart(self):
        self.assertEqual(peers.count_tokens(b'"a'), 2)
        self.assertEqual(peers.count_tokens(b"/* a"), 3)


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.case = self.folder / "case"
        self.case.mkdir()
        (self.case / "a.c").write_text("".join(f"int v{i};\n" for i in range(10)))
        self.script("case/interesting.sh", "#!/bin/sh\ngrep -q v3 a.c && grep -q v7 a.c\n")

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def peers(self, reducer, *options):
        """Runs the script on the case with a stand-in: exit status, the one run, standard output."""
        figures = self.folder / "out.json"
        done = subprocess.run(
            [BENCH / "peers", "--cases", self.case, "--reducers", "clreduce", "--clreduce", reducer,
             "--json", figures, *options],
            env={**os.environ, "PID_FILE": str(self.folder / "pid")}, capture_output=True, text=True,
        )
        run = json.loads(figures.read_text())["runs"][0] if figures.exists() else None
        return done.returncode, run, done.stdout + done.stderr

    def test_counts_every_test_and_what_is_left(self):
        status, run, output = self.peers(self.script("reducer", REDUCER), "--curve")
        self.assertEqual(status, 0, output)
        self.assertEqual((run["status"], run["version"]), ("finished", "line by line 1.0"))
        self.assertEqual((run["tests"], run["interesting_tests"]), (10, 8))
        self.assertEqual((run["tokens"], run["bytes"]), (6, 16))
        self.assertTrue(run["still_interesting"])
        self.assertEqual([point[0] for point in run["curve"]], [1, 2, 4, 5, 6, 8, 9, 10])
        self.assertEqual([point[3] for point in run["curve"]], [27, 24, 21, 18, 15, 12, 9, 6])
        # Of 24 tokens to remove, 21.6 are gone with the last test only.
        self.assertEqual(run["tests_to_90_percent"], 10)

    def test_a_stopped_reducer_is_stopped_with_all_it_started(self):
        status, run, output = self.peers(self.script("hanging", HANGING), "--limit", "2")
        self.assertEqual(status, 0, output)
        self.assertEqual((run["status"], run["tests"], run["tokens"]), ("stopped", 1, 30))
        self.assertIn("stopped", output)
        left = int((self.folder / "pid").read_text())
        self.assertFalse(pathlib.Path(f"/proc/{left}/cmdline").exists())

    def test_a_result_that_is_not_interesting_is_named(self):
        status, run, output = self.peers(self.script("lying", LYING))
        self.assertEqual(status, 1)
        self.assertFalse(run["still_interesting"])
        self.assertIn("not interesting!", output)

    def test_a_case_must_be_interesting(self):
        (self.case / "a.c").write_text("int v3;\n")
        status, run, output = self.peers(self.script("reducer", REDUCER))
        self.assertEqual((status, run), (1, None))
        self.assertIn("not interesting to begin with", output)


class Comparison(unittest.TestCase):
    def test_a_stopped_peer_is_never_beaten(self):
        def run(reducer, status, tests):
            return peers.Run("case", reducer, status, tests=tests, wall_s=1.0, still_interesting=True)

        for status, expected in [("finished", "tests 0.100"), ("stopped", "")]:
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                peers.print_comparison([run("clreduce", "finished", 10), run("cvise", status, 100)], "cvise")
            self.assertIn(expected, output.getvalue())
            self.assertEqual(bool(output.getvalue()), bool(expected))


class SameSize(unittest.TestCase):
    def test_counts_the_tests_to_the_size_of_a_peer(self):
        def run(reducer, curve, size):
            return peers.Run("case", reducer, "stopped", tests=curve[-1][0], bytes=size, curve=curve, still_interesting=True)

        ours = run("clreduce", [[3, 0.1, 80, None], [7, 0.2, 40, None]], 40)
        for size, expected in [(50, "after 7 tests"), (90, "after 3 tests"), (30, "never")]:
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                peers.print_same_size([ours, run("cvise", [[100, 0.1, size, None]], size)])
            self.assertIn(expected, output.getvalue())


class OneLiners(unittest.TestCase):
    def test_the_generated_case_is_interesting_and_loses_it(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([BENCH / "one-liners", "--milliseconds", "1", folder], check=True)
            source = pathlib.Path(folder, "one-liners.c")
            lines = source.read_text().splitlines(keepends=True)
            self.assertEqual(len(lines), 420)
            test = [pathlib.Path(folder, "interesting.sh")]
            self.assertEqual(subprocess.run(test, cwd=folder).returncode, 0)
            needed = 0
            for i in range(0, 420):
                source.write_text("".join(lines[:i] + lines[i + 1:]))
                needed += subprocess.run(test, cwd=folder).returncode != 0
            self.assertEqual(needed, 5)


if __name__ == "__main__":
    unittest.main()
