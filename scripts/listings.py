# SPDX-License-Identifier: MIT
"""Runs the commands on the pages for scripts/listings, which see."""
import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT, WORK = sys.argv[1:3]
FIXTURES = f"{ROOT}/.build/fixtures"
FILES = f"{WORK}/files"

# Commands that are not run, with the reason.
NOT_RUN = [
    (r"^(pw-jack|PIPEWIRE_LATENCY)", "needs PipeWire: the suite PipeWire tests it"),
    (r"^NSM_URL=", "needs a session manager: the suite Sessions tests it"),
    (r"^swift run|vocal-remover|^jackd ", "builds the package again: the suites of the examples test it"),
    (r"^drawbar monitor --inputs 1", "a screen of meters: the suite Monitor tests it"),
    (r"^drawbar play --server studio --ports 3", "a screen: it prints nothing without a terminal"),
    (r"^playerctl", "needs a session bus: the suite SessionBus tests it"),
    (r"^(audio-queue|remote-io)-player ", "an example program: the suite ExamplePlayer tests it"),
]
# Commands whose figures differ with each run, so that digits and meters are not compared.
MEASURED = r"^(jack_|soxi|drawbar (latency|ports|bench))"
# Commands of other programs, whose output is not compared.
FOREIGN = r"^(jack_capture|sox )"
# Commands that take more than a minute.
SLOW = r"^(drawbar bench --|Listen|Push)"
# Shell commands that run before a block in which a text occurs.
PLAY = "drawbar play song.mp3 </dev/null >/dev/null 2>&1 & player=$!\nuntil jack_lsp | grep -q drawbar:out_2; do sleep 0.1; done; sleep 0.5\n"
BEFORE = [
    ("play --eq HD650.txt song.mp3\ndrawbar:", "sed -i '4s/.*/Filter 3: ON XX Fc 100 Hz/' HD650.txt\n"),
    ("jack_lsp -ctpl", PLAY),
    ("jack_capture --disable-meter", PLAY),
    ("drawbar ports\n", PLAY),
    ("bench compare", "drawbar bench --periods 256 --seconds 0.3 --repeat 1 --json before.json >/dev/null 2>&1\n"
                      "cp before.json after.json\n"),
    ("ports connect", PLAY + "drawbar ports disconnect drawbar >/dev/null\n"),
    ("drawbar latency", "drawbar monitor --name mon </dev/null >/dev/null 2>&1 &\n"
                        "until jack_lsp | grep -q mon:out_2; do sleep 0.1; done\n"),
]
# Commands that do not end by themselves, and what runs instead.
INSTEAD = {
    "drawbar ports --watch":
        "{ sleep 1; drawbar ports disconnect drawbar:out_1 >/dev/null; sleep 0.5; kill $player; } & "
        "timeout --signal=INT 4 drawbar ports --watch",
}
# The programs on a page, in the order in which they begin there.
PROGRAMS = {
    "Library": ["Listen", "Lists", "ToFile", "Packets", "Feed"], "AudioQueue": ["Push"], "Converting": ["Convert"],
}


class Listing:
    """A command as printed, the index of its first line on the page, and the output after it."""

    def __init__(self, first, command):
        self.first, self.command, self.end = first, command, first + command.count("\n") + 1
        self.output = []


def is_whole(command):
    return subprocess.run(["bash", "-n", "-c", command], capture_output=True).returncode == 0


def blocks(lines):
    """The listings of each block between fences that has any."""
    block, start = None, 0
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if block:
                yield block
            block = [] if block is None else None
            pending = None
        elif block is not None and pending is not None:
            pending += "\n" + line
            if is_whole(pending):
                block.append(Listing(start, pending))
                pending = None
        elif block is not None and line.startswith("$ "):
            start, pending = number, line[2:]
            if is_whole(pending):
                block.append(Listing(start, pending))
                pending = None
        elif block:
            block[-1].output.append(line)


def make_files():
    """Makes the files that the pages name, a song of three minutes with tags and others, in an empty folder."""
    shutil.rmtree(FILES)
    os.mkdir(FILES)

    def copy(fixture, name):
        os.symlink(f"{FIXTURES}/{fixture}", f"{FILES}/{name}")

    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "14", "-i", f"{FIXTURES}/mp3-vbr2-44100-2.mp3",
         "-c", "copy", "-metadata", "title=An Evening Sweep", "-metadata", "artist=The Drawbars",
         f"{FILES}/song.mp3"], check=True)
    copy("gapless-1.mp3", "encore.mp3")
    for name in ["gapless-1.mp3", "gapless-2.mp3"]:
        copy(name, name)
    copy("mp3-short-44100-2.mp3", "short.mp3")
    copy("wav-ext-s24-96000-6.wav", "surround.wav")
    for name in ["intro.wav", "song.wav"]:
        copy("wav-s16-48000-1.wav", name)


def write_texts():
    """The small files, which a block may have changed."""
    texts = {
        "note.txt": "A note.\n",
        "evening.m3u": "#EXTM3U\n#PLAYLIST:Evening\n#EXTINF:2,Tones - One\ngapless-1.mp3\n"
                       "#EXTINF:2,Tones - Two\ngapless-2.mp3\nC:\\Music\\three.mp3\n",
        "HD650.txt": "Preamp: -6.1 dB\nFilter 1: ON LSC Fc 105 Hz Gain 6.4 dB Q 0.70\n"
                     "Filter 2: ON PK Fc 2000 Hz Gain -4.5 dB Q 1.41\n"
                     "Filter 3: ON HSC Fc 10000 Hz Gain 3.0 dB Q 0.70\n",
        "room.txt": "Filter 1: ON PK Fc 63 Hz Gain -5 dB Q 4\nFilter 2: ON PK Fc 125 Hz Gain -3 dB Q 4\n"
                    "Filter 3: ON PK Fc 250 Hz Gain -2 dB Q 2\n"
                    "Filter 4: ON IIR Order 3 Coefficients 1 0 0 0 1 0 0 0\n",
    }
    for name, text in texts.items():
        with open(f"{FILES}/{name}", "w", encoding="utf-8") as file:
            file.write(text)


