# SPDX-License-Identifier: MIT
"""Reads x86-64 object files through objdump: functions, and what each refers to.

For scripts/check-realtime. Where the text leaves a doubt, the answer is the stricter one.
"""

import bisect
import collections
import pathlib
import re
import subprocess

ARGUMENT_REGISTERS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
FUNCTION_LABEL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
SECTION = re.compile(r"^Disassembly of section (.+):$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(.*)$")
RELOCATION = re.compile(r"^\s+[0-9a-f]+: (R_\S+)\t(.+?)([+-]0x[0-9a-f]+)?$")
SYMBOL = re.compile(r"^([0-9a-f]{16}) (.{7}) (\S+)\t([0-9a-f]{16}) (?:\.(?:hidden|internal|protected) )?(.+)$")
BRANCH_TARGET = re.compile(r"^(?:bnd |notrack )?(call|jmp|j[a-z]+)\s+([0-9a-f]+) <")
INDIRECT = re.compile(r"^(?:bnd |notrack )?(call|jmp)\s+\*(.+)$")
OTHER_PREFIX = re.compile(r"^(lock|rep|repz|repnz|data16|cs|ds|es|ss|notrack|bnd) ")
SYSTEM_CALL = re.compile(r"^(syscall|sysenter|int\s+\$0x80)\b")

Instruction = collections.namedtuple("Instruction", "address text relocations")
Reference = collections.namedtuple("Reference", "kind target")


class Lacking(Exception):
    """Something that the check needs is not there."""


class Function:
    """A function of the package: its instructions, and what they refer to."""

    def __init__(self, place, name):
        self.place = place
        self.name = name
        self.instructions = []
        self.references = []
        self.system_calls = []
        self.indirect_calls = []

    def is_branched_into(self, first, last):
        """True when some branch of this function lands after `first` and not after `last`, so that
        the instructions between are not always run in a row."""
        low, high = self.instructions[first].address, self.instructions[last].address
        targets = (BRANCH_TARGET.match(instruction.text) for instruction in self.instructions)
        return any(match and low < int(match[2], 16) <= high for match in targets)


