"""clreduce for Python: reduces a program that makes a compiler crash, hang or generate wrong code.

    import clreduce

    def crashes(files):
        return subprocess.run(["gcc", "-x", "c", "-", "-o", "/dev/null"], input=files["bug.c"]).returncode == 4

    result = clreduce.reduce("bug.c", crashes)
    print(result.source.decode())

The test may also be a shell command, as for the program of the same name.
"""

from clreduce._reduction import (
    ClreduceError,
    Files,
    FlakyTestError,
    InvalidProgramError,
    NotInterestingError,
    Program,
    Progress,
    Reduction,
    Result,
    Status,
    Test,
    reduce,
)

__all__ = [
    "ClreduceError",
    "Files",
    "FlakyTestError",
    "InvalidProgramError",
    "NotInterestingError",
    "Program",
    "Progress",
    "Reduction",
    "Result",
    "Status",
    "Test",
    "reduce",
]
