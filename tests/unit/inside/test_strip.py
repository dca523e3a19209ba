"""What ``whorl.strip`` removes from documents in memory."""

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl import _core

NOTICE = "Reproduction of this article without the written consent of the publisher is prohibited."
ZH_NOTICE = "本网站所有内容未经书面授权，不得以任何形式转载、复制或者建立镜像，违者必究。"
AR_NOTICE = "جميع الحقوق محفوظة للموقع، ولا يجوز نسخ المقالات أو إعادة نشرها دون إذن مكتوب من الناشر."


def kept(documents: Any, **options: Any) -> Any:
    return whorl.strip(documents, keep="first", **options).kept


def test_repeated_lines_go_and_the_first_stays() -> None:
    documents = [
        f"The ice house burned down.\n\n{NOTICE}\n",
        f"Rain.\n\n{NOTICE.upper()}\n",
        f"{ZH_NOTICE}\n甲",
        ZH_NOTICE,
    ]
    assert kept(documents, inside="lines") == [documents[0], "Rain.\n", documents[2]]


@pytest.mark.parametrize("notice", [NOTICE, ZH_NOTICE, AR_NOTICE])
@pytest.mark.parametrize("inside", ["sentences", "passages"])
def test_sentences_and_passages_are_cut_whole_in_every_script(notice: str, inside: str) -> None:
    documents = [f"One. {notice} Two.", f"Three. {notice} Four."]
    result = kept(documents, inside=inside, least=60)
    assert result == [documents[0], "Three. Four."]


def test_a_passage_that_begins_and_ends_within_sentences_leaves_sentences() -> None:
    middle = "nobody was hurt. The mayor said that it would be built again in spring. The town would pay, he added"
    documents = [f"It burned on Monday; {middle} in a speech.", f"On Tuesday {middle} to reporters."]
    (cut,) = whorl.strip(documents, inside="passages", least=60, keep="first").cuts.to_pylist()
    assert cut["text"] == "The mayor said that it would be built again in spring."
    assert documents[0][cut["kept_start"] : cut["kept_end"]] == cut["text"]


def test_a_sentence_that_is_repeated_in_part_stays() -> None:
    shared = "and the herring came late that year so that the boats stayed in the harbour until the ice was gone again"
    english = [f"Reading {shared} forever", f"Reread {shared}st anew"]
    clauses = "利用职务上的便利侵占本公司财物数额较大的，应当承担赔偿责任；构成犯罪的，依法追究刑事责任。"
    chinese = [f"{subject}、监事违反规定，{clauses}" for subject in ("董事会成员", "经理人")]
    for documents in (english, chinese):
        assert kept(documents, inside="passages", least=60) == documents


def test_no_word_is_cut_where_text_has_no_sentences() -> None:
    shared = " ".join(f"word{number} and" for number in range(300))
    documents = [f"Reading {shared} forever", f"Reread {shared}st anew"]
    (cut,) = whorl.strip(documents, inside="passages", least=60, keep="first").cuts.to_pylist()
    assert cut["text"] == shared.rpartition(" ")[0]


def test_a_phrase_that_is_left_of_a_passage_stays() -> None:
    middle = "of the harbour is closed on Sundays. Dogs stay outside. The keeper of the lighthouse opens the doors"
    documents = [f"The ice house {middle} at nine.", f"The mill {middle} at ten."]
    assert kept(documents, inside="passages", least=60) == documents


def test_code_blocks_and_table_rows_are_cut_whole_or_not_at_all() -> None:
    loop = "for number in range(10):\n    print(number, number * number, number ** 3)"
    body = f"{loop}\n\n    total += number\nprint(total)"
    code = f"```\n{body}\n```"
    row = "| parameter | type | the largest number of documents that are read together | default |"
    documents = [
        f"A\n\n{code}\n\n{row}",
        f"B\n\n{code}\n\n{row}",
        f"C\n\n{code.replace('```', '~~~~', 1)}\n\n{row} x |",
    ]
    for inside in ("lines", "paragraphs", "sentences"):
        assert kept(documents, inside=inside)[1] == "B"
    assert kept(documents, inside="passages", least=30)[1] == "B"


