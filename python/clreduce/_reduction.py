"""Reductions: the call, the running reduction with its events, the result and the errors."""

from __future__ import annotations

import atexit
import ctypes
import enum
import os
import pathlib
import queue
import shlex
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Optional, Union

from clreduce import _library

Files = Mapping[str, bytes]
"""The files of a program or a variant by their paths, which are relative and have slashes."""

Test = Union[Callable[[Files], bool], str, "os.PathLike[str]"]
"""Tells whether a variant still shows the bug: a function, the path of a program, or a shell command."""

Program = Union[str, "os.PathLike[str]", Mapping[str, Union[bytes, str]]]
"""The path of a file, or files by their paths."""


class ClreduceError(Exception):
    """A reduction that has no result."""


class NotInterestingError(ClreduceError):
    """The test does not find the bug in the original program."""


class FlakyTestError(ClreduceError):
    """The test says now this, now that about the same program."""


class InvalidProgramError(ClreduceError, ValueError):
    """The files are no program: there is none, or a path is absolute, or leaves the folder."""


class Status(enum.Enum):
    """How a reduction ended."""

    MINIMAL = "minimal"
    """Nothing that was proposed is left to try."""
    LIMIT = "limit"
    """A limit of steps or time was reached. The result is the smallest so far."""
    CANCELLED = "cancelled"
    """`Reduction.cancel` ended it. The result is the smallest so far."""


@dataclass(frozen=True)
class Progress:
    """How far a reduction has come."""

    steps: int
    """Verdicts that were taken so far."""
    tests: int
    """Calls of the test so far, those included that turned out not to be needed."""
    tokens: int
    """The size of the smallest program so far."""
    bytes: int
    """The same in bytes."""


@dataclass(frozen=True)
class Result:
    """The smallest program that was found, and what it took."""

    files: Files
    status: Status
    tokens: int
    """Its size."""
    steps: int
    """Verdicts that were taken."""
    tests: int
    """Calls of the test, those included that turned out not to be needed."""

    @property
    def size(self) -> int:
        """The size of the files in bytes."""
        return sum(map(len, self.files.values()))

    @property
    def source(self) -> bytes:
        """The content of the first file, which is the only one of most programs."""
        return next(iter(self.files.values()))


_ENDS = {
    _library.STATUS_MINIMAL: Status.MINIMAL,
    _library.STATUS_LIMIT: Status.LIMIT,
    _library.STATUS_CANCELLED: Status.CANCELLED,
}
_ERRORS = {
    _library.STATUS_NOT_INTERESTING: NotInterestingError,
    _library.STATUS_FLAKY: FlakyTestError,
    _library.STATUS_INVALID: InvalidProgramError,
}


def reduce(
    program: Program,
    test: Test,
    *,
    jobs: Optional[int] = None,
    max_steps: Optional[int] = None,
    time_limit: Optional[int] = None,
    progress: Optional[Callable[[Progress], object]] = None,
) -> Result:
    """Reduces a program and returns the smallest one that the test still accepts.

    `program` is the path of a file, or a mapping from paths to contents. `test` is called with the files of a variant and returns
    whether it still shows the bug; it is called from several threads at once unless `jobs` is 1, and has to give the same answer to
    the same files. Or it is the path of a program or a shell command, which runs in a folder of its own with the files in it and
    ends with status 0 if they show the bug. `jobs` is the number of tests at the same time, by default one for each core; the result
    does not depend on it. `max_steps` and `time_limit`, in seconds, end the reduction early. `progress` is called after each step.

    Raises what `test` or `progress` raises, KeyboardInterrupt after Ctrl-C, and a ClreduceError where there is no result.
    """
    with Reduction(program, test, jobs=jobs, max_steps=max_steps, time_limit=time_limit) as reduction:
        for event in reduction:
            if progress is not None:
                progress(event)
        return reduction.result()