def build_programs(page, lines):
    """Builds the programs on a page: the blocks of Swift that import something."""
    text = "\n".join(lines)
    found = [block for block in re.findall(r"```swift\n(.*?)\n```", text, re.DOTALL)
             if re.search("^import ", block, re.MULTILINE) and "swift-tools-version" not in block]
    for name, block in zip(PROGRAMS.get(os.path.basename(page)[:-3], []), found):
        with open(f"{WORK}/{name}.swift", "w", encoding="utf-8") as file:
            file.write(block + "\n")
        subprocess.run([f"{WORK}/compile", f"{WORK}/{name}.swift", f"{WORK}/bin/{name}"], check=True)


def run(block):
    """The output and the exit code of each command of a block, which one shell runs."""
    write_texts()
    printed = "\n".join(f"{listing.command}\n" + "\n".join(listing.output[:1]) for listing in block) + "\n"
    script = ["exec 2>&1", f"cd {FILES}"]
    script += [commands for text, commands in BEFORE if text in printed]
    for listing in block:
        command = INSTEAD.get(listing.command, listing.command)
        # Five seconds of a song are enough.
        if re.match("drawbar play [^&]*$", command):
            command = f"timeout --preserve-status --signal=INT 5 {command}"
        script += [command, "printf '\\001%d\\n' $?"]
    script.append("kill $(jobs -p) 2>/dev/null; wait")
    shell = subprocess.Popen(
        ["bash", "-c", "\n".join(script)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        start_new_session=True)
    try:
        output, _ = shell.communicate(timeout=1200)
    finally:
        try:
            os.killpg(shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    # A server removes the ports of a program that has ended a little later.
    for _ in range(50):
        ports = subprocess.run(["jack_lsp"], capture_output=True, text=True).stdout.split()
        if all(port.startswith("system:") for port in ports):
            break
        time.sleep(0.1)
    parts = re.sub(r"(?m)^soxi? WARN .*\n+", "", output.expandtabs(4))
    found = re.findall("(.*?)\001([0-9]+)\n", parts, re.DOTALL)
    return [
        ([line.rstrip() for line in part.rstrip("\n").split("\n")] if part.strip() else [], int(code))
        for part, code in found
    ]


def compared(line, is_measured):
    line = line.rstrip()
    if not is_measured:
        return line
    line = re.sub(r"\[[█▒─| #=-]*\]", "[meter]", line)
    return re.sub(r" +", " ", re.sub(r"[-+]?([0-9]+(\.[0-9]+)?|\binf\b)", "#", line))


def is_same(printed, output, is_measured):
    """Whether a line of the page that ends with … stands for all lines that begin so."""
    if len(printed) != len(output):
        return False
    for expected, line in zip(printed, output):
        expected, line = compared(expected, is_measured), compared(line, is_measured)
        pattern = ".*".join(re.escape(piece) for piece in expected.split("…"))
        if not re.fullmatch(pattern, line):
            return False
    return True


def check(page, arguments):
    """The number of differences on a page, whose printed output is replaced if the arguments ask for that."""
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("\n")
    name = os.path.relpath(page, ROOT)
    make_files()
    build_programs(page, lines)
    differences, replaced = 0, []
    for block in blocks(lines):
        wanted = []
        for listing in block:
            reason = next((reason for pattern, reason in NOT_RUN if re.search(pattern, listing.command)), None)
            if "--quick" in arguments and re.search(SLOW, listing.command):
                reason = "takes more than a minute"
            if reason:
                print(f"{name}:{listing.first + 1}: not run: {listing.command.splitlines()[0]} ({reason})")
            else:
                wanted.append(listing)
        if not wanted:
            continue
        for listing, (output, code) in zip(wanted, run(wanted), strict=True):
            is_measured = bool(re.search(MEASURED, listing.command))
            # A command whose output is not compared has to succeed.
            if listing.output and not re.search(FOREIGN, listing.command):
                is_right = is_same(listing.output, output, is_measured)
            else:
                is_right = code == 0
            if is_right:
                print(f"{name}:{listing.first + 1}: ok: {listing.command.splitlines()[0]}")
                continue
            differences += 1
            if not listing.output:
                print(f"{name}:{listing.first + 1}: exit code {code}: {listing.command}: {' / '.join(output)}")
                continue
            print(f"{name}:{listing.first + 1}: differs: {listing.command.splitlines()[0]}")
            print("\n".join(difflib.unified_diff(listing.output, output, "printed", "now", lineterm="", n=1)))
            replaced.append((listing, output))
    if "--update" in arguments and replaced:
        for listing, output in reversed(replaced):
            lines[listing.end:listing.end + len(listing.output)] = output
        with open(page, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return differences


def main():
    arguments = [argument for argument in sys.argv[3:] if argument.startswith("-")]
    pages = [argument for argument in sys.argv[3:] if not argument.startswith("-")]
    if not pages:
        catalog = f"{ROOT}/Sources/Drawbar/Drawbar.docc"
        pages = [f"{ROOT}/README.md"] + sorted(
            f"{catalog}/{name}" for name in os.listdir(catalog) if name.endswith(".md"))
    differences = sum(check(page, arguments) for page in pages)
    print(f"{differences} listings differ")
    sys.exit(1 if differences and "--update" not in arguments else 0)


main()
