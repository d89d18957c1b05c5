"""The README's numbers, as the committed benchmark run gives them."""

from _figures import figures_of, find, number

BEGIN, END = "<!-- benchmarks: begin -->\n", "<!-- benchmarks: end -->\n"


def spread(values, unit=""):
    """"1.02 to 1.12", or one number where both are written alike"""
    low, high = (number(v, unit) for v in (min(values), max(values)))
    return low if low == high else f"{low.removesuffix(' ' + unit)} to {high}"


def medians(result, benchmark, name, cases=None):
    return [f["median"] for f in figures_of(result, benchmark) if f["figure"] == name and (cases is None or f["case"] in cases)]


def with_spread(f):
    return f"{number(f['median'], f['unit'])} ({spread([f['low'], f['high']], f['unit']).removesuffix(' ' + f['unit'])})"


def rows(result):
    """@return what is measured, its figures, and the name of the benchmark"""
    def cases(benchmark):
        return list(dict.fromkeys(f["case"] for f in figures_of(result, benchmark)))

    if traces := cases("footprint"):
        what = "a trace that was made up" if traces == ["generated"] else f"{len(traces)} production traces"
        yield (f"memory that the driver takes for {what}, in whole chunks, against the lower bound",
               f"planned {spread(medians(result, 'footprint', 'planned / lower bound'))}; "
               f"allocation by allocation {spread(medians(result, 'footprint', 'unplanned / lower bound'))}", "footprint")
    if cases("planning"):
        yield ("planned bytes of the same, after a search of at most a second, against the lower bound",
               spread(medians(result, "planning", "planned / lower bound")), "planning")
    for case in cases("planned_build"):
        yield (f"{case} of allocation, kernel and free, built and instantiated: unplanned against planned",
               f"{with_spread(find(result, 'planned_build', case, 'unplanned / planned'))} times as long", "planned_build")
    if shapes := cases("overhead"):
        for nodes in (" 10,000 nodes", " 100,000 nodes"):
            of_size = [case for case in shapes if case.endswith("," + nodes)]
            if of_size:
                each = ", ".join(f"{case.split(',')[0]} {number(find(result, 'overhead', case, 'checked / raw')['median'], '')}" for case in of_size)
                yield (f"adding{nodes} to a checked graph, against the raw calls",
                       f"{each}; unchecked {spread(medians(result, 'overhead', 'unchecked / raw', of_size))}", "overhead")
    if cases("instructions"):
        unchecked, checked = (find(result, "instructions", "10,000 nodes", f"{v} above raw, a node")["median"] for v in ("unchecked", "checked"))
        yield ("instructions of a node above the raw calls", f"unchecked {unchecked:.0f}, checked {checked:.0f}", "instructions")
    if sizes := cases("launch_latency"):
        yield ("the call of a launch, by the footprint of its graph",
               ", ".join(f"{size}: {with_spread(find(result, 'launch_latency', size, 'call'))}" for size in sizes), "launch_latency")
    if shapes := cases("audit"):
        yield ("an audit of " + shapes[0].split(", ", 1)[1].replace("9,999", "10,000"), spread(medians(result, "audit", "audit"), "ms"), "audit")
    if compilers := cases("include"):
        yield ("`#include <allograph/allograph.hpp>` above `<cuda.h>`, processor time",
               ", ".join(f"{c}: {number(find(result, 'include', c, 'more')['median'], 'ms')}" for c in compilers), "include")
    if compilers := cases("compile_time"):
        yield ("a program of 1,000 nodes verified at compile time, above one of 6, processor time",
               ", ".join(f"{c}: {number(find(result, 'compile_time', c, 'more')['median'], 's')}" for c in compilers), "compile_time")


def section(result):
    """What stands between the marks."""
    machines = ". ".join(f"{part['part'].capitalize()}: {part['machine']}, {part['driver']}, {part['compiler']}, {part['date']}" for part in result["parts"])
    runs = min(f["runs"] for f in figures_of(result))
    lines = [f"{machines}. Medians of {runs} runs, least and most in brackets. `./dev bench all --traces DIR` repeats them, "
             "`--only NAME` one; [docs/benchmarks.md](docs/benchmarks.md) shows all.", "", "| | | |", "|---|---|---|"]
    lines += [f"| {what} | {figures} | `{name}` |" for what, figures, name in rows(result)]
    return "\n".join(lines) + "\n"


def rewritten(text, result):
    """The README with its numbers replaced. @throws ValueError where the marks are missing"""
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text[:begin] + section(result) + text[end:]
