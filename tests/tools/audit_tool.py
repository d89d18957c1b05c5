#!/usr/bin/env python3
"""Tests of allograph-audit on the reference driver. usage: audit_tool.py PROGRAMS_FOLDER BUILD_FOLDER [CASE]...

A case is a function `test_NAME`; exit status 77 says that it was skipped.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
BUILD = pathlib.Path(sys.argv[2]).resolve()
COMMAND = BUILD / "tools/allograph-audit"
LIBRARY = BUILD / "tools/liballograph_audit.so"
WAYS = ("linked", "dlsym", "proc_address")
INSTANTIATES = ("cuGraphInstantiate", "cuGraphInstantiate_v2", "cuGraphInstantiateWithFlags", "cuGraphInstantiateWithParams",
                "cuGraphInstantiateWithParams_ptsz")


class Skipped(Exception):
    pass


def sanitizer():
    """The sanitizer's library, where the build has one: programs of others need it to load the reference driver."""
    linked = subprocess.run(["ldd", PROGRAMS / "linked"], capture_output=True, text=True).stdout
    found = re.search(r"=> (\S*libasan\S*)", linked)
    return found[1] if found else None


def environment(**more):
    made = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "ALLOGRAPH_AUDIT")}
    made["LD_LIBRARY_PATH"] = f"{BUILD / 'reference_driver'}:{PROGRAMS}"
    made["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0"
    made.update(more)
    return {k: v for k, v in made.items() if v is not None}


def call(command, **more):
    stdin = more.pop("stdin", None)
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, input=stdin, env=environment(**more), timeout=120)


def program(way, *arguments):
    return [PROGRAMS / way, *arguments]


