# SPDX-License-Identifier: MIT
"""A radio station that loses its listeners now and then."""

import random
import socket
import struct
import threading
import time


class Station:
    """Serves a looped MP3 file of constant bit rate with titles, to several listeners at once.

    Each connection breaks off after a random time: closed, reset, or silent until the listener gives it up.
    Some answers to a new connection are 503.
    """

    metadata_interval = 16000
    # Sent at once to each listener, as Icecast does by default.
    burst_bytes = 65536

    def __init__(self, sound, bytes_per_second, speed, seed):
        self.sound = sound
        self.bytes_per_second = bytes_per_second * speed
        self.speed = speed
        self.random = random.Random(seed)
        self.cuts = 0
        self.refusals = 0
        self.connections = 0
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._must_refuse = False
        self._is_closing = False
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/radio"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        """Stops counting cuts: the listeners are about to leave."""
        self._is_closing = True

    def _accept(self):
        while True:
            connection, _ = self._socket.accept()
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                connection.settimeout(60)
                request = b""
                while b"\r\n\r\n" not in request:
                    piece = connection.recv(4096)
                    if not piece:
                        return
                    request += piece
                with self._lock:
                    self.connections += 1
                    refuses, self._must_refuse = self._must_refuse, False
                    seconds = self.random.uniform(20, 90) / self.speed
                    end = self.random.choice(("close", "close", "reset", "silence", "refuse"))
                if refuses:
                    self.refusals += 1
                    connection.sendall(
                        b"HTTP/1.0 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
                    return
                self._send(connection, seconds, b"icy-metadata: 1" in request.lower())
                self._end(connection, end)
            except OSError:
                # The listener has left.
                return

    def _send(self, connection, seconds, has_metadata):
        fields = "HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: Soak\r\nicy-br: 128\r\n"
        if has_metadata:
            fields += f"icy-metaint: {self.metadata_interval}\r\n"
        connection.sendall(fields.encode() + b"\r\n")
        began = time.monotonic()
        # All listeners hear the same at the same time.
        place = max(0, int((began - self._began) * self.bytes_per_second) - self.burst_bytes)
        sent = 0
        title = None
        while (passed := time.monotonic() - began) < seconds:
            due = self.burst_bytes + int(passed * self.bytes_per_second)
            while sent < due:
                count = due - sent
                if has_metadata:
                    count = min(count, self.metadata_interval - sent % self.metadata_interval)
                connection.sendall(self._bytes(place + sent, count))
                sent += count
                if has_metadata and sent % self.metadata_interval == 0:
                    new = f"Title number {(place + sent) // 1_000_000}"
                    text = f"StreamTitle='{new}';".encode() if new != title else b""
                    title = new
                    units = (len(text) + 15) // 16
                    connection.sendall(bytes([units]) + text.ljust(units * 16, b"\0"))
            time.sleep(0.05)

    def _bytes(self, place, count):
        result = b""
        while len(result) < count:
            start = (place + len(result)) % len(self.sound)
            result += self.sound[start:start + count - len(result)]
        return result

    def _end(self, connection, kind):
        with self._lock:
            if self._is_closing:
                return
            self.cuts += 1
            self._must_refuse = kind == "refuse"
        if kind == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif kind == "silence":
            # Until the listener closes the connection.
            connection.recv(1)
