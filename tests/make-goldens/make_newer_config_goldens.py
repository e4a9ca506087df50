#!/usr/bin/env python3
"""What transformers 5 writes for the tiny models of make_architecture_goldens.py: its config.json, and the tensors of its safetensors file.

  python make_newer_config_goldens.py        writes ../goldens/architectures/transformers-5.json (transformers 5.24.0, torch 2.13.0)
"""
import copy
import json
import pathlib
import tempfile

import safetensors
import torch
import transformers
from make_architecture_goldens import BASE, MODELS, OUT

assert transformers.__version__.startswith("5."), transformers.__version__


def written(name: str) -> dict:
    """The same settings as the tiny model's, under the names that they had before version 5, as code of that time passes them."""
    kind, changes = MODELS[name]
    settings = dict(changes) if kind in ("gpt2", "gpt_neox") else {**BASE, **changes}
    # Version 5 writes into the dictionary that it is given.
    settings = copy.deepcopy(settings)
    model = transformers.AutoModelForCausalLM.from_config(transformers.AutoConfig.for_model(kind, **settings))
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        config = json.loads((pathlib.Path(folder) / "config.json").read_text())
        with safetensors.safe_open(pathlib.Path(folder) / "model.safetensors", "pt") as file:
            tensors = [[tensor, list(file.get_slice(tensor).get_shape())] for tensor in sorted(file.keys())]
    return dict(name=name, config=config, tensors=tensors)


def main() -> None:
    made = dict(by="tests/make-goldens/make_newer_config_goldens.py", transformers=transformers.__version__, torch=torch.__version__, safetensors=safetensors.__version__)
    lines = ",\n".join(json.dumps(written(name)) for name in MODELS)
    OUT.with_name("transformers-5.json").write_text(f'{{"made": {json.dumps(made)},\n"models": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