class Program:
    """The functions of a set of object files, joined by their symbols."""

    def __init__(self, objects):
        self.functions = {}  # (object, section, address) -> Function
        self.exported = {}  # symbol -> Function
        self.locals = {}  # (object, symbol) -> Function
        self.starts = collections.defaultdict(list)  # (object, section) -> its functions' addresses
        self.data = set()  # names of the package's own data, which cannot be called
        for path in objects:
            self.read(path)
        for function in list(self.functions.values()):
            self.split(function)
        for function in self.functions.values():
            self.find_references(function)
        self.demangled = demangle(
            {function.name for function in self.functions.values()}
            | {r.target for f in self.functions.values() for r in f.references
               if isinstance(r.target, str)}
        )

    def read(self, path):
        symbols = collections.defaultdict(list)
        for line in run(["objdump", "-t", "-w", path]).splitlines():
            match = SYMBOL.match(line)
            if not match:
                continue
            value, flags, section, _, name = match.groups()
            if section != "*UND*":
                symbols[section, int(value, 16)].append((flags, name))
                if "F" not in flags and not section.startswith(".text") and "d" not in flags:
                    self.data.add((path, name) if flags[0] == "l" else name)
        section, function, seen = None, None, set()
        for line in run(["objdump", "-dr", "--no-show-raw-insn", path]).splitlines():
            if match := SECTION.match(line):
                section, function = match[1], None
                if section in seen:
                    raise Lacking(f"{path}: two sections named {section}")
                seen.add(section)
            elif match := FUNCTION_LABEL.match(line):
                address = int(match[1], 16)
                function = Function((path, section, address), match[2])
                self.functions[function.place] = function
                self.starts[path, section].append(address)
                for flags, name in symbols[section, address] or [("l", match[2])]:
                    self.locals[path, name] = function
                    if flags[0] != "l":
                        self.exported.setdefault(name, function)
            elif match := INSTRUCTION.match(line):
                text = match[2].split("#")[0].strip()
                while prefix := OTHER_PREFIX.match(text):
                    text = text[prefix.end():]
                function.instructions.append(Instruction(int(match[1], 16), text, []))
            elif (match := RELOCATION.match(line)) and function and function.instructions:
                addend = int(match[3] or "0", 16)
                function.instructions[-1].relocations.append((match[1], match[2], addend))

    def split(self, function):
        """Gives functions without a symbol, which the text shows as the end of the one before, a
        place of their own: they begin where something in the section calls."""
        path, section, _ = function.place
        for instruction in list(function.instructions):
            match = BRANCH_TARGET.match(instruction.text)
            if not match or match[1] != "call" or instruction.relocations:
                continue
            address = int(match[2], 16)
            holder = self.at(path, section, address)
            starts = [i.address for i in holder.instructions]
            if holder.place[2] == address or address not in starts:
                continue
            part = Function((path, section, address), f"{holder.name}+{address - holder.place[2]:#x}")
            position = starts.index(address)
            part.instructions = holder.instructions[position:]
            del holder.instructions[position:]
            self.functions[part.place] = part
            bisect.insort(self.starts[path, section], address)

    def at(self, path, section, address):
        """The function that holds this address: a jump may go to the middle of one."""
        starts = self.starts[path, section]
        index = bisect.bisect_right(starts, address) - 1
        return self.functions[path, section, starts[index]] if index >= 0 else None

    def resolve(self, path, symbol, addend):
        """The package's function behind a relocation, or the name of what is not the package's."""
        symbol = symbol.split("@")[0]
        if function := self.locals.get((path, symbol)) or self.exported.get(symbol):
            return function
        if symbol.startswith(".text"):
            return self.at(path, symbol, addend + 4)
        if symbol.startswith(".") or symbol in self.data or (path, symbol) in self.data:
            return None
        return symbol

    def find_references(self, function):
        path, section, _ = function.place
        for index, (_, text, relocations) in enumerate(function.instructions):
            branch = text.startswith(("call", "j"))
            for _, symbol, addend in relocations:
                if target := self.resolve(path, symbol, addend):
                    function.references.append(Reference("call" if branch else "address", target))
            if SYSTEM_CALL.match(text):
                function.system_calls.append(text)
            elif not relocations and (match := BRANCH_TARGET.match(text)):
                address = int(match[2], 16)
                target = self.at(path, section, address)
                if match[1] == "call" and target.place[2] != address:
                    raise Lacking(f"{path}: a call into the middle of {target.name}")
                if target is not function:
                    function.references.append(Reference("call", target))
            elif not relocations and (match := INDIRECT.match(text)):
                if not self.is_known(function, index, match[1], match[2]):
                    function.indirect_calls.append(text)

    def is_known(self, function, index, kind, operand):
        """True for a call of a register that was just loaded with a function's address (that is a
        reference already), and for the jump of a switch through a table of its own offsets."""
        if not operand.startswith("%"):
            return False
        position = self.last_write(function, index, operand[1:])
        if position is None or function.is_branched_into(position, index):
            return False
        writer = function.instructions[position]
        if writer.relocations:
            return self.value(function, writer) is not None
        before = function.instructions[max(0, position - 6):position]
        return (
            kind == "jmp"
            and writer.text.startswith("add")
            and any(instruction.text.startswith("movslq") for instruction in before)
        )

    def value(self, function, instruction):
        """What the instruction's last relocation names: see `resolve`."""
        return self.resolve(function.place[0], *instruction.relocations[-1][1:])

    def last_write(self, function, index, register):
        """The position of the nearest instruction before that writes the register, in the order of
        the text; None when a call comes first, which may write it too."""
        names = spellings(register)
        for position in range(index - 1, -1, -1):
            text = function.instructions[position].text
            if text.startswith("call"):
                return None
            operands = text.rsplit(",", 1)
            if len(operands) == 2 and operands[1].strip().lstrip("%") in names:
                return position
        return None

    def argument(self, function, index, number):
        """What is in argument register `number` at a call: a function of the package, "null", or
        None when that cannot be told."""
        register = ARGUMENT_REGISTERS[number]
        while (position := self.last_write(function, index, register)) is not None:
            writer = function.instructions[position]
            if writer.relocations:
                value = self.value(function, writer)
                return value if isinstance(value, Function) else None
            if writer.text.startswith("xor"):
                return "null"
            if not (copy := re.match(r"mov\s+%(r\w+),%r", writer.text)):
                return None
            register, index = copy[1], position
        return None

    def registered(self, registrars):
        """The functions that are handed to `registrars`, {name: numbers of arguments}, as {what it
        is: function}, and a line for each that cannot be told."""
        found, unclear = {}, []
        for function in self.functions.values():
            for index, (_, text, relocations) in enumerate(function.instructions):
                if not relocations or not text.startswith(("call", "jmp")):
                    continue
                registrar = self.value(function, function.instructions[index])
                if not isinstance(registrar, str):
                    continue
                for number in registrars.get(registrar, ()):
                    title = f"argument {number + 1} of {registrar}"
                    value = self.argument(function, index, number)
                    if value is None:
                        unclear.append(f"{title} in {self.show(function)}")
                    elif value != "null":
                        found[f"{title}, {self.show(value)}"] = value
        return found, unclear

    def show(self, target):
        name = target.name if isinstance(target, Function) else target
        return self.demangled.get(name, name)


def spellings(register):
    """rsi -> rsi, esi; r9 -> r9, r9d: writes to either count."""
    if re.fullmatch(r"r\d+", register):
        return {register, register + "d"}
    return {register, "e" + register[1:]}


def run(command, **options):
    return subprocess.run(
        [str(part) for part in command], check=True, capture_output=True, text=True, **options
    ).stdout


def tool(name):
    """A program of the Swift toolchain that scripts/lib finds."""
    library = pathlib.Path(__file__).with_name("lib")
    script = 'source "$1"; find_swift; printf "%s/bin/%s" "$(swift_toolchain)" "$2"'
    answer = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script, "check-realtime", str(library), name],
        stdout=subprocess.PIPE, text=True,
    )
    if answer.returncode != 0:
        raise Lacking("no Swift toolchain")
    return answer.stdout


def demangle(names):
    names = sorted(names)
    output = run([tool("swift-demangle"), "-compact"], input="\n".join(names))
    return dict(zip(names, output.splitlines()))
