#!/usr/bin/env python3
"""The version is in include/allograph/version.hpp. Fails where a copy of it says another, or the changelog has no place for it."""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]


def header_version():
    text = (ROOT / "include/allograph/version.hpp").read_text()
    return tuple(int(re.search(rf"#define ALLOGRAPH_VERSION_{part} (\d+)\b", text)[1]) for part in ("MAJOR", "MINOR", "PATCH"))


def files(*patterns):
    """What is committed, or will be; without git, what is there."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return [ROOT / name for name in listed.stdout.split("\n") if name and (ROOT / name).exists()]
    found = [path for pattern in patterns for path in ROOT.rglob(pattern)]
    return [path for path in found if "build" not in path.relative_to(ROOT).parts]


def copies(version):
    """Every place that is wrong."""
    dotted, series = ".".join(map(str, version)), f"{version[0]}.{version[1]}"

    port = json.loads((ROOT / "packaging/vcpkg/allograph/vcpkg.json").read_text())
    if port["version"] != dotted:
        yield f"packaging/vcpkg/allograph/vcpkg.json: version {port['version']}"

    for path in files("*.md", "*.txt", "*.cmake", "*.html", "usage"):
        text = path.read_text()
        for found in re.finditer(r"find_package\(allograph (\d[\d.]*)|set\(ALLOGRAPH_VERSION (\d[\d.]*)", text):
            if (found[1] or found[2]) != series:
                yield f"{path.relative_to(ROOT)}: {found[0]}"
        for found in re.finditer(r"\ballograph/(\d+\.\d+\.\d+)", text):  # as Conan names it
            if found[1] != dotted:
                yield f"{path.relative_to(ROOT)}: {found[0]}"

    for path in files("*.hpp"):
        for found in re.findall(r"inline namespace v(\d+)", path.read_text()):
            if int(found) != version[0]:
                yield f"{path.relative_to(ROOT)}: inline namespace v{found}"

    for name, own in (("conanfile.py", r"^\s*version = "), ("CMakeLists.txt", r"VERSION \d+\.\d+\.\d+")):
        if re.search(own, (ROOT / name).read_text(), re.M):
            yield f"{name}: a version of its own, and not the header's"


def changelog(version):
    """What keeps CHANGELOG.md from the form of keepachangelog.com, and the version from having a place in it."""
    text = (ROOT / "CHANGELOG.md").read_text()
    heads = re.findall(r"^## (.*)$", text, re.M)
    if not heads or heads[0] != "[Unreleased]":
        yield "the first heading is not [Unreleased]"
    releases = []
    for head in heads[1:]:
        found = re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - \d{4}-\d\d-\d\d", head)
        if not found:
            yield f"'{head}' is no '[1.2.3] - 2026-01-31'"
        else:
            releases.append(tuple(map(int, found.groups())))
    if releases != sorted(set(releases), reverse=True):
        yield "releases are not listed newest first"
    if releases and version < releases[0]:
        yield f"lists {releases[0]}, which is newer than the header"
    unreleased = re.split(r"^## .*$", text, flags=re.M)[1]
    if releases and version == releases[0] and unreleased.strip():
        yield "has changes after the release whose version the header still says"
    for kind in re.findall(r"^### (.*)$", text, re.M):
        if kind not in KINDS:
            yield f"'{kind}' is none of {', '.join(KINDS)}"


def main():
    version = header_version()
    wrong = [*copies(version), *(f"CHANGELOG.md: {what}" for what in changelog(version))]
    for what in wrong:
        print(f"the version is {'.'.join(map(str, version))}; {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
