"""Graphs of architectures that neither exporter knows, by torch's own exporter: LFM2, with convolution states beside keys and values."""
import pathlib
import warnings

import torch
import transformers
from transformers.models.lfm2 import modeling_lfm2


class Past:
    """Keys and values of the layers that attend and states of those that convolve, as transformers asks a cache for them."""

    def __init__(self, convolutions: dict[int, torch.Tensor], pairs: dict[int, tuple[torch.Tensor, torch.Tensor]]):
        self.convolutions, self.pairs = convolutions, pairs

    def update(self, keys, values, layer, _=None):
        old_keys, old_values = self.pairs[layer]
        self.pairs[layer] = (torch.cat([old_keys, keys], dim=2), torch.cat([old_values, values], dim=2))
        return self.pairs[layer]


def convolve(self, hidden_states, past_key_values=None, cache_position=None, attention_mask=None):
    """Lfm2ShortConv without its choice between a first run and a later one of a single token: what went before stands in front, at first zeros.

    So do the published graphs (Liquid4All/onnx-export, lfm2/builder.py): the state is the last `conv_L_cache` inputs of the convolution.
    """
    gate, out_gate, x = self.in_proj(hidden_states).transpose(-1, -2).chunk(3, dim=-2)
    joined = torch.cat([past_key_values.convolutions[self.layer_idx], gate * x], dim=2)
    past_key_values.convolutions[self.layer_idx] = joined[:, :, -self.L_cache :]
    mixed = torch.nn.functional.conv1d(joined[:, :, 1:], self.conv.weight, self.conv.bias, groups=joined.shape[1])
    return self.out_proj((out_gate * mixed).transpose(-1, -2))


class Flat(torch.nn.Module):
    """The model with a graph's inputs and outputs, in order."""

    def __init__(self, model):
        super().__init__()
        self.model, self.layers = model, model.config.layer_types

    def forward(self, input_ids, attention_mask, position_ids, *states):
        states = iter(states)
        convolutions = {layer: next(states) for layer in places(self.layers, "conv")}
        pairs = {layer: (next(states), next(states)) for layer in places(self.layers, "full_attention")}
        past, inner = Past(convolutions, pairs), self.model.model
        hidden = inner.embed_tokens(input_ids)
        # What each token sees: all that were there before it, and itself.
        allowed = torch.arange(attention_mask.shape[1])[None, :] <= position_ids[0][:, None]
        mask = torch.where(allowed[None, None], 0.0, torch.finfo(hidden.dtype).min)
        rotary = inner.pos_emb(hidden, position_ids)
        for layer in inner.layers:
            hidden = layer(hidden, attention_mask=mask, position_embeddings=rotary, past_key_values=past)
        logits = self.model.lm_head(inner.embedding_norm(hidden))
        return logits, *past.convolutions.values(), *(tensor for pair in past.pairs.values() for tensor in pair)


def places(layers: list[str], kind: str) -> list[int]:
    return [place for place, one in enumerate(layers) if one == kind]


def trace(folder: pathlib.Path, work: pathlib.Path) -> pathlib.Path:
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").float().eval()
    config = model.config
    conv, full = places(config.layer_types, "conv"), places(config.layer_types, "full_attention")
    head_size, past, now = config.hidden_size // config.num_attention_heads, 5, 7
    names = [f"past_conv.{layer}" for layer in conv] + [f"past_key_values.{layer}.{part}" for layer in full for part in ("key", "value")]
    states = [torch.randn(1, config.hidden_size, config.conv_L_cache) for _ in conv] + [torch.randn(1, config.num_key_value_heads, past, head_size) for _ in full for _ in range(2)]
    outputs = [name.replace("past_key_values", "present").replace("past_conv", "present_conv") for name in names]
    axes = {"input_ids": {1: "sequence_length"}, "attention_mask": {1: "total_sequence_length"}, "position_ids": {1: "sequence_length"}, "logits": {1: "sequence_length"}}
    axes |= {name: {2: "past_sequence_length"} for name in names if "key_values" in name}
    axes |= {name: {2: "total_sequence_length"} for name in outputs if "conv" not in name}
    ids = torch.randint(config.vocab_size, (1, now))
    kept, modeling_lfm2.Lfm2ShortConv.forward = modeling_lfm2.Lfm2ShortConv.forward, convolve
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(Flat(model), (ids, torch.ones(1, past + now, dtype=torch.int64), past + torch.arange(now)[None], *states), work / "traced.onnx", dynamo=False, opset_version=18,
                              input_names=["input_ids", "attention_mask", "position_ids", *names], output_names=["logits", *outputs], dynamic_axes=axes)
    finally:
        modeling_lfm2.Lfm2ShortConv.forward = kept
    return work / "traced.onnx"
