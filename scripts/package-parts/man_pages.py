# SPDX-License-Identifier: MIT
"""Converts the pages of ArgumentParser's generate-manual: names as in git-log(1), paragraphs, and examples line by
line.

Usage: man_pages.py FROM TO
"""

import pathlib
import re
import sys

# Pages of commands for the program's own use, or that only print help.
LEFT_OUT = ("drawbar.help", "drawbar.bench.client", "drawbar.bench.load")
EXIT_STATUS = "0 done, 1 failed (one line on standard error states why), 64 wrong usage."


def page_name(name):
    return name.replace(".", "-")


def description(lines):
    """Yields the lines of a description with marks for paragraphs and for indented text."""
    is_literal = False
    for line in lines:
        is_indented = line.startswith("  ")
        if is_indented and not is_literal:
            yield ".Bd -literal -offset 2n -compact"
        if not is_indented and is_literal:
            yield ".Ed"
        is_literal = is_indented
        text = line[2:] if is_indented else line
        if not text and not is_indented:
            yield ".Pp"
        elif text.startswith((".", "'")) and is_indented:
            yield "\\&" + text
        else:
            yield text
    if is_literal:
        yield ".Ed"


def is_plain(line):
    return not line.startswith(".")


def page(text):
    command = re.search(r'^\.Nm "?(drawbar[a-z ]*)"?$', text, flags=re.M)[1]
    name = command.replace(" ", "-")
    text = text.replace("\n.Nm\n", f'\n.Nm "{command}"\n').replace(f'.Nm "{command}"', f".Nm {name}", 1)
    text = re.sub(r"^\.Dt \S+", f".Dt {name.upper()}", text, flags=re.M)
    text = re.sub(r"^(\.Xr )(\S+)", lambda found: found[1] + page_name(found[2]), text, flags=re.M)
    text = re.sub(r'^(\.Nd .*)\."$', r'\1"', text, flags=re.M)
    text = text.replace(".Ex -std", EXIT_STATUS)
    lines, gathered = [], []
    for line in text.splitlines() + ["."]:
        if is_plain(line):
            gathered.append(line)
            continue
        while gathered and not gathered[0]:
            gathered.pop(0)
        while gathered and not gathered[-1]:
            gathered.pop()
        lines += description(gathered)
        gathered = []
        lines.append(line)
    lines.pop()
    for name in LEFT_OUT:
        lines = [line for line in lines if not re.match(rf"\.Xr {page_name(name)} ", line)]
    # The last reference of a list has no comma.
    while lines and not lines[-1]:
        lines.pop()
    if lines[-1].startswith(".Xr"):
        lines[-1] = lines[-1].removesuffix(" ,")
    return "\n".join(lines) + "\n"


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    for file in sorted(source.glob("*.1")):
        if file.stem in LEFT_OUT:
            continue
        (target / (page_name(file.stem) + ".1")).write_text(page(file.read_text()))


main()
