"""What all tests share: surroundings of their own instead of the user's cache and data, and a browser."""

import os
import shutil
import signal

import pytest
from hypothesis import settings

for _library in ("OMP", "OPENBLAS", "MKL"):  # read when numpy and scikit-learn are loaded, after this file
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")  # threads that wait for a busy core spin meanwhile

os.environ["COLUMNS"] = "80"  # read when the console is made, by whichever test is the first

settings.register_profile("quick", max_examples=30, deadline=None)
settings.load_profile("quick")


@pytest.fixture(autouse=True, scope="session")
def _interrupts_are_heard():
    """Tests may run in the background, where shells let processes ignore an interrupt."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _own_surroundings(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("CSCLUSTER_DATA", raising=False)
        yield


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A headless Chromium that keeps its console messages and network requests in its logs."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not program or not driver:
        pytest.skip("needs a browser: install chromium and chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (
        "headless=new",
        "no-sandbox",
        "disable-gpu",
        "disable-quic",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
        "disable-dev-shm-usage",
        "window-size=1280,900",
        f"user-data-dir={tmp_path_factory.mktemp('browser')}",
    ):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    running = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield running
    running.quit()
