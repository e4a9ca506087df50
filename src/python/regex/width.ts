import type { RegexNode } from './tree.ts'

/** Smallest and largest number of characters that a node can match. */
export function widthOf(node: RegexNode): readonly [low: number, high: number] {
  switch (node.kind) {
    case 'char':
    case 'any':
    case 'set':
      return [1, 1]
    case 'anchor':
    case 'look':
      return [0, 0]
    case 'backreference':
      return [0, Infinity]
    case 'group':
    case 'atomic':
      return widthOf(node.body)
    case 'sequence':
      return node.items.map(widthOf).reduce<readonly [number, number]>(([low, high], [a, b]) => [low + a, high + b], [0, 0])
    case 'branch': {
      let [lowest, highest] = [Infinity, 0]
      for (const [low, high] of node.branches.map(widthOf)) {
        lowest = Math.min(lowest, low)
        highest = Math.max(highest, high)
      }
      return [lowest, highest]
    }
    case 'repeat': {
      const [low, high] = widthOf(node.body)
      return [low * node.min, high === 0 ? 0 : high * node.max]
    }
  }
}
