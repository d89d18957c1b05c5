"""The headers of CUDA toolkits, fetched from PyPI as wheels into build/cuda-headers. Nothing of them is installed."""

import pathlib
import re
import shutil
import subprocess
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = ROOT / "build/cuda-headers"

# Wheels that hold a toolkit's headers: <cuda.h> and the runtime's, and crt/, which those include.
TOOLKITS = {
    "12.3": ["nvidia-cuda-runtime-cu12==12.3.*", "nvidia-cuda-nvcc-cu12==12.3.*"],
    "12.4": ["nvidia-cuda-runtime-cu12==12.4.*", "nvidia-cuda-nvcc-cu12==12.4.*"],
    "12.6": ["nvidia-cuda-runtime-cu12==12.6.*", "nvidia-cuda-nvcc-cu12==12.6.*"],
    "12.9": ["nvidia-cuda-runtime-cu12==12.9.*", "nvidia-cuda-nvcc-cu12==12.9.*"],
    "13.0": ["nvidia-cuda-runtime==13.0.*", "nvidia-cuda-crt==13.0.*"],
    "13.x": ["nvidia-cuda-runtime==13.*", "nvidia-cuda-crt==13.*"],  # the newest
}
FIRST, USUAL, NEWEST = "12.3", "13.0", "13.x"


def pip():
    python = CACHE / "venv/bin/python"
    if not python.exists():
        venv.create(CACHE / "venv", with_pip=True)
    return [python, "-m", "pip", "--disable-pip-version-check", "-q"]


def fetch(toolkit):
    """The include folder of a toolkit, fetched on the first use."""
    folder = CACHE / toolkit
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([*pip(), "download", "--no-deps", "-d", folder / "wheels", *TOOLKITS[toolkit]], check=True)
        for wheel in (folder / "wheels").iterdir():
            with zipfile.ZipFile(wheel) as archive:
                for name in archive.namelist():
                    if inside := re.search(r"/include/(.+[^/])$", name):
                        target = folder / "include" / inside[1]
                        target.parent.mkdir(parents=True, exist_ok=True)
                        target.write_bytes(archive.read(name))
        shutil.rmtree(folder / "wheels")
        (folder / "done").touch()
    return folder / "include"


def version(toolkit):
    number = int(re.search(r"#define CUDA_VERSION (\d+)", (fetch(toolkit) / "cuda.h").read_text())[1])
    return f"{number // 1000}.{number % 1000 // 10}"