def test_headings_without_a_body_go_and_others_stay() -> None:
    body = "The largest number of documents that are read together, in the order of the files."
    documents = [
        f"# A\n\n## Limits\n\n{body}",
        f"# B\n\n## Limits\n\n{body}\n\n## Use\n\nmore",
        "# C\n\n## Limits\n\nother",
    ]
    result = whorl.strip(documents, inside="lines", keep="first")
    assert result.kept == [documents[0], "# B\n\n## Use\n\nmore", documents[2]]
    assert result.cuts["unit"].to_pylist() == ["heading", "line"]
    assert result.cuts["kept_document"].to_pylist() == [None, "0"]


def test_mask_replaces_tag_lists_and_drop_below_drops() -> None:
    documents = [NOTICE, f"One. {NOTICE} Two.", f"Yes. {NOTICE}"]
    options: dict[str, Any] = {"inside": "sentences"}
    assert kept(documents, action="mask", mask="*", **options)[1:] == ["One. * Two.", "Yes. *"]
    assert kept(documents, action="tag", **options) == documents
    result = whorl.strip(documents, keep="first", drop_below=5, **options)
    assert result.kept == [NOTICE, "One. Two."]
    assert result.dropped.to_pylist() == [
        {"document": "2", "file": "memory", "row": 2, "remaining": 3, "reason": "too short"}
    ]
    assert kept(["Ok.", NOTICE, NOTICE], drop_below=5, **options) == ["Ok.", NOTICE]


def test_repeats_per_and_none() -> None:
    line = "Share this article with your friends, colleagues and everybody else who reads newspapers"
    rows = [{"text": line, "site": "https://a.org/1"}, {"text": line, "site": "https://b.org/1"}] * 2
    assert len(kept([line] * 2, inside="lines", repeats=3)) == 2
    assert len(kept([line] * 3, inside="lines", repeats=3)) == 1
    assert kept(rows, inside="lines", per="site") == rows[:2]
    assert kept([*[line] * 2, "other"], inside="lines") == [line, "other"]
    assert whorl.strip([*[line] * 2, "other"], inside="lines", keep="none").kept == ["other"]


def test_the_first_by_date_stays_whatever_the_order() -> None:
    rows = [{"text": NOTICE, "date": day} for day in ("2024-03-02", "2024-03-01", "2024-03-03")]
    for order in (rows, rows[::-1]):
        assert whorl.strip(order, inside="lines").kept == [rows[1]]


def test_the_result_has_the_type_of_the_source() -> None:
    texts = ["One line that is long enough to be repeated text in the sense of the default length of lines."] * 2
    texts[1] += "\nNew."
    expected = [texts[0], "New."]
    frame = {"n": [1, 2], "text": texts}
    polars = kept(pl.DataFrame(frame), inside="lines")
    assert polars.to_dict(as_series=False) == {"n": [1, 2], "text": expected}
    pandas = kept(pd.DataFrame(frame, index=[7, 8]), inside="lines")
    assert pandas["text"].to_dict() == {7: expected[0], 8: expected[1]}
    table = pa.table({"text": pa.array(texts, pa.large_string()), "n": pa.array([1, 2], pa.int8())})
    result = kept(table, inside="lines")
    assert result.schema == table.schema
    assert result["text"].to_pylist() == expected
    assert kept(pl.Series("x", texts), inside="lines").to_list() == expected
    assert kept(pd.Series(texts), inside="lines").tolist() == expected
    assert kept(pa.array(texts), inside="lines").to_pylist() == expected
    dicts = [{"title": text.partition(" ")[0], "body": text} for text in texts]
    assert [row["body"] for row in kept(dicts, inside="lines", text=["title", "body"])] == expected


def test_null_texts_are_rejected_and_counted() -> None:
    result = whorl.strip([NOTICE, None, NOTICE], inside="lines", keep="first")
    counts = result.run["counts"]
    assert result.rejected == [None]
    assert counts["rows"] == counts["kept"] + counts["dropped"] + counts["rejected"] == 3


def test_bad_settings_are_refused() -> None:
    for options in (
        {"inside": "words"},
        {"least": "few"},
        {"least": 0},
        {"repeats": 1},
        {"action": "eat"},
        {"drop_below": -1},
        {"per": "site"},
        {"repetition": "yes"},
    ):
        with pytest.raises(whorl.errors.UsageError) as error:
            whorl.strip([NOTICE], **options)
        assert error.value.hint


