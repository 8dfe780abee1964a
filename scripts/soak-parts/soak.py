# SPDX-License-Identifier: MIT
"""Runs the soak and prints its table. Called by scripts/soak.

usage: soak.py PROGRAM SECONDS SPEED FOLDER LOG [LIBRARY]
"""

import os
import random
import subprocess
import sys
import time

from report import Report
from server import Server
from station import Station
from watched import MediaBus, Monitor, Player, RecordedTime

SEED = 32
# In seconds of sound, like everything below that is not called real.
RESTART_INTERVAL = 600
OUTAGE = 2
SEEK_PART, QUIET_PART = 30, 30
RADIO_INTERVAL = 15
SETTLING = 5
SEEK_KEYS = (b"\x1b[C", b"\x1b[C", b"\x1b[D", b"\x1b[D", b"\x1b[A", b"\x1b[B", b"\x1b[H", b">", b"<")


class Reading:
    """A player's position between two readings of the frame clock."""

    def __init__(self, soak, player):
        self.player = player
        self.restarts = soak.server.restarts
        self.counters = (player.underruns, player.xruns)
        self.state = player.state
        self.when = soak.seconds
        self.first = soak.server.clock.read()
        self.position = soak.bus.position(player.pid)
        self.last = soak.server.clock.read()

    @property
    def is_complete(self):
        return None not in (self.first, self.position, self.last) and self.state == "Playing"

    def compare(self, later, soak):
        """Adds the way between two readings to the player's drift."""
        player = self.player
        if self.restarts != soak.server.restarts or not (self.is_complete and later.is_complete):
            return
        explained = self.counters != (player.underruns, player.xruns) or player.state != "Playing"
        clock = (later.first + later.last - self.first - self.last) / 2
        slack = (later.last - later.first + self.last - self.first) / 2 + 4 * soak.server.period
        frames = (later.position - self.position) * soak.server.rate
        player.drift.add(round(frames), round(clock), slack, explained, round(self.when))


