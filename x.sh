#!/bin/sh
export LC_ALL=C
g++-12 -std=c++20 -w -S -o out.s bug.cc >log.txt 2>&1 || exit 1
grep -Eq '_ZTV.*' out.s || exit 1
grep -Eq 'fs:' out.s || exit 1
grep -Eq '_ZTI' out.s || exit 1
grep -Eq 'call\s+abort' out.s || exit 1