def test_sources_share_what_one_repeats_of_the_other() -> None:
    rows = [{"text": NOTICE, "from": "a"}, {"text": NOTICE, "from": "b"}, {"text": f"{NOTICE}\nx", "from": "b"}]
    run = whorl.strip(rows, inside="lines", keep="first", by="from").run
    size = len(NOTICE)
    assert [(row["source"], row["kept_in"], row["characters"]) for row in run["shared"]] == [("b", "a", 2 * size)]
    assert run["largest"][0]["text"] == NOTICE
    assert run["largest"][0]["count"] == 3


def test_repetition_within_documents_is_measured_and_filtered() -> None:
    fine = "The ice house of the old harbour burned down on Monday night; nobody was hurt."
    documents = [fine, "买买买买买买买 " * 20, "buy now " * 30]
    result = whorl.strip(documents, repetition="filter")
    assert result.kept == [fine]
    assert result.dropped["reason"].to_pylist() == ["repetition"] * 2
    table = result.repetition
    assert table is not None
    assert table["repetitive"].to_pylist() == [False, True, True]
    assert whorl.strip(documents[:1], repetition="measure").kept == [fine]


LINES = st.lists(st.sampled_from(["alpha beta", "Alpha, beta", "gamma delta", "甲乙丙丁戊", "x", "", "- "]), max_size=6)


@given(st.lists(LINES, max_size=5), st.integers(2, 3))
def test_lines_are_those_of_the_definition(documents: list[list[str]], repeats: int) -> None:
    texts = ["\n".join(lines) for lines in documents]
    cuts = whorl.strip(texts, inside="lines", least=8, keep="first", repeats=repeats).cuts.to_pylist()
    places_of: dict[str, list[tuple[int, int]]] = {}
    for number, lines in enumerate(documents):
        place = 0
        for line in lines:
            folded = "".join(_core.tokens(line))
            if len(folded) * (3 if "甲" in folded else 1) >= 8:
                places_of.setdefault(folded, []).append((number, place))
            place += len(line) + 1
    expected = {place for places in places_of.values() if len(places) >= repeats for place in places[1:]}
    assert {(int(cut["document"]), cut["start"]) for cut in cuts} == expected


@given(st.lists(st.text("ab 。甲.\n", max_size=40), max_size=5), st.randoms())
def test_the_result_does_not_depend_on_order_or_blocks(texts: list[str], random: Any) -> None:
    rows = [{"id": f"{number:02d}", "text": text} for number, text in enumerate(texts)]
    shuffled = random.sample(rows, len(rows))
    options: dict[str, Any] = {"inside": "passages", "least": 12}
    first, second = (whorl.strip(documents, **options) for documents in (rows, shuffled))
    assert {row["id"]: row["text"] for row in first.kept} == {row["id"]: row["text"] for row in second.kept}
    columns = ["document", "start", "end", "kept_document", "kept_start", "kept_end", "text"]
    assert first.cuts.select(columns).equals(second.cuts.select(columns))


PASSAGE = "The ice house burned down on Monday night, and nobody was hurt, the mayor of the town reported."


@pytest.mark.parametrize(
    "end",
    [
        "The rules are these:\n",
        "\n\n3.1. ",
        "\n\nB.4.7. ",
        "\n\n.. function:: rules(x)\n\n    ",
        "这里的规则如下：\n",
        "The rules are these (",
    ],
)
def test_what_introduces_the_text_behind_a_passage_stays(end: str) -> None:
    texts = [f"{PASSAGE} {end}Old words.", f"{PASSAGE} {end}Other news came."]
    _, changed = whorl.strip(texts, inside="passages", least=60, keep="first").kept
    assert PASSAGE not in changed
    assert changed.strip().endswith("Other news came.")
    assert changed.strip() != "Other news came."


def test_a_passage_goes_with_its_colon_where_nothing_is_behind_it() -> None:
    texts = [f"One. {PASSAGE} The rules are these:", f"Two. {PASSAGE} The rules are these:"]
    assert whorl.strip(texts, inside="passages", least=60, keep="first").kept == [texts[0], "Two."]


