#!/usr/bin/env python3
"""Gives the image pipeline good and bad pictures.

usage: image_files.py BUILD_FOLDER

A good one ends with 0, and the picture written is a PGM of the same size and depth; a bad one ends with 1 and one line that
names the file and says what is wrong with it.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

GREY = bytes(range(0, 240, 2))
GOOD = {
    "grey of 8 bits": (b"P5\n12 10\n255\n" + GREY, b"P5\n12 10\n255\n", 120),
    "colours of 8 bits": (b"P6 8 5 255\n" + GREY, b"P5\n8 5\n255\n", 40),
    "comments and white space": (b"P5#one\n#two\n \t12 # three\r\n10\n#four\n255 " + GREY, b"P5\n12 10\n255\n", 120),
    "grey of 16 bits": (b"P5\n12 5\n65535\n" + GREY, b"P5\n12 5\n65535\n", 60),
    "colours of 16 bits": (b"P6\n4 5\n61439\n" + GREY, b"P5\n4 5\n61439\n", 20),
    "a maxval that is no power of two": (b"P5\n12 10\n240\n" + GREY, b"P5\n12 10\n240\n", 120),
    "one pixel": (b"P5\n1 1\n255\n\x07", b"P5\n1 1\n255\n", 1),
    "one row": (b"P5\n120 1\n255\n" + GREY, b"P5\n120 1\n255\n", 120),
    "one column": (b"P5\n1 120\n255\n" + GREY, b"P5\n1 120\n255\n", 120),
    "something behind the picture": (b"P5\n12 9\n255\n" + GREY, b"P5\n12 9\n255\n", 108),
}
BAD = {
    "nothing": (b"", "is no PGM or PPM file"),
    "another file": (b"\x89PNG\r\n\x1a\n", "is no PGM or PPM file"),
    "text": (b"P2\n1 1\n255\n7\n", "is of format P2; binary PGM (P5) and PPM (P6) are read"),
    "no width": (b"P5\n", "has no width of at least 1"),
    "a width of 0": (b"P5\n0 10\n255\n", "has no width of at least 1"),
    "a negative height": (b"P5\n10 -1\n255\n", "has no height of at least 1"),
    "a width beyond counting": (b"P5\n99999999999999999999 1\n255\n", "has a width above 1048576"),
    "too many pixels": (b"P5\n1000000 1000000\n255\n", "has more than 268435456 pixels"),
    "no maxval": (b"P5\n12 10\n", "has no maxval of at least 1"),
    "a maxval of 0": (b"P5\n12 10\n0\n" + GREY, "has no maxval of at least 1"),
    "a maxval of 17 bits": (b"P5\n12 10\n65536\n" + GREY, "has a maxval above 65535"),
    "letters in the header": (b"P5\n12x10\n255\n" + GREY, "has no white space before its height"),
    "no end of the header": (b"P5\n12 10\n255", "has no white space between its header and its samples"),
    "samples that end": (b"P5\n12 11\n255\n" + GREY, "ends in row 11 of 11"),
    "samples of half a row": (b"P6\n3 7\n255\n" + GREY[:50], "ends in row 6 of 7"),
    "a size that is not there": (b"P5\n16384 16384\n65535\n" + GREY, "ends in row 1 of 16384"),
    "a sample above maxval": (b"P5\n12 10\n200\n" + GREY, "holds the sample 202, above its maxval of 200"),
}


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LD_LIBRARY_PATH": str(build / "reference_driver")}
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        picture, edges = pathlib.Path(folder, "in.pnm"), pathlib.Path(folder, "edges.pgm")

        def run(content):
            picture.write_bytes(content)
            edges.unlink(missing_ok=True)
            return subprocess.run([build / "examples/image_pipeline", picture, "--out", edges], env=environment, capture_output=True, text=True, timeout=60)

        for name, (content, header, samples) in GOOD.items():
            ended = run(content)
            written = edges.read_bytes() if edges.exists() else b""
            depth = 2 if int(header.split()[3]) > 255 else 1
            if ended.returncode != 0 or not written.startswith(header) or len(written) != len(header) + samples * depth:
                failed.append(f"{name}: {ended.returncode}, {len(written)} bytes written\n{ended.stdout}{ended.stderr}")
        for name, (content, text) in BAD.items():
            ended = run(content)
            if ended.returncode != 1 or ended.stderr != f"image_pipeline: {picture} {text}\n" or edges.exists():
                failed.append(f"{name}: {ended.returncode}\n{ended.stdout}{ended.stderr}")
    print("\n".join(failed) if failed else f"{len(GOOD)} good pictures, {len(BAD)} bad ones")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
