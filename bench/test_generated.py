#!/usr/bin/env python3
"""Tests of bench/generated and bench/against-clsmith, with stand-ins for clreduce, nvcc and a generator."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parent

# `run` prints 1, and 2 on PoCL for the seeds 5 and 6, for 6 only once. `init` and the reduction leave one line.
CLREDUCE = """#!/usr/bin/env python3
import pathlib, sys
arguments = sys.argv[1:]
value = lambda name: arguments[arguments.index(name) + 1]
if arguments[0] == "generate":
    out, suffix = pathlib.Path(value("--out")), "cu" if "cuda" in arguments else "cl"
    out.mkdir(parents=True, exist_ok=True)
    first, count = int(value("--seed")), int(value("--count"))
    for seed in range(first, first + count):
        (out / f"{value('--mode')}-{seed}.{suffix}").write_text(f"seed {seed}")
        (out / f"{value('--mode')}-{seed}.expected").write_text("1\\n")
elif arguments[0] == "run":
    kernel = pathlib.Path(arguments[1])
    seed, once = int(kernel.read_text().split()[1]), kernel.with_suffix(".once")
    wrong = value("--device-name") == "pocl" and "--no-opt" not in arguments and "--" not in arguments
    if wrong:
        wrong = seed == 5 or seed == 6 and not once.exists()
        once.touch()
    print(2 if wrong else 1)
    sys.exit(24 if wrong and kernel.with_suffix(".expected").exists() else 0)
elif arguments[0] == "check":
    sys.exit(1 if "seed 7" in pathlib.Path(arguments[1]).read_text() else 0)
elif arguments[0] == "fuzz":
    out = pathlib.Path(value("--out"))
    (out / "bugs" / "b").mkdir(parents=True)
    (out / "campaign.jsonl").write_text('{"what":"program","program":0,"outcomes":{}}\\n'
        '{"what":"program","program":1,"outcomes":{"pocl":"wrong","oclgrind":"unstable"}}\\n'
        '{"what":"alarm","end":"bug","bug":"b","construct":"min"}\\n{"what":"pro')
elif arguments[0] == "init":
    pathlib.Path(arguments[1]).with_suffix(".toml").write_text("")
else:
    pathlib.Path(arguments[0]).write_text("reduced\\n")
"""
# A program that prints 1, and a compiler that refuses the seed 2.
NVCC = """#!/bin/sh
while [ $# -gt 1 ]; do case $1 in -o) out=$2 ;; esac; shift; done
grep -q 'seed 2$' "$1" && { echo 'error: no' >&2; exit 2; }
printf '#!/bin/sh\\necho 1\\n' > "$out" && chmod +x "$out"
"""


class Scripts(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        racecheck = '#!/bin/sh\ncase "$*" in *basic-3*) exit 9 ;; esac\n'
        for name, text in {"clreduce": CLREDUCE, "nvcc": NVCC, "nvidia-smi": "#!/bin/sh\necho 9.0\n",
                           "compute-sanitizer": racecheck, "kernel": '#!/bin/sh\necho "seed $1"\n'}.items():
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)

    def start(self, script, *arguments, command=()):
        path = f"{self.folder}:{os.environ['PATH']}"
        out = self.folder / "out"
        subprocess.run([BENCH / script, *map(str, arguments), "--out", out, *command], check=True, capture_output=True,
                       env={**os.environ, "PATH": path})
        return json.loads((out / "summary.json").read_text()), out

    def test_wrong_results_are_counted_kept_and_reduced(self):
        summary, out = self.start("generated", "opencl", "--first", 4, "--count", 4, "--mode", "all", "--device", "pocl",
                                  "--device", "host", "--check", 4, "--reduce", 60, "-j", 2)
        self.assertEqual(summary["kernels all"], 4)
        self.assertEqual((summary["pocl: status 24"], summary["pocl: right"], summary["pocl --no-opt: right"]), (2, 2, 4))
        self.assertEqual((summary["host: right"], summary["check: right"], summary["check: status 1"]), (4, 3, 1))
        self.assertEqual(summary["reduced: status 0"], 2)
        self.assertTrue((out / "alarms" / "all-5.expected").exists())
        self.assertEqual((out / "reduced" / "all-5" / "all-5.cl").read_text(), "reduced\n")

    def test_devices_are_told_the_version_of_the_language(self):
        # The stand-in for PoCL is right where it gets options.
        summary, _ = self.start("generated", "opencl-2", "--first", 5, "--count", 1, "--mode", "all", "--device", "pocl")
        self.assertEqual(summary["pocl: right"], 1)
        summary, _ = self.start("generated", "opencl", "--first", 5, "--count", 1, "--mode", "all", "--device", "pocl")
        self.assertEqual(summary["pocl: status 24"], 1)

    def test_programs_for_nvcc(self):
        summary, out = self.start("generated", "cuda", "--count", 3, "--mode", "basic", "--nvcc", "--races", 3)
        self.assertEqual((summary["nvcc -O3: right"], summary["nvcc -G: status 2"], summary["program -G: right"]), (2, 1, 2))
        self.assertEqual((summary["racecheck: right"], summary["racecheck: status 9"]), (1, 1))
        log = (out / "log.jsonl").read_text().splitlines()
        ways = {(line["kernel"], line["way"]) for line in map(json.loads, log)}
        self.assertEqual(ways, {("basic-2", "nvcc -O3"), ("basic-2", "nvcc -G"), ("basic-3", "racecheck")})

    def test_a_vote_finds_what_is_wrong_twice(self):
        vote = lambda count: self.start("against-clsmith", "--count", count, "--first", 4, command=["--", self.folder / "kernel"])
        summary, out = vote(3)
        self.assertEqual([(alarm["seed"], alarm["configuration"]) for alarm in summary["alarms"]], [(5, "pocl")])
        self.assertEqual((summary["kernels"], summary["ends"]["pocl: unstable"], len(summary["bugs"])), (3, 1, 1))
        self.assertEqual((out / "bugs" / "seed-5-pocl.cl").read_text(), "reduced\n")
        again, _ = vote(5)
        self.assertEqual((again["kernels"], again["next_seed"]), (5, 9))
        self.assertEqual(again["alarms"], summary["alarms"])

    def test_the_log_of_a_campaign_is_read(self):
        summary, out = self.start("against-clsmith")
        self.assertEqual((summary["kernels"], summary["ends"]), (2, {"pocl: wrong": 1, "oclgrind: unstable": 1}))
        self.assertEqual([(alarm["program"], alarm["configuration"]) for alarm in summary["alarms"]], [(1, "pocl")])
        self.assertEqual([(bug["bug"], bug["cure"]) for bug in summary["bugs"]], [("b", "min")])
        self.assertTrue((out / "bugs" / "b").exists())


if __name__ == "__main__":
    unittest.main()
