"""What `all.py` measures: each benchmark is run several times, and every run gives one value of each of its figures."""

import collections
import concurrent.futures
import csv
import ctypes
import io
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import tempfile

import compile_time
import include
from _figures import figure

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHAPES = {"chain": 15, "wide": 15, "layered": 15, "long_lived": 15, "random": 3}  # rounds of one run


class Skipped(Exception):
    pass


class Settings:
    def __init__(self, binaries, replay, runs, traces, quick):
        self.binaries, self.replay, self.runs, self.traces, self.quick = binaries, replay, runs, traces, quick
        self.made = None

    def program(self, name):
        found = self.binaries / name
        if not found.exists():
            raise Skipped(f"{name} is not built")
        return str(found)

    def trace_files(self):
        """The traces that were given, or one that is made up."""
        if self.traces:
            files = sorted(pathlib.Path(self.traces).glob("*.csv"))
            if not files:
                raise Skipped(f"{self.traces} holds no trace")
            return files
        if self.made is None:
            self.made = tempfile.TemporaryDirectory()
            draw = random.Random(1)
            rows = ["id,lower,upper,size"]
            for i in range(400):
                lower = draw.randrange(1000)
                rows.append(f"{i},{lower},{lower + 1 + draw.randrange(200)},{1 + draw.randrange(1 << draw.randrange(4, 16))}")
            pathlib.Path(self.made.name, "generated.csv").write_text("\n".join(rows) + "\n")
        return sorted(pathlib.Path(self.made.name).glob("*.csv"))


def output(*command):
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if ended.returncode != 0:
        raise Skipped(f"{pathlib.Path(command[0]).name} ended with {ended.returncode}: {ended.stderr.strip()}")
    return ended.stdout


def trace_name(path):
    return pathlib.Path(path).name.split(".")[0]


class Collected:
    """Values by figure, in the order of their first appearance."""

    def __init__(self, benchmark):
        self.benchmark, self.values = benchmark, collections.defaultdict(list)

    def add(self, case, name, unit, value):
        self.values[case, name, unit].append(value)

    def figures(self):
        return [figure(self.benchmark, case, name, unit, values) for (case, name, unit), values in self.values.items()]


# --- on a device: the system's driver, or the reference driver --------------------------------------------------------


def overhead(s):
    found = Collected("overhead")
    sizes = [10_000] if s.quick else [10_000, 100_000]
    for shape, rounds in SHAPES.items():
        for nodes in sizes:
            if shape == "random" and nodes > 10_000:
                continue
            for _ in range(s.runs):
                for row in csv.reader(io.StringIO(output(s.program("overhead_shapes"), "time", shape, nodes, rounds if nodes == 10_000 else 3))):
                    _, _, variant, nanoseconds, ratio, *_ = row
                    variant = variant.replace("_", " ")
                    case = f"{shape.replace('_', '-')}, {nodes:,} nodes"
                    if variant != "raw":
                        found.add(case, f"{variant} / raw", "", float(ratio))
                    found.add(case, variant, "ns a node", float(nanoseconds))
    return found.figures()


def footprint(s):
    """What the driver takes for a trace, allocation by allocation and planned, above the lower bound."""
    found = Collected("footprint")
    if not s.replay.exists():
        raise Skipped("replay is not built")
    traces = [trace for trace in s.trace_files() for _ in range(s.runs)]
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 4)) as pool:  # bytes, not times
        plain = pool.map(lambda trace: output(s.replay, trace), traces)
        planned = pool.map(lambda trace: output(s.replay, trace, "--plan", "--budget", "200"), traces)
        for trace, *texts in zip(traces, plain, planned):
            unplanned_bytes, planned_bytes = (int(re.search(r"^physical bytes +(\d+)", text, re.M)[1]) for text in texts)
            bound = int(re.search(r"^lower bound +(\d+)", texts[1], re.M)[1])
            found.add(trace_name(trace), "planned / lower bound", "", planned_bytes / bound)
            found.add(trace_name(trace), "unplanned / lower bound", "", unplanned_bytes / bound)
            for name, value in (("planned", planned_bytes), ("unplanned", unplanned_bytes), ("lower bound", bound)):
                found.add(trace_name(trace), name, "bytes", value)
    return found.figures()


def planned_build(s):
    found = Collected("planned_build")
    for _ in range(s.runs):
        rows = list(csv.reader(io.StringIO(output(s.program("planned_build"), "5000", "5"))))[1:]
        times = {name: float(value) for name, _, value in rows if name != "ratio"}
        case = f"{int(rows[0][1]):,} triples"
        found.add(case, "unplanned / planned", "", times["unplanned"] / times["planned"])
        for name, value in times.items():
            found.add(case, name, "ms", value)
    return found.figures()


