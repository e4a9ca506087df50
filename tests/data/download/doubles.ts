/** Doubles at the rim of the download layer: time that costs nothing, bytes in memory that can run out of room or change. */
import { createHash } from 'node:crypto'
import type { ByteStore } from '../../../src/data/download/byte-store.ts'
import type { Clock } from '../../../src/data/download/clock.ts'

export interface TestClock extends Clock {
  /** Every wait so far, in milliseconds. */
  readonly sleeps: number[]
}

/**
 * Waits take no time, and are written down. Silence is waited for in real time, shortened: `silenceMs` stands for any limit, long enough that
 * a busy machine isn't taken for a silent server.
 */
export function testClock({
  silenceMs = 3000,
  random = () => 0.5,
}: { readonly silenceMs?: number; readonly random?: () => number } = {}): TestClock {
  let skippedMs = 0
  const sleeps: number[] = []
  return {
    sleeps,
    now: () => Date.UTC(2026, 10, 21) + skippedMs,
    sleep: async (ms, signal) => {
      sleeps.push(ms)
      await new Promise<void>((resolve) => setImmediate(resolve))
      signal?.throwIfAborted()
      skippedMs += ms
    },
    alarm: (_, run) => {
      const timer = setTimeout(run, silenceMs)
      return () => clearTimeout(timer)
    },
    random,
  }
}

export interface MemoryBytes extends ByteStore {
  /** Entries by `folder/name`. */
  readonly entries: Map<string, Uint8Array>
  /** Room in bytes, over all entries. */
  room: number
  /** Memory that was written from, as long as nobody gave it back. */
  readonly writtenFrom: Uint8Array[]
  /** Flips one bit of an entry. */
  flip(name: string, at: number): void
}

/** A byte store in memory, which gives and takes copies as a real one does. */
export function memoryBytes(): MemoryBytes {
  const entries = new Map<string, Uint8Array>()
  const inFolder = (folder: string): [string, Uint8Array][] => [...entries].filter(([name]) => name.startsWith(`${folder}/`))
  const store: MemoryBytes = {
    entries,
    room: Infinity,
    writtenFrom: [],
    flip: (name, at) => {
      const entry = entries.get(name)
      if (entry === undefined) throw new Error(`no entry ${name}`)
      entries.set(
        name,
        entry.map((byte, index) => (index === at ? byte ^ 1 : byte)),
      )
    },
    fill: async (folder, name, parts) => {
      const entry = entries.get(`${folder}/${name}`)
      if (entry?.length !== parts.reduce((sum, part) => sum + part.length, 0)) return false
      let at = 0
      for (const part of parts) {
        part.set(entry.subarray(at, at + part.length))
        at += part.length
      }
      return true
    },
    read: async (folder, name) => entries.get(`${folder}/${name}`)?.slice() ?? null,
    blob: async (folder, name) => {
      const entry = entries.get(`${folder}/${name}`)
      return entry === undefined ? null : new Blob([entry.slice()])
    },
    write: async (folder, name, parts) => {
      store.writtenFrom.push(...parts)
      const bytes = Buffer.concat(parts)
      const used = [...entries].reduce((sum, [key, entry]) => (key === `${folder}/${name}` ? sum : sum + entry.length), 0)
      if (used + bytes.length > store.room) {
        // As a browser's: what had room stays.
        entries.set(`${folder}/${name}`, new Uint8Array(bytes.subarray(0, Math.max(0, store.room - used))))
        throw new DOMException('', 'QuotaExceededError')
      }
      entries.set(`${folder}/${name}`, new Uint8Array(bytes))
    },
    list: async (folder) => inFolder(folder).map(([name, { length }]) => ({ name: name.slice(folder.length + 1), bytes: length })),
    folders: async () => [...new Set([...entries.keys()].map((name) => name.slice(0, name.indexOf('/'))))],
    remove: async (folder, name) => void entries.delete(`${folder}/${name}`),
    removeFolder: async (folder) => {
      for (const [name] of inFolder(folder)) entries.delete(name)
    },
    clear: async () => entries.clear(),
  }
  return store
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Numbers below a limit that look like chance, from a seed. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** Bytes that look like nothing else, from a seed. */
export function madeBytes(length: number, seed: number): Uint8Array<ArrayBuffer> {
  const next = seeded(seed)
  return Uint8Array.from({ length }, () => next(256))
}
