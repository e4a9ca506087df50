/** Which branches of a pass attend together: those that don't see each other needn't be multiplied with each other. */

/** Tokens of a pass in groups, each with all tokens of the pass that its own see. A token that branches share stands in several groups. */
export interface BranchGroups {
  /** G. */
  readonly count: number
  /** L, places of a group. */
  readonly length: number
  /** Index of the token in each place, group by group (G × L); in places that are left over the group's first once more. */
  readonly slots: Int32Array
  /** A place of each token (S). */
  readonly slotOf: Int32Array
}

/** A pass in groups multiplies at most so large a share of the products of a whole one: below that, laying groups out costs what it saves. */
const mostShare = 0.92

/** Sizes of a group that are tried, in lengths of the longest branch. */
const groupSizes = [1, 1.25, 1.5, 2, 3, 4]

/**
 * Groups of a pass, or null where one group does it with about as few products. `parents` as of a `TreePass`, after `past` tokens that all see. Depends on the pass alone, so
 * that a run that is resumed computes the same numbers.
 */
export function groupBranches(parents: Int32Array, past: number): BranchGroups | null {
  const { trunk, branches } = branchesOf(parents)
  const longest = branches.reduce((most, { length }) => Math.max(most, length), 0)
  if (branches.length < 2) return null
  const costOf = (count: number, length: number): number => count * length * (past + length)
  let best: readonly (readonly number[])[] | null = null
  let least = mostShare * costOf(1, parents.length)
  for (const size of groupSizes) {
    const groups = fill(branches, size * longest)
    const cost = costOf(groups.length, trunk.length + lengthOf(groups))
    if (groups.length > 1 && cost < least) [best, least] = [groups, cost]
  }
  return best === null ? null : place(best, trunk, parents.length)
}

/** What all tokens come after, and what parts behind it, each in the order of its tokens. */
function branchesOf(parents: Int32Array): { readonly trunk: readonly number[]; readonly branches: readonly (readonly number[])[] } {
  const children = new Map<number, number[]>()
  parents.forEach((parent, token) => {
    const known = children.get(parent)
    if (known === undefined) children.set(parent, [token])
    else known.push(token)
  })
  const trunk: number[] = []
  let heads = children.get(-1) ?? []
  while (heads.length === 1) {
    const [only = 0] = heads
    trunk.push(only)
    heads = children.get(only) ?? []
  }
  const branchOf = new Map(heads.map((head, index) => [head, index]))
  const branches: number[][] = heads.map(() => [])
  // A parent stands before its children.
  parents.forEach((parent, token) => {
    const branch = branchOf.get(token) ?? branchOf.get(parent)
    if (branch === undefined) return
    branchOf.set(token, branch)
    branches[branch]?.push(token)
  })
  return { trunk, branches }
}

/** Each branch into the first group that has room for it. */
function fill(branches: readonly (readonly number[])[], room: number): readonly (readonly number[])[] {
  const groups: number[][] = []
  for (const branch of branches) {
    const group = groups.find(({ length }) => length + branch.length <= room)
    if (group === undefined) groups.push([...branch])
    else for (const token of branch) group.push(token)
  }
  return groups
}

function lengthOf(groups: readonly (readonly number[])[]): number {
  return groups.reduce((most, { length }) => Math.max(most, length), 0)
}

function place(groups: readonly (readonly number[])[], trunk: readonly number[], tokens: number): BranchGroups {
  const length = trunk.length + lengthOf(groups)
  const slots = new Int32Array(groups.length * length)
  const slotOf = new Int32Array(tokens)
  groups.forEach((group, index) => {
    const own = [...trunk, ...group]
    slots.fill(own[0] ?? 0, index * length, (index + 1) * length)
    own.forEach((token, at) => {
      slots[index * length + at] = token
      slotOf[token] = index * length + at
    })
  })
  return { count: groups.length, length, slots, slotOf }
}

/**
 * Of an additive mask of a whole pass (S × (P + S), row by row) that of its groups (G × L × (P + L)): what each place sees of the cache and of its own group's places. Nothing sees a place that is
 * left over.
 */
export function maskOfGroups(
  mask: Float32Array,
  past: number,
  { count, length, slots, slotOf }: BranchGroups,
  masked: number,
): Float32Array {
  const total = past + slotOf.length
  const own = past + length
  const out = new Float32Array(count * length * own).fill(masked)
  for (let group = 0; group < count; group += 1) {
    const tokens = slots.subarray(group * length, (group + 1) * length)
    // A token's first place stands for it.
    const places = Array.from(tokens, (_, at) => at).filter((at) => tokens.indexOf(tokens[at] ?? 0) === at)
    tokens.forEach((token, at) => {
      const from = token * total
      const to = (group * length + at) * own
      out.set(mask.subarray(from, from + past), to)
      for (const place of places) out[to + past + place] = mask[from + past + (tokens[place] ?? 0)] ?? masked
    })
  }
  return out
}
