"""The package on the real library: results, events, errors, and the example."""

import importlib.util
import os
import pathlib
import signal
import stat
import subprocess
import sys
import threading
import time

import pytest

import clreduce

SOURCE = "int a;\nint b;\nint needle(void) { return a + b; }\nint d;\n"


def has_needle(files):
    return b"needle" in files.get("main.c", b"")


def threads():
    """The threads of this process, those of the library included."""
    return set(os.listdir("/proc/self/task"))


def ends_up(condition):
    """Whether it holds before long: a thread that was waited for may still be there for a moment."""
    return any(condition() or time.sleep(0.1) for _ in range(300))


def test_a_function_judges_and_the_result_is_the_same_for_each_number_of_jobs():
    results = [clreduce.reduce({"main.c": SOURCE}, has_needle, jobs=jobs) for jobs in (1, 2, 4)]
    assert results[0].status is clreduce.Status.MINIMAL
    assert has_needle(results[0].files) and len(results[0].source) < 20
    assert {(result.source, result.steps) for result in results} == {(results[0].source, results[0].steps)}
    assert results[0].tests > 0 and results[0].tokens == 1 and results[0].size == len(results[0].source)


def test_a_file_and_several_files(tmp_path):
    path = tmp_path / "main.c"
    path.write_text(SOURCE)
    assert has_needle(clreduce.reduce(path, has_needle).files)
    both = clreduce.reduce({"include/a.h": "int a;\n", "main.c": '#include "include/a.h"\nint needle;\n'}, has_needle)
    assert list(both.files) == ["main.c"]


