"""The server for coding agents, driven by the protocol's own client over pipes."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import executable, marrow
from tests.cli.test_json import check

mcp = pytest.importorskip("mcp", reason="the SDK of the Model Context Protocol is not installed")

Call = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def tool(work: Path) -> Path:
    return executable(
        work / "tool.sh", 'grep -q needle "$1" && { echo "bad: needle" >&2; exit 3; }'
    )


def served(work: Path, talk: Callable[[Call], Awaitable[None]], *options: str) -> None:
    """Start the server, and let a client talk to it."""

    async def session() -> None:
        words = ["-m", "marrow", "mcp", "--root", str(work), *options]
        server = mcp.StdioServerParameters(command=sys.executable, args=words, cwd=str(work))
        async with mcp.Client(server) as client:

            async def call(name: str, **arguments: Any) -> dict[str, Any]:
                progress: list[float] = []

                async def report(done: float, _: float | None, __: str | None) -> None:
                    progress.append(done)

                answer = await client.call_tool(name, arguments, progress_callback=report)
                if answer.is_error:
                    return {"refused": answer.content[0].text}
                found: dict[str, Any] = json.loads(answer.content[0].text)
                return {**found, "progress": progress}

            await talk(call)

    asyncio.run(session())


def test_an_agent_reduces_and_asks_why(work: Path, tool: Path) -> None:
    async def talk(call: Call) -> None:
        command = ["./tool.sh", "{}"]
        answer = await call("reduce", input="input.c", command=command, wait_seconds=600)
        assert answer["state"] == "ended"
        record = answer["record"]
        check(record, "result")
        assert "needle" in record["text"]
        assert answer["progress"]
        assert (await call("status", job=answer["job"]))["state"] == "ended"
        assert (await call("result", job=answer["job"]))["record"] == record
        explained = (await call("explain", job=answer["job"], wait_seconds=600))["record"]
        check(explained, "result")
        assert explained["explanation"]

    served(work, talk, "--allow", str(tool))


def test_an_agent_stops_a_run(work: Path) -> None:
    slow = executable(work / "slow.sh", 'grep -q needle "$1" || sleep 30')

    async def talk(call: Call) -> None:
        answer = await call("reduce", input="input.c", test="slow.sh", timeout="60", wait_seconds=1)
        assert answer["state"] == "running"
        stopped = await call("stop", job=answer["job"])
        assert stopped["state"] == "ended"
        check(stopped["record"], "error" if "error" in stopped["record"] else "result")

    served(work, talk, "--allow", str(slow))


def test_an_agent_sorts_crashes_and_matches(work: Path, tool: Path) -> None:
    (work / "crashes").mkdir()
    (work / "crashes" / "a").write_text("needle 1")
    (work / "calc.txt").write_text("((1))")
    executable(work / "double.sh", 'grep -q "((.*))" "$1"')
    words = ("calc.txt", "double.sh", "--grammar", "calculator", "--checks", "5", "-q")
    assert marrow("abstract", *words).code == 0

    async def talk(call: Call) -> None:
        more = {"command": ["./tool.sh", "{}"], "output": "bugs", "wait_seconds": 600}
        record = (await call("triage", crashes="crashes", **more))["record"]
        check(record, "triage")
        assert len(record["bugs"]) == 1
        found = await call("match", pattern="calc.pattern.json", files=["calc.txt", "input.c"])
        check(found["record"], "matches")
        assert [one["matches"] for one in found["record"]["files"]] == [True, False]

    served(work, talk, "--allow", str(tool))


def test_what_was_not_allowed_is_refused(work: Path, tool: Path) -> None:
    async def talk(call: Call) -> None:
        reduce = {"input": "input.c", "command": ["./tool.sh", "{}"]}
        assert "may not be run" in (await call("reduce", **reduce))["refused"]
        outside = {**reduce, "input": "/etc/passwd"}
        assert "refused" in await call("reduce", **outside)
        assert "no job 7" in (await call("status", job=7))["refused"]
        both = await call("reduce", input="input.c")
        assert "either command" in both["refused"]

    served(work, talk)


def test_links_do_not_lead_out_of_the_roots(work: Path) -> None:
    (work / "link").symlink_to("/etc")
    from mcp.server.mcpserver.exceptions import ToolError

    from marrow.cli.mcp_server import Permission

    permission = Permission((work,), ("sh",))
    assert permission.path("input.c") == str((work / "input.c").resolve())
    for name in ("link/passwd", "../x", "/etc/passwd"):
        with pytest.raises(ToolError, match="outside of the roots"):
            permission.path(name)
    permission.program("sh")
    with pytest.raises(ToolError, match="may not be run"):
        permission.program("./sh")
    Permission((), ("any",)).program("whatever")


def test_a_program_that_is_missing_is_said_at_once(work: Path) -> None:
    ended = marrow("mcp", "--allow", "no-such-program")
    assert ended.code == 2
    assert "no-such-program" in ended.err
