/** Which of the built files are kept for use without a network. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

export interface OfflineList {
  /** Changes with any byte of any file. */
  readonly build: string
  /** Paths below the page's folder, with `/`. */
  readonly files: readonly OfflineFile[]
}

interface OfflineFile {
  readonly path: string
  readonly bytes: number
  /** Whether it is for browsers whose WebAssembly can suspend its stack, or for the others; absent: for all. */
  readonly suspends?: boolean
}

export const offlineListFile = 'offline.json'

/**
 * Left out: the command line's page, the frame that fetches typed addresses, what hosts read, weights that only Python reads, and the
 * thousands of task files, which the app takes from their pack.
 */
const leftOut = /^(driver|address)\.html$|^_headers$|^robots\.txt$|^offline\.|\.safetensors$|^tasks\/(?!pack\.json$)/

/** ONNX Runtime's two builds for WebGPU (engines/ort.ts): a browser needs one of them. */
function sideOf(path: string): Pick<OfflineFile, 'suspends'> {
  if (path.includes('simd-threaded.jspi-')) return { suspends: true }
  return path.includes('simd-threaded.asyncify-') ? { suspends: false } : {}
}

/** Lists what is in `folder`, a finished build. */
export function listOffline(folder: string): OfflineList {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !leftOut.test(path))
    .sort()
  const hash = createHash('sha256')
  const files = paths.map((path) => {
    const content = readFileSync(join(folder, path))
    hash.update(`${path}\n${content.length}\n`).update(content)
    return { path, bytes: content.length, ...sideOf(path) }
  })
  return { build: hash.digest('hex').slice(0, 16), files }
}
