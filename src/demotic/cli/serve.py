"""``demotic serve``: translations over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from demotic.cli.options import (
    JsonLog,
    Quiet,
    Threads,
    byte_count,
    check_files,
    thread_count,
    usage,
)

NAME = "serve"
NEEDS_ARGUMENTS = True


def command(
    models: Annotated[
        list[Path],
        typer.Argument(metavar="MODEL", help="Trained models, of any languages."),
    ],
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 for all of the machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 5000,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="JSON-RPC over standard input and output instead.")
    ] = False,
    char_limit: Annotated[
        int, typer.Option(help="Characters of a request; -1 for any number.")
    ] = 50_000,
    batch_limit: Annotated[
        int, typer.Option(help="Texts of a request; -1 for any number.")
    ] = 1_000,
    body_limit: Annotated[
        str, typer.Option(metavar="SIZE", help="Bytes of a request that is no file.")
    ] = "4M",
    file_limit: Annotated[
        str, typer.Option(metavar="SIZE", help="Bytes of a file to translate.")
    ] = "20M",
    queue_limit: Annotated[
        int, typer.Option(help="Sentences that may wait for a model; then 503 is answered.")
    ] = 2_000,
    timeout: Annotated[float, typer.Option(help="Seconds until a request is given up.")] = 30.0,
    file_timeout: Annotated[
        float, typer.Option(help="Seconds until the translation of a file is given up.")
    ] = 600.0,
    read_timeout: Annotated[
        float, typer.Option(help="Seconds that a client may take to send a request's head.")
    ] = 10.0,
    connections: Annotated[int, typer.Option(help="Connections at a time.")] = 1_000,
    req_limit: Annotated[
        int, typer.Option(help="Requests per minute of each client; -1 for any number.")
    ] = -1,
    api_keys: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keys that requests need, one a line; a number behind a key is its own"
            " --req-limit.",
        ),
    ] = None,
    suggestions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where corrections are kept. [default: MODEL.suggestions.jsonl, of the first"
            " model of each pair of languages]",
            show_default=False,
        ),
    ] = None,
    no_suggestions: Annotated[
        bool, typer.Option("--no-suggestions", help="Take no corrections.")
    ] = False,
    no_files: Annotated[bool, typer.Option("--no-files", help="Take no files.")] = False,
    cors: Annotated[
        str,
        typer.Option(
            metavar="ORIGIN",
            help="Pages of this address may ask, too, or * for all. [default: none]",
            show_default=False,
        ),
    ] = "",
    behind_proxy: Annotated[
        bool,
        typer.Option("--behind-proxy", help="Believe the X-Forwarded headers of a proxy."),
    ] = False,
    log_text: Annotated[
        bool, typer.Option("--log-text", help="Log what is translated; needs --json-log.")
    ] = False,
    threads: Threads = 0,
    quiet: Quiet = False,
    json_log: JsonLog = False,
) -> None:
    """Serve models: the page, LibreTranslate's API, a translation memory for CAT tools.

    Needs the packages of demotic[serve].  Corrections sent to /suggest are kept in a file, and
    answered from at once; demotic train learns from them.

    \b
    Examples:
      demotic serve de-en.demotic en-de.demotic
      demotic serve de-en.demotic --host 0.0.0.0 --api-keys keys.txt --req-limit 120
      echo '{"jsonrpc": "2.0", "id": 1, "method": "translate", "params": {"q": "Hallo"}}' |
        demotic serve de-en.demotic --stdio
    """
    import sys

    from demotic.serve.options import ServeOptions
    from demotic.serve.server import serve, serve_stdio

    if log_text and not json_log:
        raise typer.BadParameter("--log-text goes with --json-log")
    check_files(inputs=[*models, *([api_keys] if api_keys else [])], outputs=[])
    with usage():
        options = ServeOptions(
            host=host,
            port=port,
            threads=thread_count(threads),
            char_limit=char_limit,
            batch_limit=batch_limit,
            body_limit=byte_count(body_limit, "--body-limit"),
            file_limit=byte_count(file_limit, "--file-limit"),
            queue_limit=queue_limit,
            timeout=timeout,
            file_timeout=file_timeout,
            read_timeout=read_timeout,
            connections=connections,
            req_limit=req_limit,
            api_keys=api_keys,
            suggestions=suggestions,
            disable_suggestions=no_suggestions,
            disable_files=no_files,
            cors=cors,
            behind_proxy=behind_proxy,
            json_log=json_log,
            log_text=log_text,
            quiet=quiet,
        )
    if stdio:
        serve_stdio(models, options)
        return

    def told(line: str) -> None:
        if not quiet:
            print(line, file=sys.stderr, flush=True)

    serve(models, options, told=told)
