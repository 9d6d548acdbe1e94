"""Builds and runs a test of GCC's suites by the DejaGnu directives in its source, for a GPU of NVIDIA.

    corpus_dejagnu.py build SOURCE PRODUCT COMPILER OPTIONS...    PRODUCT is a script that runs the test
    corpus_dejagnu.py run PRODUCT.json

A test that its directives leave out ends `build` with status 77 and the reason as the last line.
"""

import fnmatch
import json
import os
import re
import subprocess
import sys
from pathlib import Path

LEFT_OUT = 77

# Nothing may fall back to the host.
ENVIRONMENT = {"OMP_TARGET_OFFLOAD": "MANDATORY", "ACC_DEVICE_TYPE": "nvidia"}

TRIPLE = "x86_64-pc-linux-gnu"

# The targets that directives name and that are here.
PRESENT = """
    __OPTIMIZE__ __float128 avx_runtime fpic int128 large_long_double lp64 lto shared size32plus sse2_runtime sync_int_long tls
    tls_runtime vect_simd_clones weak_undefined
    offload_device offload_device_nonshared_as offload_device_nvptx offload_target_nvptx
    openacc_cublas openacc_cuda openacc_cudart openacc_nvidia_accel_present openacc_nvidia_accel_selected
""".split()

# Those that are not.
ABSENT = """
    ia32 offload_device_any_intel_mic offload_device_intel_mic offload_device_shared_as offload_target_amdgcn
    offload_target_intelmic openacc_host_selected openacc_radeon_accel_present openacc_radeon_accel_selected
    run_expensive_tests skip-all-targets this-really-should-fail
""".split()

ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}


def words(text):
    """The elements of a list of Tcl."""
    found, at = [], 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return found
        if text[at] == "{":
            depth, end = 1, at + 1
            while depth:
                if text[end] == "\\":
                    end += 1
                else:
                    depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            found.append(text[at + 1 : end - 1])
            at = end
            continue
        quoted, word = text[at] == '"', ""
        at += quoted
        while at < len(text) and (text[at] != '"' if quoted else not text[at].isspace()):
            if text[at] == "\\":
                at += 1
                word += ESCAPES.get(text[at], text[at])
            else:
                word += text[at]
            at += 1
        at += quoted
        found.append(word)


def directives(source):
    """The directives of a source, each a name and its arguments."""
    for line in Path(source).read_text(errors="replace").splitlines():
        match = re.search(r"\{\s+(dg-[-a-z]+)\s+(.*?)\s*\}[^}]*$", line)
        if match:
            yield match[1], words(match[2])


def is_present(name, language):
    if name in PRESENT or name == language:
        return True
    if name in ABSENT or name in ("c", "c++"):
        return False
    if "*" in name or "-" in name:
        return fnmatch.fnmatchcase(TRIPLE, name)
    sys.exit(f"error: a target that is unknown here: {name}")


def holds(selector, language):
    """Whether a selector of targets holds: names, any of which may be there, or an expression of !, &&, || and braces."""
    tokens = re.findall(r"[{}!]|&&|\|\||[^\s{}!]+", selector)

    def operand():
        token = tokens.pop(0)
        if token == "!":
            return not operand()
        if token == "{":
            value = expression()
            tokens.pop(0)
            return value
        return is_present(token, language)

    def expression():
        value = operand()
        while tokens and tokens[0] != "}":
            both = tokens[0] == "&&"
            if tokens[0] in ("&&", "||"):
                tokens.pop(0)
            other = operand()
            value = value and other if both else value or other
        return value

    return expression() if tokens else True


def applies(arguments, language):
    """Whether a directive's last argument, where it has one, is a `target` that is here."""
    if not arguments:
        return True
    kind, _, selector = arguments[0].strip().partition(" ")
    return kind == "target" and holds(selector, language)


def chosen(arguments, options, language):
    """As `dg-skip-if` and `dg-xfail-run-if` say it: a target, and options that have to be there or may not be."""
    selector, include, exclude = arguments[1:] + ["*", ""][len(arguments) - 2 :]
    line = f" {' '.join(options)} "
    has = lambda patterns: any(pattern and fnmatch.fnmatchcase(line, f"* {pattern} *") for pattern in words(patterns))
    return holds(selector, language) and has(include) and not has(exclude)


def leave_out(reason):
    print(reason)
    sys.exit(LEFT_OUT)


def build(source, product, compiler, options):
    language = "c" if source.endswith(".c") else "c++"
    sources, variables, output, fails = [source], {}, "", False
    for name, arguments in directives(source):
        if name == "dg-do":
            if arguments[0] != "run":
                leave_out(f"its own tag: it is not run, but stops at {arguments[0]}")
            if not applies([word for word in arguments[1:] if word.strip().startswith("target")], language):
                leave_out(f"its own tag: it is for another {arguments[1].strip()}")
        elif name == "dg-skip-if":
            if chosen(arguments, options, language):
                leave_out(f"its own tag skips it: {arguments[0]}".rstrip(": "))
        elif name == "dg-xfail-if":
            if chosen(arguments, options, language):
                leave_out(f"its own tag: it does not build: {arguments[0]}")
        elif name == "dg-require-effective-target":
            if applies(arguments[1:], language) and not is_present(arguments[0], language):
                leave_out(f"its own tag: it needs {arguments[0]}")
        elif name in ("dg-options", "dg-additional-options"):
            if applies(arguments[1:], language):
                options = options + arguments[0].split()
        elif name == "dg-additional-sources":
            sources += arguments[0].split()
        elif name == "dg-set-target-env-var":
            variables[arguments[0]] = arguments[1]
        elif name == "dg-shouldfail":
            fails = fails or len(arguments) < 2 or holds(arguments[1], language)
        elif name == "dg-xfail-run-if":
            fails = fails or chosen(arguments, options, language)
        elif name == "dg-output":
            if applies(arguments[1:], language):
                output += arguments[0]
    program = f"{product}.program"
    # Libraries come behind the sources.
    libraries = [option for option in options if option.startswith("-l")]
    options = [option for option in options if not option.startswith("-l")]
    status = subprocess.run([compiler, *options, *sources, "-o", program, *libraries]).returncode
    if status:
        sys.exit(status)
    test = {"program": f"./{program}", "variables": variables, "output": output, "fails": fails}
    Path(f"{product}.json").write_text(json.dumps(test))
    Path(product).write_text(f"#!/bin/sh\nexec python3 '{Path(__file__).resolve()}' run {product}.json\n")
    os.chmod(product, 0o755)


def run(test):
    test = json.loads(Path(test).read_text())
    variables = {**os.environ, **ENVIRONMENT, **test["variables"]}
    ended = subprocess.run(
        test["program"], env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    status = ended.returncode if ended.returncode >= 0 else 128 - ended.returncode
    # A test ends itself by a status or `abort`.
    problem = None
    if test["fails"]:
        if status == 0:
            problem = "it should end with an error"
        elif status >= 128 and status != 128 + 6:
            problem = "it should end with an error, not like this"
    elif status:
        problem = "it ended with an error"
    if problem is None and not re.search(test["output"], ended.stdout, re.DOTALL):
        problem = f"it should say {test['output']!r}"
    if problem is None:
        print("as its directives say")
        return 0
    print(ended.stdout, problem, sep="\n")
    return status or 1


if __name__ == "__main__":
    if sys.argv[1] == "build":
        build(*sys.argv[2:5], sys.argv[5:])
    else:
        sys.exit(run(sys.argv[2]))
