"""A service for concurrent requests: FastAPI over one library shared by all its threads.

Every call of whorl computes or waits for the disk, so it must not run in the event loop itself. FastAPI runs a plain
`def` handler in a thread; an `async def` handler has to send its call to a thread. As a server, with uvicorn:
`WHORL_LIBRARY=newsroom uvicorn --app-dir examples/programs service:app`.
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
    """The request: an id, a text, and optional metadata."""

    id: str
    text: str
    title: str | None = None
    url: str | None = None


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open the library once, for all threads; close it when the last request is done."""
    app.state.library = await asyncio.to_thread(whorl.open, os.environ["WHORL_LIBRARY"])
    yield
    await asyncio.to_thread(app.state.library.close)  # waits for pending adds, and rejects later ones


app = FastAPI(lifespan=lifespan)


@app.post("/articles")
def add(article: Article, request: Request) -> dict[str, Any]:
    """A plain `def`: FastAPI runs it in a thread.

    The response means that the article is on disk. Repeated adds are "known".
    """
    return request.app.state.library.add(article.model_dump(exclude_none=True)).to_dict()


@app.post("/check")
async def check(article: Article, request: Request) -> dict[str, Any]:
    """An `async def`: the call runs in a thread, with a timeout here."""
    try:
        async with asyncio.timeout(SECONDS):
            report = await asyncio.to_thread(request.app.state.library.check, article.text)
    except TimeoutError as error:
        raise HTTPException(503, "too many ask at once") from error
    return report.to_dict()


@app.exception_handler(whorl.WhorlError)
async def refuse(_: Request, error: whorl.WhorlError) -> JSONResponse:
    """Errors of whorl have a hint, which is worth returning."""
    return JSONResponse({"error": error.message, "hint": error.hint}, status_code=422)


async def main() -> None:
    """Send requests to the service without a server, like a test."""
    articles, originals = (
        [json.loads(line) for line in (NEWSROOM / name).read_text(encoding="utf-8").splitlines()]
        for name in ("articles.jsonl", "originals.jsonl")
    )
    async with (
        lifespan(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service") as client,
    ):
        checked = [client.post("/check", json=article) for article in originals]
        added = [client.post("/articles", json=article) for article in articles]
        answers = await asyncio.gather(*added, *checked)  # 121 concurrent requests, adds and checks
        print(f"{sum(answer.status_code == 200 for answer in answers)} of {len(answers)} requests were answered")
        again = [(await client.post("/check", json=article)).json() for article in originals]
        print(f"{sum(bool(report['matches']) for report in again)} of {len(originals)} originals are known now")
        print((await client.post("/articles", json={"id": "", "text": "no id"})).json())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WHORL_LIBRARY"] = folder
        asyncio.run(main())
