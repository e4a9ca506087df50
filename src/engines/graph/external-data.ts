/** Files as external data of onnxruntime-web 1.30: a model's weights go from where they lie to where they stay, with no copy between. */
import type { FileBytes } from '../../weights/file-bytes.ts'

export interface ExternalFile {
  readonly path: string
  readonly bytes: FileBytes
}

/** Weights of more bytes are copied in pieces of so many: an embedding alone can take a gigabyte. */
const pieceBytes = 16 * 2 ** 20

/**
 * Opens a session with `create`, which is given the files as onnxruntime-web wants them. A file that can't be read any more is the error, not
 * what ONNX Runtime makes of it.
 *
 * The library takes a Uint8Array, but asks two things of it: its `byteLength`, and a `subarray` for each weight. On WASM the weight is copied
 * at once, by one `set` of a Uint8Array; a large one is a stand-in there, which `set` writes to its place while `create` runs, or reads piece by piece.
 */
export async function withExternalData<T>(
  files: readonly ExternalFile[],
  device: 'webgpu' | 'wasm',
  create: (externalData: { readonly path: string; readonly data: Uint8Array }[]) => Promise<T>,
): Promise<T> {
  const standIns = new Map<Uint8Array, { readonly file: FileBytes; readonly start: number; readonly end: number }>()
  const failures: unknown[] = []
  const noting = <R>(read: () => R): R => {
    try {
      return read()
    } catch (error) {
      failures.push(error)
      throw error
    }
  }
  const weight = (file: FileBytes, start: number, end: number): Uint8Array => {
    if (device === 'webgpu' || end - start <= pieceBytes) return noting(() => file.read(start, end))
    const standIn = new Uint8Array(0)
    standIns.set(standIn, { file, start, end })
    return standIn
  }
  const asArray = (file: FileBytes): Uint8Array =>
    Object.defineProperties(new Uint8Array(0), {
      byteLength: { value: file.length },
      subarray: { value: (start: number, end: number) => weight(file, start, end) },
    })
  const unchanged = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype) as object, 'set')
    ?.value as Uint8Array['set'] // Every typed array's own.
  Object.defineProperty(Uint8Array.prototype, 'set', {
    configurable: true,
    writable: true,
    value(this: Uint8Array, source: ArrayLike<number>, offset = 0): void {
      const standIn = source instanceof Uint8Array ? standIns.get(source) : undefined
      if (standIn === undefined || !(source instanceof Uint8Array)) {
        unchanged.call(this, source, offset)
        return
      }
      const { file, start, end } = standIn
      if (file.fill !== undefined) {
        const place = this.subarray(offset, offset + end - start)
        noting(() => file.fill?.(place, start))
        standIns.delete(source)
        return
      }
      for (let at = start; at < end; at += pieceBytes) {
        const piece = noting(() => file.read(at, Math.min(end, at + pieceBytes)))
        unchanged.call(this, piece, offset + at - start)
      }
      standIns.delete(source)
    },
  })
  try {
    const made = await create(files.map(({ path, bytes }) => ({ path, data: asArray(bytes) })))
    // A stand-in that nobody read would be weights that are all zero.
    if (standIns.size > 0) throw new Error(`${standIns.size} weights of the model were not read`)
    return made
  } catch (error) {
    throw failures[0] ?? error
  } finally {
    Reflect.deleteProperty(Uint8Array.prototype, 'set')
    for (const { bytes } of files) bytes.rest()
  }
}
