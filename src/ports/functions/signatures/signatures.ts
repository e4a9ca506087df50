/** Signatures of lm_eval 0.4.13's functions: tables that `tools/tables/make-function-sources.ts` writes, kept out of the source and of the first load. */
import { EvalError } from '../../../base/errors.ts'

interface Signatures {
  /** Which ports a source has: `folder|module.name` (several parted by `;`) by its signature, see `recognize.ts`. */
  readonly ported: { readonly [signature: string]: string }
  /** What stands in each ported function: its `own-signature.ts` (several parted by `;`) by `folder|module.name`. */
  readonly own: { readonly [place: string]: string }
}

let loaded: Signatures | null = null

/** Loads both tables once, about 160 kB over the network. */
export async function loadSignatures(): Promise<void> {
  if (loaded !== null) return
  const [ported, own] = await Promise.all([import('./ported.json'), import('./own.json')])
  loaded = { ported: ported.default, own: own.default }
}

/** The ports that have a source of this signature. Throws `internal` before `loadSignatures` has ended. */
export function portsOf(signature: string): readonly string[] {
  return entriesAt(signatures().ported, signature)
}

/** The signatures of the functions that a port stands for. Throws `internal` before `loadSignatures` has ended. */
export function ownSignaturesOf(place: string): readonly string[] {
  return entriesAt(signatures().own, place)
}

function entriesAt(table: { readonly [key: string]: string }, key: string): readonly string[] {
  return Object.hasOwn(table, key) ? (table[key]?.split(';') ?? []) : []
}

function signatures(): Signatures {
  if (loaded !== null) return loaded
  throw new EvalError('internal', 'A function was looked up by its source before the signatures were loaded.')
}
