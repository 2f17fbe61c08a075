"""The library that this package loads, with its functions and types as `clreduce.h` describes them."""

import ctypes
import os
import pathlib
import sys
import weakref

STATUS_MINIMAL, STATUS_LIMIT, STATUS_NOT_INTERESTING, STATUS_FLAKY, STATUS_INVALID, STATUS_FAILED, STATUS_CANCELLED = range(7)


class File(ctypes.Structure):
    """A file of a program: `clreduce_file`."""

    _fields_ = [
        ("path", ctypes.c_char_p),
        ("bytes", ctypes.POINTER(ctypes.c_char)),
        ("length", ctypes.c_size_t),
    ]


class Progress(ctypes.Structure):
    """`clreduce_progress`."""

    _fields_ = [
        ("steps", ctypes.c_uint64),
        ("tests", ctypes.c_uint64),
        ("tokens", ctypes.c_size_t),
        ("bytes", ctypes.c_size_t),
    ]


FilesTest = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.POINTER(File), ctypes.c_size_t, ctypes.c_void_p)
ProgressCallback = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.POINTER(Progress), ctypes.c_void_p)


class Options(ctypes.Structure):
    """`clreduce_options`."""

    _fields_ = [
        ("jobs", ctypes.c_uint32),
        ("max_steps", ctypes.c_uint64),
        ("time_limit_seconds", ctypes.c_uint32),
        ("progress", ProgressCallback),
        ("progress_context", ctypes.c_void_p),
        ("cancellation", ctypes.c_void_p),
    ]


class Result(ctypes.Structure):
    """`clreduce_result`."""

    _fields_ = [
        ("files", ctypes.POINTER(File)),
        ("count", ctypes.c_size_t),
        ("bytes", ctypes.POINTER(ctypes.c_char)),
        ("length", ctypes.c_size_t),
        ("tokens", ctypes.c_size_t),
        ("steps", ctypes.c_uint64),
        ("tests", ctypes.c_uint64),
        ("message", ctypes.c_char_p),
    ]


def _path() -> str:
    """The library beside this file, or the one that CLREDUCE_LIBRARY names."""
    name = {"win32": "clreduce_c.dll", "darwin": "libclreduce_c.dylib"}.get(sys.platform, "libclreduce_c.so")
    return os.environ.get("CLREDUCE_LIBRARY") or str(pathlib.Path(__file__).with_name(name))


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(_path())
    files, options, result = ctypes.POINTER(File), ctypes.POINTER(Options), ctypes.POINTER(Result)
    library.clreduce_reduce_files.argtypes = [files, ctypes.c_size_t, FilesTest, ctypes.c_void_p, options, result]
    library.clreduce_reduce_by_command.argtypes = [files, ctypes.c_size_t, ctypes.c_char_p, options, result]
    library.clreduce_free.argtypes = [ctypes.POINTER(Result)]
    library.clreduce_free.restype = None
    library.clreduce_new_cancellation.argtypes = []
    library.clreduce_new_cancellation.restype = ctypes.c_void_p
    library.clreduce_cancel.argtypes = [ctypes.c_void_p]
    library.clreduce_cancel.restype = None
    library.clreduce_free_cancellation.argtypes = [ctypes.c_void_p]
    library.clreduce_free_cancellation.restype = None
    return library


LIBRARY = _load()


class Cancellation:
    """`clreduce_cancellation`, which is given back with the last reference to it."""

    def __init__(self) -> None:
        self.handle = LIBRARY.clreduce_new_cancellation()
        # Not at the end of Python, when a reduction may still have it.
        weakref.finalize(self, LIBRARY.clreduce_free_cancellation, self.handle).atexit = False

    def cancel(self) -> None:
        LIBRARY.clreduce_cancel(self.handle)


def contents(files: "ctypes._Pointer[File]", count: int) -> dict[str, bytes]:
    """The files of a program by their paths."""
    read = (files[index] for index in range(count))
    return {file.path.decode(): ctypes.string_at(file.bytes, file.length) for file in read}


def array_of(program: dict[str, bytes]) -> "ctypes.Array[File]":
    """The files as an array, which keeps what it points to alive."""
    array = (File * len(program))()
    for file, (path, content) in zip(array, program.items()):
        file.path = path.encode()
        file.bytes = ctypes.cast(ctypes.create_string_buffer(content, max(len(content), 1)), ctypes.POINTER(ctypes.c_char))
        file.length = len(content)
    return array
