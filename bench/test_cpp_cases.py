#!/usr/bin/env python3
"""Tests of bench/cpp-cases, with a stand-in for the compiler."""

import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parent
LOADER = importlib.machinery.SourceFileLoader("cpp_cases", str(BENCH / "cpp-cases"))
cases = importlib.util.module_from_spec(importlib.util.spec_from_loader("cpp_cases", LOADER))
LOADER.exec_module(cases)

# Crashes on a template that is used; "preprocesses" to a program of more than half a megabyte.
COMPILER = """#!/bin/bash
for source; do [ "$source" != -E ] || preprocess=1; done
file=${!#}
if [ $preprocess ]; then { cat bug.cc; yes '// a header' | head -n 50000; } >"$file"; exit; fi
grep -q 'broken<' "$file" && grep -q 'struct broken' "$file" || exit 0
echo "$file:1:2: internal compiler error: in build, at cp/pt.cc:12"
exit 1
"""
BUG = """// PR c++/104999
// { dg-do compile { target c++26 } }
template <class T> struct broken {
  T member;

  T other;
};

broken<int> used;
"""
CLANG = """PLEASE submit a bug report to ...
Stack dump:
 #0 0x00007f1 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/lib/libLLVM.so.16+0x1)
 #7 0x00007f2 clang::Sema::SubstType(clang::QualType, int) (/lib/libclang-cpp.so.16+0x2)
8  libclang-cpp.so.19.1 0x00007f3 clang::Parser::ParseCast() + 97
"""


class Crashes(unittest.TestCase):
    def test_flags_are_those_of_the_test_as_far_as_old_compilers_know_them(self):
        self.assertEqual(cases.flags_of(BUG), ["-std=c++23"])
        text = '// { dg-options "-O2 -Wall -std=gnu++20 -fdump-tree-all -fopenmp" }'
        self.assertEqual(cases.flags_of(text), ["-O2", "-std=gnu++20", "-fopenmp"])
        self.assertEqual(cases.flags_of("// RUN: %clang_cc1 -std=c++2c -verify %s"), ["-std=c++23"])

    def test_a_crash_is_named_by_its_place_or_its_stack(self):
        gcc = "a.C:1:2: error: no\na.C:3:4: internal compiler error: in build, at cp/pt.cc:12\n"
        self.assertEqual(cases.crash_of("g++-12", 1, gcc), (["internal compiler error: in build, at cp/pt.cc:12"], 2))
        self.assertEqual(cases.crash_of("clang++-16", 139, CLANG), (["clang::Sema::SubstType(", "clang::Parser::ParseCast("], 0))
        self.assertIsNone(cases.crash_of("g++-12", 1, "a.C:1:2: error: no\n"))
        self.assertIsNone(cases.crash_of("clang++-16", 1, "a.C:1:2: error: no\n"))


class Cases(unittest.TestCase):
    def test_parts_end_at_blank_lines_outside_of_braces(self):
        self.assertEqual(len(cases.chunks_of(BUG)), 2)
        self.assertEqual(len(cases.chunks_of("#if A\nint a;\n\nint b;\n#endif\n")), 1)

    def test_hosts_close_and_reopen_their_namespaces(self):
        for host in cases.HOSTS.glob("*.cc"):
            for program in cases.woven(host.read_text(), BUG):
                self.assertEqual(program.count("struct broken"), 1, host)
                self.assertEqual(program.count("broken<int>"), 1, host)
                self.assertNotIn("// ----", program)

    def test_from_the_suite_to_cases(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            compiler = folder / "fake-g++"
            compiler.write_text(COMPILER)
            compiler.chmod(0o755)
            (folder / "suite").mkdir()
            (folder / "suite/bug.C").write_text(BUG)
            (folder / "suite/old.C").write_text(BUG.replace("104999", "99"))
            (folder / "suite/fine.C").write_text("// PR c++/105000\nint a;\n")
            found, made = folder / "found.json", folder / "made"
            script = BENCH / "cpp-cases"
            subprocess.run([script, "find", folder / "suite", "--newer-than", "104500", "--compilers", compiler,
                            "--out", found], check=True, capture_output=True)
            self.assertEqual([pathlib.Path(crash["file"]).name for crash in json.loads(found.read_text())], ["bug.C"])
            subprocess.run([script, "make", found, "--count", "1", "--held-out", "0", "--into", made], check=True,
                           capture_output=True)
            [case] = made.iterdir()
            program = (case / "bug.ii").read_text()
            # The type of the host has taken the place of `int`.
            self.assertRegex(program, r"broken<boost::container::flat_map<.*>> used")
            self.assertIn("int main()", program)
            self.assertEqual(subprocess.run([case / "interesting.sh"], cwd=case).returncode, 0)
            (case / "bug.ii").write_text("struct broken;\n")
            self.assertEqual(subprocess.run([case / "interesting.sh"], cwd=case).returncode, 1)


if __name__ == "__main__":
    unittest.main()