class Folder:
    """A folder for reports, and what is in it."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp()) / "reports"

    def reports(self):
        return [json.loads(p.read_text()) for p in sorted(self.path.glob("graph-*.json"))]

    def rules(self, severity="error"):
        return [f["rule"] for r in self.reports() for f in r["findings"] if f["severity"] == severity]

    def index(self, kind):
        lines = (self.path / "index.tsv").read_text().splitlines()
        return [line.split("\t") for line in lines if line.startswith(kind + "\t")]


def audited(command, *options, **more):
    """@return the answer of `allograph-audit run`, and its folder"""
    folder = Folder()
    return call([COMMAND, "run", "--output", folder.path, *options, "--", *command], **more), folder


def same(command, **more):
    """Runs bare and audited: what the program says and how it ends must be the same."""
    bare = call(command, **more)
    under, folder = audited(command, **more)
    equal(under.stdout, bare.stdout)
    equal(under.returncode, bare.returncode)
    equal([line for line in under.stderr.splitlines() if not line.startswith("allograph-audit: ")], bare.stderr.splitlines())
    return under, folder


def equal(got, wanted):
    if got != wanted:
        raise AssertionError(f"got {got!r}, wanted {wanted!r}")


def contains(text, part):
    if part not in text:
        raise AssertionError(f"{part!r} is not in {text!r}")


# --- the four ways to the driver, and every function that instantiates ----------------------------------------------------


def test_planted():
    for way in WAYS:
        for how in INSTANTIATES:
            under, folder = same(program(way, "too_early", how))
            equal((way, how, folder.rules()), (way, how, ["O3"]))
            equal(len(folder.reports()), 1)
            contains(under.stderr, "graphs 1, findings 1 (O3)")
            contains(under.stdout, "instantiate 0, errno 77\n")
            names = sorted(p.suffix for p in folder.path.glob("graph-*"))
            equal(names, [".dot", ".html", ".json", ".txt"])


def test_clean():
    for way in WAYS:
        for how in INSTANTIATES:
            under, folder = same(program(way, "clean", how))
            equal((way, how, len(folder.reports())), (way, how, 1))
            equal(folder.reports()[0]["findings"], [])
            contains(under.stderr, "graphs 1, findings 0, notes 0")


def test_cuda_bindings():
    python = [sys.executable, "-c", "import cuda.bindings.driver"]
    if subprocess.run(python, capture_output=True).returncode != 0:
        raise Skipped("no cuda-bindings here")
    done = call([sys.executable, HERE / "gpu/run.py", COMMAND], LD_PRELOAD=sanitizer())
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)


def test_ctypes():
    script = "import ctypes; cu = ctypes.CDLL('libcuda.so.1'); print(cu.cuInit(0), cu.cuGraphInstantiateWithFlags(None, None, 0))"
    _, folder = same([sys.executable, "-c", script], LD_PRELOAD=sanitizer())
    equal([line[2] for line in folder.index("skipped")], ["no graph"])


# --- what is broken -------------------------------------------------------------------------------------------------------


def test_graph_that_cannot_be_instantiated():
    for way in WAYS:
        for what in ("body", "body_v2"):  # either function that adds a conditional node
            under, folder = same(program(way, what))
            contains(under.stdout, "conditional 0\ninstantiate 1, errno 77\n")
            equal((way, what, folder.rules()), (way, what, ["C8"]))
            equal([line[2] for line in folder.index("failed")], ["1"])
            contains(under.stderr, "not instantiable 1")


def test_refused_relaunch():
    for way in WAYS:
        under, folder = same(program(way, "no_fate"))
        contains(under.stdout, "launch 0, errno 78\nlaunch 1, errno 78")
        equal((way, folder.rules(), folder.rules("note")), (way, ["F10"], []))
        contains(under.stderr, "findings 1 (F10), notes 0")


def test_no_graph():
    for way in WAYS:
        _, folder = same(program(way, "no_graph"))
        equal([line[2] for line in folder.index("skipped")], ["no graph"])


def test_driver_that_fails_the_audit():
    for function in ("cuGraphGetNodes", "cuGraphGetEdges", "cuGraphNodeGetType", "cuGraphMemAllocNodeGetParams",
                     "cuGraphMemsetNodeGetParams"):
        for nth in (1, 2):
            same(program("dlsym", "too_early"), ALLOGRAPH_REFERENCE_FAIL=f"{function}:{nth}:CUDA_ERROR_UNKNOWN")


# --- it stays out of the way ----------------------------------------------------------------------------------------------


def test_off_without_its_variable():
    for way in WAYS:
        bare = call(program(way, "too_early"))
        for variable in (None, ""):
            folder = tempfile.mkdtemp()
            under = subprocess.run(program(way, "too_early"), capture_output=True, text=True, cwd=folder,
                                   env=environment(LD_PRELOAD=str(LIBRARY), ALLOGRAPH_AUDIT=variable))
            equal((under.stdout, under.stderr, under.returncode), (bare.stdout, bare.stderr, bare.returncode))
            equal(os.listdir(folder), [])


def test_folder_that_cannot_be_written():
    bare = call(program("dlsym", "too_early"))
    for folder in ("/proc/allograph/reports", "/dev/null", "x" * 5000):
        under = call(program("dlsym", "too_early"), LD_PRELOAD=str(LIBRARY), ALLOGRAPH_AUDIT=folder)
        equal((under.stdout, under.stderr, under.returncode), (bare.stdout, bare.stderr, bare.returncode))
    refused = call([COMMAND, "run", "--output", "/proc/allograph", "--", "echo", "ran"])
    equal((refused.returncode, refused.stdout), (125, ""))


def test_searches_depend_on_who_asks():
    _, folder = same(program("searches"))
    equal(folder.path.exists() and os.listdir(folder.path), [])
    contains(call(program("searches")).stdout, "the next answer: 0\nthe first answer: 1\n")


def test_program_without_cuda():
    for more in ({}, {"LD_BIND_NOW": "1"}):
        under, folder = same(["sh", "-c", "echo out; echo err >&2; exit 5"], **more)
        equal((under.returncode, under.stdout), (5, "out\n"))
        contains(under.stderr, "no graph was instantiated")
        equal(os.listdir(folder.path), [])


def test_standard_input():
    under, _ = audited(["cat"], stdin="to the program\n")
    equal(under.stdout, "to the program\n")


def test_exit_status():
    same(program("dlsym", "status"))
    equal(audited(program("dlsym", "status"))[0].returncode, 3)
    equal(audited(program("dlsym", "killed"))[0].returncode, -signal.SIGTERM)
    equal(audited(program("dlsym", "too_early"))[0].returncode, 0)
    equal(audited(program("dlsym", "too_early"), "--fail-on-findings")[0].returncode, 99)
    equal(audited(program("dlsym", "clean"), "--fail-on-findings")[0].returncode, 0)
    equal(audited(program("dlsym", "status"), "--fail-on-findings")[0].returncode, 3)
    equal(audited(["/nonexistent/program"])[0].returncode, 127)
    equal(audited(["/etc/passwd"])[0].returncode, 126)
    equal(call([COMMAND]).returncode, 125)
    equal(call([COMMAND, "run", "--nonsense", "true"]).returncode, 125)


def test_signals_are_handed_on():
    folder = Folder()
    script = "trap 'echo handed on; exit 4' TERM; echo ready; while :; do sleep 0.05; done"
    running = subprocess.Popen([COMMAND, "run", "--output", folder.path, "--", "sh", "-c", script], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, env=environment())
    equal(running.stdout.readline(), "ready\n")
    running.send_signal(signal.SIGTERM)
    equal(running.communicate(timeout=60)[0], "handed on\n")
    equal(running.returncode, 4)


# --- many -------------------------------------------------------------------------------------------------------------------


def test_threads():
    for way in WAYS:
        under, folder = same(program(way, "threads"))
        equal((way, len(folder.reports()), set(folder.rules())), (way, 100, {"O3"}))
        contains(under.stderr, "graphs 100, findings 100 (O3 x100)")


def test_fork():
    under, folder = same(program("linked", "fork"))
    contains(under.stdout, "child 7")
    equal(folder.rules(), ["O3"])


def test_limits():
    under, folder = same(program("dlsym", "many"), ALLOGRAPH_AUDIT_GRAPHS="2")
    equal((len(folder.reports()), len(folder.index("skipped"))), (2, 1))
    contains(under.stderr, "graphs 2, findings 0, notes 0, not audited 1")
    _, folder = same(program("dlsym", "many"), ALLOGRAPH_AUDIT_BYTES="1")
    equal((len(folder.reports()), folder.index("skipped")[0][2]), (1, "this graph and all later ones: ALLOGRAPH_AUDIT_BYTES is 1"))
    _, folder = same(program("dlsym", "clean"), ALLOGRAPH_AUDIT_NODES="2")
    equal((folder.reports(), folder.index("skipped")[0][2]), ([], "too many nodes: ALLOGRAPH_AUDIT_NODES is 2"))
    for most, reports in (("4", 0), ("5", 1)):  # two nodes, and three in a child graph
        _, folder = same(program("dlsym", "child"), ALLOGRAPH_AUDIT_NODES=most)
        equal((most, len(folder.reports())), (most, reports))


def test_process_numbers_come_again():
    _, folder = audited(program("dlsym", "too_early"))
    script = ("import os, pathlib, sys; folder = pathlib.Path(sys.argv[1]); "
              "[(folder / f'graph-{os.getpid()}-1.{e}').write_text('of an earlier run') for e in ('txt', 'json', 'dot', 'html')]; "
              "os.execv(sys.argv[2], sys.argv[2:])")
    again = call([COMMAND, "run", "--output", folder.path, sys.executable, "-c", script, folder.path, *program("dlsym", "clean")],
                 **({"LD_PRELOAD": sanitizer()} if sanitizer() else {}))
    contains(again.stderr, "graphs 1, findings 0")
    name = folder.index("graph")[1][1]
    equal((name.endswith("-1-2"), (folder.path / f"{name}.json").exists()), (True, True))
    equal((folder.path / f"{name[:-2]}.json").read_text(), "of an earlier run")


def test_second_run_in_a_folder():
    under, folder = audited(program("dlsym", "too_early"))
    again = call([COMMAND, "run", "--output", folder.path, *program("dlsym", "clean")])
    contains(again.stderr, "graphs 1, findings 0")
    shown = call([COMMAND, "show", folder.path])
    contains(shown.stdout, "[O3]")
    contains(shown.stderr, "graphs 2, findings 1 (O3)")
    equal(shown.returncode, 1)
    equal(call([COMMAND, "show", "/nonexistent"]).returncode, 1)


# --- the page -----------------------------------------------------------------------------------------------------------------


def browser():
    found = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
    if found is None:
        raise Skipped("no Chromium here")
    return found


def opened(page, *options):
    """Opens the page in a browser. @return its document once its scripts have run, and what its console said"""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([browser(), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                               "--enable-logging=stderr", "--virtual-time-budget=30000", *options, "--dump-dom", page.as_uri()],
                              capture_output=True, text=True, timeout=120)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def page_of(report):
    path = pathlib.Path(tempfile.mkdtemp()) / "page.html"
    done = subprocess.run([PROGRAMS / "make_page"], input=report if isinstance(report, str) else json.dumps(report), text=True,
                          capture_output=True, check=True, env=environment())
    path.write_text(done.stdout)
    return path


def test_page_runs_without_errors():
    from page_samples import sample
    browser()
    _, folder = audited(program("dlsym", "too_early"))
    pages = [next(folder.path.glob("graph-*.html")), page_of(sample(150, 7)), page_of(sample(900, 12)),
             page_of(sample(1, 1, broken=False))]
    empty = sample(1, 1)
    empty.update(nodes=[], edges=[], allocations=[], findings=[], limits=[])
    cyclic = sample(3, 2)  # no node has a level then
    for node in cyclic["nodes"]:
        node["level"] = 0
    for i, page in enumerate([*pages, page_of(empty), page_of(cyclic)]):
        document, console = opened(page, "--window-size=" + ("390,844", "1280,900")[i % 2])
        contains(document[:400], 'data-ready="yes"')
        equal((console, "data-error" in document[:400]), ([], False))


def test_page_makes_no_request():
    from page_samples import sample
    page = page_of(sample(12, 4))
    text = page.read_text()
    contains(text, "default-src 'none'")
    equal(re.findall(r"""\b(?:src|href|action)\s*=|url\((?!#)|@import|\bfetch\(|XMLHttp""", text), [])
    count = "document.documentElement.dataset.resources = performance.getEntriesByType('resource').length"
    page.write_text(text.replace("</body>", f"<script>addEventListener('load', () => {{ {count}; }});</script></body>"))
    contains(opened(page)[0][:400], 'data-resources="0"')
    # The policy holds: what is added to the page may not be loaded.
    page.write_text(text.replace("<header>", '<img src="https://example.invalid/x.png"><header>'))
    contains(" ".join(opened(page)[1]), "Content Security Policy")


def test_page_holds_any_text():
    from page_samples import sample
    browser()
    report = sample(2, 2)
    report["graph"]["name"] = "</script><script>document.documentElement.dataset.error='ran'</script><!-- <b>&amp;"
    report["findings"][0]["message"] = "<img src=x onerror=\"document.documentElement.dataset.error='ran'\">"
    for node in report["nodes"]:
        node["name"] = "</script><b>_Z\u2028\"'&"
    document, console = opened(page_of(report))
    contains(document[:400], 'data-ready="yes"')
    equal((console, "data-error" in document[:400]), ([], False))


def test_page_controls():
    from page_samples import sample
    page = page_of(sample(4, 3))
    script = """
        addEventListener('load', () => {
          const by = id => document.getElementById(id), say = (k, v) => { document.documentElement.dataset[k] = v; };
          const focused = () => document.activeElement.getAttribute('aria-label');
          const press = key => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
          const width = () => Number(document.querySelector('#graph svg').getAttribute('width'));
          const before = width();
          by('in').click();
          say('zoom', width() > before);
          say('first', document.querySelector('.node.chosen').getAttribute('aria-label'));
          document.querySelectorAll('.finding button:not(.link)')[1].click();
          say('second', document.querySelector('.node.chosen').getAttribute('aria-label').includes('alloc'));
          say('missing', document.querySelectorAll('.edge.missing').length);
          document.querySelectorAll('.finding button:not(.link)')[0].click();
          say('red', document.querySelectorAll('.edge.missing').length);
          document.querySelector('.node[tabindex="0"]').focus();
          const from = focused();
          press('ArrowDown');
          say('down', focused() !== from);
          press('ArrowUp');
          say('up', focused() === from);
          press('ArrowRight');
          press('Enter');
          say('enter', document.querySelector('.node.chosen').getAttribute('aria-label') === focused());
          say('tell', by('detail').textContent.includes(focused().split(',')[0]));
          by('scope').value = by('scope').options[1].value;
          by('scope').dispatchEvent(new Event('change'));
          say('inside', document.querySelectorAll('.node').length);
          by('show').value = 'node';
          by('show').dispatchEvent(new Event('change'));
          by('node').value = 0;
          by('node').dispatchEvent(new Event('change'));
          say('around', document.querySelector('.node.chosen').getAttribute('aria-label').startsWith('0 alloc'));
          const dark = () => document.documentElement.classList.contains('dark');
          const was = dark();
          by('theme').click();
          say('theme', dark() !== was);
        });"""
    page.write_text(page.read_text().replace("</body>", f"<script>{script}</script></body>"))
    document, console = opened(page, "--window-size=1280,900")
    equal(console, [])
    said = dict(re.findall(r'data-([a-z]+)="([^"]*)"', document[:1500]))
    for name in ("zoom", "second", "down", "up", "enter", "tell", "around", "theme"):
        equal((name, said.get(name)), (name, "true"))
    equal((said["first"], said["missing"], said["red"], said["inside"]), ("0 alloc, in a finding", "0", "1", "2"))


def main():
    cases = {name[5:]: case for name, case in globals().items() if name.startswith("test_")}
    failed = skipped = 0
    for name in sys.argv[3:] or cases:
        try:
            cases[name]()
            print(f"passed: {name}")
        except Skipped as why:
            skipped += 1
            print(f"skipped: {name}: {why}")
        except (AssertionError, subprocess.SubprocessError, OSError) as error:
            failed += 1
            print(f"FAILED: {name}: {error}")
    return 1 if failed else 77 if skipped and len(sys.argv) == 4 else 0


if __name__ == "__main__":
    sys.exit(main())
