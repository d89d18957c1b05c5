#!/usr/bin/env python3
"""Draws the figures of `all.py`, a picture a benchmark: the median as a dot, the spread as a line.

usage: plot.py [FILE.json [FOLDER]]    benchmarks/results/all.json, into docs/benchmarks

The pictures are SVG and follow the reader's light or dark scheme.
"""

import html
import math
import pathlib
import sys

from _figures import figures_of, load, number
from _readme import BEGIN, END

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Of each picture: its title, the figures that it shows, of which unit, and the label of its axis. Cases are its lines.
PICTURES = {
    "overhead": ("Adding nodes through the library, against the raw calls", ["unchecked / raw", "checked / raw", "raw again / raw"], "ratio of host time to the raw calls"),
    "instructions": ("What a node costs above the raw calls", ["unchecked above raw, a node", "checked above raw, a node"], "instructions"),
    "footprint": ("Memory that the driver takes for a trace", ["planned / lower bound", "unplanned / lower bound"], "ratio to the lower bound"),
    "planning": ("Planned bytes, after a search of at most a second", ["planned / lower bound"], "ratio to the lower bound"),
    "planned_build": ("Building and instantiating 5,000 triples", ["planned", "unplanned", "plan alone"], "milliseconds"),
    "launch_latency": ("A launch, by the footprint of its graph", ["call", "until done"], "microseconds"),
    "include": ("Including the library, against cuda.h alone", ["cuda.h", "allograph"], "processor milliseconds"),
    "compile_time": ("Verifying a program at compile time", ["6 nodes", "1,000 nodes"], "processor seconds"),
    "audit": ("Auditing a graph", ["audit"], "milliseconds"),
}

WIDTH, LEFT, RIGHT, TOP, STEP = 760, 190, 90, 64, 18
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600; font-size: 14px } .small { fill: #59636e; font-size: 11px }
  .grid { stroke: #d1d9e0 } .one { stroke: #59636e; stroke-dasharray: 3 3 }
  .s0 { stroke: #0969da; fill: #0969da } .s1 { stroke: #bc4c00; fill: #bc4c00 } .s2 { stroke: #1a7f37; fill: #1a7f37 } .range { stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 } .grid { stroke: #3d444d } .one { stroke: #9198a1 }
    .s0 { stroke: #4493f8; fill: #4493f8 } .s1 { stroke: #f0883e; fill: #f0883e } .s2 { stroke: #3fb950; fill: #3fb950 }
  }
"""


def ticks(low, high, logarithmic):
    if logarithmic:
        return [m * 10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    step = 10.0 ** math.floor(math.log10((high - low) / 4))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= 6)
    return [step * i for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def picture(benchmark, figures):
    title, series, axis = PICTURES[benchmark]
    shown = [f for f in figures if f["figure"] in series]
    cases = list(dict.fromkeys(f["case"] for f in shown))
    series = [s for s in series if any(f["figure"] == s for f in shown)]
    least, most = min(f["low"] for f in shown), max(f["high"] for f in shown)
    ratio = shown[0]["unit"] == ""
    logarithmic = not ratio and most / max(least, 1e-9) > 20
    if logarithmic:
        low, high = least / 1.3, most * 1.3
        place = lambda v: (math.log(v) - math.log(low)) / (math.log(high) - math.log(low))
    else:
        low = min(least, 1) - 0.05 * (most - min(least, 1)) if ratio else 0
        high = most + 0.05 * (most - low)
        place = lambda v: (v - low) / (high - low)
    x = lambda v: LEFT + place(v) * (WIDTH - LEFT - RIGHT)
    row = STEP * len(series) + 8
    bottom = TOP + row * len(cases)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 44}" width="{WIDTH}" role="img" aria-label="{html.escape(title)}">',
           f"<style>{STYLE}</style>", f'<text class="title" x="12" y="22">{html.escape(title)}</text>']
    at = 12
    for i, name in enumerate(series):
        out.append(f'<circle class="s{i}" cx="{at + 4}" cy="40" r="4"/><text x="{at + 14}" y="44">{html.escape(name)}</text>')
        at += 34 + 7 * len(name)
    for value in ticks(low, high, logarithmic):
        out.append(f'<line class="grid" x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{TOP - 6}" y2="{bottom}"/>'
                   f'<text class="small" text-anchor="middle" x="{x(value):.1f}" y="{bottom + 16}">{value:,g}</text>')
    if ratio and low < 1 < high:
        out.append(f'<line class="one" x1="{x(1):.1f}" x2="{x(1):.1f}" y1="{TOP - 6}" y2="{bottom}"/>')
    out.append(f'<text class="small" text-anchor="middle" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{bottom + 34}">{html.escape(axis)}</text>')
    for i, case in enumerate(cases):
        top = TOP + row * i
        out.append(f'<text text-anchor="end" x="{LEFT - 12}" y="{top + row / 2}">{html.escape(case)}</text>')
        for k, name in enumerate(series):
            for f in shown:
                if f["case"] == case and f["figure"] == name:
                    y = top + STEP * k + STEP / 2
                    median, lowest, highest = (number(f[key], f["unit"]) for key in ("median", "low", "high"))
                    tip = html.escape(f"{case}, {name}: {median}, {lowest} to {highest}, {f['runs']} runs")
                    out.append(f'<g class="s{k}"><title>{tip}</title>'
                               f'<line class="range" x1="{x(f["low"]):.1f}" x2="{x(f["high"]):.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
                               f'<circle cx="{x(f["median"]):.1f}" cy="{y:.1f}" r="4"/></g>'
                               f'<text class="small" x="{x(f["high"]) + 8:.1f}" y="{y + 4:.1f}">{html.escape(median)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "benchmarks/results/all.json")
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "docs/benchmarks")
    result = load(source)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for benchmark, (title, *_) in PICTURES.items():
        path = folder / f"{benchmark}.svg"
        if figures := figures_of(result, benchmark):
            path.write_text(picture(benchmark, figures))
            drawn.append(f"![{title}]({folder.name}/{path.name})\n")
        else:
            path.unlink(missing_ok=True)
    page = folder.with_suffix(".md")
    if page.exists():  # shows them all
        text = page.read_text()
        begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
        page.write_text(text[:begin] + "".join(drawn) + text[end:])
    print(f"{len(drawn)} pictures in {folder}")


if __name__ == "__main__":
    main()
