"""Lines are compared by what they name, not by their wording."""

import re


def assert_match(lines, *patterns):
    """Check that each line matches the pattern in its place, and that there are no others."""
    assert len(lines) == len(patterns), lines
    for line, pattern in zip(lines, patterns, strict=True):
        assert re.search(pattern, line), f"{pattern!r} is not in {line!r}"
