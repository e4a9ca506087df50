#!/usr/bin/env python3
"""Makes small GGUF files of each kind of tokenizer, and the ids that Python gives with them.

  python tests/make-goldens/make_gguf_tokenizer_goldens.py        (gguf 0.19, tokenizers 0.22.2, transformers 4.57.6, sentencepiece 0.2.3; npx on the path)

byte-level.gguf: byte-level BPE whose merges were learnt over whole texts, so that ids show every place at which a pre-tokenizer cuts. Its ids are given for every name of
`tokenizer.ggml.pre` that is known here, by the Rust library on the tokenizer.json that src/conversion/gguf-tokenizer writes: what is proved is that both read each expression alike.
prefixed.gguf, plain.gguf: SentencePiece's BPE with a blank before a text and without; merged.gguf: the second with its merges, as Gemma 4's. Their ids are SentencePiece's own.
"""
import gzip
import hashlib
import io
import json
import pathlib
import subprocess

import gguf
import sentencepiece
import tokenizers
from transformers.convert_slow_tokenizer import generate_merges

root = pathlib.Path(__file__).resolve().parents[2]
out = root / "tests" / "goldens" / "gguf-tokenizers"
T = gguf.TokenType


def short(ids: list[int]) -> str:
    return hashlib.sha256(json.dumps(ids, separators=(",", ":")).encode()).hexdigest()[:4]


def write(name: str, model: str, tokens: list[str], types: list[int], scores: list[float] | None = None, merges: list[str] | None = None, **extra) -> None:
    writer = gguf.GGUFWriter(str(out / name), "llama")
    writer.add_tokenizer_model(model)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    if scores is not None:
        writer.add_token_scores(scores)
    if merges is not None:
        writer.add_token_merges(merges)
    for key, value in extra.items():
        getattr(writer, f"add_{key}")(value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def byte_level(texts: list[str]) -> None:
    model = tokenizers.Tokenizer(tokenizers.models.BPE())
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=2000, initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()), max_token_length=16, show_progress=False)
    learnt = [text for text in texts for _ in range(2)] + [" ".join(map(str, range(start, start + 40))) for start in range(0, 4000, 40)] * 3
    model.train_from_iterator(learnt, trainer)
    made = json.loads(model.to_str())["model"]
    tokens = sorted(made["vocab"], key=made["vocab"].get)
    types = [int(T.NORMAL)] * len(tokens) + [int(T.CONTROL)] * 2 + [int(T.USER_DEFINED)] + [int(T.UNUSED)] * 5
    n = len(tokens)
    tokens += ["<|begin|>", "<|end|>", "<tool>"] + [f"[PAD{n + 3 + at}]" for at in range(5)]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in made["merges"]]
    write("byte-level.gguf", "gpt2", tokens, types, merges=merges, bos_token_id=n, eos_token_id=n + 1, add_bos_token=True)


def sentence_piece(texts: list[str], prefix: bool):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=(line for text in texts for line in text.split("\n") if line), model_writer=model, model_type="bpe", vocab_size=3200, byte_fallback=True, character_coverage=0.98,
        normalization_rule_name="identity", add_dummy_prefix=prefix, remove_extra_whitespaces=False, split_digits=True, max_sentence_length=100_000, minloglevel=2,
        allow_whitespace_only_pieces=True, user_defined_symbols=["▁▁", "▁▁▁▁", "<h1>"])  # fmt: skip
    own = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    tokens, scores, types = [], [], []
    for at in range(own.vocab_size()):
        tokens.append(own.IdToPiece(at))
        scores.append(own.GetScore(at))
        kind = T.UNKNOWN if own.IsUnknown(at) else T.CONTROL if own.IsControl(at) else T.BYTE if own.IsByte(at) else T.NORMAL
        if tokens[at] in ("▁▁", "▁▁▁▁", "<h1>"):  # as converters write what tokenizer_config.json lists
            tokens[at], scores[at], kind = tokens[at].replace("▁", " "), -1000.0, T.USER_DEFINED
        types.append(int(kind))
    return own, tokens, scores, types


def main() -> None:
    out.mkdir(exist_ok=True)
    texts = json.load(gzip.open(root / "tests/goldens/real-tokenizers/texts.json.gz"))[::40]
    golden: dict = {"versions": {"tokenizers": tokenizers.__version__, "sentencepiece": sentencepiece.__version__, "gguf": "0.19.0"}, "every": 40}
    for name, prefix in (("prefixed", True), ("plain", False)):
        own, tokens, scores, types = sentence_piece(texts, prefix)
        write(f"{name}.gguf", "llama", tokens, types, scores=scores, bos_token_id=1, eos_token_id=2, unk_token_id=0, add_space_prefix=prefix)
        golden[name] = "".join(short(own.EncodeAsIds(text)) for text in texts)
        if not prefix:
            pieces = {own.IdToPiece(at): own.GetScore(at) for at in range(own.vocab_size())}
            merges = generate_merges({piece: at for at, piece in enumerate(pieces)}, pieces)
            write("merged.gguf", "gemma4", tokens, types, merges=[" ".join(merge) for merge in merges], bos_token_id=1, eos_token_id=2, unk_token_id=0)
    byte_level(texts)
    made = subprocess.run(["npx", "tsx", str(root / "tests/make-goldens/print-gguf-tokenizers.ts")], cwd=root, check=True, capture_output=True, text=True).stdout
    golden["pre"] = {}
    for line in made.splitlines():
        name, tokenizer_json = json.loads(line)
        tokenizer = tokenizers.Tokenizer.from_str(tokenizer_json)
        golden["pre"][name] = "".join(short(tokenizer.encode(text).ids) for text in texts)
    (out / "ids.json").write_text(json.dumps(golden, indent=1) + "\n")
    print({name: len(value) // 4 for name, value in golden.items() if isinstance(value, str)}, len(golden["pre"]), "names,", len(set(golden["pre"].values())), "of them different")


if __name__ == "__main__":
    main()
