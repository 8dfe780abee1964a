# SPDX-License-Identifier: MIT
"""Who is compared: how each is started, told to play, and told to seek."""

import json
import pathlib
import socket
import time

from running import Failed
from sound import SEEK_SECONDS

MPD_CONFIGURATION = """\
bind_to_address "{folder}/mpd.socket"
db_file "{folder}/mpd.db"
log_file "/dev/stderr"
auto_update "no"
zeroconf_enabled "no"
input {{
  plugin "curl"
  enabled "no"
}}
audio_output {{
  type "jack"
  name "jack"
  autostart "no"
}}
"""


def connect(path, program, seconds=10):
    """A connection to a Unix socket that the program is about to make."""
    limit = time.monotonic() + seconds
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
            return connection
        except OSError:
            connection.close()
        if not program.is_alive() or time.monotonic() > limit:
            raise Failed(f"it cannot be told what to do: {program.last_words()}")
        time.sleep(0.001)


class Subject:
    """A client that comes with its file on the command line."""

    seeks_by = None  # None: it cannot seek on request while it plays
    seek_with_terminal = False
    packages = ()
    file_kind = "mp3"
    environment = {}

    def __init__(self, name, *command):
        self.name = name
        self.command = command

    def arguments(self, file, folder, for_seek=False):
        places = {"file": str(file), "folder": str(folder)}
        return [part.format(**places) for part in self.command]

    def start_playing(self, program, file, folder, for_seek=False):
        """Does what it takes once the program runs."""

    def seek(self, program, folder):
        raise NotImplementedError


class Drawbar(Subject):
    seeks_by = "the key for a minute ahead, on a terminal"
    seek_with_terminal = True

    def __init__(self, name, program, *options):
        super().__init__(name, program, "play", *options, "{file}")

    def seek(self, program, folder):
        program.say("\x1b[A")


class Mpg123(Subject):
    seeks_by = "JUMP of its remote mode"
    packages = ("mpg123", "libmpg123-0", "libout123-0")

    def __init__(self):
        super().__init__("mpg123", "mpg123", "-q", "-o", "jack", "{file}")

    def arguments(self, file, folder, for_seek=False):
        return ["mpg123", "-R", "-o", "jack"] if for_seek else super().arguments(file, folder)

    def start_playing(self, program, file, folder, for_seek=False):
        if for_seek:
            program.say(f"SILENCE\nLOAD {file}\n")

    def seek(self, program, folder):
        program.say(f"JUMP {SEEK_SECONDS}s\n")


class Mpv(Subject):
    seeks_by = "its socket for commands"
    packages = ("mpv", "libavcodec59")

    def __init__(self):
        super().__init__(
            "mpv", "mpv", "--no-config", "--no-video", "--no-terminal", "--ao=jack", "--jack-autostart=no",
            "{file}")

    def arguments(self, file, folder, for_seek=False):
        server = [f"--input-ipc-server={folder}/mpv.socket"] if for_seek else []
        return super().arguments(file, folder) + server

    def start_playing(self, program, file, folder, for_seek=False):
        self.connection = connect(folder / "mpv.socket", program) if for_seek else None

    def seek(self, program, folder):
        command = {"command": ["seek", SEEK_SECONDS, "absolute"]}
        with self.connection:
            self.connection.sendall(json.dumps(command).encode() + b"\n")
            self.connection.recv(4096)


class Mpd(Subject):
    seeks_by = "seekcur of its protocol"
    packages = ("mpd",)

    def __init__(self):
        super().__init__("MPD", "mpd", "--no-daemon", "--stderr", "{folder}/mpd.conf")

    def arguments(self, file, folder, for_seek=False):
        (folder / "mpd.conf").write_text(MPD_CONFIGURATION.format(folder=folder))
        (folder / "mpd.socket").unlink(missing_ok=True)
        return super().arguments(file, folder)

    def start_playing(self, program, file, folder, for_seek=False):
        self.connection = connect(folder / "mpd.socket", program)
        self.answers = self.connection.makefile("r")
        self.answers.readline()
        self._tell(f"add \"file://{file}\"")
        self._tell("play")
        if not for_seek:
            self._leave()

    def seek(self, program, folder):
        self._tell(f"seekcur {SEEK_SECONDS}")
        self._leave()

    def _leave(self):
        self.answers.close()
        self.connection.close()

    def _tell(self, command):
        self.connection.sendall(command.encode() + b"\n")
        answer = self.answers.readline().strip()
        if answer != "OK":
            raise Failed(f"{command}: {answer}")


class GStreamer(Subject):
    packages = ("gstreamer1.0-tools", "gstreamer1.0-plugins-good")

    def __init__(self):
        super().__init__(
            "gst-launch", "gst-launch-1.0", "-q", "filesrc", "location={file}", "!", "mpegaudioparse", "!",
            "mpg123audiodec", "!", "audioconvert", "!", "audioresample", "!", "jackaudiosink")


class AlsaPlayer(Subject):
    packages = ("alsaplayer-common", "alsaplayer-jack")
    seeks_by = "a second alsaplayer --seek, whose start is part of the time"

    def __init__(self, launch):
        super().__init__(
            "alsaplayer", "alsaplayer", "-q", "-i", "text", "-o", "jack", "-d",
            "system:playback_1,system:playback_2", "{file}")
        self.launch = launch

    def seek(self, program, folder):
        self.launch(["alsaplayer", "--seek", str(SEEK_SECONDS)])


class JackPlay(Subject):
    packages = ("jack-tools", "libsamplerate0")
    file_kind = "wav"
    environment = {"JACK_PLAY_CONNECT_TO": "system:playback_%d"}

    def __init__(self):
        super().__init__("jack-play (WAV)", "jack-play", "{file}")


EMPTY = "empty client"
BARE = "bare client"
CALLBACK = "callback client"
DRAWBAR = "drawbar"
AHEAD = "drawbar ahead"
# The baselines for the others in each comparison.
FLOORS = (EMPTY, BARE, CALLBACK)


def all_subjects(drawbar, tools, launch):
    return [
        Subject(EMPTY, str(pathlib.Path(tools) / "empty_client")),
        Subject(BARE, str(pathlib.Path(tools) / "bare_client"), "{file}"),
        Subject(CALLBACK, str(pathlib.Path(tools) / "callback_client"), "{file}"),
        Drawbar(DRAWBAR, drawbar), Drawbar(AHEAD, drawbar, "--decode", "ahead"),
        Mpg123(), Mpv(), Mpd(), GStreamer(), AlsaPlayer(launch), JackPlay(),
    ]
