# SPDX-License-Identifier: MIT
"""The data of a program that a run of it read or wrote, by name. For scripts/order.

usage: touched_data.py PROGRAM BASE < TRACE

TRACE is valgrind's, of its tool lackey with --trace-mem=yes; BASE the hexadecimal address at which valgrind
loads a program. Prints the symbols of constants and of memory that starts as zeros. What the dynamic
linker writes addresses into is left out: that it touches all of it.
"""

import bisect
import re
import subprocess
import sys

SECTIONS = (".rodata", ".bss")
# Granules of 16 bytes: an address without its last digit.
GRANULE = 16


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def ranges(program):
    """Where the sections are in the program, as (first, past the last)."""
    found = re.findall(
        r"\] (\S+) +\S+ +([0-9a-f]{16}) [0-9a-f]+ ([0-9a-f]+)", output("readelf", "-SW", program))
    return [(int(start, 16), int(start, 16) + int(size, 16)) for name, start, size in found
            if name in SECTIONS]


def symbols(program, within):
    """(address, size, name) of those in the ranges, in order."""
    table = []
    for line in output("nm", "-S", "-n", "--defined-only", program).splitlines():
        fields = line.split()
        if len(fields) == 4:
            address, size = int(fields[0], 16), int(fields[1], 16)
            if any(first <= address < end for first, end in within):
                table.append((address, size, fields[3]))
    return table


def touched(trace, base, within):
    """Granules of the program that the trace has, in order."""
    low, high = min(first for first, _ in within) + base, max(end for _, end in within) + base
    granules = set()
    for line in trace:
        # " L 0123abcd,8": a load, a store or both; an instruction has its space elsewhere.
        if line[:1] == " " and line[1:3] in ("L ", "S ", "M "):
            granules.add(line[3:line.index(",") - 1])
    addresses = sorted(int(granule, 16) * GRANULE for granule in granules)
    return [address - base for address in addresses if low <= address + GRANULE and address < high]


def main(program, base):
    within = ranges(program)
    table = symbols(program, within)
    starts = [address for address, _, _ in table]
    names = {}
    for granule in touched(sys.stdin, int(base, 16), within):
        # Find the symbols that begin before the granule's end and reach into it.
        index = bisect.bisect_left(starts, granule + GRANULE) - 1
        while index >= 0 and table[index][0] + table[index][1] > granule:
            names[table[index][2]] = None
            index -= 1
    print("\n".join(names))


main(*sys.argv[1:])
