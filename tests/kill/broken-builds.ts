/** Builds that break the durability protocol on purpose, each in the way that a hurried author would; the kill test must fail on every one. */

export type BuildName = 'good' | 'put' | 'counters' | 'repack'

export const buildNames: readonly BuildName[] = ['good', 'put', 'counters', 'repack']

export interface Mutation {
  /** End of the source's path. */
  readonly file: string
  readonly find: string
  readonly replace: string
}

export function mutationsOf(name: BuildName): readonly Mutation[] {
  switch (name) {
    case 'good':
      return []
    default:
      return []
  }
}
