#!/usr/bin/env python3
"""Whether links lead somewhere: `links.py [FOLDER]...` checks the pages of each folder, and the Markdown of the repository.

Links inside, with their anchors; addresses of the web are not asked for.
"""

import html
import pathlib
import re
import sys
import urllib.parse

from filter import slug

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def check_html(folder):
    ids = {}
    count, broken = 0, []
    for page in folder.rglob("*.html"):
        ids[page] = set(re.findall(r'\b(?:id|name)="([^"]+)"', page.read_text()))
    for page in sorted(ids):
        for target in re.findall(r'\b(?:href|src)="([^"]*)"', page.read_text()):
            target = html.unescape(target)
            if re.match(r"(https?|mailto|data):", target):
                continue
            count += 1
            file, _, anchor = target.partition("#")
            to = (page.parent / urllib.parse.unquote(file)).resolve() if file else page
            if not to.is_file():
                broken.append(f"{page.relative_to(folder)}: {target}: no such file")
            elif anchor and urllib.parse.unquote(anchor) not in ids.get(to, ()):
                broken.append(f"{page.relative_to(folder)}: {target}: no such anchor")
    return count, broken


def anchors_of(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
    return {slug(title) for title in re.findall(r"^#+ (.*)$", text, re.M)}


def check_markdown():
    count, broken = 0, []
    for path in sorted(
        p for p in ROOT.rglob("*.md") if not re.match(r"\.|(cmake-)?build", p.relative_to(ROOT).parts[0])
    ):
        text = re.sub(r"^```.*?^```|`[^`\n]*`(?!\])", "", path.read_text(), flags=re.S | re.M)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"(https?|mailto):", target):
                continue
            count += 1
            file, _, anchor = target.partition("#")
            to = (path.parent / file).resolve() if file else path
            if not to.exists():
                broken.append(f"{path.relative_to(ROOT)}: {target}: no such file")
            elif anchor and to.suffix == ".md" and anchor not in anchors_of(to):
                broken.append(f"{path.relative_to(ROOT)}: {target}: no such heading")
    return count, broken


def report(*folders):
    results = [check_markdown()] + [check_html(pathlib.Path(folder).resolve()) for folder in folders]
    for _, broken in results:
        for line in broken:
            print(line)
    bad = sum(len(broken) for _, broken in results)
    print(f"{sum(count for count, _ in results)} links, {bad} broken")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(report(*sys.argv[1:]))
