"""Options of the whole instance are set by anybody at any time: the last one counts, and nobody is refused."""

from concurrent.futures import ThreadPoolExecutor

from forklake.catalog.lakes.lake import Lake
from forklake.catalog.transaction.options import set_instance_option

THREADS = 8
TIMES = 15


def instance_options(lake: Lake) -> dict[str, str]:
    return dict(lake.store.fetch("SELECT key, value FROM lake_instance_option", {}))


def test_many_who_set_the_same_option_at_once_all_succeed(lake: Lake) -> None:
    def set_often(thread: int) -> None:
        for time in range(TIMES):
            set_instance_option(lake, "parquet_row_group_size", str(1000 * thread + time))

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(set_often, thread) for thread in range(1, THREADS + 1)]:
            done.result(60)
    last = int(instance_options(lake)["parquet_row_group_size"])
    assert last % 1000 == TIMES - 1


def test_an_option_is_replaced_and_others_are_left_alone(lake: Lake) -> None:
    for value in ("gzip", "zstd"):
        set_instance_option(lake, "parquet_compression", value)
        set_instance_option(lake, "parquet_row_group_size", "7")
    assert instance_options(lake) == {"parquet_compression": "zstd", "parquet_row_group_size": "7"}
