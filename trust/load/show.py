"""A soak in words and numbers."""

from collections.abc import Mapping

from trust.load.histogram import Histogram, together
from trust.load.record import Moment, Record
from trust.load.tally import Counts

MIB = 2**20
QUANTILES = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}


def moment_line(record: Record) -> str:
    """The newest interval: throughput, the quantiles of all operations, errors, and what is held."""
    moment = record.moments[-1]
    took = moment.at - (record.moments[-2].at if len(record.moments) > 1 else 0.0)
    errors = sum(moment.counts.errors.values())
    return (
        f"{moment.at:7.1f} s  {moment.counts.done / took:6.0f} op/s  {_quantiles(_all(moment.counts))}  "
        f"{errors} refused  memory {_memory(moment):.0f} MiB  {_blocks(moment)} blocks  "
        f"{sum(held.threads for held in moment.held.values())} threads  "
        f"{sum(held.files for held in moment.held.values())} files  {moment.connections} connections  "
        f"database {moment.size / MIB:.0f} MiB"
    )


def kind_lines(counts: Counts) -> list[str]:
    """A line for each kind of operation, and one for each class of error."""
    lines = [
        f"{kind:12} {histogram.count:8}  {_quantiles(histogram)}  longest {_ms(histogram.longest)}"
        for kind, histogram in sorted(counts.times.items())
    ]
    return lines + [f"refused: {what}  {count}" for what, count in sorted(counts.errors.items())]


def as_json(record: Record, found: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    """The whole record for programs; times in seconds, sizes in bytes."""
    soak, total = record.soak, record.total()
    return {
        "seed": soak.seed,
        "seconds": soak.seconds,
        "sessions": soak.sessions,
        "processes": soak.processes,
        "operations": {kind: _figures(histogram) for kind, histogram in sorted(total.times.items())},
        "errors": dict(total.errors),
        "moments": [
            {
                "at": moment.at,
                "operations": {kind: _figures(histogram) for kind, histogram in sorted(moment.counts.times.items())},
                "errors": dict(moment.counts.errors),
                "memory": {str(client): held.memory for client, held in moment.held.items()},
                "blocks": {str(client): held.blocks for client, held in moment.held.items()},
                "threads": {str(client): held.threads for client, held in moment.held.items()},
                "files": {str(client): held.files for client, held in moment.held.items()},
                "connections": moment.connections,
                "database": moment.size,
            }
            for moment in record.moments
        ],
        "found": {what: list(sentences) for what, sentences in found.items()},
    }


def summary(counts: Counts, seconds: float) -> str:
    return f"{counts.done / seconds:.0f} op/s, {_quantiles(_all(counts))}"


def _figures(histogram: Histogram) -> dict[str, float]:
    return {
        "count": histogram.count,
        **{name: histogram.quantile(share) for name, share in QUANTILES.items()},
        "longest": histogram.longest,
    }


def _quantiles(histogram: Histogram) -> str:
    return "  ".join(f"{name} {_ms(histogram.quantile(share))}" for name, share in QUANTILES.items())


def _all(counts: Counts) -> Histogram:
    return together(counts.times.values())


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _memory(moment: Moment) -> float:
    return sum(held.memory for held in moment.held.values()) / MIB


def _blocks(moment: Moment) -> int:
    return sum(held.blocks for held in moment.held.values())
