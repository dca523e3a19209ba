"""The program itself: its version, and the help that teaches it."""

from __future__ import annotations

from typing import Annotated

import typer

PROGRAM_EPILOG = """\
[bold]例子 · Examples[/bold]
  [cyan]whorl dedup articles.jsonl -o clean[/cyan]             去重 · remove the copies
  [cyan]whorl dedup corpus/ -o clean --text title,body[/cyan]  文件夹 · a folder of files
  [cyan]whorl dedup new/ -o clean --against old.jsonl[/cyan]   比旧库 · what is new
  [cyan]whorl show clean ID[/cyan]                             为何删去 · why it went
  [cyan]whorl compare a.txt b.txt[/cyan]                       抄了什么 · what b has from a
  [cyan]whorl explain a.txt b.txt[/cyan]                       是否重复 · are these copies?
  [cyan]whorl hot articles.jsonl[/cyan]                        热点 · what is reprinted most
  [cyan]whorl eval articles.jsonl truth.csv[/cyan]             评测 · which method is best
  [cyan]whorl recommend articles.jsonl[/cyan]                  荐配方 · a recipe for it
  [cyan]whorl add newsroom today.jsonl[/cyan]                  入库 · into a library
  [cyan]whorl check newsroom draft.txt[/cyan]                  查库 · seen before?
  [cyan]whorl library clusters newsroom[/cyan]                 管库 · what a library holds
  [cyan]whorl methods minhash[/cyan]                           方法说明 · how it decides
  [cyan]whorl segment articles.jsonl[/cyan]                    分词 · cut into words
  [cyan]whorl idf corpus/ -o idf.parquet[/cyan]                词频表 · how rare words are

[bold]退出码 · Exit codes[/bold]
    0  完成 · done
    1  查到或未达标，仅在要求时 · only where asked: found (--fail-on),
       or a figure not reached (--require)
    2  用法有误 · usage
    3  输入有误 · input
    4  资源不足 · resource: disk, memory, permission
   70  whorl 自身的缺陷 · a defect of whorl: please report it
  130  中断，重跑即续 · stopped: run the same command again

每个命令都有说明，如 [cyan]whorl dedup --help[/cyan]。数据写到 stdout，进度写到 stderr。
Each command explains itself. Data goes to stdout, progress to stderr.
"""


def _print_version(wanted: bool) -> None:
    if not wanted:
        return
    from whorl.tasks.versions import versions

    for name, own in versions().to_dict().items():
        typer.echo(f"{name} {own}")
    raise typer.Exit


def program(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the versions of whorl, its core, the folding table and the recipe. · 版本",
        ),
    ] = False,
) -> None:
    """Find which articles copy which.

    Two texts that share a key are compared; the comparison decides. Nothing is removed without proof.
    找出哪些文章抄了哪些文章：有共同指纹的才比对，由比对定案；没有证据，一篇不删。
    """


__all__ = ["PROGRAM_EPILOG", "program"]
