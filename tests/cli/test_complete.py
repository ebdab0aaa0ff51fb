"""What the shell completes."""

from cscluster.cli import complete


def test_names_are_completed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_table.csv").touch()
    (tmp_path / "my_run.yaml").touch()
    assert "mnist0689" in complete.configs("mn")
    assert complete.configs("my_") == ["my_run.yaml"]
    assert complete.configs(f"{tmp_path}/my_r") == [f"{tmp_path}/my_run.yaml"]
    assert complete.data("my_ta") == ["my_table.csv"]
    assert complete.datasets("letterI") == ["letterIJL"]
    assert complete.algorithms("mpck") == ["mpckmeans", "mpckmeans_printed", "mpckmeans_full"]
    assert complete.papers("zha") == ["zhang2009"]
    assert "zhang2009/table4_balanced" in complete.papers("zhang2009/ta")
    assert {"pckmeans", "pendigit389"} <= {*complete.names("p")}
    assert complete.runs("") == []