def test_commands_and_programs_judge(tmp_path):
    result = clreduce.reduce({"main.c": SOURCE}, "grep -q needle main.c")
    assert has_needle(result.files) and len(result.source) < 20
    script = tmp_path / "it is interesting.sh"
    script.write_text("#!/bin/sh\ngrep -q needle main.c\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    assert clreduce.reduce({"main.c": SOURCE}, script).source == result.source


def test_events_end_with_the_reduction_and_limits_hold():
    reduction = clreduce.Reduction({"main.c": SOURCE}, has_needle)
    events = list(reduction)
    result = reduction.result()
    assert [event.steps for event in events] == list(range(1, result.steps + 1))
    assert events[-1].tokens == result.tokens and events[-1].bytes == len(result.source)
    assert list(reduction) == []
    assert clreduce.reduce({"main.c": SOURCE}, has_needle, max_steps=3).status is clreduce.Status.LIMIT


def test_cancelling_keeps_the_smallest_program_so_far():
    calls = threading.Event()

    def slow(files):
        calls.set()
        time.sleep(0.01)
        return has_needle(files)

    reduction = clreduce.Reduction({"main.c": SOURCE}, slow, jobs=1)
    assert calls.wait(60)
    next(iter(reduction))
    reduction.cancel()
    result = reduction.result()
    assert result.status is clreduce.Status.CANCELLED and has_needle(result.files)


def test_cancelling_kills_a_command():
    reduction = clreduce.Reduction({"main.c": SOURCE}, "sleep 600", jobs=1)
    reduction.cancel()
    assert reduction.wait(timeout=300), "the command is not waited for"
    assert reduction.result().status is clreduce.Status.CANCELLED


def test_a_with_statement_ends_its_reduction():
    judged = []

    def slow(files):
        judged.append(files)
        time.sleep(0.01)
        return has_needle(files)

    with clreduce.Reduction({"main.c": SOURCE}, slow, jobs=1) as reduction:
        next(iter(reduction))
    count = len(judged)
    assert reduction.wait(timeout=0)
    with pytest.raises(clreduce.ClreduceError, match="left"):
        reduction.result()
    time.sleep(0.1)
    assert len(judged) == count


@pytest.mark.parametrize("jobs", [1, 4])
def test_what_a_test_raises_is_raised_and_ends_the_reduction(jobs):
    class Own(Exception):
        pass

    count = iter(range(1000))

    def failing(files):
        if next(count) >= 4:
            raise Own("here")
        return has_needle(files)

    before = threads()
    with pytest.raises(Own, match="here"):
        clreduce.reduce({"main.c": SOURCE}, failing, jobs=jobs)
    # Each slot may have been in its call.
    assert next(count) <= 4 + jobs
    assert ends_up(lambda: threads() <= before)
    with pytest.raises(SystemExit):
        clreduce.reduce({"main.c": SOURCE}, lambda files: sys.exit(3), jobs=jobs)


def test_what_progress_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        clreduce.reduce({"main.c": SOURCE}, has_needle, progress=lambda progress: 1 / 0)


def test_ctrl_c_in_a_function_raises_keyboard_interrupt():
    count = iter(range(1000))

    def interrupted(files):
        if next(count) == 4:
            os.kill(os.getpid(), signal.SIGINT)
            # The main thread notices it meanwhile.
            time.sleep(5)
        return has_needle(files)

    before = threads()
    with pytest.raises(KeyboardInterrupt):
        clreduce.reduce({"main.c": SOURCE}, interrupted, jobs=2)
    assert ends_up(lambda: threads() <= before)


ENDLESS = """
import time, clreduce

def slow(files):
    print("judging", flush=True)
    time.sleep(0.05)
    return b"needle" in files.get("main.c", b"")

program = {"main.c": "int needle;\\n" * 10_000}
"""


def run(script, test):
    """Runs a script, and does something when it judges. Its status, and what it says of errors."""
    with subprocess.Popen([sys.executable, "-c", ENDLESS + script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        assert started.stdout.readline() == b"judging\n"
        test(started)
        _, errors = started.communicate(timeout=300)
    return started.returncode, errors.decode()


def test_ctrl_c_ends_a_program():
    status, errors = run("clreduce.reduce(program, slow, jobs=4)", lambda started: started.send_signal(signal.SIGINT))
    assert status == -signal.SIGINT and errors.rstrip().endswith("KeyboardInterrupt"), errors


@pytest.mark.parametrize("end, expected", [("", (0, "")), ("raise SystemExit(3)", (3, ""))])
def test_a_program_may_end_before_its_reduction(end, expected):
    assert run(f"reduction = clreduce.Reduction(program, slow, jobs=4); next(iter(reduction)); {end}", lambda _: None) == expected


def test_errors_have_types_and_messages():
    with pytest.raises(clreduce.NotInterestingError, match="not interesting"):
        clreduce.reduce({"main.c": SOURCE}, lambda files: False)
    answers = iter([True] * 3 + [False] * 10_000)
    with pytest.raises(clreduce.ClreduceError):
        clreduce.reduce({"main.c": SOURCE}, lambda files: next(answers), jobs=1)
    with pytest.raises(clreduce.InvalidProgramError):
        clreduce.reduce({"/main.c": SOURCE}, has_needle)
    with pytest.raises(clreduce.InvalidProgramError):
        clreduce.reduce({"../main.c": SOURCE}, has_needle)
    for wrong in ({"jobs": 0}, {"max_steps": -1}, {"time_limit": -1}):
        with pytest.raises(ValueError, match="at least 1"):
            clreduce.reduce({"main.c": SOURCE}, has_needle, **wrong)
    with pytest.raises(FileNotFoundError):
        clreduce.reduce("no such file.c", has_needle)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_thousand_reductions_need_no_more_memory_threads_or_files():
    # A leak of the text alone would be 4 MB.
    program = {"main.c": "int needle;\nint b;\n" + "/* a comment */\n" * 250}

    def some(count):
        for _ in range(count):
            clreduce.reduce(program, has_needle)
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE"), threads(), len(os.listdir("/proc/self/fd"))

    memory, tasks, descriptors = some(100)
    memory_then, _, descriptors_then = some(900)
    assert memory_then - memory < 2_000_000 and descriptors_then == descriptors
    assert ends_up(lambda: threads() <= tasks)


def test_the_example_finds_and_reduces_a_planted_bug(tmp_path):
    path = pathlib.Path(__file__).parent.parent / "examples" / "fuzzer.py"
    spec = importlib.util.spec_from_file_location("fuzzer", path)
    fuzzer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fuzzer)
    compiler = tmp_path / "cc"
    # With -O2, each exclusive or becomes an or.
    compiler.write_text(
        '#!/bin/sh\n[ "$1" = -O2 ] || exec cc "$@"\nfor last; do :; done\nsed -i "s/\\^/|/" "$last" && exec cc "$@"\n'
    )
    compiler.chmod(0o755)
    found = fuzzer.fuzz(str(compiler), range(50))
    assert found is not None and b"^" in found.source
    assert found.source.count(b"\n") <= 8, found.source.decode()
