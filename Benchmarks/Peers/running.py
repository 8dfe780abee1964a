# SPDX-License-Identifier: MIT
"""Programs that are started and always ended, and what the kernel says of them while they run."""

import os
import pathlib
import pty
import signal
import subprocess
import threading
import time

CLOCK_OF_PROCESS = 2  # CPUCLOCK_SCHED, as clock_getcpuclockid() builds the number
REALTIME_POLICIES = ("1", "2")  # SCHED_FIFO, SCHED_RR
POLICY_FIELD = 41 - 3  # of /proc/PID/task/TID/stat, counted behind the name


class Failed(Exception):
    """A program did not do what it was started for."""


class Running:
    """A program that `launch` started; `start_time` is when it was executed, in ns of CLOCK_MONOTONIC."""

    def __init__(self, launcher, command, environment, log, has_terminal=False, is_read=False):
        self.log = pathlib.Path(log)
        self.terminal = None
        reader, writer = os.pipe()
        arguments = [launcher, str(writer), *command]
        options = {"env": environment, "pass_fds": (writer,), "start_new_session": True}
        with open(self.log, "wb") as errors:
            if has_terminal:
                self.terminal, end = pty.openpty()
                self.process = subprocess.Popen(arguments, stdin=end, stdout=end, stderr=errors, **options)
                os.close(end)
                self.drain = threading.Thread(target=self._drain, args=(self.terminal,), daemon=True)
                self.drain.start()
            else:
                output = subprocess.PIPE if is_read else errors
                self.process = subprocess.Popen(
                    arguments, stdin=subprocess.PIPE, stdout=output, stderr=errors, **options)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            line = pipe.readline()
        if not line:
            self.end()
            raise Failed(f"{command[0]} could not be started")
        self.start_time = int(line)

    @property
    def pid(self):
        return self.process.pid

    @staticmethod
    def _drain(terminal):
        """Reads until nobody has the other end open."""
        try:
            while os.read(terminal, 65536):
                pass
        except OSError:
            return

    def is_alive(self):
        return self.process.poll() is None

    def say(self, text):
        """Writes to the program's terminal, or else its standard input."""
        if self.terminal is not None:
            os.write(self.terminal, text.encode())
        else:
            self.process.stdin.write(text.encode())
            self.process.stdin.flush()

    def end(self):
        """Asks the program to end, then makes it; waits until it has."""
        if self.is_alive():
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        if self.terminal is not None:
            self.drain.join(timeout=5)
            os.close(self.terminal)
            self.terminal = None

    def last_words(self):
        """The last line that the program has logged, for a message."""
        lines = [line.strip() for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1] if lines else "it said nothing"


class Reading:
    """What a process has used up to now: in all, and each of its threads."""

    def __init__(self, pid):
        self.time = time.monotonic_ns()
        # Unlike the sum over the threads, this includes the time of ended threads.
        self.cpu = time.clock_gettime_ns(~pid << 3 | CLOCK_OF_PROCESS)
        self.threads = {}
        for folder in pathlib.Path(f"/proc/{pid}/task").iterdir():
            try:
                self.threads[folder.name] = self._thread(folder)
            except (FileNotFoundError, ProcessLookupError):
                continue

    @staticmethod
    def _thread(folder):
        status = dict(
            line.split(":", 1) for line in (folder / "status").read_text().splitlines() if ":" in line)
        policy = (folder / "stat").read_text().rsplit(")", 1)[1].split()[POLICY_FIELD]
        return {
            "name": status["Name"].strip(),
            "cpu": int((folder / "schedstat").read_text().split()[0]),
            "voluntary": int(status["voluntary_ctxt_switches"]),
            "involuntary": int(status["nonvoluntary_ctxt_switches"]),
            "is_realtime": policy in REALTIME_POLICIES,
        }

    def used_since(self, before):
        """Processor time in ns and context switches between two readings."""
        realtime = voluntary = involuntary = 0
        names = set()
        for thread, now in self.threads.items():
            then = before.threads.get(thread, {"cpu": 0, "voluntary": 0, "involuntary": 0})
            voluntary += now["voluntary"] - then["voluntary"]
            involuntary += now["involuntary"] - then["involuntary"]
            if now["is_realtime"]:
                realtime += now["cpu"] - then["cpu"]
                names.add(now["name"])
        return {
            "elapsed": self.time - before.time,
            "cpu": self.cpu - before.cpu,
            "realtime_cpu": realtime,
            "realtime_threads": sorted(names),
            "voluntary": voluntary,
            "involuntary": involuntary,
            "ended_threads": len(before.threads.keys() - self.threads.keys()),
        }


def memory(pid):
    """Resident size by kind, in kB, and the number of threads."""
    status = dict(
        line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    sizes = {name: int(status[name].split()[0]) for name in ("VmRSS", "RssAnon", "RssFile", "RssShmem")}
    sizes["threads"] = int(status["Threads"])
    return sizes