class Reduction:
    """A reduction that runs beside the caller. Iterating over it yields its progress until it is over.

    In a `with` statement, it ends with the statement. At the latest, it ends with the interpreter.
    """

    def __init__(
        self,
        program: Program,
        test: Test,
        *,
        jobs: Optional[int] = None,
        max_steps: Optional[int] = None,
        time_limit: Optional[int] = None,
    ) -> None:
        """Starts it. The arguments are those of `reduce`."""
        self._files = _files_of(program)
        self._test = test
        self._cancellation = _library.Cancellation()
        self._options = _library.Options(
            jobs=_at_least_one("jobs", jobs),
            max_steps=_at_least_one("max_steps", max_steps),
            time_limit_seconds=_at_least_one("time_limit", time_limit),
            cancellation=self._cancellation.handle,
        )
        self._events: queue.SimpleQueue[Optional[Progress]] = queue.SimpleQueue()
        self._failure: Optional[BaseException] = None
        self._result: Optional[Result] = None
        self._thread = threading.Thread(target=self._run, name="clreduce", daemon=True)
        _RUNNING.add(self)
        self._thread.start()

    def __enter__(self) -> Reduction:
        return self

    def __exit__(self, _type: object, error: Optional[BaseException], _traceback: object) -> None:
        self._end(error or ClreduceError("the reduction was left before its end"))

    def __iter__(self) -> Iterator[Progress]:
        """Yields the progress after each step, and ends with the reduction."""
        while (event := self._events.get()) is not None:
            yield event
        # The end is there for every iteration.
        self._events.put(None)

    def cancel(self) -> None:
        """Ends the reduction soon: kills commands, and waits for calls of a function. The result is the smallest program so far."""
        self._cancellation.cancel()

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits until the reduction is over, and returns whether it is."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def result(self) -> Result:
        """Waits for the end. Raises what the test has raised, and a ClreduceError where there is no result."""
        self.wait()
        if self._failure is not None:
            raise self._failure
        assert self._result is not None
        return self._result

    def _end(self, why: BaseException) -> None:
        """Ends it and waits for that, without further calls of the test. Does nothing if it is over."""
        if self._thread.is_alive():
            self._fail(why)
            self.wait()

    def _fail(self, failure: BaseException) -> None:
        self._failure = self._failure or failure
        self._cancellation.cancel()

    def _run(self) -> None:
        try:
            self._result = self._reduced()
        except BaseException as failure:
            self._failure = self._failure or failure
        finally:
            self._events.put(None)

    def _reduced(self) -> Result:
        files = _library.array_of(self._files)
        result = _library.Result()
        options = self._options
        options.progress = _library.ProgressCallback(self._on_progress)
        if callable(self._test):
            judge = _library.FilesTest(self._is_interesting)
            end = _library.LIBRARY.clreduce_reduce_files(files, len(files), judge, None, options, result)
        else:
            command = _command(self._test).encode()
            end = _library.LIBRARY.clreduce_reduce_by_command(files, len(files), command, options, result)
        try:
            if self._failure is not None:
                raise self._failure
            if end not in _ENDS:
                message = result.message.decode() if result.message else "there is no result"
                raise _ERRORS.get(end, ClreduceError)(message)
            reduced = _library.contents(result.files, result.count)
            return Result(reduced, _ENDS[end], result.tokens, result.steps, result.tests)
        finally:
            _library.LIBRARY.clreduce_free(result)

    def _is_interesting(self, files: "ctypes._Pointer[_library.File]", count: int, _context: object) -> bool:
        """No exception may leave it: the caller is not Python."""
        if self._failure is not None:
            return False
        try:
            assert callable(self._test)
            return bool(self._test(_library.contents(files, count)))
        except BaseException as failure:
            self._fail(failure)
            return False

    def _on_progress(self, progress: "ctypes._Pointer[_library.Progress]", _context: object) -> bool:
        now = progress.contents
        self._events.put(Progress(now.steps, now.tests, now.tokens, now.bytes))
        return True


_RUNNING: weakref.WeakSet[Reduction] = weakref.WeakSet()
"""Reductions that were started and still exist."""


@atexit.register
def _end_all() -> None:
    """Python cannot end while threads of the library call it."""
    for reduction in list(_RUNNING):
        reduction._end(ClreduceError("the interpreter exits"))


def _at_least_one(name: str, value: Optional[int]) -> int:
    """The value for the library, for which zero is no limit."""
    if value is not None and value < 1:
        raise ValueError(f"{name} is {value}, but must be at least 1")
    return value or 0


def _files_of(program: Program) -> dict[str, bytes]:
    if isinstance(program, Mapping):
        return {path: text.encode() if isinstance(text, str) else bytes(text) for path, text in program.items()}
    path = pathlib.Path(program)
    return {path.name: path.read_bytes()}


def _command(test: object) -> str:
    """The shell command of a test, which runs in another folder than the caller."""
    path = pathlib.Path(os.fspath(test))  # type: ignore[call-overload]
    try:
        is_file = path.is_file()
    except OSError:
        is_file = False
    return shlex.quote(str(path.resolve())) if is_file else str(test)
