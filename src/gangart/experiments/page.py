"""A report as one HTML page: no script, no network, light or dark as the reader's system is, fit for printing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape

from gangart.experiments.report import Parameter, Report, Row, Table, Value, Verdict, exact, shown

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1e; --soft: #636366; --paper: #ffffff; --card: #f5f5f7; --line: #dcdce0;
  --ours: #1f5fa8; --good: #1f7a3f; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececf0; --soft: #a1a1a8; --paper: #17171a; --card: #212126;
  --line: #3a3a40; --ours: #7db5f5; --good: #63c786; --bad: #ff8a80; } figure img { filter: brightness(.9); } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", Helvetica, Arial,
  sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: .2rem 0 1rem; letter-spacing: -.01em; }
h2 { font-size: 1.2rem; margin: 2.6rem 0 .8rem; }
p { margin: .5rem 0; max-width: 46rem; }
.over, footer, figcaption, .note, .source { color: var(--soft); font-size: .875rem; }
.verdicts { list-style: none; margin: 1.5rem 0; padding: 1rem 1.25rem; background: var(--card); border-radius: .75rem; }
.verdicts li { padding: .25rem 0 .25rem 2rem; position: relative; }
.verdicts li::before { content: "·"; position: absolute; left: .4rem; font-weight: 700; }
.verdicts .yes::before { content: "✓"; color: var(--good); } .verdicts .no::before { content: "✗"; color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .925rem; }
th, td { text-align: left; padding: .45rem .8rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; border-bottom-width: 2px; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.unit { white-space: nowrap; }
.ours { color: var(--ours); font-weight: 600; }
figure { margin: 1.5rem 0; } figure img { display: block; width: 100%; height: auto; background: #fff;
  border: 1px solid var(--line); border-radius: .75rem; }
figcaption { margin-top: .5rem; max-width: 46rem; }
details summary { cursor: pointer; font-weight: 600; font-size: 1.2rem; margin: 2.6rem 0 .8rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
@media print { :root { --ink: #000; --soft: #444; --paper: #fff; --card: #f4f4f4; --line: #bbb; --ours: #1f5fa8;
  --good: #1f7a3f; --bad: #b3261e; } main { max-width: none; padding: 0; } body { font-size: 10.5pt; }
  figure, tr, .verdicts { break-inside: avoid; } h2, summary { break-after: avoid; } figure img { filter: none; }
  .wide { overflow: visible; } table { font-size: .8rem; } th { white-space: normal; } @page { margin: 18mm; } }
"""


def page(report: Report, images: Sequence[bytes]) -> str:
    """The page, with the PNG images of the report's pictures inside."""
    quick = " · quick" if report.quick else ""
    source = f'<span class="source">({escape(report.pages)})</span>'
    origin = f"gangart {escape(report.version)} · seed {report.seed} · <code>{escape(_command(report))}</code>"
    parts = [
        f'<p class="over">gangart experiment · {escape(report.name)}{quick}</p>',
        f"<h1>{escape(report.title)}</h1>",
        f"<p>{escape(report.question)}</p>",
        f"<p><strong>What the thesis found.</strong> {escape(report.found)} {source}</p>",
        _verdicts(report.verdicts),
        _rows(report.rows),
        *(_figure(p.caption, image) for p, image in zip(report.pictures, images, strict=True)),
        *(_table(table) for table in report.tables),
        _parameters(report.parameters),
        f"<footer>{origin}</footer>",
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def _command(report: Report) -> str:
    seed = f" --seed {report.seed}" if report.seed else ""
    return f"gangart experiment run {report.name}{' --quick' if report.quick else ''}{seed}"


def _verdicts(verdicts: Iterable[Verdict]) -> str:
    kind = {True: "yes", False: "no", None: "remark"}
    items = "".join(f'<li class="{kind[v.holds]}">{escape(v.sentence)}</li>' for v in verdicts)
    return f'<ul class="verdicts">{items}</ul>'


def _rows(rows: Iterable[Row]) -> str:
    body = "".join(
        f"<tr><td>{escape(r.quantity)}</td>{_tag('td', exact(r.thesis, r.unit), 'number')}"
        f"{_tag('td', shown(r.ours, r.unit), 'number ours')}{_tag('td', r.unit, 'unit')}"
        f'<td class="note">{_remark(r)}</td></tr>'
        for r in rows
    )
    head = (
        '<tr><th>quantity</th><th class="number">thesis</th><th class="number">ours</th><th></th><th>remark</th></tr>'
    )
    return f"<h2>Beside the thesis</h2>{_grid(head, body)}"


def _remark(row: Row) -> str:
    return escape(" · ".join(text for text in (row.source, row.remark) if text))


def _table(table: Table) -> str:
    right = [any(_numeric(row[i]) for row in table.rows) for i in range(len(table.columns))]
    names = [f"{c.name} [{c.unit}]" if c.unit else c.name for c in table.columns]
    head = "".join(_tag("th", name, "number" if r else "") for name, r in zip(names, right, strict=True))
    body = "".join(
        f"<tr>{''.join(_cell(v, c.unit) for v, c in zip(row, table.columns, strict=True))}</tr>" for row in table.rows
    )
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return f"<h2>{escape(table.title)}</h2>{_grid(f'<tr>{head}</tr>', body)}{note}"


def _parameters(parameters: Iterable[Parameter]) -> str:
    body = "".join(
        f"<tr><td>{escape(p.name)}</td>{_tag('td', exact(p.value, p.unit), 'number')}"
        f"{_tag('td', p.unit, 'unit')}"
        f'<td class="note">{escape(p.note)}</td></tr>'
        for p in parameters
    )
    head = '<tr><th>parameter</th><th class="number">value</th><th></th><th>from</th></tr>'
    return f"<details open><summary>Parameters</summary>{_grid(head, body)}</details>"


def _figure(caption: str, image: bytes) -> str:
    data = b64encode(image).decode("ascii")
    text = escape(caption)
    return f'<figure><img alt="{text}" src="data:image/png;base64,{data}"><figcaption>{text}</figcaption></figure>'


def _cell(value: Value, unit: str) -> str:
    return _tag("td", shown(value, unit), "number" if _numeric(value) else "")


def _tag(name: str, text: str, kind: str) -> str:
    classes = f' class="{kind}"' if kind else ""
    return f"<{name}{classes}>{escape(text)}</{name}>"


def _numeric(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _grid(head: str, body: str) -> str:
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'
