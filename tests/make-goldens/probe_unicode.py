"""Writes tests/goldens/unicode/unicode.json: what the tokenizers library knows of Unicode, which has three versions of it.

Run: python tests/make-goldens/probe_unicode.py && npx tsx tools/tables/make-unicode-tables.ts   (needs tokenizers 0.22.2)
Its regular expressions (Oniguruma) know Unicode 16.0, its normal forms 9.0, and its digits what Rust's own library knows.
"""

import hashlib
import json
import pathlib

from tokenizers import Regex, normalizers, pre_tokenizers

from made import keep_record

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "unicode" / "unicode.json"
CHARACTERS = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
CLASSES = ["Cn", "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "Nd", "P", "S", "Z", "White_Space", "Han"]
FORMS = ["NFC", "NFD", "NFKC", "NFKD"]


def ranges(characters):
    """First and last code points, in pairs."""
    found = []
    for code in map(ord, characters):
        if found and found[-1] == code - 1:
            found[-1] = code
        else:
            found += [code, code]
    return found


def around(form, character):
    """The character between marks of the lowest and the highest class, which show its own, and behind letters."""
    return [form.normalize_str(text) for text in (character, f"a\u0345{character}\u0334", f"{character}\u0334", f"\u09c7{character}\u0301")]


def main():
    classes = {}
    for name in CLASSES:
        remove = normalizers.Replace(Regex(rf"\p{{{name}}}"), "")
        classes[name] = ranges(c for c in CHARACTERS if remove.normalize_str(c) == "")
    digits = pre_tokenizers.Digits(individual_digits=True)
    forms, changed = {}, set()
    for name in FORMS:
        form, digest = getattr(normalizers, name)(), hashlib.sha256()
        for character in CHARACTERS:
            found = around(form, character)
            digest.update("\n".join(found).encode() + b"\0")
            if found[0] != character or found[1] != f"a\u0345{character}\u0334":
                changed.add(character)
        forms[name] = digest.hexdigest()
    active = [c for c in CHARACTERS if c in changed]
    digest_of = {"classes": classes, "digits": ranges(c for c in CHARACTERS if len(digits.pre_tokenize_str(f"a{c}a")) == 3), "active": ranges(active), "forms": forms}
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(digest_of, separators=(",", ":")) + "\n")
    keep_record(__file__, [OUT], ["tokenizers"])
    print(OUT.stat().st_size)


if __name__ == "__main__":
    main()
