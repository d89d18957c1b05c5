#!/usr/bin/env python3
"""Builds the guide and the reference into a folder: `build.py FOLDER`. Needs doxygen, and nothing else.

Ends with 1 when Doxygen warns, when a public name has no documentation, or when a link leads nowhere.
"""

import html
import pathlib
import re
import shutil
import subprocess
import sys

import coverage
import filter as site_filter
import links
import refusals
import rules

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def version():
    text = (ROOT / "include/allograph/version.hpp").read_text()
    return ".".join(re.search(rf"ALLOGRAPH_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def write_generated_pages(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rules.dox").write_text(rules.page())
    (folder / "refusals.dox").write_text(refusals.page())
    (folder / "names.dox").write_text(
        "/** @namespace allograph\nEverything of the library. An inline namespace, `v0`, carries the major version. */\n"
        "/** @namespace allograph::driver\nOne thin function for each function of the driver that the library calls: it throws\n"
        "`driver_error`, and does nothing else. For programs that mix raw calls with the library. */\n"
        "/** @namespace allograph::model\nThe placement engine behind `plan`: buffers with lifetimes and sizes, offsets in one arena.\n"
        "It knows neither graphs nor CUDA. */\n"
        "/** @namespace allograph::literals\nSizes: `using namespace allograph::literals; 64_MiB`. */\n"
    )


def run_doxygen(out, generated):
    sources = (ROOT / "include", ROOT / "reference_driver/include")
    settings = {
        "PROJECT_NUMBER": version(),
        "OUTPUT_DIRECTORY": out,
        "XML_OUTPUT": out / "xml",
        "INPUT": " ".join(str(p) for p in (*sources, ROOT / "docs/guide", *ROOT.glob("docs/*.md"), generated)),
        "IMAGE_PATH": " ".join(str(p) for p in (ROOT / "docs", ROOT / "docs/benchmarks") if p.is_dir()),
        "INPUT_FILTER": f'"{sys.executable} {HERE}/filter.py"',
        "FILTER_PATTERNS": '"*.dox=cat"',
        "STRIP_FROM_PATH": f"{ROOT}/include {ROOT}/reference_driver/include {ROOT}",
        "STRIP_FROM_INC_PATH": f"{ROOT}/include {ROOT}/reference_driver/include",
        "USE_MDFILE_AS_MAINPAGE": ROOT / "docs/guide/index.md",
        "HTML_HEADER": HERE / "header.html",
        "HTML_FOOTER": HERE / "footer.html",
        "HTML_STYLESHEET": HERE / "style.css",
    }
    config = (
        (HERE / "Doxyfile").read_text()
        + "FILE_PATTERNS += *.dox\n"
        + "".join(f"{key} = {value}\n" for key, value in settings.items())
    )
    return subprocess.run(["doxygen", "-"], input=config, text=True, cwd=ROOT).returncode


def frame(title, body):
    def fill(name):
        text = (HERE / name).read_text()
        for key, value in {
            "$title": title,
            "$projectname": "allograph",
            "$projectnumber": version(),
            "$relpath^": "",
        }.items():
            text = text.replace(key, value)
        return text

    return (
        fill("header.html")
        + f'<div class="header"><div class="title">{title}</div></div></div>\n<div class="contents">{body}</div>\n'
        + fill("footer.html")
    )


MOST_USED = """
    memory_graph graph node_builder alloc_node device_ptr device_span kernel grid_for after inferred outputs auto_free
    graph_exec exec_updates stream stream_buffer graph_memory capture_scope verify prove report plan build memory_plan audit
    misuse driver_error out_of_memory
""".split()
AREAS = [
    (
        "allograph/graph/",
        "Graphs, executables, buffers",
        "What programs build, launch and own. In <code>allograph/allograph.hpp</code>, <code>capture.hpp</code>, "
        "<code>plan.hpp</code>, <code>audit.hpp</code> and headers of their own.",
    ),
    (
        "allograph/model/",
        "Model and planner",
        "Nodes, edges, allocations and uses, without CUDA: in constant expressions where their inputs are constants.",
    ),
    ("allograph/driver/", "Driver", "One thin function for each driver function."),
    ("allograph_reference/", "Reference driver", "Its controls, for C and C++."),
    ("allograph/", "Further headers", ""),
]


def write_indexes(out, names):
    """One page that lists the types and functions by area, and one of every name."""
    left = [n for n in names if n.top]

    def row(n):
        brief = re.match(r"(.*?[.:;])(\s|$)", n.brief)
        text = html.escape(brief[1].rstrip(":;") if brief else n.brief)
        return f'<tr><td><a href="{n.url}"><code>{html.escape(n.short)}</code></a></td><td>{text}</td></tr>'

    first = {n.name: n for n in reversed(left)}
    rows = "".join(row(first["allograph::" + name]) for name in MOST_USED)
    body = f'<h2>Most used</h2><table class="names">{rows}</table>'
    for prefix, title, text in AREAS:
        here = [n for n in left if n.file.startswith(prefix)]
        left = [n for n in left if not n.file.startswith(prefix)]
        if not here:
            continue
        seen, rows = set(), []
        for n in sorted(here, key=lambda n: n.name.lower()):
            if n.name not in seen:
                seen.add(n.name)
                rows.append(row(n))
        body += f"<h2>{title}</h2><p>{text}</p><table class=\"names\">{''.join(rows)}</table>"
    (out / "page_reference.html").write_text(frame("Reference", body))
    seen, items = set(), []
    for n in sorted(names, key=lambda n: (n.short.lower(), n.name)):
        if n.name not in seen:
            seen.add(n.name)
            scope = n.name[: -len(n.short)].removeprefix("allograph::").removesuffix("::")
            items.append(
                f'<li><a href="{n.url}"><code>{html.escape(n.short)}</code></a> <span>{html.escape(scope)}</span></li>'
            )
    search = (
        '<p><input id="find" type="search" placeholder="find a name" aria-label="find a name"></p>'
        f'<ul class="all" id="all">{"".join(items)}</ul>'
        "<script>const find = document.getElementById('find');"
        " find.oninput = () => { for (const li of document.getElementById('all').children)"
        " li.hidden = !li.textContent.includes(find.value); };</script>"
    )
    (out / "page_names.html").write_text(frame("Names", search))


def add_chapter_links(out):
    """Each chapter leads to the ones beside it."""
    chapters = [
        p.removesuffix(".md") for p in re.findall(r"\]\((\w[\w-]*\.md)\)", (ROOT / "docs/guide/index.md").read_text())
    ]
    chapters = list(dict.fromkeys(chapters))
    title = {c: re.search(r"# (.*)", (ROOT / f"docs/guide/{c}.md").read_text())[1] for c in chapters}
    page = {c: site_filter.page_of(ROOT / f"docs/guide/{c}.md") + ".html" for c in chapters}
    for i, c in enumerate(chapters):
        before = (
            f'<a href="{page[chapters[i - 1]]}">← {html.escape(title[chapters[i - 1]])}</a>'
            if i > 0
            else '<a href="index.html">← Guide</a>'
        )
        after = (
            f'<a href="{page[chapters[i + 1]]}">{html.escape(title[chapters[i + 1]])} →</a>'
            if i + 1 < len(chapters)
            else ""
        )
        file = out / page[c]
        file.write_text(
            file.read_text().replace("</main>", f'<nav class="chapters">{before}<span></span>{after}</nav>\n</main>')
        )


def unlink_code(out):
    """Doxygen links words of code blocks by their spelling, local variables too: worse than none."""
    for page in out.glob("*.html"):
        text = page.read_text()
        page.write_text(re.sub(r'<a class="code[^"]*"[^>]*>(.*?)</a>', r"\1", text))


def main():
    out = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    generated = out / "generated"
    write_generated_pages(generated)
    failed = run_doxygen(out, generated) != 0
    shutil.rmtree(generated)
    names = coverage.public_names(out / "xml")
    write_indexes(out, names)
    add_chapter_links(out)
    unlink_code(out)
    text = "".join(page.read_text() for page in out.glob("*.html"))
    for asset in out.glob("*.*"):  # Doxygen leaves more than its pages use
        if asset.suffix != ".html" and asset.is_file() and asset.name not in text:
            asset.unlink()
    failed = coverage.report(names) != 0 or failed
    failed = links.report(out) != 0 or failed
    print(f"{len(list(out.glob('*.html')))} pages in {out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
