# SPDX-License-Identifier: MIT
"""The file that is played, made with sox and lame, and what was left of it."""

import json
import subprocess

FREQUENCY = 997
# The left channel is this tone, at -9 dBFS and then at -3 dBFS, so that a seek is seen at once; the right
# channel is noise, which costs a decoder as much as music.
QUIET_SECONDS = 45
LOUD_SECONDS = 45
SEEK_SECONDS = 60  # where a seek goes, from the start of the file

RATES = {"44.1": 44100, "48": 48000}


def make(folder, rate):
    """Makes FOLDER/tone-RATE.wav, 16 bits, and .mp3, 320 kbit/s, unless they are there."""
    wave, coded = folder / f"tone-{rate}.wav", folder / f"tone-{rate}.mp3"
    if coded.exists():
        return
    synthesize = ["sox", "-R", "-D", "-V1", "-n", "-r", str(rate), "-b", "32"]
    parts = [folder / name for name in ("quiet.wav", "loud.wav", "left.wav", "right.wav")]
    quiet, loud, left, right = map(str, parts)
    for path, seconds, level in ((quiet, QUIET_SECONDS, "-9"), (loud, LOUD_SECONDS, "-3")):
        _run([*synthesize, path, "synth", str(seconds), "sine", str(FREQUENCY), "gain", level])
    _run(["sox", "-D", "-V1", quiet, loud, left])
    _run([*synthesize, right, "synth", str(QUIET_SECONDS + LOUD_SECONDS), "pinknoise", "gain", "-n", "-9"])
    _run(["sox", "-D", "-V1", "-M", left, right, "-b", "16", str(wave)])
    unfinished = folder / f"making-{rate}.mp3"
    # Separate channels, so that the noise does not leak into the tone.
    _run(["lame", "--quiet", "--noreplaygain", "-q", "5", "-m", "s", "-b", "320", str(wave), str(unfinished)])
    for path in parts:
        path.unlink()
    unfinished.rename(coded)


def _run(command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def judge(tools, recording, rate, first, period):
    """What tone.c finds in a recording from its frame `first` on."""
    command = [str(tools / "tone"), str(recording), str(rate), str(FREQUENCY), str(first), str(period)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        return {"unjudged": result.stderr.strip()}
    return json.loads(result.stdout)
