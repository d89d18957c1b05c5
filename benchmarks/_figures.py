"""Figures with their spread, the runs that they come from, and both as JSON and as text.

A result holds parts, each of one machine and day: {"parts": [{"part", "machine", "driver", "compiler", "date", "figures",
"skipped"}]}. A figure is {"benchmark", "case", "figure", "unit", "median", "low", "high", "runs"}; a ratio has the unit "".
"""

import json
import pathlib
import statistics

KEYS = ("benchmark", "case", "figure", "unit")


def figure(benchmark, case, name, unit, values):
    return {"benchmark": benchmark, "case": case, "figure": name, "unit": unit, "median": statistics.median(values),
            "low": min(values), "high": max(values), "runs": len(values)}


def figures_of(result, benchmark=None):
    return [f for part in result["parts"] for f in part["figures"] if benchmark in (None, f["benchmark"])]


def find(result, benchmark, case, name):
    """@return the one figure of that name. @throws KeyError where there is none, or more than one"""
    found = [f for f in figures_of(result, benchmark) if f["case"] == case and f["figure"] == name]
    if len(found) != 1:
        raise KeyError(f"{len(found)} figures '{name}' of {benchmark}, {case}")
    return found[0]


def load(*paths):
    """The parts of all files. A benchmark that a later file measured again takes the place of the earlier figures; parts
    of one machine, driver and compiler become one."""
    parts = []
    for path in paths:
        for new in json.loads(pathlib.Path(path).read_text())["parts"]:
            measured = {f["benchmark"] for f in new["figures"]} | set(new["skipped"])
            for old in parts:
                if old["part"] == new["part"]:
                    old["figures"] = [f for f in old["figures"] if f["benchmark"] not in measured]
                    old["skipped"] = {name: why for name, why in old["skipped"].items() if name not in measured}
            same = [old for old in parts if all(old[key] == new[key] for key in ("part", "machine", "driver", "compiler"))]
            if same:
                same[0]["figures"] += new["figures"]
                same[0]["skipped"] |= new["skipped"]
                same[0]["date"] = max(same[0]["date"], new["date"])
            else:
                parts.append(new)
    return {"parts": [part for part in parts if part["figures"]]}


def save(result, path):
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_text(json.dumps(result, indent=1) + "\n")


def number(value, unit):
    """As people write it: three figures or so, thousands apart."""
    if unit == "bytes":
        return f"{value / 2**20:,.0f} MiB" if value >= 2**20 else f"{value:,.0f} B"
    digits = f"{value:.3f}" if unit == "" or value < 1 else f"{value:.2f}" if value < 100 else f"{value:,.0f}"
    return digits + (f" {unit}" if unit else "")


def as_text(result):
    """One table: ratios first, absolute figures second."""
    lines = []
    for part in result["parts"]:
        lines.append(f"{part['part']}: {part['machine']}; {part['driver']}; {part['compiler']}; {part['date']}")
    for title, wanted in (("ratios", True), ("absolute", False)):
        rows = [f for f in figures_of(result) if (f["unit"] == "") == wanted]
        if not rows:
            continue
        table = [(f["benchmark"], f["case"], f["figure"], number(f["median"], f["unit"]), number(f["low"], f["unit"]),
                  number(f["high"], f["unit"]), str(f["runs"])) for f in rows]
        head = ("benchmark", "case", title, "median", "least", "most", "runs")
        widths = [max(len(row[i]) for row in [head, *table]) for i in range(len(head))]
        lines.append("")
        for row in [head, *table]:
            cells = [cell.rjust(width) if i > 2 else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))]
            lines.append("  ".join(cells).rstrip())
    for part in result["parts"]:
        lines += [""] * bool(part["skipped"]) + [f"skipped: {name}: {why}" for name, why in part["skipped"].items()]
    return "\n".join(lines) + "\n"
