"""What all tests share: no test reads or writes the user's cache or data folder."""

import pytest
from hypothesis import settings

settings.register_profile("quick", max_examples=30, deadline=None)
settings.load_profile("quick")


@pytest.fixture(autouse=True, scope="session")
def _own_surroundings(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("CSCLUSTER_DATA", raising=False)
        yield
