from cscluster import bundle


def test_configs_and_data_sets_are_there():
    assert "mnist0689" in bundle.config_names()
    assert (bundle.folder("datasets") / "index.yaml").is_file()
    for name in bundle.config_names():
        assert (bundle.folder("configs") / f"{name}.yaml").is_file()


def test_what_the_wheel_carries_comes_first(tmp_path, monkeypatch):
    (tmp_path / "_bundle" / "configs" / "papers").mkdir(parents=True)
    (tmp_path / "_bundle" / "configs" / "papers" / "table1.yaml").touch()
    monkeypatch.setattr(bundle, "__file__", str(tmp_path / "bundle.py"))
    bundle.folder.cache_clear()
    try:
        assert bundle.config_names() == ["papers/table1"]
        assert bundle.folder("datasets") == tmp_path.parent / "datasets"
    finally:
        monkeypatch.undo()
        bundle.folder.cache_clear()
