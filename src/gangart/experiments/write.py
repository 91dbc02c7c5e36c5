"""A report as files: one HTML page that needs nothing else, its figures as PNG beside it, and JSON in SI units."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from gangart.errors import BadValue
from gangart.experiments.page import page
from gangart.experiments.report import UNITS, Picture, Report, Value

_DPI = 140


@dataclass(frozen=True)
class Written:
    """Where a report went."""

    page: Path  # report.html
    data: Path  # report.json
    pictures: tuple[Path, ...]  # in the report's order


def write(report: Report, folder: str | Path) -> Written:
    """Write a report into a folder of its name inside `folder`."""
    here = Path(folder) / (report.name or "report")
    images = [_png(picture) for picture in report.pictures]
    written = Written(
        here / "report.html", here / "report.json", tuple(here / f"{p.name}.png" for p in report.pictures)
    )
    try:
        here.mkdir(parents=True, exist_ok=True)
        for path, image in zip(written.pictures, images, strict=True):
            path.write_bytes(image)
        written.page.write_text(page(report, images), encoding="utf-8")
        text = json.dumps(as_json(report), indent=2, ensure_ascii=False, allow_nan=False)
        written.data.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise BadValue(f"cannot write report to {here}: {error.strerror or error}; choose another --out") from error
    return written


def as_json(report: Report) -> dict[str, Any]:
    """Everything but the pixels, in SI units; what is not a number becomes None."""
    return {
        "experiment": report.name,
        "title": report.title,
        "question": report.question,
        "found": report.found,
        "source": report.pages,
        "gangart": report.version,
        "quick": report.quick,
        "seed": report.seed,
        "verdicts": [{"sentence": v.sentence, "holds": v.holds} for v in report.verdicts],
        "rows": [
            {
                "quantity": row.quantity,
                "thesis": _plain(row.thesis),
                "ours": _plain(row.ours),
                "unit": UNITS[row.unit][0],
                "source": row.source,
                "remark": row.remark,
            }
            for row in report.rows
        ],
        "tables": [
            {
                "title": table.title,
                "columns": [{"name": c.name, "unit": UNITS[c.unit][0]} for c in table.columns],
                "rows": [[_plain(cell) for cell in row] for row in table.rows],
                "note": table.note,
            }
            for table in report.tables
        ],
        "parameters": [
            {"name": p.name, "value": _plain(p.value), "unit": UNITS[p.unit][0], "note": p.note}
            for p in report.parameters
        ],
        "pictures": [{"name": picture.name, "caption": picture.caption} for picture in report.pictures],
    }


def _plain(value: Value) -> Value:
    if value is None or isinstance(value, (bool, str)):
        return value
    return float(value) if math.isfinite(value) else None


def _png(picture: Picture) -> bytes:
    stream = BytesIO()
    picture.figure.savefig(stream, format="png", dpi=_DPI, metadata={"Software": None})
    return stream.getvalue()
