# SPDX-License-Identifier: MIT
"""Compares Drawbar with other players on one private JACK server; scripts/bench-peers starts it."""

import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import chart  # noqa: E402
import machine  # noqa: E402
import report  # noqa: E402
import sound  # noqa: E402
from measuring import DECODING, SETTLE_SECONDS, Bench, interrupt_on_signals  # noqa: E402
from running import Failed  # noqa: E402
from server import NAME  # noqa: E402
from subjects import FLOORS, all_subjects  # noqa: E402

HOGS = {"quiet": 0, "loaded": 2}
OVERHEAD_SECONDS = 4  # of a turn: starting twice, ending, judging, a seek in some
WARMING_SECONDS = 0.5
MOST_TRIES = 4


def parse_arguments():
    """Without a program the options are only looked at."""
    parser = argparse.ArgumentParser(prog="scripts/bench peers", description=__doc__, add_help=False)
    parser.add_argument("--program")
    parser.add_argument("--tools", type=pathlib.Path)
    parser.add_argument("--sounds", type=pathlib.Path)
    parser.add_argument("--invocation", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--periods", type=lambda text: [int(word) for word in text.split(",")], default=[64, 128, 1024])
    parser.add_argument("--loads", type=lambda text: text.split(","), default=list(HOGS))
    parser.add_argument("--sources", type=lambda text: text.split(","), default=list(sound.RATES))
    parser.add_argument("--cpu-dma-latency", type=int)
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--svg", type=pathlib.Path)
    parser.exit_on_error = False
    options = parser.parse_args()
    if not 1 <= options.rounds <= 1000:
        raise ValueError("--rounds: from 1 to 1000")
    if not 1 <= options.seconds <= 30:
        raise ValueError("--seconds: from 1 to 30, before the recording's tone becomes louder")
    for given, known, name in ((options.loads, HOGS, "--loads"), (options.sources, sound.RATES, "--sources")):
        if not set(given) <= set(known):
            raise ValueError(f"{name}: some of {','.join(known)}")
    if not 0 <= (options.cpu_dma_latency or 0) <= 1_000_000:
        raise ValueError("--cpu-dma-latency: from 0 to 1000000 microseconds")
    names = [subject.name for subject in all_subjects("", "", None)]
    if not set(options.only or []) <= set(names):
        raise ValueError(f"--only: some of {','.join(names)}")
    if not all(16 <= period <= 4096 for period in options.periods):
        raise ValueError("--periods: from 16 to 4096 frames")
    return options


def say(text):
    print(f"peers: {text}", file=sys.stderr, flush=True)


def chosen(subjects, only):
    return [subject for subject in subjects if only is None or subject.name in (*only, *FLOORS)]


class Comparison:
    """All cells, in turns: within a round each subject has its turn under the same condition."""

    def __init__(self, bench, subjects, options):
        self.bench = bench
        self.subjects = subjects
        self.options = options
        self.cells = []
        self.turn = 0
        self.cannot = {}
        self.cell_count = (
            len(options.periods) * len(options.loads) * len(options.sources) * options.rounds * len(subjects))

    def run(self):
        for period in self.options.periods:
            self.bench.start(period, self.options.seconds + SETTLE_SECONDS + 20)
            try:
                self._warm_up()
                for load in self.options.loads:
                    self.bench.load(HOGS[load])
                    for round_number in range(1, self.options.rounds + 1):
                        for source in self.options.sources:
                            self._run_turns(period, load, source, round_number)
            finally:
                self.bench.end()

    def _warm_up(self):
        """Everybody once, unmeasured: who cannot play is found."""
        for subject in self.subjects:
            if subject.name in self.cannot:
                continue
            for attempt in range(1, MOST_TRIES + 1):
                try:
                    self.bench.measure(subject, self.options.sources[0], WARMING_SECONDS)
                    break
                except Failed as failure:
                    say(f"{subject.name}: {failure}")
                    if attempt == MOST_TRIES:
                        self.cannot[subject.name] = str(failure)

    def _run_turns(self, period, load, source, round_number):
        for subject in self.subjects:
            cell = {
                "subject": subject.name, "period": period, "load": load, "source": source, "round": round_number,
                "load_average": os.getloadavg()[0]}
            self.cells.append(cell)
            self.turn += 1
            say(f"{self.turn} of {self.cell_count}: {period} frames, {load}, {source} kHz, round "
                f"{round_number}, {subject.name}")
            if subject.name in self.cannot:
                cell["failed"] = self.cannot[subject.name]
                continue
            self._measure(cell, subject, source)
        cell = {"subject": DECODING, "period": period, "load": load, "source": source, "round": round_number}
        self.cells.append({**cell, "cpu": self.bench.measure_decoding(source)})

    def _measure(self, cell, subject, source):
        """Who crashes gets another chance; each time it did is told."""
        failures = []
        for _ in range(MOST_TRIES):
            try:
                cell.update(self.bench.measure(subject, source, self.options.seconds))
                break
            except Failed as failure:
                say(f"{subject.name}: {failure}")
                failures.append(str(failure))
        else:
            cell["failed"] = failures[-1]
        if subject.seeks_by and cell["load"] == "quiet" and "failed" not in cell:
            for _ in range(MOST_TRIES):
                try:
                    cell["seek"] = self.bench.measure_seek(subject, source)
                    break
                except Failed as failure:
                    say(f"{subject.name}: {failure}")
                    failures.append(f"with a seek: {failure}")
        if failures:
            cell["failures"] = failures


@contextlib.contextmanager
def only_one():
    """The server has one name, so only one comparison runs on a machine."""
    with open(pathlib.Path(tempfile.gettempdir()) / f"{NAME}.lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failed("another comparison is running on this machine") from None
        yield


def compare(options):
    for rate in sound.RATES.values():
        sound.make(options.sounds, rate)
    with only_one(), machine.kept_ready(options.cpu_dma_latency), \
            tempfile.TemporaryDirectory(prefix="drawbar-peers-") as folder:
        bench = Bench(options.tools, options.program, folder, options.sounds)
        subjects = chosen(bench.subjects, options.only)
        comparison = Comparison(bench, subjects, options)
        started, facts = time.time(), machine.facts(options.program, subjects)
        seconds = comparison.cell_count * (2 * options.seconds + SETTLE_SECONDS + OVERHEAD_SECONDS)
        say(f"{comparison.cell_count} turns, about {seconds / 60:.0f} minutes")
        comparison.run()
        facts.update(machine.later_facts(facts))
        facts["minutes"] = round((time.time() - started) / 60, 1)
        commands = {
            subject.name: subject.arguments(pathlib.Path("FILE"), bench.folder) for subject in subjects}
    return report.Report(options, facts, subjects, commands, str(bench.folder), comparison.cells)


def main():
    try:
        options = parse_arguments()
    except (ValueError, argparse.ArgumentError) as error:
        say(error)
        return 64
    if options.program is None:
        return 0
    interrupt_on_signals()
    try:
        result = compare(options)
    except Failed as failure:
        say(failure)
        return 1
    except KeyboardInterrupt:
        say("interrupted")
        return 1
    print(result.text())
    if options.json:
        options.json.write_text(json.dumps(result.document(), indent=1) + "\n")
    if options.markdown:
        options.markdown.write_text(result.markdown())
    if options.svg:
        options.svg.write_text(chart.draw(result))
    return 0


sys.exit(main())
