# SPDX-License-Identifier: MIT
"""The soak's table, and what it finds wrong."""

import json
import re
import subprocess
import time

# A player keeps the last tracks open, for a step back.
KEPT_DESCRIPTORS = 2
# The allowed growth of memory from the second to the last quarter of a run, in KiB.
ALLOWED_GROWTH = 2048


class Report:
    """Made when all programs have ended."""

    def __init__(self, soak):
        self.soak = soak
        self.findings = []
        self.lines = []
        self._programs()
        self._sound()
        self._radio()
        self._recording()
        self._messages()

    def print(self):
        """Prints the table and the findings."""
        print("\n".join(self.lines))
        for finding in self.findings:
            print(f"FAIL  {finding}")
        if not self.findings:
            print("No leak, no drift, and every loss was reported.")

    def _table(self, title, heads, rows):
        rows = [[str(cell) for cell in row] for row in [heads, *rows]]
        widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
        self.lines.append(title)
        for row in rows:
            cells = [row[0].ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
            self.lines.append("  " + "  ".join(cells))
        self.lines.append("")

    def _programs(self):
        soak = self.soak
        real = time.time() - soak.began_real
        self.lines.append(
            f"{soak.sound_seconds:.0f} s of sound in {real:.0f} s; period {soak.server.period} of {soak.server.rate} Hz; "
            f"{soak.server.restarts} server restarts, {soak.server.unclean_ends} of them unclean; {soak.seeks} seeks")
        self.lines.append("")
        if soak.has_ended_early:
            self.findings.append("a program has ended before its time")
        self.findings += soak.absentees
        rows = []
        for program in soak.programs:
            usage = program.usage
            if not usage.samples:
                self.findings.append(f"{program.name} did not start: {program.errors}")
                continue
            memory, descriptors, threads = (usage.column(number) for number in (1, 2, 3))
            rows.append([
                program.name, memory[0], memory[-1], max(memory), f"{usage.slope():+.0f}",
                f"{descriptors[0]}/{descriptors[-1]}/{max(descriptors)}",
                f"{threads[0]}/{threads[-1]}/{max(threads)}", program.exit_code])
            if usage.growth(1) > ALLOWED_GROWTH:
                self.findings.append(f"the memory of {program.name} grew by {usage.growth(1)} KiB")
            if usage.growth(2) > KEPT_DESCRIPTORS:
                self.findings.append(f"{program.name} has {usage.growth(2)} more descriptors than before")
            if usage.growth(3) > 0:
                self.findings.append(f"{program.name} has {usage.growth(3)} more threads than before")
            # An interrupted player exits with 0, whatever was lost before.
            if program.exit_code is None:
                self.findings.append(f"{program.name} did not end within 30 s")
            elif program.exit_code != 0:
                self.findings.append(f"{program.name} ended with the exit code {program.exit_code}")
        self._table(
            "Memory in KiB; its slope in KiB per hour after the first quarter; first/last/most descriptors and threads",
            ["program", "first", "last", "most", "slope", "descriptors", "threads", "exit"], rows)

    def _sound(self):
        soak = self.soak
        rows = []
        for player in (soak.radio, soak.list):
            drift = player.drift
            parts_per_million = drift.sum / drift.frames * 1e6 if drift.frames else 0
            rows.append([
                player.name, player.underruns, player.xruns, "-", drift.intervals, drift.disturbed, drift.largest, drift.sum,
                f"{parts_per_million:+.1f}"])
            for when, difference in drift.unexplained[:10]:
                self.findings.append(
                    f"{player.name}: at {when} s the position is {difference} frames off the frame clock, and no "
                    "counter says why")
            # In a short run each interval has a restart.
            if drift.intervals == 0 and soak.length >= 600:
                self.findings.append(f"{player.name}: its position was never measured")
        reading = soak.monitor.reading
        if reading:
            rows.append([
                "monitor", reading["with"]["underruns"], reading["xruns"], reading["missedCycles"], "-", "-", "-", "-", "-"])
        self._table(
            "Underruns, xruns and missed cycles; intervals in which the position was compared with the server's frame "
            "clock, those with an xrun or an underrun, and the drift in frames",
            ["program", "underruns", "xruns", "missed", "intervals", "disturbed", "largest", "sum", "ppm"], rows)

    def _radio(self):
        soak = self.soak
        text = " ".join(soak.radio.errors)
        match = re.search(r"in (\d+) places", text)
        reported = int(match[1]) if match else int("missing" in text)
        self._table(
            "Radio", ["connections", "cuts", "refusals", "losses reported"],
            [[soak.station.connections, soak.station.cuts, soak.station.refusals, reported]])
        # The last cut may be too late to be detected before the end.
        if reported < soak.station.cuts - 1:
            self.findings.append(f"{soak.station.cuts} connections broke off, and {reported} losses were reported")

    def _recording(self):
        soak = self.soak
        first, last = soak.monitor.first, soak.monitor.reading
        if not last or last is first:
            self.findings.append("the monitor reported nothing")
            return
        rate = soak.server.rate
        recording = last["recording"]
        stated = recording["frames"] - first["recording"]["frames"]
        expected = (last["seconds"] - first["seconds"]) * rate
        file_frames = self._file_frames(soak.recording)
        within, between = soak.recorded.within, soak.recorded.between
        self._table(
            "Recording, in frames: between the first and the last reading, and by the monitor's time; largest "
            "difference from the frame clock of one server, and at a restart; lost",
            ["frames", "by time", "difference", "one server", "restart", "overruns", "missed", "whole file"],
            [[stated, round(expected), round(stated - expected), max(within, key=abs, default="-"),
              max(between, key=abs, default="-"), recording["overrunFrames"], recording["missedFrames"], file_frames]])
        # A reading is some milliseconds late; on a busy machine 60 ms were measured.
        allowed = 4 * soak.server.period + 0.1 * soak.speed * rate
        for number, difference in enumerate(within):
            if abs(difference) > allowed:
                self.findings.append(
                    f"the recording gained {difference} frames on the frame clock of server {number + 1}")
        for number, difference in enumerate(between):
            if abs(difference) > allowed:
                self.findings.append(f"the recording gained {difference} frames on the time at restart {number + 1}")
        after = file_frames - recording["frames"]
        if not 0 <= after <= 5 * rate * soak.speed:
            self.findings.append(f"the file has {after} frames more than the monitor reported last")
        for kind in ("serverLost", "serverBack"):
            if soak.monitor.kinds.get(kind, 0) != soak.server.restarts:
                self.findings.append(
                    f"the monitor reported {soak.monitor.kinds.get(kind, 0)} {kind} for {soak.server.restarts} restarts")

    def _file_frames(self, path):
        result = subprocess.run(
            [self.soak.program, "info", "--json", path], capture_output=True, check=False)
        if result.returncode != 0:
            self.findings.append(f"the recording cannot be read: {result.stderr.decode(errors='replace').strip()}")
        try:
            sheet = json.loads(result.stdout)
            return round(sheet["durationSeconds"] * sheet["sampleRate"])
        except (ValueError, KeyError, TypeError):
            return 0

    def _messages(self):
        for program in self.soak.programs:
            lines = program.errors
            if lines:
                self.lines.append(f"Messages of {program.name}:")
                self.lines += [f"  {line}" for line in lines[:20]]
                if len(lines) > 20:
                    self.lines.append(f"  and {len(lines) - 20} more")
        self.lines.append("")
