"""What a benchmark gets: a backend, sizes, and the large parent that several of them share."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from benchmarks.databases import Backend, Databases, Place
from benchmarks.metadata.settings import Sizes
from benchmarks.metadata.tables import make_table
from benchmarks.report import Figure
from forklake.catalog.lakes.catalogs import create_catalog

LARGE = "large"
"""A catalog whose table `events` has many files; `few` has ten, and `elsewhere` none."""
SMALL = "small"
"""A catalog whose table `events` has ten files."""
FEW_FILES = 10


@dataclass(slots=True)
class Bench:
    """One backend during one run."""

    databases: Databases
    backend: Backend
    sizes: Sizes
    _parents: Place | None = field(default=None, init=False)

    def new_place(self) -> Place:
        return self.databases.new_place(self.backend)

    def parents(self) -> Place:
        """A lake with the catalogs `large` and `small`, built by the first who asks."""
        if self._parents is None:
            place = self.new_place()
            _build_parents(place, self.sizes.files)
            place.settle()
            self._parents = place
        return self._parents


Benchmark = Callable[[Bench], Iterator[Figure]]


def _build_parents(place: Place, files: int) -> None:
    lake = place.open()
    large = create_catalog(lake, LARGE)
    make_table(large, "events", files)
    make_table(large, "few", FEW_FILES)
    make_table(large, "elsewhere")
    make_table(create_catalog(lake, SMALL), "events", FEW_FILES)
    lake.close()
