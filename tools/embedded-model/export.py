"""Turns a trained folder into the ONNX files of both attention families.

    python export.py --model WORK/main --out EXPORTED               everything: decomposed fp32, q8, q4 and GroupQueryAttention fp32, q4
    python export.py --model WORK/step-000200 --out X --only q8     one checkpoint, 8-bit only

Decomposed attention comes from optimum (`text-generation-with-past`), GroupQueryAttention from onnxruntime-genai's builder.
"""
import argparse
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

BLOCK = 32
INEXACT = {"Sin": 1, "Cos": 1, "ReduceMean": 1, "Softmax": 1, "Sigmoid": 1, "MatMul": 2}  # operators whose last bits depend on the runtime: how many float inputs


def run(*command: str) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(done.stdout)


def decomposed(model: pathlib.Path, out: pathlib.Path) -> None:
    """out/model.onnx, weights inside."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temp:
        run(str(pathlib.Path(sys.executable).parent / "optimum-cli"), "export", "onnx", "-m", str(model), "--task", "text-generation-with-past", temp)
        onnx.save(anonymous(onnx.load(temp + "/model.onnx")), out / "model.onnx")


def q8(out: pathlib.Path) -> None:
    """out/model_quantized.onnx: weights of MatMul and Gather as unsigned 8-bit, activations quantised on the fly, everything in between reproducible."""
    file = out / "model_quantized.onnx"
    quantize_dynamic(out / "model.onnx", file, weight_type=QuantType.QUInt8,
                     op_types_to_quantize=["MatMul", "Gather"], extra_options={"MatMulConstBOnly": True})
    onnx.save(reproducible(onnx.load(file)), file)


def reproducible(graph: onnx.ModelProto) -> onnx.ModelProto:
    """Computes in float64 what runtimes compute to different last bits, and rounds the result to float32.

    Sums are taken in another order and functions approximated otherwise on every CPU, a few units in the last place apart; DynamicQuantizeLinear then rounds an
    activation near a tie up here and down there, and the score moves by up to 0.45 nats. Float64 results that differ in their last bits round to the same
    float32 but for about one in 1e8. The output layer stays as it is: nothing rounds after it. onnxruntime-web's WebGPU build can't open such a graph.
    """
    nodes = []
    for node in graph.graph.node:
        if node.op_type not in INEXACT or "logits" in node.output:
            nodes.append(node)
            continue
        for i, name in enumerate(node.input[:INEXACT[node.op_type]]):
            node.input[i] = f"{node.name}/double_{i}"
            nodes.append(onnx.helper.make_node("Cast", [name], [node.input[i]], f"{node.name}/ToDouble_{i}", to=onnx.TensorProto.DOUBLE))
        result, node.output[0] = node.output[0], f"{node.name}/double"
        nodes += [node, onnx.helper.make_node("Cast", [node.output[0]], [result], f"{node.name}/ToFloat", to=onnx.TensorProto.FLOAT)]
    del graph.graph.node[:]
    graph.graph.node.extend(nodes)
    onnx.checker.check_model(graph, full_check=True)
    return graph


def q4(out: pathlib.Path) -> None:
    """out/model_q4.onnx: weights of MatMul in 4 bits, blocks of 32, symmetric."""
    quantizer = MatMulNBitsQuantizer(onnx.load(out / "model.onnx"), block_size=BLOCK, is_symmetric=True, bits=4)
    quantizer.process()
    onnx.save(quantizer.model.model, out / "model_q4.onnx")


def grouped(model: pathlib.Path, out: pathlib.Path, precision: str, name: str, external: bool) -> None:
    """out/NAME.onnx with GroupQueryAttention; the weights in NAME.onnx_data when `external`."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temp:
        run(sys.executable, "-m", "onnxruntime_genai.models.builder", "-i", str(model), "-o", temp, "-p", precision, "-e", "cpu", "-c", temp + "/cache",
            "--extra_options", "int4_accuracy_level=1", f"int4_block_size={BLOCK}")
        graph = anonymous(onnx.load(temp + "/model.onnx"))
        (out / f"{name}.onnx_data").unlink(missing_ok=True)
        onnx.save(graph, out / f"{name}.onnx", save_as_external_data=external, location=f"{name}.onnx_data", size_threshold=1024)


def anonymous(graph: onnx.ModelProto) -> onnx.ModelProto:
    """Drops exporter notes (they hold source paths) from the graph and its nodes."""
    del graph.metadata_props[:]
    for holder in [graph.graph, *graph.graph.node, *graph.graph.initializer, *graph.graph.value_info, *graph.graph.input, *graph.graph.output]:
        holder.doc_string = ""
        if hasattr(holder, "metadata_props"):
            del holder.metadata_props[:]
    return graph


def describe(file: pathlib.Path) -> str:
    graph = onnx.load(file, load_external_data=False).graph
    operators = collections.Counter(node.op_type for node in graph.node)
    kept = {name: operators[name] for name in ("MatMul", "MatMulNBits", "MatMulInteger", "DynamicQuantizeLinear", "GroupQueryAttention", "Gather", "Transpose") if operators[name]}
    sizes = sum(part.stat().st_size for part in file.parent.glob(file.name + "*"))
    return f"{file.parent.parent.name}/{file.name}: {sizes:,} bytes, inputs {[i.name for i in graph.input if 'past' not in i.name]}, {kept}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", choices=["q8"])
    args = parser.parse_args()
    shutil.rmtree(args.out, ignore_errors=True)
    first, second = args.out / "decomposed" / "onnx", args.out / "gqa" / "onnx"
    decomposed(args.model, first)
    q8(first)
    if args.only == "q8":
        (first / "model.onnx").unlink()
    else:
        q4(first)
        grouped(args.model, second, "fp32", "model", external=True)
        grouped(args.model, second, "int4", "model_q4", external=False)
    for file in sorted(args.out.rglob("*.onnx")):
        print(describe(file))


if __name__ == "__main__":
    main()
