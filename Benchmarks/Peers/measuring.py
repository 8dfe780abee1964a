# SPDX-License-Identifier: MIT
"""One subject on one server: what it takes while it plays, and how soon it is heard."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

import sound
from running import Failed, Reading, Running, memory
from server import NAME, RATE, Recorder, Server
from subjects import EMPTY, all_subjects

SETTLE_SECONDS = 1.0
STARTING_SECONDS = 10
# libmpg123 alone without an output, which is added to the empty client for a comparison.
DECODING = "decoding alone"
DECODER = ("mpg123", "-q", "-t")
# Variables of the user's session, which the measured programs must not get.
FOREIGN = ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "NSM_URL", "JACK_PROMISCUOUS_SERVER")


class Bench:
    """The private server, its recorder, and what runs on it, one at a time."""

    def __init__(self, tools, drawbar, folder, sounds):
        self.tools = pathlib.Path(tools)
        self.folder = pathlib.Path(folder)
        self.sounds = pathlib.Path(sounds)
        self.subjects = all_subjects(drawbar, tools, self._run_aside)
        self.server = self.recorder = None
        self.hogs = []
        home = self.folder / "home"
        (home / "run").mkdir(parents=True, mode=0o700)
        self.environment = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        self.environment.update(
            JACK_DEFAULT_SERVER=NAME, JACK_NO_START_SERVER="1", HOME=str(home), XDG_RUNTIME_DIR=str(home / "run"),
            XDG_CONFIG_HOME=str(home / "config"), XDG_CACHE_HOME=str(home / "cache"),
            XDG_DATA_HOME=str(home / "data"))

    def start(self, period, seconds):
        """A server of that period, and a recorder for so many seconds."""
        self.server = Server(self.tools, self.folder, self.environment, period)
        self.recorder = Recorder(self.tools, self.folder, self.environment, seconds)

    def load(self, hogs):
        """From now on so many busy loops run beside."""
        while self.hogs:
            self.hogs.pop().end()
        for index in range(hogs):
            loop = ["sh", "-c", "while :; do :; done"]
            self.hogs.append(Running(self.tools / "launch", loop, self.environment, self.folder / f"hog{index}.log"))

    def end(self):
        with contextlib.ExitStack() as ends:
            for program in (self.server, self.recorder):
                if program is not None:
                    ends.callback(program.end)
            ends.callback(self.load, 0)
        self.recorder = self.server = None

    def _run_aside(self, command):
        subprocess.run(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=10, check=False)

    def file_for(self, subject, source):
        return self.sounds / f"tone-{sound.RATES[source]}.{subject.file_kind}"

    def _launch(self, subject, file, for_seek=False):
        """Starts the subject while a recording runs; the program, and when it was first heard."""
        self.recorder.record()
        program = Running(
            self.tools / "launch", subject.arguments(file, self.folder, for_seek),
            {**self.environment, **subject.environment}, self.folder / "subject.log",
            has_terminal=for_seek and subject.seek_with_terminal)
        try:
            subject.start_playing(program, file, self.folder, for_seek)
            return program, self.recorder.time_of("sound", program, STARTING_SECONDS)
        except BaseException:
            program.end()
            raise

    def _start_once(self, subject, file):
        """Has it heard, unmeasured: what the next start needs of files is in memory then. Some machines give up what
        nobody has used for seconds."""
        program, _ = self._launch(subject, file)
        try:
            self.recorder.stop()
        finally:
            program.end()
            self.recorder.wait_for_silence()

    def measure(self, subject, source, seconds):
        """What the subject takes in so many seconds, a second after it was first heard: beside the recorder, and
        then alone on the server."""
        file = self.file_for(subject, source)
        self._start_once(subject, file)
        program, heard = self._launch(subject, file)
        try:
            time.sleep(max(0, heard / 1e9 + SETTLE_SECONDS - time.monotonic()))
            cycles, xruns = self.recorder.count()
            before = Reading(program.pid)
            time.sleep(seconds)
            if not program.is_alive():
                raise Failed(f"it ended while it played: {program.last_words()}")
            beside = Reading(program.pid).used_since(before)
            later_cycles, later_xruns = self.recorder.count()
            recording = self.recorder.stop()
            # A recorder keeps the processor from sleeping, but waking it is most of an empty client's cost.
            with self.recorder.away():
                # Some programs read the graph again for a second after a change.
                time.sleep(1.5 * SETTLE_SECONDS)
                before = Reading(program.pid)
                time.sleep(seconds)
                if not program.is_alive():
                    raise Failed(f"it ended while it played: {program.last_words()}")
                alone = Reading(program.pid).used_since(before)
                sizes = memory(program.pid)
        finally:
            program.end()
            self.recorder.wait_for_silence()
        result = {
            **alone, **sizes, "cycles": alone["elapsed"] * RATE / self.server.period / 1e9,
            "beside": {**beside, "cycles": later_cycles - cycles}, "xruns": later_xruns - xruns,
            "first_sound": heard - program.start_time,
        }
        if subject.name != EMPTY:
            begin = recording.stat().st_size // 4 - int((seconds + SETTLE_SECONDS / 2) * RATE)
            result["tone"] = sound.judge(self.tools, recording, RATE, max(0, begin), self.server.period)
        return result

    def measure_seek(self, subject, source):
        """Nanoseconds from the command to the first sound from the new place."""
        program, heard = self._launch(subject, self.file_for(subject, source), for_seek=True)
        try:
            time.sleep(max(0, heard / 1e9 + SETTLE_SECONDS - time.monotonic()))
            told = time.monotonic_ns()
            subject.seek(program, self.folder)
            return self.recorder.time_of("loud", program, STARTING_SECONDS) - told
        finally:
            self.recorder.stop()
            program.end()
            self.recorder.wait_for_silence()

    def measure_decoding(self, source):
        """Nanoseconds of processor time that a second of the file takes to decode."""
        command = [*DECODER, str(self.sounds / f"tone-{sound.RATES[source]}.mp3")]
        process = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise Failed("mpg123 cannot decode the file")
        return (usage.ru_utime + usage.ru_stime) * 1e9 / (sound.QUIET_SECONDS + sound.LOUD_SECONDS)


def interrupt_on_signals():
    """The first signal to end becomes an exception, so that everything started is ended in peace."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def interrupt(number, frame):
        for other in numbers:
            signal.signal(other, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in numbers:
        signal.signal(number, interrupt)
