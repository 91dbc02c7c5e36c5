"""Experiments as a room: reports, their page and their JSON, the registry, the command line."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from gangart import __version__
from gangart.errors import BadValue, UnknownName
from gangart.experiments import (
    EXPERIMENTS,
    Column,
    Parameter,
    Picture,
    Report,
    Row,
    Setting,
    Table,
    Verdict,
    as_json,
    run,
    write,
)
from gangart.experiments.report import UNITS, exact, shown

DOC = Path(__file__).parents[1] / "docs" / "experiments.md"


def report(**changes: Any) -> Report:
    figure = Figure(figsize=(2, 1))
    figure.subplots().plot([0, 1], [0, 1])
    given: dict[str, Any] = {
        "title": "Does <it> walk & talk?",
        "question": "How far?",
        "found": "Far.",
        "rows": (Row("speed", 0.2, 0.19996, "mm/s", "table 5.3"), Row("falls", "often", float("nan"))),
        "verdicts": (Verdict("It walks.", True), Verdict("It talks.", False), Verdict("It is a robot.")),
        "parameters": (Parameter("mass", 4.7, "kg"), Parameter("seeds", "0…9")),
        "tables": (Table("More", (Column("name"), Column("way", "mm")), (("a", 0.01), ("b", None))),),
        "pictures": (Picture("line", 'A "line"', figure),),
        "name": "trial",
    }
    return Report(**(given | changes))


class Outline(HTMLParser):
    """Which tags are open at the end, and everything that a page would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href", "srcset")]
        if tag not in ("meta", "img", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    text = write(report(), tmp_path).page.read_text(encoding="utf-8")
    outline = Outline(text)
    assert outline.open == []
    assert [source[:22] for source in outline.fetched] == ["data:image/png;base64,"]
    assert not re.search(r"https?:|@import|url\(|<script", text)
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


def test_the_page_shows_both_values_and_escapes_what_it_is_given(tmp_path: Path) -> None:
    text = write(report(), tmp_path).page.read_text(encoding="utf-8")
    assert "Does &lt;it&gt; walk &amp; talk?" in text
    for shown_text in (">200<", ">199.96<", "mm/s", "table 5.3", ">often<", ">–<", "It talks.", "4.7", __version__):
        assert shown_text in text, shown_text


def test_pictures_stand_beside_the_page_as_they_stand_in_it(tmp_path: Path) -> None:
    from base64 import b64decode

    written = write(report(), tmp_path)
    (picture,) = written.pictures
    (inside,) = re.findall(r"base64,([^\"]+)", written.page.read_text(encoding="utf-8"))
    assert picture == tmp_path / "trial" / "line.png"
    assert picture.read_bytes() == b64decode(inside)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_json_is_in_si_units_and_has_no_numbers_that_are_none(tmp_path: Path) -> None:
    found = json.loads(write(report(), tmp_path).data.read_text(encoding="utf-8"))
    assert found == as_json(report())
    speed, falls = found["rows"]
    assert (speed["thesis"], speed["ours"], speed["unit"]) == (0.2, 0.19996, "m/s")
    assert (falls["thesis"], falls["ours"]) == ("often", None)
    assert found["tables"][0]["columns"][1] == {"name": "way", "unit": "m"}
    assert [v["holds"] for v in found["verdicts"]] == [True, False, None]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.19996, "mm/s", "199.96"),
        (0.2, "mm/s", "200"),
        (0.0725, "%", "7.250"),
        (7.25e-5, "rad²", "7.25e-5"),
        (-0.0123456, "mm", "-12.35"),
        (0.0, "", "0"),
        (123456.7, "", "1.23e5"),
        (True, "", "yes"),
        (None, "mm", "–"),
        (float("inf"), "", "–"),
        ("shown", "mm", "shown"),
    ],
)
def test_values_are_shown_with_the_digits_that_matter(value: Any, unit: str, text: str) -> None:
    assert shown(value, unit) == text


def test_what_was_given_is_shown_with_all_its_digits() -> None:
    assert exact(130.85) == "130.85"
    assert exact(0.001, "ms") == "1"


def test_every_unit_leads_to_a_unit_of_the_si() -> None:
    for si, factor in UNITS.values():
        assert UNITS[si] == (si, 1.0)
        assert factor > 0.0


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Row("way", 1.0, 1.0, "inch"), "no unit 'inch'; "),
        (lambda: Setting(seed=-1), "seed is -1; it has to be 0 or more"),
        (lambda: Table("More", (Column("a"),), ((1.0, 2.0),)), "a row of table 'More' has 2 cells for 1 columns"),
        (lambda: report(pictures=report().pictures * 2), "two pictures of 'Does <it> walk & talk?' have the same name"),
    ],
)
def test_what_contradicts_itself_is_refused(make: Any, sentence: str) -> None:
    with pytest.raises((BadValue, UnknownName)) as refused:
        make()
    assert str(refused.value).startswith(sentence)


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(BadValue, match="choose another --out"):
        write(report(), tmp_path / "taken")


def test_an_unknown_experiment_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownName, match="did you mean 'gearbox-bench'"):
        run("gearbox")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_says_in_a_line_what_it_shows_and_where_it_comes_from(name: str) -> None:
    experiment = EXPERIMENTS[name]
    assert callable(experiment.function())
    assert 20 < len(experiment.line) < 110
    thesis, place = experiment.pages.split(", ", 1)
    assert thesis in {"Urbann 2010", "Zellhöfer 2012", "Bahr 2025"}
    assert re.match(r"\d", place), "a chapter or section, before figures and tables"
    assert f"`{name}`" in DOC.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["gearbox-bench", "flexible-bench"])
def test_a_bench_run_again_gives_the_same_report_to_the_byte(name: str, tmp_path: Path) -> None:
    first = write(run(name, Setting(quick=True)), tmp_path / "a")
    again = write(run(name, Setting(quick=True)), tmp_path / "b")
    assert first.page.read_bytes() == again.page.read_bytes()
    assert first.data.read_bytes() == again.data.read_bytes()


def test_progress_ends_at_one_and_never_goes_back() -> None:
    seen: list[float] = []
    run("gearbox-bench", Setting(quick=True, progress=seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_list_prints_a_line_for_each(gangart_says: Any) -> None:
    code, out, err = gangart_says("experiment", "list")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == list(EXPERIMENTS)
    _, out, _ = gangart_says("experiment", "list", "--json")
    assert [e["name"] for e in json.loads(out)["experiments"]] == list(EXPERIMENTS)


def test_run_writes_the_report_and_prints_it(gangart_says: Any, documented_keys: Any, tmp_path: Path) -> None:
    code, out, err = gangart_says("experiment", "run", "flexible-bench", "--quick")
    assert (code, err) == (0, "")
    assert (tmp_path / "out" / "experiments" / "flexible-bench" / "report.html").is_file()
    assert "✓ The static deflection is the theory's" in out
    code, out, err = gangart_says("experiment", "run", "flexible-bench", "--quick", "--out", "there", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert set(found) == documented_keys("experiment run")
    assert found["quick"] is True
    assert (tmp_path / found["page"]).is_file()
    assert all((tmp_path / path).is_file() for path in found["files"])


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("flexibel-bench",), "no experiment 'flexibel-bench'; did you mean 'flexible-bench'?"),
        (("gearbox-bench", "--seed", "-3"), "seed is -3; it has to be 0 or more"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(gangart_says: Any, args: tuple[str, ...], sentence: str) -> None:
    assert gangart_says("experiment", "run", *args) == (2, "", f"gangart: {sentence}\n")
