/** A worker that keeps files while it collects garbage; started by file-handles.spec.ts in a browser with `--expose-gc`. */
import { openOpfsStore } from '../../src/data/download/opfs-store.ts'

const writes = 600
const lines = 4
const bytes = 200_000

/** Of the browser's V8, which the types of the DOM don't know. */
const collect = Reflect.get(globalThis, 'gc') as (options: { type: 'major'; execution: 'async' }) => unknown
const timer = setInterval(() => collect({ type: 'major', execution: 'async' }), 3)

let settled = 0
let same = 0

async function keepAll(): Promise<void> {
  const store = await openOpfsStore('files')
  if (store === null) throw new Error('wanted a private file system, found none')
  const keep = async (index: number): Promise<void> => {
    const [folder, name] = [`folder${index % 7}`, `file${index}`]
    await store.write(folder, name, [new Uint8Array(bytes).fill(index)])
    const found = new Uint8Array(bytes)
    if ((await store.fill(folder, name, [found])) && found.every((byte) => byte === index % 256)) same += 1
    settled += 1
  }
  const line = async (first: number): Promise<void> => {
    for (let index = first; index < writes; index += lines) await keep(index)
  }
  await Promise.all(Array.from({ length: lines }, (_, first) => line(first)))
}

/** What never settles would be waited for for ever: the end is when all are done, or when none was for five seconds. */
async function untilNothingMoves(): Promise<void> {
  const all = keepAll()
  for (let before = -1; settled > before && settled < writes;) {
    before = settled
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 5000))])
  }
}

await untilNothingMoves()
clearInterval(timer)
postMessage({ writes, settled, same })
