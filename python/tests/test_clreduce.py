"""The package on the real library: results, events, errors, and the example."""

import importlib.util
import pathlib
import resource
import stat
import threading
import time

import pytest

import clreduce

SOURCE = "int a;\nint b;\nint needle(void) { return a + b; }\nint d;\n"


def has_needle(files):
    return b"needle" in files.get("main.c", b"")


def test_a_function_judges_and_the_result_is_the_same_for_each_number_of_jobs():
    results = [clreduce.reduce({"main.c": SOURCE}, has_needle, jobs=jobs) for jobs in (1, 2, 4)]
    assert results[0].status is clreduce.Status.MINIMAL
    assert has_needle(results[0].files) and len(results[0].source) < 20
    assert {(result.source, result.steps) for result in results} == {(results[0].source, results[0].steps)}
    assert results[0].tests > 0 and results[0].tokens == 1


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


def test_what_a_test_raises_is_raised():
    class Own(Exception):
        pass

    count = iter(range(100))

    def failing(files):
        if next(count) == 4:
            raise Own("here")
        return has_needle(files)

    with pytest.raises(Own, match="here"):
        clreduce.reduce({"main.c": SOURCE}, failing, jobs=1)
    with pytest.raises(KeyboardInterrupt):
        clreduce.reduce({"main.c": SOURCE}, has_needle, progress=lambda progress: (_ for _ in ()).throw(KeyboardInterrupt))


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
    with pytest.raises(FileNotFoundError):
        clreduce.reduce("no such file.c", has_needle)


def test_many_reductions_need_no_more_memory():
    def some(count):
        for _ in range(count):
            clreduce.reduce({"main.c": "int needle;\nint b;\n" + "/* a longer program */\n" * 2000}, has_needle, jobs=1)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = some(20)
    # A leak of the text alone would be four megabytes.
    assert some(100) - before < 4096


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
