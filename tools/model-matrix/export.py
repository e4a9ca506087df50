"""Graphs of a model folder by the exporters, in all dtypes, as publishers make them."""
import contextlib
import gc
import io
import json
import pathlib
import shutil
import tempfile

import numpy as np
import onnx
import transformers
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from onnxruntime.transformers.float16 import DEFAULT_OP_BLOCK_LIST, convert_float_to_float16
from onnxruntime_genai.models.builder import create_model
from optimum.exporters.onnx import main_export

from graph_files import anonymous, is_large, load, save
from traced import trace

BLOCK = 32
SUFFIXES = {"fp32": "", "fp16": "_fp16", "q8": "_quantized", "q4": "_q4", "q4f16": "_q4f16"}
# Which builder settings publish which dtype: CPU graphs keep float32 between the products, WebGPU graphs float16.
GENAI = {"fp32": ("fp32", "cpu"), "fp16": ("fp16", "webgpu"), "q4": ("int4", "cpu"), "q4f16": ("int4", "webgpu")}


def export(exporter: str, model: pathlib.Path, out: pathlib.Path, dtypes: list[str], part_bytes: int | None) -> None:
    """OUT/model{suffix}.onnx of each dtype. `exporter`: optimum, optimum-untied (the head has its own copy of a tied embedding), genai or torch (traced.py)."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as temp:
        work = pathlib.Path(temp)
        kind = json.loads((model / "config.json").read_text())["model_type"]
        if kind == "granitemoehybrid":
            model = as_granite(model, work / "granite")
        if exporter == "torch":
            made = {"fp32": trace(model, work)}
        elif exporter == "genai":
            made = genai(model, work, dtypes)
        else:
            made = optimum(model, work, exporter == "optimum" and "gemma" not in kind)
        for dtype in dtypes:
            graph = anonymous(convert(exporter, dtype, made, work))
            save(graph, out / f"model{SUFFIXES[dtype]}.onnx", part_bytes)
            print(f"  {exporter} {dtype}: {sum(file.stat().st_size for file in out.glob(f'model{SUFFIXES[dtype]}.onnx*')):,} bytes", flush=True)
            del graph
            gc.collect()


def as_granite(model: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """The same weights as a model of Granite 3's class.

    A Granite 4 whose layers all attend computes the same with the two halves of its first product apart. Neither optimum-onnx 0.1.0 nor onnxruntime-genai
    0.11.4 knows Granite 4's own class; onnxruntime-genai's later builder of it (its pull request 2124) splits them likewise.
    """
    old = transformers.AutoModelForCausalLM.from_pretrained(model)
    settings = {key: value for key, value in old.config.to_dict().items() if key not in ("model_type", "architectures", "layer_types")}
    new = transformers.GraniteForCausalLM(transformers.GraniteConfig(**{**settings, "intermediate_size": old.config.shared_intermediate_size})).float().eval()
    weights = {}
    for name, weight in old.state_dict().items():
        if name.endswith("shared_mlp.input_linear.weight"):
            weights[name.replace("shared_mlp.input_linear", "mlp.gate_proj")], weights[name.replace("shared_mlp.input_linear", "mlp.up_proj")] = weight.chunk(2)
        else:
            weights[name.replace("shared_mlp.output_linear", "mlp.down_proj")] = weight
    new.load_state_dict(weights)
    new.save_pretrained(folder)
    for file in model.glob("tokenizer*"):
        shutil.copy(file, folder / file.name)
    return folder


def optimum(model: pathlib.Path, work: pathlib.Path, ties: bool) -> dict[str, pathlib.Path]:
    """Decomposed attention. A tied embedding is kept once and transposed at run time; untied, as --no-post-process leaves it, the head has a copy of its own.

    Optimum's own tying can't write models above 2 GB, and it leaves Gemma untied; `tie` does the same for the others at any size.
    """
    # Its own check of the export would open the model once more: the goldens are the check here.
    main_export(str(model), work / "optimum", task="text-generation-with-past", no_post_process=True, do_validation=False)
    file = work / "optimum" / "model.onnx"
    if not ties:
        return {"fp32": file}
    graph = load(file)
    tie(graph)
    save(graph, work / "tied.onnx", 10**12 if is_large(graph) else None)
    return {"fp32": work / "tied.onnx"}


def tie(graph: onnx.ModelProto) -> None:
    """Gives the head the transposed embedding instead of its copy, where there is one."""
    head = next(node for node in graph.graph.node if node.output[0] == "logits")
    weights = {tensor.name: tensor for tensor in graph.graph.initializer}
    embedding = next(tensor for name, tensor in weights.items() if name.endswith("embed_tokens.weight"))
    copy = weights.get(head.input[1])
    if head.op_type != "MatMul" or copy is None or list(copy.dims) != list(embedding.dims)[::-1]:
        return
    if not np.array_equal(onnx.numpy_helper.to_array(copy).T, onnx.numpy_helper.to_array(embedding)):
        return
    head.input[1] = embedding.name + "_transposed"
    transpose = onnx.helper.make_node("Transpose", [embedding.name], [head.input[1]], name="transposed_head", perm=[1, 0])
    graph.graph.node.insert(list(graph.graph.node).index(head), transpose)
    graph.graph.initializer.remove(copy)


def genai(model: pathlib.Path, work: pathlib.Path, dtypes: list[str]) -> dict[str, pathlib.Path]:
    """GroupQueryAttention, one build a dtype; q8 is made from the fp32 build."""
    made = {}
    for dtype in dict.fromkeys("fp32" if dtype == "q8" else dtype for dtype in dtypes):
        precision, provider = GENAI[dtype]
        folder = work / dtype
        with contextlib.redirect_stdout(io.StringIO()):
            create_model(None, str(model), str(folder), precision, provider, str(folder / "cache"))
        made[dtype] = folder / "model.onnx"
    return made


def convert(exporter: str, dtype: str, made: dict[str, pathlib.Path], work: pathlib.Path) -> onnx.ModelProto:
    if dtype in made:
        return load(made[dtype])
    if dtype == "q8":
        # Unsigned weights where operators of onnxruntime-genai are, else signed: transformers.js's converter.
        weights = QuantType.QUInt8 if exporter == "genai" else QuantType.QInt8
        quantize_dynamic(made["fp32"], work / "q8.onnx", weight_type=weights, use_external_data_format=True,
                         extra_options={"EnableSubgraph": True, "MatMulConstBOnly": True})
        return load(work / "q8.onnx")
    graph = load(made["fp32"])
    if dtype in ("q4", "q4f16"):
        quantizer = MatMulNBitsQuantizer(graph, block_size=BLOCK, is_symmetric=True, bits=4)
        quantizer.process()
        graph = quantizer.model.model
    if dtype in ("fp16", "q4f16"):
        # Cache and logits in 16 bits too, as SmolLM2's and Llama's published graphs have them.
        graph = convert_float_to_float16(graph, keep_io_types=False, disable_shape_infer=is_large(graph), op_block_list=DEFAULT_OP_BLOCK_LIST)
    return graph

