/**
 * How a flag takes its value. `switch`: none, or true/false. `optional`: none, true/false, or text. `list`: one or more,
 * commas split. `dict`: one or more `k=v,k=v`, or one JSON object.
 */
export type FlagKind = 'switch' | 'optional' | 'text' | 'integer' | 'number' | 'list' | 'dict'

export interface Flag {
  readonly name: string
  readonly short?: string
  readonly kind: FlagKind
  readonly value?: string
  readonly help: string
}
