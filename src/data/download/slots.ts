/** So many connections at once, over all files. */

export interface Slots {
  /** Runs `body` once there is room. */
  within<T>(body: () => Promise<T>): Promise<T>
}

export function createSlots(count: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  return {
    within: async (body) => {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await body()
      } finally {
        // The room goes to the next in line, who then needn't look for it.
        const next = waiting.shift()
        if (next === undefined) free += 1
        else next()
      }
    },
  }
}
