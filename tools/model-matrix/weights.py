"""Random weights under which every part of a layer shows in the score."""
import math
import pathlib

import tokenizers
import torch
import transformers


@torch.no_grad()
def randomise(model: torch.nn.Module, seed: int, is_coarse: bool) -> None:
    """Matrices keep the scale of what passes through them, norms vary visibly around one, biases around zero; equal for equal seeds.

    Norms of one would hide a norm left out, biases of zero a bias left out, and logits all alike a head that reads the wrong row. Coarse weights are
    small multiples of a power of two: files of them compress well, and 16 bits hold them exactly.
    """
    generator = torch.Generator().manual_seed(seed)
    around = 0.0 if "gemma" in model.config.model_type else 1.0  # Gemma adds one to the stored weight
    for name, weight in sorted(model.named_parameters()):
        is_norm = name.endswith("norm.weight")
        if weight.ndim == 1:
            scale = 0.25
        elif "embed" in name:
            # A tied head then brings logits of a trained model's size; Gemma multiplies embeddings by the root of the hidden size.
            scale = 2.5 / weight.shape[1] ** 0.5
        else:
            scale = 1.2 / weight.shape[1] ** 0.5
        weight.normal_(generator=generator)
        if is_coarse:
            weight.mul_(2.0).round_().mul_(0.5)
            scale = 2.0 ** round(math.log2(scale))
        weight.mul_(scale)
        if is_norm:
            weight.add_(around)


def write_model(kind: str, config: dict, folder: pathlib.Path, seed: int, is_coarse: bool, part_bytes: int | None = None) -> int:
    """A folder as transformers saves it, without a tokenizer: float32 in one file, or with `part_bytes` bfloat16 in parts of at most so many bytes and an index. Gives the number of parameters."""
    settings = transformers.AutoConfig.for_model(kind, **config)
    model = transformers.AutoModelForCausalLM.from_config(settings, attn_implementation="eager").float().eval()
    randomise(model, seed, is_coarse)
    model.generation_config = transformers.GenerationConfig(bos_token_id=config.get("bos_token_id"), eos_token_id=config.get("eos_token_id"))
    if part_bytes is not None:
        model = model.bfloat16()
    model.save_pretrained(folder, max_shard_size="10GB" if part_bytes is None else part_bytes)
    return sum(weight.numel() for weight in model.parameters())


def write_byte_tokenizer(folder: pathlib.Path) -> None:
    """A byte-level tokenizer of 259 entries without merges, for models that have no real one."""
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: place for place, token in enumerate(["<pad>", "<s>", "</s>", *alphabet])}
    bytes_only = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[]))
    bytes_only.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_only.decoder = tokenizers.decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=bytes_only, bos_token="<s>", eos_token="</s>", pad_token="<pad>")
    fast.save_pretrained(folder)