@pytest.mark.parametrize(
    ("introduction", "introduced"),
    [
        ("The court of {} decides where:\n", "- {0}; and\n- {0}.\n"),
        ("{}有下列情形之一的，由法院裁定：\n", "（一）{0}；\n（二）{0}。\n"),
        ("The call of {} follows:\n\n.. code-block:: text\n\n", "    {0}\n\n    {0}\n\n"),
        ("The mayor of {} said:\n", "{0}\n"),
    ],
)
def test_what_a_sentence_introduces_stays_with_it(introduction: str, introduced: str) -> None:
    body = introduced.format(
        "the herring came late that year and the boats stayed in the harbour until the ice was gone"
    )
    texts = [f"One.\n{introduction.format(name)}{body}{PASSAGE}\n" for name in ("Vesterholm", "Osterby")]
    _, changed = whorl.strip(texts, inside="passages", least=60, keep="first").kept
    assert changed.strip() == f"One.\n{introduction.format('Osterby')}{body}".strip()


def test_a_title_stays_with_the_text_behind_it() -> None:
    texts = [f"{name}.\n{PASSAGE}\nOpening hours\nFrom {name} on." for name in ("nine", "ten")]
    _, changed = whorl.strip(texts, inside="passages", least=60, keep="first").kept
    assert changed == "ten.\nOpening hours\nFrom ten on."


@pytest.mark.parametrize(
    "rest",
    [
        "The list of {0} has three parts:\n\n* the first of them\n* the second of them\n* what {0} added.",
        "5.3.4. Reports of {0}. Send them to the office.",
        ".. function:: {0}(x)\n\n    Return what was asked for.",
        ".. code-block:: python\n   :caption: {0}\n\n   begin()",
        "This was decided by a court, as the law and the rules of the U.S.\nGovernment of {0} demand.",
    ],
)
def test_a_part_that_differs_keeps_what_belongs_to_it(rest: str) -> None:
    texts = [f"{PASSAGE}\n\n{rest.format(name)}\n\nHere {name} ends." for name in ("boats", "mills")]
    _, changed = whorl.strip(texts, inside="passages", least=60, keep="first").kept
    assert changed.strip() == f"{rest.format('mills')}\n\nHere mills ends."


def test_a_list_that_goes_on_keeps_its_introduction() -> None:
    items = "* the herring, which comes late\n* the boats, which stay in the harbour until the ice is gone"
    texts = [f"{PASSAGE}\n\nThe town has:\n\n{items}\n{more}" for more in ("", "* a mill.")]
    _, changed = whorl.strip(texts, inside="passages", least=60, keep="first").kept
    assert changed.strip() == f"The town has:\n\n{items}\n* a mill."
    texts = [
        f"{name} has:\n* {PASSAGE}; or\n* the herring, which comes late, and the boats, which stay in the harbour."
        for name in ("Osterby", "Vesterholm")
    ]
    assert whorl.strip(texts, inside="passages", least=60, keep="first").kept == texts


def test_a_sentence_over_full_lines_is_not_divided() -> None:
    wrapped = "You can make a class of your own with another address of the\nWidget, which is described in the guide."
    texts = [f"{name} {wrapped}\n\n{PASSAGE}\n\nEnd of {name}." for name in ("Now", "Here")]
    _, changed = whorl.strip(texts, inside="passages", least=60, keep="first").kept
    assert changed == f"Here {wrapped}\n\nEnd of Here."


def test_a_drawn_table_goes_whole_or_stays() -> None:
    rule = "==========  ======================================"
    head = f"{rule}\nName        What the name of the library stands for\n{rule}\n"
    texts = [f"{name}.\n\n{PASSAGE}\n\n{head}{name}         One library.\n{rule}\n" for name in ("GEOS", "PROJ")]
    _, changed = whorl.strip(texts, inside="passages", least=60, keep="first").kept
    assert changed == f"PROJ.\n\n{head}PROJ         One library.\n{rule}\n"


def test_underlines_of_headings_are_not_code() -> None:
    """A block between two headings that are underlined with tildes is text, and a heading goes with its body."""
    body = "The server starts at once, and stops when the last of its readers has gone home for the night."
    texts = [
        f"{name}\n\nAbout servers\n~~~~~~~~~~~~~\n\n{body}\n\nAbout {name}\n~~~~~~~~~~~~~\n\nA text on {name}.\n"
        for name in ("boats", "mills")
    ]
    _, changed = whorl.strip(texts, inside="sentences", keep="first").kept
    assert changed == "mills\n\nAbout mills\n~~~~~~~~~~~~~\n\nA text on mills.\n"
    fenced = [f"{name}\n\nRun\n~~~\n{body}\n~~~\n" for name in ("boats", "mills")]
    result = whorl.strip(fenced, inside="sentences", keep="first")
    assert result.cuts.column("unit").to_pylist() == ["code block"]
