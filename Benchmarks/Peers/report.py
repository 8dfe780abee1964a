# SPDX-License-Identifier: MIT
"""What the cells come to: a row for each subject under each condition, and the goals."""

import collections
import pathlib
import re
import shlex
import statistics

from measuring import DECODING
from server import RATE
from subjects import AHEAD, CALLBACK, DRAWBAR, EMPTY

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The ratio of decoding ahead to the empty client is judged at this period.
GOAL_PERIOD = 128
CPU_LIMIT = 1.35
# The limit of the ratio of decoding in the callback to a client that does only that.
CALLBACK_LIMIT = 1.10
MEMORY_LIMIT_MIB = 8
SOUND_LIMIT_MS = 10
SWITCHES_LIMIT = 1.02

COLUMNS = (
    "player", "CPU ms/s", "to empty", "least–most", "RT ms/s", "beside ms/s", "to empty", "switches a cycle", "RSS MiB",
    "over empty", "anon", "file", "threads", "sound ms", "over empty", "seek ms", "glitches", "Hz", "xruns")

LEGEND = """\
Medians of the rounds; glitches and xruns are sums. CPU: of the whole process, a second of sound, alone on the server.
To empty: over the empty client's in the same round, with the least and the most. RT: of that, the threads with a
real-time policy. Beside: CPU while a recorder listens, which keeps the processor from its sleep, so that being woken
costs less; switches, glitches, first sound and seek are of that time, too. Switches: of all threads, voluntary or
not. RSS: resident, in it the server's memory, which every client maps and locks; anon and file: the process's own and
what it maps of files. Sound: from the execution to the first sample above -60 dBFS, a period of the monitor port
included. Seek: from the command to the first sample of the new place. Glitches: where the tone breaks, is silent for 16
samples or is repeated. Xruns: the server's, whoever was late.
Bare client: libmpg123 and libsoxr in a C client that decodes ahead and can do nothing else.
Callback client: the same libraries in a C client that decodes one packet at a time in its callback.
Decoding alone: libmpg123 from a file into nothing, for what playing cannot do without."""


def _a_second(used, name, period):
    """Milliseconds of what was used in a second of sound."""
    return used[name] / 1e6 / (used["cycles"] * period / RATE)


def _of_cell(cell):
    """The figures of one cell, in the units of the table."""
    beside = cell["beside"]
    figures = {
        "cpu": _a_second(cell, "cpu", cell["period"]),
        "realtime": _a_second(cell, "realtime_cpu", cell["period"]),
        "beside_cpu": _a_second(beside, "cpu", cell["period"]),
        "switches_a_cycle": (beside["voluntary"] + beside["involuntary"]) / beside["cycles"],
        "resident": cell["VmRSS"] / 1024,
        "anonymous": cell["RssAnon"] / 1024,
        "file": cell["RssFile"] / 1024,
        "threads": cell["threads"],
        "sound": cell["first_sound"] / 1e6,
    }
    if "seek" in cell:
        figures["seek"] = cell["seek"] / 1e6
    if "frequency" in cell.get("tone", {}):
        figures["frequency"] = cell["tone"]["frequency"]
    return figures


