"""ZLUDA: CUDA programs without an NVIDIA GPU. `zluda run PROGRAM ARGUMENTS` on the command line."""

import os
import sys

#: The folder of the libraries.
FOLDER = os.path.dirname(os.path.abspath(__file__))


def main():
    """Becomes the command `zluda`."""
    program = os.path.join(FOLDER, "bin", "zluda")
    os.execv(program, ["zluda"] + sys.argv[1:])
