"""The state and the correctness of an installation."""

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from whorl.cli import build_app
from whorl.tasks.installation import EXTRAS, diagnose
from whorl.tasks.selftest import selftest, specified

ROOT = Path(__file__).parents[3]


def test_this_installation_computes_the_specified_values() -> None:
    result = selftest()
    assert result.passed
    assert {"digest", "similarity", "minhash", "winnowing", "simhash", "pinyin"} <= {
        check.name for check in result.checks
    }
    assert sum(check.vectors for check in result.checks) > 500


def test_a_value_that_differs_is_named() -> None:
    vectors = specified()
    wrong = next(check for check in vectors["checks"] if check["method"] == "winnowing")
    wrong["keys"]["chinese"][0] = "0" * 16
    vectors["digests"]["english"] = "0" * 32
    vectors["overlaps"][0]["shared_and_united"] = [0, 1]
    result = selftest(vectors)
    failed = {check.name: check.failures for check in result.checks if check.failures}
    assert not result.passed
    assert failed == {
        "digest": ("english",),
        "similarity": ("chinese / chinese, traditional",),
        "winnowing": ("chinese",),
    }


def test_every_extra_is_described() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(EXTRAS) == set(project["optional-dependencies"]) - {"all"}


def test_the_diagnosis_names_settings_and_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHORL_KEY", "secret")
    diagnosis = diagnose([Path("whorl.toml")])
    assert diagnosis.settings == ("whorl.toml",)
    assert "WHORL_KEY" in diagnosis.environment
    assert "secret" not in json.dumps(diagnosis.to_dict())
    assert all(extra.installed is not True or not extra.missing for extra in diagnosis.extras)
    assert diagnosis.pdf.works or diagnosis.pdf.hint


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["native module", "sandbox of parsers", "reads PDF files"]),
        ("zh", ["原生模块", "解析沙箱", "读取 PDF 文件"]),
    ],
)
def test_doctor_prints_the_state_in_both_languages(language: str, words: list[str]) -> None:
    done = CliRunner().invoke(build_app(), ["doctor", "--lang", language])
    assert done.exit_code == 0
    assert [word for word in words if word not in done.output] == []


def test_data_for_programs_are_in_english() -> None:
    done = CliRunner().invoke(build_app(), ["doctor", "--json", "--lang", "zh"])
    extras = {extra["name"]: extra["purpose"] for extra in json.loads(done.output)["extras"]}
    assert extras["pdf"] == "reads PDF files"


@pytest.mark.parametrize(("language", "verdict"), [("en", "test vectors are equal"), ("zh", "个测试向量相同")])
def test_selftest_prints_its_verdict(language: str, verdict: str) -> None:
    done = CliRunner().invoke(build_app(), ["selftest", "--lang", language])
    assert (done.exit_code, verdict in done.output) == (0, True)
    done = CliRunner().invoke(build_app(), ["selftest", "--json"])
    assert json.loads(done.output)["passed"] is True