class Row:
    """A subject under a condition: the median of each figure, and those relative to the empty client's."""

    def __init__(self, subject, condition, cells, empty_cells, callback_cells):
        self.subject = subject.name
        self.can_seek = subject.seeks_by is not None
        self.period, self.load, self.source = condition
        whole = [cell for cell in cells if "failed" not in cell]
        self.failures = [reason for cell in cells for reason in cell.get("failures", ())]
        self.rounds = len(cells)
        self.figures = self._medians([_of_cell(cell) for cell in whole])
        self.ratios = []
        differences = []
        empty = {cell["round"]: _of_cell(cell) for cell in empty_cells if "failed" not in cell}
        for cell in whole:
            if cell["round"] not in empty:
                continue
            figures, floor = _of_cell(cell), empty[cell["round"]]
            self.ratios.append(figures["cpu"] / floor["cpu"])
            differences.append({
                "resident_over": figures["resident"] - floor["resident"],
                "sound_over": figures["sound"] - floor["sound"],
                "switches_ratio": figures["switches_a_cycle"] / floor["switches_a_cycle"],
                "beside_ratio": figures["beside_cpu"] / floor["beside_cpu"],
            })
        self.figures.update(self._medians(differences))
        if self.ratios:
            self.figures["cpu_ratio"] = statistics.median(self.ratios)
        callback = {cell["round"]: _of_cell(cell)["cpu"] for cell in callback_cells if "failed" not in cell}
        ratios = [_of_cell(cell)["cpu"] / callback[cell["round"]] for cell in whole if cell["round"] in callback]
        if ratios:
            self.figures["callback_ratio"] = statistics.median(ratios)
        tones = [cell["tone"] for cell in whole if "frequency" in cell.get("tone", {})]
        self.glitches = sum(max(tone["glitches"], tone["gaps"], tone["repeats"]) for tone in tones) if tones else None
        self.xruns = sum(cell["xruns"] for cell in whole)

    @staticmethod
    def _medians(cells):
        names = dict.fromkeys(name for cell in cells for name in cell)
        return {name: statistics.median(cell[name] for cell in cells if name in cell) for name in names}

    def _text(self, name, decimals):
        return f"{self.figures[name]:.{decimals}f}" if name in self.figures else ""

    def texts(self):
        if not self.figures:
            return [self.subject, "failed"] + [""] * (len(COLUMNS) - 2)
        spread = f"{min(self.ratios):.2f}–{max(self.ratios):.2f}" if self.ratios else ""
        return [
            self.subject + ("*" if self.failures else ""), self._text("cpu", 2), self._text("cpu_ratio", 2), spread,
            self._text("realtime", 2), self._text("beside_cpu", 2), self._text("beside_ratio", 2),
            self._text("switches_a_cycle", 2), self._text("resident", 1), self._text("resident_over", 1),
            self._text("anonymous", 1), self._text("file", 1), self._text("threads", 0), self._text("sound", 0),
            self._text("sound_over", 0),
            self._text("seek", 0) if self.can_seek else "cannot",
            "" if self.glitches is None else str(self.glitches), self._text("frequency", 1), str(self.xruns)]

    def notes(self):
        # Port numbers differ each time.
        reasons = collections.Counter(re.sub(r"\d{5,}", "…", reason) for reason in self.failures)
        return [
            f"* {self.subject}: {count} times in {self.rounds} rounds: {reason}" for reason, count in reasons.items()]


