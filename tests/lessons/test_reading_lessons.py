"""Files of lessons: what is right is read, and what is not is refused with the name of the field."""

import base64
import zlib

import numpy as np
import pytest

from mmc.lessons import (
    MAX_BYTES,
    Claim,
    fill,
    find_path,
    pack_lesson,
    placeholders,
    read_lesson,
    run_step,
    to_html,
    unpack_lesson,
)
from mmc.lessons.links import MAX_LINK

SMALL = """
id = "small"
title = "Small"
summary = "A small one."
minutes = 1

[[steps]]
question = "What?"
answer = "{ari}"

[steps.experiment]
algorithm = "UMCRLS"
data = { source = "moons", options = { n_samples = 40, random_state = 0 } }
parameters = { n_clusters = 2, n_init = 1, random_state = 0 }
"""

OTHER = """
[[steps.others]]
name = "second"
title = "Second"
"""


def test_what_is_left_out_has_a_usual_value():
    """The end is shown, two columns, standardised as the set usually is; a second run is the first one."""
    lesson = read_lesson(SMALL + OTHER)
    (step,) = lesson.steps
    assert step.moment.is_end
    assert step.columns == ("n_clusters", "ari")
    assert step.runs[0].experiment.data.standardize
    assert step.runs[0].title == "Shaking (UMC-RLS)"
    assert step.runs[1].experiment == step.runs[0].experiment
    assert step.choices == ()
    assert lesson.hints.ask == ()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            "data = { options = { n_samples = 50 } }\nparameters = { alpha = 2.0 }",
            {"n_samples": 50, "alpha": 2.0, "k": 2},
        ),
        ('algorithm = "KMeans"\nparameters = { n_clusters = 3 }', {"n_samples": 40, "alpha": None, "k": 3}),
        ('data = { source = "rings" }', {"n_samples": None, "alpha": None, "k": 2}),
    ],
)
def test_another_run_differs_in_what_is_given(change, expected):
    """Options of the same data and parameters of the same algorithm are kept, others are not."""
    experiment = read_lesson(SMALL + OTHER + change).steps[0].runs[1].experiment
    assert experiment.data.options.get("n_samples") == expected["n_samples"]
    assert experiment.parameters.get("alpha") == expected["alpha"]
    assert experiment.parameters["n_clusters"] == expected["k"]


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ('"first"', 0),
        ("3", 3),
        ("9999", -1),
        ('{ first = "release" }', "release"),
        ('{ last = "claim" }', "claim"),
    ],
)
def test_a_frame_is_found(frame, expected):
    """By its place, its number or its line of the pseudo-code; a number beyond the end is the end."""
    text = SMALL.replace('answer = "{ari}"', f'answer = "{{shown_step}}"\nframe = {frame}')
    runs = run_step(read_lesson(text).steps[0])
    states = runs.recordings[0].states
    assert runs.values[""]["shown_step"] == runs.frame
    if isinstance(expected, str):
        same = [i for i, state in enumerate(states) if state.line == expected]
        assert runs.frame == (same[0] if "first" in frame else same[-1])
    else:
        assert runs.frame == expected % len(states)


def test_the_same_start_is_the_same_start():
    """The second run begins with the first labels of the first one."""
    change = 'algorithm = "SteepRLS"\nparameters = { n_clusters = 2, random_state = 7 }\nsame_start = true'
    runs = run_step(read_lesson(SMALL + OTHER + change).steps[0])
    first, second = runs.recordings
    assert (first.states[0].labels == second.states[0].labels).all()
    assert len(second.ends) == 1


