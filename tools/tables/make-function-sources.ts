/**
 * `npx tsx tools/tables/make-function-sources.ts [FOLDER]`: writes `src/ports/functions/signatures/ported.json`, by which a ported function is known in any
 * folder, and `own.json`, by which results files say what it is. FOLDER is `lm_eval/tasks` of an installed lm_eval 0.4.13; without it, the one that LM_EVAL_TASKS names.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTaskFolder } from '../../src/cli/files/task-folder.ts'
import type { FunctionFamily } from '../../src/harness/function-table.ts'
import { families } from '../../src/ports/functions/families.ts'
import { functionsIn, signaturesOf } from '../../src/ports/functions/function-signatures.ts'
import { closest, findByFolder, isIn } from '../../src/ports/functions/functions.ts'
import { keepIdiom } from '../../src/ports/functions/idioms.ts'
import { sourceOf } from '../../src/ports/functions/recognize.ts'
import { readYaml } from '../../src/python/yaml/parse.ts'
import type { FunctionRef } from '../../src/python/yaml/yaml-value.ts'

const folder = process.argv[2] ?? process.env['LM_EVAL_TASKS'] ?? ''
const read = (path: string): string | null => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : null)

const uses: readonly ((family: FunctionFamily) => { readonly [name: string]: unknown } | undefined)[] = [
  (family) => family.processDocs,
  (family) => family.docTo,
  (family) => family.samples,
  (family) => family.processResults,
  (family) => family.aggregation,
  (family) => family.metric,
  (family) => family.filter,
]

const refs = new Map<string, FunctionRef>()
for (const { path, text } of readTaskFolder(folder)) {
  if (path.endsWith('.py') || !text.includes('!function')) continue
  for (const ref of functionsIn(readYaml(text, path, read))) refs.set(`${path.slice(0, path.lastIndexOf('/'))}|${ref.name}`, ref)
}
// By signature, one port for each use.
const places = new Map<string, Map<number, string>>()
// Of each port, the signatures of the functions that it stands for.
const own = new Map<string, Set<string>>()
for (const ref of refs.values()) {
  const source = sourceOf(ref)
  if (source === null) continue
  const candidates = closest(families.filter((family) => isIn(ref.file, family.folder)))
  uses.forEach((select, use) => {
    const found = findByFolder(candidates, ref, select)
    if (found !== undefined) {
      const place = `${found.family.folder}|${ref.name}`
      own.set(place, new Set([...(own.get(place) ?? []), ...signaturesOf(ref)]))
    }
    if (found === undefined || (use === 0 && keepIdiom(source) !== null)) return
    const known = places.get(source.signature) ?? new Map<number, string>()
    if (!known.has(use)) known.set(use, `${found.family.folder}|${ref.name}`)
    places.set(source.signature, known)
  })
}
/** Writes a table with its keys in order. */
const write = (name: string, entries: readonly (readonly [string, string])[]): void => {
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  const file = new URL(`../../src/ports/functions/signatures/${name}.json`, import.meta.url)
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
}
write(
  'ported',
  [...places].map(([signature, known]) => [signature, [...new Set(known.values())].join(';')]),
)
write(
  'own',
  [...own].filter(([, signatures]) => signatures.size > 0).map(([place, signatures]) => [place, [...signatures].sort().join(';')]),
)
console.log(`${refs.size} functions named, ${places.size} sources ported besides the idioms`)
