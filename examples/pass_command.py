#!/usr/bin/env python3
"""A pass of one's own for clreduce.

    clreduce bug.c --test ./interesting.sh --pass-command examples/pass_command.py

It proposes to remove each call of a function whose name begins with `log`, whatever its arguments are. clreduce runs it in a
directory with the current files, and tries each line that it prints: {"edits": [...]}, where each edit replaces the bytes from
`start` to `end` of `file` by `text`, which may be left out. The edits of a line are made together.
"""

import json
import re
import sys


def end_of_call(text, at):
    """The first byte after the bracket that closes the one before `at`, and after a semicolon."""
    depth = 1
    while depth > 0 and at < len(text):
        depth += {b"(": 1, b")": -1}.get(text[at : at + 1], 0)
        at += 1
    return at + 1 if text[at : at + 1] == b";" else at


for name in sys.argv[1:]:
    with open(name, "rb") as file:
        text = file.read()
    for call in re.finditer(rb"\blog\w*\s*\(", text):
        end = end_of_call(text, call.end())
        print(json.dumps({"edits": [{"file": name, "start": call.start(), "end": end}]}))
