"""A fuzzer in 40 lines: makes random expressions in C, and reduces the first one that two optimisation levels compute differently.

    python fuzzer.py gcc            # and any other compiler that takes -O0 and -O2
"""

import pathlib
import random
import subprocess
import sys
import tempfile
from typing import Optional

import clreduce


def expression(random_: random.Random, depth: int) -> str:
    if depth == 0:
        return random_.choice(["a", "b", "c", f"{random_.randrange(100)}u"])
    operator = random_.choice(["+", "-", "*", "&", "|", "^", "<", "=="])
    return f"({expression(random_, depth - 1)} {operator} {expression(random_, depth - 1)})"


def program(seed: int) -> str:
    random_ = random.Random(seed)
    lines = [f"  {random_.choice('abc')} = {expression(random_, 3)};\n" for _ in range(12)]
    return "int main(void) {\n  unsigned a = 1, b = 2, c = 3;\n" + "".join(lines) + "  return (a + b + c) % 113;\n}\n"


def result_of(compiler: str, level: str, source: bytes) -> Optional[int]:
    """The status that the program ends with; None if it cannot be built."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "program.c")
        path.write_bytes(source)
        # Without these, the reduction would end in a program that says nothing about the compiler.
        strict = ["-Werror=uninitialized", "-Werror=return-type", "-Werror=implicit", "-Werror=strict-prototypes"]
        build = [compiler, level, *strict, "-o", f"{folder}/program", str(path)]
        if subprocess.run(build, stderr=subprocess.DEVNULL).returncode != 0:
            return None
        return subprocess.run([f"{folder}/program"], timeout=10).returncode


def fuzz(compiler: str, seeds: range) -> Optional[clreduce.Result]:
    def differs(files: clreduce.Files) -> bool:
        slow, fast = (result_of(compiler, level, files["program.c"]) for level in ("-O0", "-O2"))
        return slow is not None and fast is not None and slow != fast

    for seed in seeds:
        files = {"program.c": program(seed)}
        if differs({"program.c": files["program.c"].encode()}):
            return clreduce.reduce(files, differs)
    return None


if __name__ == "__main__":
    found = fuzz(sys.argv[1] if len(sys.argv) > 1 else "gcc", range(1000))
    print(found.source.decode() if found else "no difference found")
