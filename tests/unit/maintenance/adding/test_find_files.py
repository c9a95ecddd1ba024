"""Files on the file system of a lake that is not local; the local ones are tried where files are added."""

import pytest

from forklake.errors import InvalidInput
from forklake.maintenance.adding.find_files import find_files
from forklake.spark.storage.storage import Storage


@pytest.fixture
def storage() -> Storage:
    """A lake in memory, with a few files beside it."""
    storage = Storage("mock:///bucket/lake/")
    for path in ("bucket/a.parquet", "bucket/sub/b.parquet", "bucket/sub/p=1/c.parquet", "bucket/lake/main/d.parquet"):
        storage.files.create_dir(path.rpartition("/")[0])
        with storage.files.open_output_stream(path) as file:
            file.write(b"x" * 10)
    return storage


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("mock:///bucket/a.parquet", ["mock:///bucket/a.parquet"]),
        ("mock:///bucket/sub", ["mock:///bucket/sub/b.parquet", "mock:///bucket/sub/p=1/c.parquet"]),
        ("mock:///bucket/sub/", ["mock:///bucket/sub/b.parquet", "mock:///bucket/sub/p=1/c.parquet"]),
        ("mock:///bucket/*/[a-c].parquet", ["mock:///bucket/sub/b.parquet"]),
        ("mock:///bucket/**/c.parquet", ["mock:///bucket/sub/p=1/c.parquet"]),
        ("mock:///*/a.parquet", ["mock:///bucket/a.parquet"]),
    ],
)
def test_urls_name_files(storage: Storage, given: str, meant: list[str]) -> None:
    found = find_files(storage, [given, given])
    assert [file.name for file in found] == meant
    assert [file.real_path for file in found] == meant
    assert all(storage.files.get_file_info(file.path).size == file.size == 10 for file in found)


@pytest.mark.parametrize(
    "given", ["mock:///bucket/lake/../a.parquet", "mock:///bucket//a.parquet", "mock:///./a.parquet"]
)
def test_a_url_names_the_folders_themselves(storage: Storage, given: str) -> None:
    with pytest.raises(InvalidInput, match="give a normalized path"):
        find_files(storage, [given])


def test_other_file_systems_are_refused(storage: Storage) -> None:
    with pytest.raises(InvalidInput, match="neither local nor on the file system of the lake"):
        find_files(storage, ["s3://bucket/a.parquet"])


@pytest.mark.parametrize("given", ["", "  "])
def test_an_empty_path_is_not_the_current_folder(storage: Storage, given: str) -> None:
    with pytest.raises(InvalidInput, match="The path is empty"):
        find_files(storage, [given])
