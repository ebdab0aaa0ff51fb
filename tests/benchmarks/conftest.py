"""Measured values go into the history that the documentation plots, if ``make bench`` asks for it."""

import csv
import datetime
import os
import subprocess
from pathlib import Path

import pytest

import cscluster


@pytest.fixture
def record():
    """Print a measured value, and append it to the file that SPEED_HISTORY names."""

    def keep(measure, value, goal):
        print(f"\n{measure}: {value:.2f} (goal: at most {goal})")
        if history := os.environ.get("SPEED_HISTORY"):
            asked = ["git", "-C", Path(__file__).parent, "rev-parse", "--short=12", "HEAD"]
            revision = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
            with Path(history).open("a", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerow(
                    [datetime.date.today(), cscluster.__version__, revision, measure, f"{value:.3g}", goal]
                )

    return keep
