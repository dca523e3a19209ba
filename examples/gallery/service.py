"""A service that many ask at once: FastAPI over one library that all its threads share.

Every call of whorl computes or waits for the disk, so none may run in the event loop itself. A handler that is a plain
`def` is run in a thread by FastAPI; one that is `async def` sends its call to a thread. As a server, with uvicorn:
`WHORL_LIBRARY=newsroom uvicorn --app-dir examples/gallery service:app`.
"""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

import whorl

SECONDS = 10
NEWSROOM = Path(__file__).parents[1] / "newsroom"


class Article(BaseModel):
    """What is asked: an id, a text, and what else is known."""

    id: str
    text: str
    title: str | None = None
    url: str | None = None


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open the library once, for all threads; close it when the last request is done."""
    app.state.library = await asyncio.to_thread(whorl.open, os.environ["WHORL_LIBRARY"])
    yield
    await asyncio.to_thread(app.state.library.close)  # waits for what is being added, and refuses what comes later


app = FastAPI(lifespan=lifespan)


@app.post("/articles")
def add(article: Article, request: Request) -> dict[str, Any]:
    """A plain `def`: FastAPI runs it in a thread. What is answered is on the disk; the same again is "known"."""
    return request.app.state.library.add(article.model_dump(exclude_none=True)).to_dict()


@app.post("/check")
async def check(article: Article, request: Request) -> dict[str, Any]:
    """An `async def`: the call goes to a thread, and this one waits no longer than it likes."""
    try:
        async with asyncio.timeout(SECONDS):
            report = await asyncio.to_thread(request.app.state.library.check, article.text)
    except TimeoutError as error:
        raise HTTPException(503, "too many ask at once") from error
    return report.to_dict()


@app.exception_handler(whorl.WhorlError)
async def refuse(_: Request, error: whorl.WhorlError) -> JSONResponse:
    """What whorl refuses has a cure, which is worth passing on."""
    return JSONResponse({"error": error.message, "cure": error.cure}, status_code=422)


async def main() -> None:
    """Ask the service without a server, as a test does."""
    articles, originals = (
        [json.loads(line) for line in (NEWSROOM / name).read_text(encoding="utf-8").splitlines()]
        for name in ("articles.jsonl", "originals.jsonl")
    )
    async with (
        lifespan(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service") as client,
    ):
        asked = [client.post("/check", json=article) for article in originals]
        added = [client.post("/articles", json=article) for article in articles]
        answers = await asyncio.gather(*added, *asked)  # 121 requests at once, those that add among those that ask
        print(f"{sum(answer.status_code == 200 for answer in answers)} of {len(answers)} requests were answered")
        again = [(await client.post("/check", json=article)).json() for article in originals]
        print(f"{sum(bool(report['matches']) for report in again)} of {len(originals)} originals are known now")
        print((await client.post("/articles", json={"id": "", "text": "no id"})).json())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WHORL_LIBRARY"] = folder
        asyncio.run(main())
