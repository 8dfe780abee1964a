# SPDX-License-Identifier: MIT
"""The private JACK server, and the client that records what it plays."""

import contextlib
import os
import pathlib
import queue
import subprocess
import threading
import time

from running import Failed, Running

NAME = "drawbar-peers"
RATE = 48000


class Server:
    """jackd with the dummy driver. One name for all: a server that was killed frees its slot under it."""

    def __init__(self, tools, folder, environment, period):
        self.period = period
        self.command = [
            "jackd", "-n", NAME, "-R", "-P70", "-p128", "-d", "dummy", "-m", "-r", str(RATE), "-p", str(period)]
        self.program = Running(tools / "launch", self.command, environment, folder / "jackd.log")
        socket = pathlib.Path(f"/dev/shm/jack_{NAME}_{os.getuid()}_0")
        limit = time.monotonic() + 10
        while not socket.exists():
            if not self.program.is_alive() or time.monotonic() > limit:
                words = self.program.last_words()
                self.end()
                raise Failed(f"jackd did not start: {words}")
            time.sleep(0.005)

    def end(self):
        self.program.end()
        # Semaphores of clients that did not close properly.
        for semaphore in pathlib.Path("/dev/shm").glob(f"jack_sem.*_{NAME}_*"):
            semaphore.unlink(missing_ok=True)


class Recorder:
    """recorder.c, which says what its commands are."""

    def __init__(self, tools, folder, environment, seconds):
        self.folder = folder
        self.answers = queue.Queue()
        self.times = {}
        self.news = threading.Condition()
        command = [str(tools / "recorder"), str(seconds)]
        self.program = Running(
            tools / "launch", command, environment, folder / "recorder.log", is_read=True)
        threading.Thread(target=self._read, daemon=True).start()
        self._expect("ready")

    def _read(self):
        for line in self.program.process.stdout:
            word, _, rest = line.decode().strip().partition(" ")
            if word in ("sound", "loud"):
                with self.news:
                    self.times[word] = int(rest)
                    self.news.notify_all()
            else:
                self.answers.put((word, rest))

    def _expect(self, word):
        try:
            answer, rest = self.answers.get(timeout=10)
        except queue.Empty:
            raise Failed(f"the recorder does not answer: {self.program.last_words()}") from None
        if answer != word:
            raise Failed(f"the recorder answers {answer}, not {word}")
        return rest

    def record(self):
        self.times.clear()
        self.program.say("record\n")
        self._expect("recording")

    def time_of(self, event, program, seconds):
        """When "sound" or "loud" came, in ns; fails when it does not within so many seconds."""
        limit = time.monotonic() + seconds
        with self.news:
            while event not in self.times:
                self.news.wait(timeout=0.05)
                if not program.is_alive():
                    code = program.process.returncode
                    raise Failed(f"it ended with code {code}: {program.last_words()}")
                if time.monotonic() > limit:
                    raise Failed(f"no sound within {seconds} s: {program.last_words()}")
            return self.times[event]

    def count(self):
        """Cycles and xruns since the server started."""
        self.program.say("count\n")
        cycles, xruns = self._expect("count").split()
        return int(cycles), int(xruns)

    @contextlib.contextmanager
    def away(self):
        """Meanwhile the server does not call it."""
        self.program.say("leave\n")
        self._expect("left")
        try:
            yield
        finally:
            self.program.say("return\n")
            self._expect("returned")

    def stop(self):
        """Ends the recording; the path of its file."""
        path = self.folder / "recording.raw"
        self.program.say(f"stop {path}\n")
        self._expect("stopped")
        return path

    def wait_for_silence(self):
        """Until what was last heard is over, so that it is not taken for the next one."""
        self.program.say("silence\n")
        self._expect("silent")

    def end(self):
        # The recorder closes its client when its input ends.
        self.program.process.stdin.close()
        try:
            self.program.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            pass
        self.program.end()
