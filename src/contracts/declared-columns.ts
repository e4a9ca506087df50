/** Columns that a dataset repository declares. */

/** A declared type. `value` names an Arrow type such as `int32`, `large_string` or `timestamp[s]`. */
export type DeclaredFeature =
  | { readonly kind: 'value'; readonly dtype: string }
  | { readonly kind: 'label'; readonly names: readonly string[] }
  /** `length` is null for lists of any length. */
  | { readonly kind: 'list'; readonly item: DeclaredFeature; readonly length: number | null }
  | { readonly kind: 'struct'; readonly fields: DeclaredColumns }
  | { readonly kind: 'json' }
  /** Images, sound and the like, which no text task can use. */
  | { readonly kind: 'other'; readonly name: string }

/** Columns, or fields of a record, in their declared order. */
export type DeclaredColumns = readonly (readonly [name: string, type: DeclaredFeature])[]
