# SPDX-License-Identifier: MIT
"""JACK servers of the soak, which it restarts, and their frame clocks."""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time


class Server:
    """A `jackd` with the dummy driver that no other program uses."""

    rate = 48000

    def __init__(self, name, speed, environment, log_path):
        self.name = name
        # A cycle takes 5.3 ms, or 2.1 ms at ten times the speed.
        self.period = 256 if speed == 1 else 1024
        self.environment = environment
        self.log_path = log_path
        self.restarts = 0
        self.unclean_ends = 0
        self.process = None
        self.clock = None

    def start(self):
        """Starts the server and waits until its frame clock runs."""
        command = ["jackd", "-n", self.name, "-p", "64", "-R", "-P", "70", "-d", "dummy",
                   "-r", str(self.rate), "-p", str(self.period), "-C", "2", "-P", "2"]
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment, start_new_session=True)
        deadline = time.monotonic() + 15
        while not os.path.exists(self._socket):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"jackd did not start; its log is {self.log_path}")
            time.sleep(0.01)
        self.clock = FrameClock(self.name, self.environment, self.log_path)

    def stop(self):
        """Ends the server as a user would."""
        if self.clock:
            self.clock.close()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.returncode != 0:
            # A client that leaves at this moment can end jackd with SIGPIPE.
            self.unclean_ends += 1
            with open(self.log_path, "a", encoding="utf-8") as log:
                print(f"jackd ended with {self.process.returncode}", file=log)
            if os.path.exists(self._socket):
                os.unlink(self._socket)

    def close(self):
        """Ends the server for good. One that a signal ended keeps its place among the machine's eight until a
        server of its name ends properly."""
        self.stop()
        for _ in range(3):
            if self.process.returncode == 0:
                break
            self.start()
            self.stop()

    @property
    def _socket(self):
        return f"/dev/shm/jack_{self.name}_{os.getuid()}_0"


class FrameClock:
    """The frame clock of one run of a server, read by a process of its own.

    libjack keeps state in a process whose server has ended, and may end the process with it.
    """

    def __init__(self, name, environment, log_path):
        with open(log_path, "ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, __file__, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=log, env=environment)
        self._last = None
        self._frames = 0
        if self.read() is None:
            raise RuntimeError(f"the frame clock of {name} cannot be read; see {log_path}")

    def read(self):
        """Returns the frames since the first reading; None if the server does not answer."""
        try:
            self._process.stdin.write(b"\n")
            self._process.stdin.flush()
            if not select.select([self._process.stdout], [], [], 10)[0]:
                return None
            value = int(self._process.stdout.readline())
        except (OSError, ValueError):
            return None
        if self._last is not None:
            self._frames += (value - self._last) % (1 << 32)
        self._last = value
        return self._frames

    def close(self):
        """Ends the process, and with it the client."""
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def serve_frame_times(name):
    """Writes the time of the current cycle, in frames, for each line read."""
    jack = ctypes.CDLL("libjack.so.0")
    jack.jack_client_open.restype = ctypes.c_void_p
    jack.jack_last_frame_time.restype = ctypes.c_uint32
    for function in (jack.jack_last_frame_time, jack.jack_activate, jack.jack_client_close):
        function.argtypes = [ctypes.c_void_p]
    status = ctypes.c_int()
    no_start_and_server_name = 1 | 4
    client = None
    for _ in range(50):
        client = jack.jack_client_open(
            b"frame-clock", no_start_and_server_name, ctypes.byref(status), name.encode())
        if client:
            break
        time.sleep(0.1)
    if not client:
        sys.exit("no client could be opened")
    while sys.stdin.readline():
        print(jack.jack_last_frame_time(client), flush=True)
    jack.jack_client_close(client)


if __name__ == "__main__":
    serve_frame_times(sys.argv[1])