def _aligned(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        rest = "  ".join(text.rjust(width) for text, width in zip(row[1:], widths[1:]))
        lines.append(f"{row[0].ljust(widths[0])}  {rest}")
    return "\n".join(lines)


def _marked_down(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---|" + "---:|" * (len(rows[0]) - 1))
    return "\n".join(lines)


class Report:
    """All that a run found."""

    def __init__(self, options, facts, subjects, commands, folder, cells):
        self.options = options
        self.facts = facts
        self.subjects = subjects
        self.commands = {
            name: shlex.join(command).replace(folder, "FOLDER").replace(f"{ROOT}/", "")
            for name, command in commands.items()}
        self.cells = cells
        self.conditions = [
            (period, load, source)
            for period in options.periods for load in options.loads for source in options.sources]
        self.tables = {condition: self._rows(condition) for condition in self.conditions}
        self.decoding = {condition: self._decoding_row(condition) for condition in self.conditions}

    def _cells_of(self, name, condition):
        return [
            cell for cell in self.cells
            if cell["subject"] == name and (cell["period"], cell["load"], cell["source"]) == condition]

    def _rows(self, condition):
        return [
            Row(
                subject, condition, self._cells_of(subject.name, condition), self._cells_of(EMPTY, condition),
                self._cells_of(CALLBACK, condition))
            for subject in self.subjects]

    def _decoding_row(self, condition):
        """Texts for the table."""
        times = {cell["round"]: cell["cpu"] / 1e6 for cell in self._cells_of(DECODING, condition)}
        ratios = [
            times[cell["round"]] / _of_cell(cell)["cpu"] for cell in self._cells_of(EMPTY, condition)
            if "failed" not in cell]
        found = [f"{statistics.median(times.values()):.2f}"]
        if ratios:
            found += [f"{statistics.median(ratios):.2f}", f"{min(ratios):.2f}–{max(ratios):.2f}"]
        return [DECODING, *found] + [""] * (len(COLUMNS) - 1 - len(found))

    def goals(self):
        """(what, condition, found, limit, met) for each goal and each condition it is for."""
        found = []
        for (period, load, source), rows in self.tables.items():
            condition = f"{period} frames, {load}, {source} kHz"
            for row in rows:
                if row.subject == AHEAD and period == GOAL_PERIOD:
                    value = row.figures.get("cpu_ratio")
                    found.append((
                        "CPU of decoding ahead to the empty client's", condition, value, CPU_LIMIT,
                        value is not None and value <= CPU_LIMIT))
                if row.subject != DRAWBAR:
                    continue
                goals = [
                    ("CPU to the callback client's", "callback_ratio", CALLBACK_LIMIT),
                    ("memory over the empty client's, MiB", "resident_over", MEMORY_LIMIT_MIB),
                    ("first sound after the empty client's, ms", "sound_over", SOUND_LIMIT_MS),
                    ("context switches a cycle to the empty client's", "switches_ratio", SWITCHES_LIMIT),
                ]
                for what, name, limit in goals:
                    value = row.figures.get(name)
                    found.append((what, condition, value, limit, value is not None and value <= limit))
        return found

    def _goal_rows(self):
        rows = [("goal", "condition", "found", "at most", "")]
        for what, condition, value, limit, is_met in sorted(self.goals(), key=lambda goal: goal[0]):
            text = "nothing" if value is None else f"{value:.2f}"
            rows.append((what, condition, text, str(limit), "met" if is_met else "missed"))
        return rows

    def title(self, condition):
        period, load, source = condition
        hogs = ", two busy loops beside" if load == "loaded" else ""
        return f"{period} frames at {RATE} Hz, source {source} kHz{hogs}"

    def _lines(self, condition):
        return [list(COLUMNS), *(row.texts() for row in self.tables[condition]), self.decoding[condition]]

    def text(self):
        parts = [LEGEND]
        for condition, rows in self.tables.items():
            notes = [note for row in rows for note in row.notes()]
            table = _aligned(self._lines(condition))
            parts.append("\n".join([self.title(condition), table, *notes]))
        parts.append(_aligned(self._goal_rows()))
        return "\n\n".join(parts)

    def _fact_lines(self):
        facts = self.facts
        packages = ", ".join(f"{name} {version}" for name, version in facts["packages"].items())
        limit = facts["cpu_dma_latency_us"]
        waking = "" if limit is None else f"a processor may take at most {limit} µs to wake up; "
        return [
            f"{facts['date']}, {facts['minutes']} minutes, {self.options.rounds} rounds of {self.options.seconds:g} s "
            f"a turn; {facts['drawbar']}, beside commit {facts['commit']}.",
            f"{facts['system']}, Linux {facts['kernel']}, {facts['processors']} processors: {facts['processor']}; "
            f"governor: {facts['governor']}; {waking}"
            f"load average {facts['load_before'][0]:.1f} before and {facts['load_after'][0]:.1f} after; "
            f"{facts['stolen_share'] * 100:.1f} % of the processors' time went to other machines of the host.",
            packages + ".",
        ]

    def markdown(self):
        parts = ["# Drawbar and other players", *self._fact_lines(), f"```\n{self.options.invocation}\n```", LEGEND]
        for condition, rows in self.tables.items():
            parts.append(f"## {self.title(condition)}")
            parts.append(_marked_down(self._lines(condition)))
            parts.extend(note.replace("* ", "\\* ", 1) for row in rows for note in row.notes())
        commands = "\n".join(f"{name}: {command}" for name, command in self.commands.items())
        parts += ["## Goals", _marked_down(self._goal_rows()), "## Commands", f"```\n{commands}\n```"]
        seeks = [f"- {subject.name}: {subject.seeks_by or 'cannot be told to'}" for subject in self.subjects[1:]]
        parts += ["Sought by:", "\n".join(seeks)]
        return "\n\n".join(parts) + "\n"

    def document(self):
        return {
            "machine": self.facts,
            "invocation": self.options.invocation,
            "rounds": self.options.rounds,
            "seconds": self.options.seconds,
            "server": "jackd -R -P70 -p128 -d dummy -m -r 48000 -p PERIOD",
            "commands": self.commands,
            "seeks_by": {subject.name: subject.seeks_by for subject in self.subjects},
            "summary": [
                {
                    "subject": row.subject, "period": row.period, "load": row.load, "source": row.source,
                    "rounds": row.rounds, "failures": row.failures, "glitches": row.glitches, "xruns": row.xruns,
                    "cpu_ratios": [round(ratio, 4) for ratio in row.ratios],
                    **{name: round(value, 4) for name, value in row.figures.items()},
                }
                for rows in self.tables.values() for row in rows],
            "goals": [
                {"goal": what, "condition": condition, "found": value, "limit": limit, "met": is_met}
                for what, condition, value, limit, is_met in self.goals()],
            "cells": self.cells,
        }
