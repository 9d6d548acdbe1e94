"""A plugin of pytest: of a program's cases, those fail that a collection's list says, and no others. `CORPUS_SHARE` is `i/n`: every n-th
of the chosen cases from the i-th on runs."""

import os

import pytest


# Behind pytest's own choice of cases.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    if share := os.environ.get("CORPUS_SHARE"):
        first, step = map(int, share.split("/"))
        items[:] = items[first - 1 :: step]
    listed = set(filter(None, os.environ.get("CORPUS_CASES", "").split("\t")))
    for item in items:
        case = item.nodeid.split("::", 1)[-1]
        if case in listed:
            # Strict: one that passes is an error.
            item.add_marker(pytest.mark.xfail(strict=True, reason="the list says so"))
            listed.discard(case)
    if listed:
        raise pytest.UsageError(f"the list has cases that are not there: {sorted(listed)}")
