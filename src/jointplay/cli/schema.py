"""``jointplay schema``: the JSON Schema of model files, for editors."""

from __future__ import annotations

import json

from .console import OK, Json, command, echo, emit


@command
def schema(as_json: Json = False) -> int:
    """Print the JSON Schema of model files."""
    from ..model.schema import json_schema

    if as_json:
        emit(json_schema())
    else:
        echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
    return OK
