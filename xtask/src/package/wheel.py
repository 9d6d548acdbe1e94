"""Writes a zip file of a folder: FOLDER FILE [NAME]. With the name of a .dist-info, the list of a wheel's files goes last.

Order and times are always the same, so that equal files make equal archives.
"""

import base64
import hashlib
import os
import sys
import time
import zipfile

folder, path, *information = sys.argv[1:]
moment = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
names = sorted(
    os.path.relpath(os.path.join(where, name), folder) for where, _, found in os.walk(folder) for name in found
)
record = ""
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:

    def add(name, contents, mode):
        entry = zipfile.ZipInfo(name, moment)
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, contents)

    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            contents = file.read()
            add(name, contents, os.fstat(file.fileno()).st_mode & 0o777)
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(contents)}\n"
    for name in information:
        add(f"{name}/RECORD", record + f"{name}/RECORD,,\n", 0o644)
