#!/usr/bin/env python3
"""Follows docs/guide/start.md literally, in an empty folder: `start.py FOLDER`.

`<!-- file: NAME -->` above a block writes it; bash blocks run one after the other in one shell; `<!-- prints -->` above a
text block demands it of what the commands before it printed. `<!-- run: not -->` leaves a block out. ALLOGRAPH is set to
this repository, as the chapter asks for.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def steps(text):
    """(kind, argument, code) of each block."""
    pattern = re.compile(r"(?:<!-- ([a-z]+)(?:: )?(.*?) -->\n)?```(\w+)\n(.*?)^```$", re.S | re.M)
    for marker, argument, language, code in pattern.findall(text):
        if marker == "file":
            yield "file", argument, code
        elif marker == "prints":
            yield "prints", "", code
        elif language == "bash" and marker != "run":
            yield "run", "", code


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    here, output, commands, checked = folder, "", 0, 0
    environment = {**os.environ, "ALLOGRAPH": str(ROOT)}
    environment.pop("LD_LIBRARY_PATH", None)
    for kind, argument, code in steps((ROOT / "docs/guide/start.md").read_text()):
        if kind == "file":
            (here / argument).parent.mkdir(exist_ok=True)
            (here / argument).write_text(code)
        elif kind == "prints":
            checked += 1
            if code.strip() not in output:
                print(output)
                sys.exit(f"not printed:\n{code}")
        else:
            result = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", code + "\npwd > .where"],
                cwd=here,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            output = result.stdout
            commands += len([line for line in code.replace("\\\n", "").splitlines() if line.strip()])
            if result.returncode != 0:
                print(output)
                sys.exit(f"failed:\n{code}")
            for place in (here / ".where", *here.glob("*/.where")):
                if place.exists():
                    here = pathlib.Path(place.read_text().strip())
                    place.unlink()
                    break
    print(f"{commands} commands, {checked} outputs as the chapter says")


if __name__ == "__main__":
    main()
