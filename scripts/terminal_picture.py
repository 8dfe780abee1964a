#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws a terminal's text, from standard input, as two SVG files: NAME.svg and NAME~dark.svg.

Usage: terminal_picture.py NAME TITLE
"""
import sys
from xml.sax.saxutils import escape

COLUMNS, CELL, LINE, MARGIN, BAR = 84, 8.4, 19, 16, 34
# Browsers join other spaces.
NO_BREAK = "\u00a0"
THEMES = {
    "": {"page": "#ffffff", "bar": "#eceff1", "edge": "#c5cbd1", "text": "#24292f", "title": "#57606a"},
    "~dark": {"page": "#0d1117", "bar": "#21262d", "edge": "#3d444d", "text": "#e6edf3", "title": "#9198a1"},
}


def draw(lines, title, theme):
    width = COLUMNS * CELL + 2 * MARGIN
    height = BAR + len(lines) * LINE + 2 * MARGIN - 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}"'
        f' height="{height:g}" role="img"><title>{escape(title)}</title>',
        f'<rect x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1:g}" rx="8" fill="{theme["page"]}"'
        f' stroke="{theme["edge"]}"/>',
        f'<path d="M1 {BAR}V8a7 7 0 0 1 7-7h{width - 16:g}a7 7 0 0 1 7 7V{BAR}z" fill="{theme["bar"]}"/>',
        f'<text x="{width / 2:g}" y="22" text-anchor="middle" font-family="sans-serif" font-size="13"'
        f' fill="{theme["title"]}">{escape(title)}</text>',
        '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14"'
        f' fill="{theme["text"]}">',
    ]
    for number, line in enumerate(lines):
        if line.strip():
            # The length holds for whatever font there is, so that columns stay below each other.
            parts.append(
                f'<text x="{MARGIN}" y="{BAR + MARGIN + 10 + number * LINE}" textLength="{len(line) * CELL:g}"'
                f' lengthAdjust="spacingAndGlyphs">{escape(line.replace(" ", NO_BREAK))}</text>')
    return "\n".join(parts + ["</g></svg>", ""])


def main():
    name, title = sys.argv[1:]
    lines = []
    for line in sys.stdin.read().rstrip("\n").split("\n"):
        lines += [line[i:i + COLUMNS] for i in range(0, max(len(line), 1), COLUMNS)]
    for suffix, theme in THEMES.items():
        with open(f"{name}{suffix}.svg", "w", encoding="utf-8") as file:
            file.write(draw(lines, title, theme))


main()
