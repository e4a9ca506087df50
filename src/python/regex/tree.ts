/** What a Python pattern is made of; `regex-syntax.ts` reads it, `regex-emit.ts` writes it for JavaScript. */

export interface RegexFlags {
  readonly ignoreCase: boolean
  readonly multiline: boolean
  readonly dotAll: boolean
  readonly verbose: boolean
  readonly ascii: boolean
}

export type CategoryCode = 'd' | 'D' | 's' | 'S' | 'w' | 'W'
export type AnchorCode = '^' | '$' | 'A' | 'Z' | 'b' | 'B'
export type RepeatMode = 'greedy' | 'lazy' | 'possessive'

export type SetItem =
  | { readonly kind: 'range'; readonly low: number; readonly high: number }
  | { readonly kind: 'category'; readonly code: CategoryCode }

/** A node. Code points are numbers; `max` may be `Infinity`; a group's `index` is null when it does not capture. */
export type RegexNode =
  | { readonly kind: 'char'; readonly codePoint: number; readonly flags: RegexFlags }
  | { readonly kind: 'any'; readonly flags: RegexFlags }
  | { readonly kind: 'set'; readonly isNegated: boolean; readonly items: readonly SetItem[]; readonly flags: RegexFlags }
  | { readonly kind: 'anchor'; readonly code: AnchorCode; readonly flags: RegexFlags }
  | { readonly kind: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'branch'; readonly branches: readonly RegexNode[] }
  | { readonly kind: 'group'; readonly index: number | null; readonly body: RegexNode }
  | { readonly kind: 'look'; readonly isBehind: boolean; readonly isNegated: boolean; readonly body: RegexNode }
  | { readonly kind: 'atomic'; readonly body: RegexNode }
  | { readonly kind: 'repeat'; readonly min: number; readonly max: number; readonly mode: RepeatMode; readonly body: RegexNode }
  | { readonly kind: 'backreference'; readonly index: number; readonly flags: RegexFlags }
