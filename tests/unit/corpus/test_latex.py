"""LaTeX as written by pandoc and by people."""

from pathlib import Path

import pytest

from whorl.corpus import Columns

DATA = Path(__file__).parent / "data"
PAPER = r"""
\documentclass[UTF8]{ctexart}
\usepackage{amsmath} % \title{no}
\newcommand{\foo}[2][a]{\textbf{#1} #2}
\title{论文\\题目\thanks{基金}}\author{张三 \and 李四}
\date{2024年5月}
\begin{document}\maketitle
\begin{abstract}摘要。\end{abstract}
\section*[短]{引言}\label{sec:a}
如文献~\cite[p.~5]{a,b} 所示，\textbf{重要}的 $x^2$ 和\footnote{脚注，\emph{有}重点。}公式\eqref{e}：% 注释
\begin{equation}a=b\end{equation}
\begin{align*}a&=b\\c&=d\end{align*}
\[ gone \] \( gone \) $$ gone $$
\foo{自定义}100\% 的\input{chapter2}
\begin{figure}[htbp]\centering\includegraphics[width=3cm]{a.png}\caption{图题}\end{figure}
\begin{tabular}{ll} 甲 & 乙 \\[2pt] \multicolumn{2}{c}{丙} \end{tabular}
\begin{verbatim}
  code % kept $x$ {
\end{verbatim}
\begin{comment} gone \end{comment}
\begin{itemize}\item 一 \item[二] 三\end{itemize}
\end{document}
gone
"""


def save(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_a_document_of_another_program_is_read(read) -> None:
    reading = read(DATA / "pandoc/article.tex", Columns(others=True))
    assert reading.texts[0].split("\n")[:6] == [
        "新图书馆开馆",
        "昨天下午，市里举行了新图书馆的开馆仪式。馆长介绍说，藏书共三十万册，“欢迎大家”来读书。",
        "楼层",
        "内容",
        "一楼",
        "儿童阅览室",
    ]
    assert reading.others == [{"title": "新图书馆开馆", "author": "王小明", "date": "2024-05-02", "url": None}]


def test_a_paper_is_read_without_what_is_no_text(read, tmp_path: Path) -> None:
    reading = read(save(tmp_path / "a.tex", PAPER), Columns(others=True))
    assert reading.texts[0].split("\n") == [
        "摘要。",
        "引言",
        "如文献 所示，重要的 和公式：",
        "自定义100% 的",
        "图题",
        "甲",
        "乙",
        "丙",
        "  code % kept $x$ {",
        "一",
        "[二] 三",
        "脚注，有重点。",
    ]
    assert reading.others == [{"title": "论文 题目", "author": "张三 李四", "date": "2024年5月", "url": None}]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"caf\'e na\"{\i}ve \c{c} \v s \H{o} \aa{} \'{E}", "café naïve ç š ő å É"),
        ("a---b--c ``d'' `e'", "a—b–c “d” ‘e’"),
        (r"\href{http://a.b}{链} \url{http://c.d} \textcolor{red}{红}", "链 http://c.d 红"),
        (r"\verb|a$b%c| \lstinline[x=y]!d{e!", "a$b%c d{e"),
        (r"{\songti 宋体} \zihao{4} 字\hspace{1em}号 \LaTeX{} 好", "宋体 字号 LaTeX 好"),
        (r"5\$ 和 5$ 都是钱", "5$ 和 5$ 都是钱"),
        (r"\noindent [1] 文 \unknown[x]{甲}{乙}", "[1] 文 甲乙"),
        (r"\def\foo#1{gone}\let\a=\b 文", "文"),
        ("甲\n乙\n\n丙% x\n  丁", "甲 乙\n丙丁"),
        (r"\begin{CJK}{UTF8}{gbsn}中\end{CJK}", "中"),
        (r"甲\,乙\;丙\\丁", "甲 乙 丙\n丁"),
        ("", ""),
    ],
)
def test_a_piece_without_a_preamble_is_read(read, tmp_path: Path, written: str, text: str) -> None:
    assert read(save(tmp_path / "a.tex", written)).texts == [text]


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (PAPER.partition(r"\end{document}")[0], "the file is truncated, the document does not end: fetch it again"),
        (r"\begin{equation} a", r"the file is truncated, \end{equation} is missing: fetch it again"),
        (r"\section{a", "the file is truncated, a brace is not closed: fetch it again"),
        (r"\footnote{" * 100 + "}" * 100, "the file is nested too deeply: save it again"),
    ],
)
def test_what_breaks_off_is_rejected(read, tmp_path: Path, written: str, reason: str) -> None:
    path = save(tmp_path / "a.tex", written)
    reading = read(path)
    assert (reading.texts, reading.reasons, reading.rejected_bytes) == ([], [reason], path.read_bytes())


@pytest.mark.parametrize(
    "mark", ["{", "$", "\\[", "\\(", "\\begin{a}", "[", "\\a[", "\\section{", "%", "\\", "\\verb|"]
)
def test_marks_beyond_reason_end(read, tmp_path: Path, mark: str) -> None:
    reading = read(save(tmp_path / "a.tex", mark * 20_000 + "文"))
    assert len(reading.texts) + len(reading.rejected) == 1
