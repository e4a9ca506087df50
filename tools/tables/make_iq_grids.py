"""Writes src/weights/gguf/unpack/iq-grids.ts: the tables of llama.cpp's IQ types, packed as the Python package `gguf` has them.

    python tools/tables/make_iq_grids.py

Needs gguf 0.19. Each grid is hex digits, two a byte: a byte holds the places of values in the grid's map, 2 bits each (4 where the map has eight), the first lowest.
"""

from importlib.metadata import version
from pathlib import Path

from gguf import quants

OUT = Path(__file__).parents[2] / "src/weights/gguf/unpack/iq-grids.ts"
GRIDS = {"iq1": quants.IQ1_S, "iq2xxs": quants.IQ2_XXS, "iq2xs": quants.IQ2_XS, "iq2s": quants.IQ2_S, "iq3xxs": quants.IQ3_XXS, "iq3s": quants.IQ3_S}


def lines(digits):
    return "".join(f"    '{digits[at:at + 120]}',\n" for at in range(0, len(digits), 120))


parts = []
for name, kind in GRIDS.items():
    entries, size = kind.grid_shape
    values = ", ".join(str(value) for value in kind.grid_map)
    parts.append(f"  {name}: {{\n    size: {size},\n    values: [{values}],\n    digits: [\n  {lines(kind.grid_hex.decode()).replace(chr(10) + '    ', chr(10) + '      ')}    ],\n  }},\n")
signs = quants.IQ2_XXS.ksigns.hex()
OUT.write_text(
    f"""/**
 * Tables of llama.cpp's IQ types, as the Python package gguf {version('gguf')} (MIT) has them. Written by tools/tables/make_iq_grids.py; `grids.ts` unpacks them.
 * A module of its own, so that only models with such types load it.
 */

/** `size` values an entry; each pair of hex digits holds places in `values`, 2 bits each (4 of eight values), the first lowest. */
export interface PackedGrid {{
  readonly size: 4 | 8
  readonly values: readonly number[]
  readonly digits: readonly string[]
}}

export const packedGrids = {{
{''.join(parts)}}} satisfies {{ readonly [name: string]: PackedGrid }}

/** Signs of eight values by seven bits: the eighth makes their number even. Two hex digits each. */
export const packedSigns = [
{lines(signs).replace('    ', '  ')}]
"""
)
