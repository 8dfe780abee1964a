# SPDX-License-Identifier: MIT
"""A picture of a comparison: processor time over the empty client's, a bar for each player and condition."""

from xml.sax.saxutils import escape

from subjects import AHEAD, DRAWBAR

BAR_HEIGHT = 14
GROUP_GAP = 30
LABEL_WIDTH = 150
PLOT_WIDTH = 560
OWN, OTHERS = "#2a6fdb", "#9aa5b1"


def draw(report):
    tables = [(report.title(condition), rows) for condition, rows in report.tables.items()]
    ratios = [row.figures.get("cpu_ratio", 0) for _, rows in tables for row in rows]
    scale = PLOT_WIDTH / max([1, *ratios])
    parts = []
    y = 50
    for title, rows in tables:
        parts.append(f'<text x="10" y="{y}" font-weight="bold">{escape(title)}</text>')
        y += 8
        for row in rows:
            ratio = row.figures.get("cpu_ratio")
            colour = OWN if row.subject in (DRAWBAR, AHEAD) else OTHERS
            text = "failed" if ratio is None else f"{ratio:.2f}"
            width = (ratio or 0) * scale
            parts.append(f'<text x="{LABEL_WIDTH - 6}" y="{y + 11}" text-anchor="end">{escape(row.subject)}</text>')
            parts.append(
                f'<rect x="{LABEL_WIDTH}" y="{y + 1}" width="{width:.1f}" height="{BAR_HEIGHT - 3}" fill="{colour}"/>')
            parts.append(f'<text x="{LABEL_WIDTH + width + 5:.1f}" y="{y + 11}">{text}</text>')
            y += BAR_HEIGHT
        y += GROUP_GAP
    width = LABEL_WIDTH + PLOT_WIDTH + 60
    head = "Processor time of the whole process over an empty client's, in the same round, alone on the server"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" font-family="sans-serif" '
        'font-size="11">',
        f'<rect width="{width}" height="{y}" fill="white"/>',
        f'<text x="10" y="22" font-size="14">{head}</text>',
        *parts, "</svg>", ""])
