"""Makes the graphs of the matrix: real shapes, random weights, all exporters that know a shape, all dtypes.

    python make.py --out FOLDER --narrow                                   narrow versions of all shapes (seconds each)
    python make.py --out FOLDER --shapes llama3.2-1b --dtypes q4           the full shape, minutes and many GB of memory
    python make.py --out FOLDER --shapes qwen3-0.6b --bf16-parts 500000000 --exporters safetensors,genai --dtypes fp32 --tokenizers TOKENIZERS
                                                                           bfloat16 safetensors in parts, as most people publish, and a graph of the same weights
    python make.py --list

FOLDER/matrix/SHAPE-EXPORTER holds a repository as the Hub has it (config.json, generation_config.json, onnx/model*.onnx, and with --tokenizers the tokenizer), for
`npm run eval -- --model` and for `--hub`. FOLDER/torch/SHAPE holds the weights as transformers saves them.
"""
import argparse
import hashlib
import json
import logging
import os
import pathlib
import shutil

logging.disable(logging.INFO)
os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
from export import SUFFIXES, export
from shapes import SHAPES, narrow_config
from weights import write_byte_tokenizer, write_model

PART_BYTES = 2_000_000_000  # publishers keep a file below 2 GiB


def seed_of(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")


def make(name: str, args: argparse.Namespace) -> None:
    shape = SHAPES[name]
    label = f"{name}-narrow" if args.narrow else name
    seed = seed_of(label)
    label += "" if args.bf16_parts is None else "-bf16"
    torch_folder = args.out / "torch" / label
    if not any(torch_folder.glob("*.safetensors")):
        parameters = write_model(shape.kind, narrow_config(shape) if args.narrow else shape.config, torch_folder, seed, args.narrow, args.bf16_parts)
        print(f"{label}: {parameters:,} parameters", flush=True)
    if args.tokenizers is None:
        write_byte_tokenizer(torch_folder)
    else:
        for file in ("tokenizer.json", "tokenizer_config.json"):
            shutil.copy(args.tokenizers / shape.tokenizer / file, torch_folder / file)
    for exporter in args.exporters:
        if exporter == "safetensors":
            shutil.copytree(torch_folder, args.out / "matrix" / f"{label}-safetensors", copy_function=os.link, dirs_exist_ok=True)
            continue
        if exporter.split("-")[0] not in shape.exporters:
            continue
        folder = args.out / "matrix" / f"{label}-{exporter}"
        dtypes = [dtype for dtype in args.dtypes if args.again or not (folder / "onnx" / f"model{SUFFIXES[dtype]}.onnx").exists()]
        if dtypes:
            export(exporter, torch_folder, folder / "onnx", dtypes, None if args.narrow else args.part_bytes)
        for file in ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"):
            if (torch_folder / file).exists():
                shutil.copy(torch_folder / file, folder / file)
        say_external(folder)


def say_external(folder: pathlib.Path) -> None:
    """Tells in config.json how many files each graph's weights are in, as transformers.js wants it."""
    counts = {file.name: len(list(file.parent.glob(f"{file.name}_data*"))) for file in sorted((folder / "onnx").glob("*.onnx"))}
    counts = {name: count for name, count in counts.items() if count}
    config = json.loads((folder / "config.json").read_text())
    if counts:
        config["transformers.js_config"] = {"use_external_data_format": counts}
    (folder / "config.json").write_text(json.dumps(config, indent=2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--shapes", default=",".join(SHAPES), help="of --list, separated by commas")
    parser.add_argument("--exporters", default="optimum,genai,torch", help="optimum, optimum-untied, genai, torch, or safetensors: the weights themselves as a repository")
    parser.add_argument("--dtypes", default=",".join(SUFFIXES))
    parser.add_argument("--narrow", action="store_true", help="few layers, few columns, 288 tokens: what npm test runs")
    parser.add_argument("--tokenizers", type=pathlib.Path, help="a folder with smollm2, gemma3, qwen3 and llama3_1, each with tokenizer.json and tokenizer_config.json")
    parser.add_argument("--part-bytes", type=int, default=PART_BYTES, help="weights of a full shape lie in files of at most so many bytes")
    parser.add_argument("--bf16-parts", type=int, help="write the weights as bfloat16, in parts of at most so many bytes")
    parser.add_argument("--again", action="store_true", help="make graphs that are there already once more")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        for name, shape in SHAPES.items():
            print(f"{name:14} {shape.model}")
        return
    if args.out is None:
        parser.error("--out is needed")
    args.out = args.out.resolve()
    args.exporters, args.dtypes = args.exporters.split(","), args.dtypes.split(",")
    for name in args.shapes.split(","):
        make(name, args)


if __name__ == "__main__":
    main()