HOSTILE = {
    "no TOML": ("title =", "title = = ", "it is no TOML"),
    "an unknown field": ("minutes = 1", "minutes = 1\nscript = 'alert(1)'", "'script' is no field"),
    "a field that is near": ("summary", "sumary", "did you mean 'summary'"),
    "a missing field": ('title = "Small"', "", "title is missing"),
    "a wrong type": ("minutes = 1", 'minutes = "1"', "minutes='1' is not right"),
    "true for a number": ("minutes = 1", "minutes = true", "minutes=True is not right"),
    "a number too large": ("minutes = 1", "minutes = 1" + "0" * 400, "too large or no number"),
    "digits without end": ("minutes = 1", "minutes = 1" + "0" * 5000, "out of all range"),
    "not a number": ("minutes = 1", "minutes = nan", "too large or no number"),
    "infinity in a parameter": ("n_init = 1", "alpha = inf", "too large or no number"),
    "a date": ("minutes = 1", "minutes = 2020-01-01", "a date or a time"),
    "an id with a slash": ('id = "small"', 'id = "../../etc"', "id="),
    "a text too long": ('title = "Small"', f'title = "{"x" * 5000}"', "at most 80 characters"),
    "an empty text": ('question = "What?"', 'question = " "', "steps[1].question="),
    "a table of one's own": ('source = "moons"', 'source = "table"', "built-in data"),
    "a path as data": ('source = "moons"', 'source = "/etc/passwd"', "built-in data"),
    "hints to the fit": ('source = "moons",', 'source = "moons", hints = {},', "data.hints"),
    "a file in the data": ('source = "moons",', 'source = "moons", name = "x",', "data.name"),
    "an unknown algorithm": ('"UMCRLS"', '"os.system"', "There is no algorithm"),
    "an unknown parameter": ("n_init = 1", "callback = 1", "UMCRLS has no parameter"),
    "a parameter of the wrong kind": ("n_init = 1", 'alpha = "x"', "alpha='x'"),
    "too many points": ("n_samples = 40", "n_samples = 1000000", "at most 20000 points"),
    "no points": ("n_samples = 40", "n_samples = -5", "n_samples"),
    "a placeholder that is code": ("{ari}", "{ari.__class__}", "no placeholder"),
    "an unknown quantity": ("{ari}", "{password}", "there is no quantity 'password'"),
    "an unknown run": ("{ari}", "{third.ari}", "of no run of this step"),
    "a claim that is code": ("answer =", "claims = [\"__import__('os')\"]\nanswer =", "is no claim"),
    "a claim with two signs": ("answer =", 'claims = ["0 < ari < 1"]\nanswer =', "is no claim"),
    "an unknown line": ("answer =", 'frame = { first = "x" }\nanswer =', "has no line 'x'"),
    "an unknown column": ("answer =", 'columns = ["x"]\nanswer =', "there is no quantity 'x'"),
    "a right choice that is none": (
        "[steps.experiment]",
        '[steps.guess]\nchoices = ["a", "b"]\nright = 3\n[steps.experiment]',
        "there are 2 choices",
    ),
    "a name of a quantity for a run": (
        OTHER,
        OTHER.replace("second", "ari"),
        "neither the name of a quantity",
    ),
    "the same title twice": (OTHER, OTHER.replace('"Second"', '"Shaking (UMC-RLS)"'), "the same title"),
    "three pictures": (OTHER, OTHER + OTHER.replace("econd", "hird"), "as pictures"),
    "a start that cannot be given": (
        OTHER,
        OTHER + 'same_start = true\nalgorithm = "KMeans"\nparameters = { n_clusters = 2 }',
        "does not start from labels",
    ),
    "an unknown method beside": (
        OTHER,
        '[steps.further]\ntext = "x"\nbeside = "x"',
        "There is no algorithm",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_file_is_refused(case):
    """The message names what is wrong, is of sensible length and nothing is run."""
    old, new, message = HOSTILE[case]
    whole = SMALL + OTHER
    assert old in whole
    with pytest.raises(ValueError, match="no lesson that can be opened") as caught:
        read_lesson(whole.replace(old, new))
    assert message in str(caught.value)
    assert len(str(caught.value)) < 1200


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"UMCRLS"', '"umcrls"', "did you mean 'UMCRLS'?"),
        ("[[steps.others]]", "[[steps.others]", "single brackets in place of double ones"),
        ("answer =", 'claims = ["error < 5 %"]\nanswer =', "5 % is 0.05"),
    ],
)
def test_a_slip_gets_its_remedy(old, new, message):
    """What teachers are likely to write is answered with what they meant."""
    with pytest.raises(ValueError, match="no lesson that can be opened") as caught:
        read_lesson((SMALL + OTHER).replace(old, new))
    assert message in str(caught.value)


def test_files_beyond_all_measure_are_refused():
    """Too large, too deep, no UTF-8."""
    with pytest.raises(ValueError, match="more than 65536 bytes"):
        read_lesson(SMALL + "#" * MAX_BYTES)
    with pytest.raises(ValueError, match="within each other"):
        read_lesson(SMALL + "[" + ".".join("a" * 20) + "]")
    with pytest.raises(ValueError, match="within each other"):
        read_lesson("x = " + "[" * 20_000 + "]" * 20_000)
    with pytest.raises(ValueError, match="UTF-8"):
        read_lesson(b"\xff\xfe\x00")


