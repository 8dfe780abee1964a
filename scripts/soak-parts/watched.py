# SPDX-License-Identifier: MIT
"""Programs that the soak runs, and what it observes of them."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time


class Usage:
    """The memory, descriptors and threads of a process over time."""

    def __init__(self):
        self.samples = []

    def sample(self, pid, seconds):
        """Adds a reading; does nothing if the process has ended."""
        try:
            with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
                fields = dict(line.split(":", 1) for line in file if ":" in line)
            descriptors = len(os.listdir(f"/proc/{pid}/fd"))
            kibibytes = int(fields["VmRSS"].split()[0])
            self.samples.append((seconds, kibibytes, descriptors, int(fields["Threads"])))
        except (OSError, KeyError):
            return

    def column(self, number):
        """Returns the readings: 1 is memory in KiB, 2 descriptors, 3 threads."""
        return [sample[number] for sample in self.samples]

    def _part(self, number, first, last):
        """Returns the middle value of a part of the run, bounds from 0 to 1."""
        values = self.column(number)
        part = sorted(values[int(len(values) * first):int(len(values) * last)] or values)
        return part[len(part) // 2]

    def growth(self, number):
        """Returns the difference between the last quarter and the second one: the first one fills buffers."""
        return self._part(number, 0.75, 1) - self._part(number, 0.25, 0.5)

    def slope(self):
        """Returns KiB per hour by least squares, without the first quarter."""
        samples = self.samples[len(self.samples) // 4:]
        if len(samples) < 3:
            return 0.0
        mean_time = sum(sample[0] for sample in samples) / len(samples)
        mean = sum(sample[1] for sample in samples) / len(samples)
        spread = sum((sample[0] - mean_time) ** 2 for sample in samples)
        product = sum((sample[0] - mean_time) * (sample[1] - mean) for sample in samples)
        return product / spread * 3600 if spread > 0 else 0.0


class Drift:
    """How far a position and the server's frame clock move apart.

    An interval with an xrun or an underrun counts if it agrees all the same; it need not.
    """

    def __init__(self):
        self.intervals = 0
        self.disturbed = 0
        self.frames = 0
        self.sum = 0
        self.largest = 0
        self.unexplained = []

    def add(self, frames, clock_frames, slack, explained, when):
        """Adds an interval. A difference beyond the slack has to be explained by a counter of the program."""
        difference = frames - clock_frames
        if explained:
            self.disturbed += 1
            if abs(difference) > slack:
                return
        self.intervals += 1
        self.frames += clock_frames
        self.sum += difference
        if abs(difference) > abs(self.largest):
            self.largest = difference
        if abs(difference) > slack:
            self.unexplained.append((when, difference))


class RecordedTime:
    """How far a recording and the server's frame clock move apart while a server runs, and from one to the next."""

    def __init__(self, rate):
        self.rate = rate
        self.servers = []
        self._server = None

    def add(self, server, frames, clock_frames, seconds):
        """Adds a reading: the number of the server, recorded frames, its clock, and the monitor's time."""
        if server != self._server:
            self._server = server
            self.servers.append([])
        self.servers[-1].append((frames - clock_frames, frames - seconds * self.rate))

    @staticmethod
    def _middle(readings, column):
        return sorted(reading[column] for reading in readings)[len(readings) // 2]

    @property
    def within(self):
        """Frames that the recording gained on the clock of each server."""
        return [round(self._middle(readings[-9:], 0) - self._middle(readings[:9], 0)) for readings in self.servers]

    @property
    def between(self):
        """Frames that the recording gained on the monitor's time at each restart."""
        return [
            round(self._middle(later[:9], 1) - self._middle(earlier[-9:], 1))
            for earlier, later in zip(self.servers, self.servers[1:])]


class Program:
    """A running `drawbar`. Its error messages are kept."""

    def __init__(self, name, command, environment, folder):
        self.name = name
        self.usage = Usage()
        self.drift = Drift()
        self.exit_code = None
        self.error_path = os.path.join(folder, f"{name}.errors")
        self._errors = open(self.error_path, "wb")
        self._start(command, environment)

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_running(self):
        return self.process.poll() is None

    def wait_for_sound(self, seconds):
        """Returns whether the program has begun within a time."""
        deadline = time.monotonic() + seconds
        while self.is_running and not self.is_at_work and time.monotonic() < deadline:
            time.sleep(0.02)
        return self.is_running and self.is_at_work

    def end(self):
        """Interrupts the program as Ctrl-C does; the exit code is None if it had to be killed."""
        if self.is_running:
            self.process.send_signal(signal.SIGINT)
        try:
            self.exit_code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._errors.close()

    @property
    def errors(self):
        """The error messages, a list of lines."""
        with open(self.error_path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()


class Player(Program):
    """`drawbar play` in a terminal of its own, whose keys are pressed and whose status line is read."""

    _status = re.compile(
        r"(Stopped|Opening|Buffering|Playing|Seeking|Paused|Ended|Failed|Forward|Rewind|Waiting for the JACK server)"
        r"[^\x1b\n]*?(  repeat all)?  underruns (\d+)  xruns (\d+)")

    def _start(self, command, environment):
        self._terminal, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        # Keys are read in the foreground of a controlling terminal only.
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *command], stdin=slave, stdout=slave, stderr=self._errors,
            env=environment | {"TERM": "xterm"})
        os.close(slave)
        self.state, self.underruns, self.xruns = "", 0, 0
        self.repeats_all = False
        self.states = {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        text = ""
        while True:
            try:
                piece = os.read(self._terminal, 65536)
            except OSError:
                return
            if not piece:
                return
            text += piece.decode("utf-8", "replace")
            end = 0
            for match in self._status.finditer(text):
                if match[1] != self.state:
                    self.states[match[1]] = self.states.get(match[1], 0) + 1
                self.state = match[1]
                self.repeats_all = match[2] is not None
                self.underruns, self.xruns = int(match[3]), int(match[4])
                end = match.end()
            # A status line may be cut between two reads.
            text = text[end:][-1024:]

    @property
    def is_at_work(self):
        return self.state == "Playing"

    def press(self, key):
        """Presses a key."""
        try:
            os.write(self._terminal, key)
        except OSError:
            pass


class Monitor(Program):
    """`drawbar monitor --json`, whose readings are kept."""

    def _start(self, command, environment):
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors,
            env=environment, start_new_session=True)
        self.reading = None
        self.first = None
        self.kinds = {}
        self.is_at_work = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            reading = json.loads(line)
            kind = reading["type"]
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
            if kind == "meters":
                reading["received"] = time.monotonic()
                self.first = self.first or reading
                self.reading = reading
                self.is_at_work = True


class MediaBus:
    """A session bus of the soak's own, on which the players state their positions."""

    def __init__(self, folder):
        self._process = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address",
             f"--address=unix:path={folder}/bus"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        self.address = self._process.stdout.readline().decode().strip()

    def position(self, pid):
        """Returns the position of a player in seconds; None if it does not answer."""
        result = subprocess.run(
            ["busctl", f"--address={self.address}", "--timeout=5", "get-property",
             f"org.mpris.MediaPlayer2.drawbar.instance{pid}", "/org/mpris/MediaPlayer2",
             "org.mpris.MediaPlayer2.Player", "Position"],
            capture_output=True, check=False)
        fields = result.stdout.split()
        return int(fields[1]) / 1e6 if result.returncode == 0 and len(fields) == 2 else None

    def close(self):
        """Ends the bus."""
        self._process.terminate()
        self._process.wait()
