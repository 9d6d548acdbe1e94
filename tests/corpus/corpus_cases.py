"""A plugin of pytest: of a program's cases, those fail that a collection's list says, and no others."""

import os

import pytest


def pytest_collection_modifyitems(items):
    listed = set(filter(None, os.environ.get("CORPUS_CASES", "").split("\t")))
    for item in items:
        case = item.nodeid.split("::", 1)[-1]
        if case in listed:
            # Strict: one that passes is an error.
            item.add_marker(pytest.mark.xfail(strict=True, reason="the list says so"))
            listed.discard(case)
    if listed:
        raise pytest.UsageError(f"the list has cases that are not there: {sorted(listed)}")
