"""Writing graphs as publishers lay them out: weights inside, in one file beside, or in several."""
import pathlib

import onnx
from onnx.external_data_helper import uses_external_data

INSIDE = 1024  # bytes up to which a weight stays in the graph when the others lie beside it


def anonymous(graph: onnx.ModelProto) -> onnx.ModelProto:
    """Drops exporter notes (they hold source paths) from the graph and its nodes."""
    del graph.metadata_props[:]
    for holder in [graph.graph, *graph.graph.node, *graph.graph.initializer, *graph.graph.value_info, *graph.graph.input, *graph.graph.output]:
        holder.doc_string = ""
        if hasattr(holder, "metadata_props"):
            del holder.metadata_props[:]
    return graph


def save(graph: onnx.ModelProto, file: pathlib.Path, part_bytes: int | None) -> None:
    """Writes FILE, with all weights in it when `part_bytes` is None, else in FILE_data, FILE_data_1, …, none much longer than `part_bytes`.

    The names are transformers.js's. Weights leave the graph in memory as they are written, so that no second copy of them is made.
    """
    for old in file.parent.glob(file.name + "*"):
        old.unlink()
    if part_bytes is not None:
        part, written, stream = 0, 0, open(f"{file}_data", "wb")
        for tensor in graph.graph.initializer:
            data = tensor.raw_data
            if len(data) <= INSIDE:
                continue
            if written > 0 and written + len(data) > part_bytes:
                stream.close()
                part, written = part + 1, 0
                stream = open(f"{file}_data_{part}", "wb")
            # ONNX Runtime maps files; a weight begins at a page, as onnx's own writer has it.
            padding = -written % 4096
            stream.write(b"\0" * padding)
            point_outside(tensor, file.name + "_data" + (f"_{part}" if part else ""), written + padding, len(data))
            stream.write(data)
            written += padding + len(data)
            tensor.ClearField("raw_data")
        stream.close()
    file.write_bytes(graph.SerializeToString())


def point_outside(tensor: onnx.TensorProto, location: str, offset: int, length: int) -> None:
    del tensor.external_data[:]
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        tensor.external_data.add(key=key, value=str(value))
    tensor.data_location = onnx.TensorProto.EXTERNAL


def load(file: pathlib.Path) -> onnx.ModelProto:
    """A graph with all its weights in memory, as raw bytes."""
    graph = onnx.load(file)
    for tensor in graph.graph.initializer:
        assert not uses_external_data(tensor), tensor.name
        if not tensor.HasField("raw_data"):
            tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor), tensor.name))
    return graph


def is_large(graph: onnx.ModelProto) -> bool:
    """Too large for one protobuf message, whose own count fails then."""
    return sum(len(tensor.raw_data) for tensor in graph.graph.initializer) > 2**31 - 2**24
