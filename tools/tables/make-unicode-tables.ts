/**
 * Writes src/tokenizing/unicode-tables.ts: what the `tokenizers` library doesn't know of Unicode, from tests/goldens/unicode. Run it again with an engine
 * of a newer Unicode, whose normal forms may know more characters.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'

interface Golden {
  readonly classes: { readonly Cn: readonly number[] }
  readonly active: readonly number[]
}

const golden = JSON.parse(readFileSync(join(projectFolder, 'tests/goldens/unicode/unicode.json'), 'utf8')) as Golden
const lastCode = 0x10ffff

function codesOf(ranges: readonly number[]): Set<number> {
  const codes = new Set<number>()
  for (let at = 0; at < ranges.length; at += 2) for (let code = ranges[at] ?? 0; code <= (ranges[at + 1] ?? 0); code++) codes.add(code)
  return codes
}

/** A character class without its brackets. */
function classOf(codes: readonly number[]): string {
  const escape = (code: number): string => `\\u{${code.toString(16)}}`
  const ranges: [number, number][] = []
  for (const code of codes) {
    const last = ranges.at(-1)
    if (last?.[1] === code - 1) last[1] = code
    else ranges.push([code, code])
  }
  return ranges.map(([first, last]) => (first === last ? escape(first) : `${escape(first)}-${escape(last)}`)).join('')
}

/** Characters that this engine decomposes or reorders and the library doesn't, and those that compose with what the library doesn't compose. */
function withoutNormalForm(known: ReadonlySet<number>): number[] {
  const found = new Set<number>()
  for (let code = 0; code <= lastCode; code++) {
    if ((code >= 0xd800 && code <= 0xdfff) || known.has(code)) continue
    const character = String.fromCodePoint(code)
    const around = `a\u0345${character}\u0334`
    const canonical = Array.from(character.normalize('NFD'), (part) => part.codePointAt(0) ?? 0)
    if (character.normalize('NFKD') !== character || around.normalize('NFD') !== around) found.add(code)
    // What composes begins with a character as young as what it makes.
    if (canonical.length > 1) found.add(canonical[0] ?? 0)
  }
  return [...found].sort((a, b) => a - b)
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\')}'`

const unassigned = [...codesOf(golden.classes.Cn)]
const young = withoutNormalForm(codesOf(golden.active))
writeFileSync(
  join(projectFolder, 'src/tokenizing/unicode-tables.ts'),
  `/** Character classes of what the \`tokenizers\` library doesn't know of Unicode. Written by tools/tables/make-unicode-tables.ts (Unicode ${process.versions['unicode'] ?? ''}). */

/** Not assigned in Unicode 16.0, noncharacters among them. */
export const unassignedIn16 =
  ${quote(classOf(unassigned))}

/** Assigned after Unicode 9.0, with a combining class or a decomposition, or composing. */
export const withoutNormalForm =
  ${quote(classOf(young))}
`,
)
process.stdout.write(`${unassigned.length} characters unassigned, ${young.length} without a normal form\n`)