def test_a_byte_order_mark_and_windows_lines_are_read():
    """As an editor on Windows writes them."""
    assert read_lesson(SMALL.replace("\n", "\r\n").encode("utf-8-sig")).id == "small"


@pytest.mark.parametrize(
    ("text", "values", "holds"),
    [
        ("ari > 0.9", {"ari": 1.0}, True),
        ("ari>0.9", {"ari": 0.9}, False),
        ("second.ari <= ari", {"ari": 1.0, "second.ari": 1.0}, True),
        ("ari != -1e-3", {"ari": -0.001}, False),
        ("ari > 0", {"ari": float("nan")}, False),
        ("ari > 0", {}, False),
        ("ari < second.ari", {"ari": 0.0}, False),
    ],
)
def test_a_claim_holds_or_not(text, values, holds):
    """Numbers and names on the right; what is missing makes it false."""
    claim = Claim.read(text)
    assert claim.holds(values) == holds
    assert Claim.read(str(claim)) == claim


def test_numbers_are_filled_in():
    """With digits, as a share, as usual, and a dash where there is none."""
    values = {"ari": 0.98765, "n_points": 1797, "error": 0.1234, "objective": -0.001}
    assert fill("{ari} {ari:1} {n_points} {error:%}", values) == "0.988 1.0 1,797 12.3 %"
    assert fill("{objective:1}", values) == "0.0"
    assert fill("{a} {a:2} {b} {c} {d}", {"a": -0.25, "b": 13682.4, "c": 1234.0, "d": 0.00123}) == (
        "−0.25 −0.25 13,682 1,234 0.00123"
    )
    assert fill("{missing}", values) == "–"
    assert fill("{second.ari}", {"second.ari": 0.5}, {"ari": "2"}) == "0.50"
    assert placeholders("{a:2} and {b.c:%}") == [("a", "2"), ("b.c", "%")]


@pytest.mark.parametrize("text", ["{", "}", "{}", "{ari:9}", "{ari!r}", "{ari[0]}", "{{ari}}", "{a.b.c}"])
def test_other_braces_are_refused(text):
    """What `str.format` would take is no placeholder."""
    with pytest.raises(ValueError, match="is no placeholder"):
        placeholders(text)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "**<b>**",
        "`<i>`",
        "- <u>x</u>",
        "[a](javascript:b)",
    ],
)
def test_html_of_a_text_is_shown_as_it_is(text):
    """No tag but those of paragraphs, lists, bold, italic and code, and none with an attribute."""
    shown = to_html(text)
    for tag in ("script", "img", "b>", "i>", "u>", "a "):
        assert f"<{tag}" not in shown.replace("<strong>", "")
    assert "&lt;" in shown or "[a](javascript:b)" in shown


def test_texts_have_a_little_markup():
    """Paragraphs, lists over several lines, bold, italic and code."""
    text = "One *two*\nthree\n\n- **a**\n  b\n- `c`"
    assert to_html(text) == (
        "<p>One <em>two</em> three</p>\n<ul><li><strong>a</strong> b</li><li><code>c</code></li></ul>"
    )


def test_a_link_holds_a_lesson_within_bounds():
    """It is short, safe in an address, and a bomb or damage is refused."""
    packed = pack_lesson(SMALL)
    assert unpack_lesson(packed) == SMALL
    assert len(packed) < 600
    assert packed.replace("-", "").replace("_", "").isalnum()
    bomb = base64.urlsafe_b64encode(zlib.compress(b"#" * 4_000_000, 9)).decode().rstrip("=")
    assert len(bomb) < MAX_LINK
    for damaged in (bomb, packed[:-6], packed[:20] + "A" + packed[21:], "%", "", "x" * 7000, packed + packed):
        with pytest.raises(ValueError, match="damaged"):
            unpack_lesson(damaged)
    noise = "".join(map(chr, np.random.default_rng(0).integers(33, 123, 20_000)))
    assert pack_lesson(noise) == ""


def test_two_files_cannot_have_one_id(tmp_path):
    """The folder is refused, and the message names the file."""
    for name in ("1.toml", "2.toml"):
        (tmp_path / name).write_text(SMALL, encoding="utf-8")
    with pytest.raises(ValueError, match=r"2\.toml: another file"):
        find_path(tmp_path)
    (tmp_path / "2.toml").write_text("x", encoding="utf-8")
    with pytest.raises(ValueError, match=r"2\.toml: This is no lesson"):
        find_path(tmp_path)
