"""nvlink, which the variable NVLINK names, for programs that read the header of machine code as it was before CUDA 13: the
architecture in the lowest byte of the flags, and again above. LLVM's runtime up to 19 takes a GPU for another one by the newer
header."""

import os
import subprocess
import sys
from pathlib import Path

OLD, NEW = b"\x33\x07", b"\x41\x08"
FLAGS = slice(48, 52)
TEXMODE_UNIFIED_AND_64_BITS = 0x500


def main(arguments):
    status = subprocess.run([os.environ["NVLINK"], *arguments]).returncode
    if status or "-o" not in arguments:
        return status
    file = Path(arguments[arguments.index("-o") + 1])
    image = bytearray(file.read_bytes())
    # The operating system and the version of its conventions.
    if image[7:9] == NEW:
        architecture = int.from_bytes(image[FLAGS], "little") >> 8 & 0xFF
        flags = architecture << 16 | TEXMODE_UNIFIED_AND_64_BITS | architecture
        image[7:9], image[FLAGS] = OLD, flags.to_bytes(4, "little")
        file.write_bytes(image)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