class Soak:
    """One run."""

    def __init__(self, program, real_seconds, speed, folder, log_path, library):
        self.program, self.speed, self.folder, self.log_path = program, speed, folder, log_path
        self.length = real_seconds * speed
        self.random = random.Random(SEED)
        self.seeks = 0
        self.next_seek = self.next_radio = 0
        self.last_minute = -1
        # Readings for comparison with later ones, and pairs to be compared once the screen is up to date.
        self.radio_reading = self.list_reading = None
        self.pending = []
        self.absentees = []
        self.has_ended_early = False
        self.recorded = RecordedTime(Server.rate)
        self.environment = {
            name: value for name, value in os.environ.items()
            if name not in ("NSM_URL", "http_proxy", "all_proxy")}
        self.environment |= {
            "JACK_NO_START_SERVER": "1", "XDG_CACHE_HOME": os.path.join(folder, "cache")}
        if library:
            self.environment["LD_PRELOAD"] = library
        self.server = Server(f"drawbar-soak-{os.getpid()}", speed, self.environment, log_path)
        self.bus = MediaBus(folder)
        with open(os.path.join(folder, "radio.mp3"), "rb") as file:
            self.station = Station(file.read(), 16000, speed, SEED)
        self.began = time.monotonic()
        self.began_real = time.time()

    @property
    def seconds(self):
        """Seconds of sound since the start."""
        return (time.monotonic() - self.began) * self.speed

    def run(self):
        """Runs everything; returns the report."""
        self.restarted = 0
        environment = self.environment | {"DBUS_SESSION_BUS_ADDRESS": self.bus.address}
        # A busy machine may not encode FLAC at ten times real time.
        self.recording = os.path.join(self.folder, "take.flac" if self.speed == 1 else "take.wav")
        tracks = [os.path.join(self.folder, name) for name in ("one.mp3", "two.flac", "three.wav")]
        server = ["--server", self.server.name]
        commands = [
            (Player, "radio", ["play", *server, "--spool-size", "16", self.station.url]),
            (Player, "list", ["play", *server, *tracks]),
            (Monitor, "monitor", [
                "monitor", *server, "--json", "--interval", "1", "--record", self.recording,
                *["--with", tracks[2]] * (int(self.length / 600) + 2)])]
        self.programs = []
        try:
            self._begin(commands, environment)
            self.began, self.began_real = time.monotonic(), time.time()
            self._work()
        except KeyboardInterrupt:
            print("soak: interrupted; the table is of the time until now", file=sys.stderr)
        finally:
            self.sound_seconds = self.seconds
            self.station.close()
            for program in self.programs:
                program.end()
            self.server.close()
            self.bus.close()
        return Report(self)

    def _begin(self, commands, environment):
        """Starts the server and the programs, and waits until they have sound.

        A busy machine may not open a client within the program's 5 s, at ten times the speed half a second. The
        server then waits for a client that is gone, so everything is started anew.
        """
        for _ in range(20):
            self.server.start()
            for kind, name, arguments in commands:
                program = kind(
                    name, [self.program, *arguments, "--name", name], environment, self.folder)
                self.programs.append(program)
                if not program.wait_for_sound(30):
                    break
            else:
                self.radio, self.list, self.monitor = self.programs
                self.station.cuts = 0
                return
            errors = self._end_programs()
            self.server.stop()
        raise RuntimeError(f"the programs do not start: {errors}")

    def _end_programs(self):
        errors = []
        for program in self.programs:
            program.end()
            errors += program.errors
        self.programs = []
        if os.path.exists(self.recording):
            os.unlink(self.recording)
        return errors

    def _work(self):
        interval = min(RESTART_INTERVAL, self.length / 3)
        next_restart = interval
        next_line = 0
        while self.seconds < self.length:
            began = time.monotonic()
            for program in self.programs:
                program.usage.sample(program.pid, began - self.began)
            self._compare_recording()
            # The screen shows a counter up to a tenth of a second after it changed.
            for first, second in self.pending:
                first.compare(second, self)
            self.pending = []
            if self.seconds >= next_restart:
                self._restart()
                next_restart += interval
            self._watch_radio()
            self._use_list()
            if began >= next_line:
                next_line = began + 60
                self._log()
            if not all(program.is_running for program in self.programs):
                self.has_ended_early = True
                break
            time.sleep(max(0.02, 1 / self.speed - (time.monotonic() - began)))

        self._note_absentees()

    def _watch_radio(self):
        """Compares the radio's position with the frame clock, from one reading to the next."""
        if self.seconds < self.next_radio:
            return
        self.next_radio = self.seconds + RADIO_INTERVAL
        reading = Reading(self, self.radio)
        if self.radio_reading:
            self.pending.append((self.radio_reading, reading))
        self.radio_reading = reading

    def _use_list(self):
        """Seeks in the list for half a minute, then compares its position with the frame clock at both ends of the
        other half."""
        if not self.list.repeats_all and self.list.state == "Playing":
            self.list.press(b"L")
            time.sleep(0.3)
        minute, part = divmod(self.seconds, SEEK_PART + QUIET_PART)
        if part < SEEK_PART:
            self.list_reading = None
            if self.seconds >= self.next_seek:
                self.list.press(self.random.choice(SEEK_KEYS))
                self.seeks += 1
                self.next_seek = self.seconds + self.random.uniform(1, 4)
        elif not self.list_reading and minute > self.last_minute and part > SEEK_PART + SETTLING:
            self.last_minute = minute
            self.list_reading = Reading(self, self.list)
        elif self.list_reading and part > SEEK_PART + QUIET_PART - SETTLING:
            self.pending.append((self.list_reading, Reading(self, self.list)))
            self.list_reading = None

    def _compare_recording(self):
        reading = self.monitor.reading
        if not reading or "isCompared" in reading:
            return
        reading["isCompared"] = True
        clock = self.server.clock.read()
        passed = time.monotonic() - reading["received"]
        frames = reading["recording"]["frames"]
        # The recorder begins, and continues after a restart, shortly after the clock.
        if clock is None or frames == 0 or self.seconds < self.restarted + SETTLING:
            return
        clock -= passed * self.speed * self.server.rate
        self.recorded.add(self.server.restarts, frames, clock, reading["seconds"])

    def _note_absentees(self):
        """Notes each player that has not come back to the server that is about to end."""
        for player in (self.radio, self.list):
            if player.state.startswith("Waiting"):
                self.absentees.append(
                    f"{player.name}: at {self.seconds:.0f} s still waiting for server {self.server.restarts + 1}")

    def _restart(self):
        self._note_absentees()
        self.server.stop()
        time.sleep(OUTAGE / self.speed)
        self.server.start()
        self.server.restarts += 1
        self.restarted = self.seconds

    def _log(self):
        frames = (self.monitor.reading or {}).get("recording", {}).get("frames", 0)
        usages = [
            f"{program.name} {program.usage.samples[-1][1:]}"
            for program in self.programs if program.usage.samples]
        with open(self.log_path, "a", encoding="utf-8") as log:
            print(
                f"{self.seconds:8.0f} s: {', '.join(usages)} (KiB, descriptors, threads); cuts {self.station.cuts}, "
                f"seeks {self.seeks}, restarts {self.server.restarts}, recorded {frames}, "
                f"underruns {self.radio.underruns} {self.list.underruns}, xruns {self.radio.xruns} "
                f"{self.list.xruns}, radio {self.radio.state}, list {self.list.state}", file=log)


def main():
    program, seconds, speed, folder, log = sys.argv[1:6]
    library = sys.argv[6] if len(sys.argv) > 6 else None
    report = Soak(program, int(seconds), int(speed), folder, log, library).run()
    report.print()
    sys.exit(1 if report.findings else 0)


if __name__ == "__main__":
    main()