def launch_latency(s):
    if on_reference_driver():
        raise Skipped("the reference driver runs graphs on the host: its launches say nothing of a GPU's")
    found = Collected("launch_latency")
    for _ in range(s.runs):
        rows = list(csv.reader(io.StringIO(output(s.program("launch_latency")))))[1:]
        least = float(rows[0][1])
        for size, call, done in rows:
            case = f"{int(size) // 2**20:,} MiB"
            found.add(case, "call / that of 64 MiB", "", float(call) / least)
            found.add(case, "call", "us", float(call))
            found.add(case, "until done", "us", float(done))
    return found.figures()


def audit(s):
    found = Collected("audit")
    for _ in range(s.runs):
        for shape, nodes, _, milliseconds, *_ in list(csv.reader(io.StringIO(output(s.program("audit"), "10000", "1"))))[1:]:
            found.add(f"{shape}, {int(nodes):,} nodes", "audit", "ms", float(milliseconds))
    return found.figures()


# --- on the host alone ------------------------------------------------------------------------------------------------


def instructions(s):
    """Counted over a driver that does nothing, so that the difference to raw is the library's own work."""
    if not shutil.which("valgrind"):
        raise Skipped("there is no valgrind")
    import overhead
    overhead.BUILT = s.binaries
    found = Collected("instructions")
    for _ in range(s.runs):
        counts = {variant: overhead.instructions("overhead_straight", variant) for variant in overhead.VARIANTS}
        for variant in ("unchecked", "checked"):
            found.add("10,000 nodes", f"{variant} above raw, a node", "instructions", counts[variant] - counts["raw"])
    return found.figures()


def planning(s):
    """How near to the lower bound a plan comes, and what it costs, without a driver."""
    found = Collected("planning")
    for trace in s.trace_files():
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(trace, folder)
            for _ in range(s.runs):
                rows = csv.DictReader(io.StringIO(output(s.program("footprint"), folder, "1000")))
                for row in rows:
                    found.add(trace_name(trace), "planned / lower bound", "", int(row["planned"]) / int(row["lower_bound"]))
                    found.add(trace_name(trace), "time", "ms", float(row["milliseconds"]))
    return found.figures()


def compilers():
    """@return each that is there, with its name and version"""
    found = {}
    for name in ("g++", "clang++", "nvcc"):
        if shutil.which(name):
            text = output(name, "--version")
            version = re.search(r"release (\d+\.\d+)" if name == "nvcc" else r"(\d+)\.\d+\.\d+", text)
            found[name] = f"{name} {version[1]}"
    return found


def processor_seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output(*command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compiled(benchmark, s, command, sources, unit):
    """Processor time of each source by each compiler, and its ratio to the first's."""
    found = Collected(benchmark)
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(sources.values()):
            pathlib.Path(folder, f"{number}.cpp").write_text(text)
        for compiler, case in compilers().items():
            for _ in range(s.runs):  # side by side
                times = {name: processor_seconds(*command(compiler), "-I", ROOT / "include", f"{folder}/{number}.cpp") * (1000 if unit == "ms" else 1)
                         for number, name in enumerate(sources)}
                base, ours = sources
                found.add(case, f"{ours} / {base}", "", times[ours] / times[base])
                for name, value in times.items():
                    found.add(case, name, unit, value)
                found.add(case, "more", unit, times[ours] - times[base])
    return found.figures()


def include_cost(s):
    sources = {"cuda.h": "#include <cuda.h>\n", "allograph": "#include <allograph/allograph.hpp>\n"}
    return compiled("include", s, include.command, sources, "ms")


def proof(s):
    sources = {"6 nodes": compile_time.SOURCES["one_layer"], "1,000 nodes": compile_time.SOURCES["thousand_nodes"]}
    return compiled("compile_time", s, compile_time.command, sources, "s")


PARTS = {
    "device": {"overhead": overhead, "footprint": footprint, "planned_build": planned_build, "launch_latency": launch_latency, "audit": audit},
    "host": {"instructions": instructions, "planning": planning, "include": include_cost, "compile_time": proof},
}

# --- where it ran -----------------------------------------------------------------------------------------------------


def library():
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise SystemExit("all: there is no libcuda.so.1: a GPU's driver, or ./dev, which takes the reference driver")


def on_reference_driver():
    return hasattr(library(), "allograph_reference_entry_points_v1")


def processor():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*: (.+)$", text, re.M)
    return f"{model[1] if model else 'unknown processor'}, {len(os.sched_getaffinity(0))} cores"


def describe_device():
    """@return the machine and the driver"""
    cuda = library()
    version, count, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(100)
    cuda.cuInit(0)
    cuda.cuDriverGetVersion(ctypes.byref(version))
    api = f"{version.value // 1000}.{version.value % 1000 // 10}"
    if on_reference_driver():
        return processor(), f"the reference driver, API {api}"
    cuda.cuDeviceGetCount(ctypes.byref(count))
    cuda.cuDeviceGetName(name, 100, 0)
    proc = pathlib.Path("/proc/driver/nvidia/version")
    release = re.search(r" (\d{3}\.\d+(?:\.\d+)*) ", proc.read_text()) if proc.exists() else None
    return f"{name.value.decode()}, {processor()}", f"driver {release[1]}, API {api}" if release else f"driver API {api}"
