import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import whorl
from whorl.errors import NotFoundError, UsageError
from whorl.library import Library
from whorl.tasks.review.run import decisions, review, review_queue, undo_review

pty = pytest.importorskip("pty", reason="terminals are of POSIX")
termios = pytest.importorskip("termios", reason="terminals are of POSIX")

ORIGINAL = (
    "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。"
    "老渔民说，这在从前想也不敢想，那时候要等上大半天，鱼都不新鲜了。"
)
OTHER = "市图书馆把闭馆时间推迟到夜里十点，附近的中学生放学以后常来这里写作业，管理员为他们添了二十盏台灯。"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = whorl.open(tmp_path / "newsroom")
    library.add(
        [
            {"id": "copy", "text": ORIGINAL + "完。", "url": "https://copies.example/1", "published_at": "2026-01-01"},
            {"id": "excerpt", "text": "据悉，" + ORIGINAL[:40], "url": "https://copies.example/2"},
            {"id": "original", "text": ORIGINAL, "collection": "protected", "published_at": "2026-02-01"},
            {"id": "x", "text": OTHER, "published_at": "2026-01-02"},
            {"id": "y", "text": OTHER, "published_at": "2026-01-01"},
        ]
    )
    return library


def test_the_most_severe_comes_first_and_what_is_protected_is_the_original(library: Library) -> None:
    queue = review_queue(library)
    assert [(match.id, match.other) for match in queue.matches] == [("copy", "original"), ("excerpt", "original")]
    first, second = queue.matches
    assert (first.kind, second.kind) == ("near_duplicate", "excerpt")
    assert first.share == 1
    assert second.share < 1
    assert first.severity > second.severity
    assert abs(first.length - len(ORIGINAL)) <= 2
    assert first.probability is None


def test_unprotected_matches_are_ranked_lower(library: Library) -> None:
    library.collect(["original"], "")
    queue = review_queue(library)
    assert queue.waiting == 4
    result = {(match.id, match.other) for match in queue.matches}
    assert ("x", "y") in result  # the later one is the copy
    assert ("original", "copy") in result
    assert review_queue(library, collection="none").waiting == 0
    assert len(review_queue(library, top=1).matches) == 1


def test_a_site_with_leave_comes_last(library: Library) -> None:
    library.permissions.put([{"domain": "copies.example", "path": "/1"}])
    queue = review_queue(library)
    assert [(match.id, match.has_permission) for match in queue.matches] == [("excerpt", False), ("copy", True)]


def test_decided_matches_leave_the_queue_and_adjust_the_others(library: Library) -> None:
    review(library, "copy", "original", "confirmed", by="editor")
    review(library, "excerpt", "original", "rejected", by="editor")
    library.add({"id": "again", "text": "本报讯：" + ORIGINAL + "全文完。", "url": "https://copies.example/3"})
    queue = review_queue(library)
    assert dict(queue.decided) == {"confirmed": 1, "authorised": 0, "rejected": 1}
    again = next(match for match in queue.matches if (match.id, match.other) == ("again", "original"))
    band = queue.bands[-1]
    assert (band.right + band.wrong, again.decided_of) == (2, 2)
    assert again.probability == band.probability == (band.right + 0.5) / 3
    assert band.interval[0] < again.probability < band.interval[1]
    assert review_queue(library, states="confirmed").matches[0].review.by == "editor"


def test_two_must_agree(library: Library) -> None:
    review(library, "copy", "original", "confirmed", by="one", reviewers=2)
    waiting = review_queue(library, reviewers=2).matches[0]
    assert (waiting.id, [(vote.by, vote.state) for vote in waiting.votes]) == ("copy", [("one", "confirmed")])
    review(library, "original", "copy", "confirmed", by="two", reviewers=2)
    assert review_queue(library).waiting == 1


def test_undone_decision_is_pending_again(library: Library) -> None:
    review(library, "copy", "original", "rejected", note="a press release")
    assert undo_review(library, "copy", "original", by="chief").state == "pending"
    assert review_queue(library).waiting == 2
    (decision,) = decisions(library, "copy", "original")
    assert (decision.state, decision.note, decision.undone_by) == ("rejected", "a press release", "chief")


def test_user_mistakes_are_reported(library: Library) -> None:
    with pytest.raises(UsageError):
        review_queue(library, states="right")
    with pytest.raises(UsageError):
        review_queue(library, top=0)
    with pytest.raises(UsageError):
        review(library, "copy", "original", "right")
    with pytest.raises(NotFoundError):
        review(library, "copy", "none", "confirmed")
    with pytest.raises(UsageError):
        undo_review(library, "copy", "original")


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    whole = [sys.executable, "-m", "whorl", *arguments, "--lang", "en"]
    return subprocess.run(whole, cwd=cwd, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def test_the_command_decides_lists_and_takes_back(library: Library, tmp_path: Path) -> None:
    library.close()
    listed = command("review", "newsroom", cwd=tmp_path)
    assert "2 matches wait" in listed.stdout
    decided = command("review", "newsroom", "copy", "original", "--state", "confirmed", "--by", "editor", cwd=tmp_path)
    assert "editor" in decided.stdout
    assert "confirmed" in decided.stdout
    assert "1 match waits" in command("review", "newsroom", "--list", cwd=tmp_path).stdout
    assert "undone by" in command("review", "newsroom", "copy", "original", "--undo", cwd=tmp_path).stdout
    for wrong in (["copy"], ["--state", "confirmed"], ["copy", "original", "--state", "confirmed", "--undo"]):
        assert command("review", "newsroom", *wrong, cwd=tmp_path).returncode == 2


def test_on_a_terminal_one_key_decides(library: Library, tmp_path: Path) -> None:
    library.close()
    ours, theirs = pty.openpty()
    whole = [sys.executable, "-m", "whorl", "review", "newsroom", "--by", "editor", "--lang", "en"]

    def answer(keys: bytes, prompt: bytes, *, by_key: bool = True) -> None:
        output = b""
        while prompt not in output:
            output += os.read(ours, 65536)
        # Input before the program waits for a key is lost.
        while by_key and termios.tcgetattr(theirs)[3] & termios.ICANON:
            time.sleep(0.01)
        os.write(ours, keys)

    with subprocess.Popen(whole, cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        for key in (b"d", b"u", b"n"):
            answer(key, b"[q]uit ")
        answer(b"all of it\n", b"note: ", by_key=False)
        answer(b"c", b"[q]uit ")
        answer(b"s", b"[q]uit ")
        answer(b"", b"1 match decided", by_key=False)
        assert process.wait() == 0
    os.close(ours)
    os.close(theirs)
    with whorl.open(tmp_path / "newsroom") as opened:
        reported = [
            (record.state, record.note, record.by, record.undone_by) for record in opened.reviews.of("copy", "original")
        ]
    assert reported == [("rejected", "", "editor", "editor"), ("confirmed", "all of it", "editor", None)]
