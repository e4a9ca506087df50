/** Where in a chosen folder the model is. */
import { EvalError } from '../../base/errors.ts'
import { isListed } from './folder-commit.ts'

const graphPattern = /^onnx\/model[^/]*\.onnx$/
const checkpointPattern = /^(.*\/)?model\.safetensors(?:\.index\.json)?$/
const ggufPattern = /^(.*\/)?[^/]+\.gguf$/
const mostNamed = 8

/**
 * The folder that holds the model, relative to the chosen one: '' or 'a/b/'. It has `config.json` and `onnx/model….onnx`, as transformers.js
 * lays models out, or `model.safetensors` or its index, as transformers does, or GGUF files, which need no `config.json`, and is the chosen folder itself or lies anywhere below it (in the Hub's cache below `snapshots/`). `mainCommit` is the
 * content of `refs/main` where there is one; it decides between several snapshots.
 *
 * Throws `model/not-found` for none or several, `model/no-onnx` for a model without such weights; both say what was looked for and found.
 */
export function findModelRoot(name: string, paths: readonly string[], mainCommit: string | null): string {
  const listed = paths.filter(isListed)
  const all = new Set(listed)
  const roots = [...new Set(listed.flatMap((path) => [...rootOfGraph(path), ...rootOfCheckpoint(path)]))]
    .filter((root) => all.has(`${root}config.json`))
    .sort()
  const ggufs = [...new Set(listed.flatMap(rootOfGguf))]
  const [gguf] = ggufs
  if (roots.length === 0 && gguf !== undefined && ggufs.length === 1) return gguf
  const [only, second] = roots
  if (only !== undefined && second === undefined) return only
  const current = mainCommit === null ? [] : roots.filter((root) => root.endsWith(`snapshots/${mainCommit}/`))
  if (current.length === 1 && current[0] !== undefined) return current[0]
  throw roots.length > 1 ? severalModels(name, roots) : noModel(name, paths, listed)
}

/** Where the Hub's cache says which snapshot is `main`; null when the folder is no such cache. */
export function mainRefPath(paths: readonly string[]): string | null {
  return paths.find((path) => /(^|\/)refs\/main$/.test(path)) ?? null
}

function rootOfGraph(path: string): string[] {
  const at = path.lastIndexOf('onnx/model')
  if (at < 0 || (at > 0 && path[at - 1] !== '/') || !graphPattern.test(path.slice(at))) return []
  return [path.slice(0, at)]
}

function rootOfCheckpoint(path: string): string[] {
  const found = checkpointPattern.exec(path)
  return found === null ? [] : [found[1] ?? '']
}

/** A GGUF file needs nothing beside it. */
function rootOfGguf(path: string): string[] {
  const found = ggufPattern.exec(path)
  return found === null ? [] : [found[1] ?? '']
}

function severalModels(name: string, roots: readonly string[]): EvalError {
  const names = roots.map((root) => (root === '' ? 'the folder itself' : `'${root.slice(0, -1)}'`))
  return new EvalError(
    'model/not-found',
    `The folder '${name}' holds ${roots.length} models: ${list(names)}. Choose one of these folders.`,
    {
      details: { folder: name, found: roots },
    },
  )
}

function noModel(name: string, paths: readonly string[], listed: readonly string[]): EvalError {
  const config = listed.find((path) => path === 'config.json' || path.endsWith('/config.json'))
  const wanted = `config.json and onnx/model.onnx (or a quantised variant such as onnx/model_q4.onnx) or model.safetensors (or its index and parts) or a .gguf file, in the folder '${name}' or one below it`
  const found = listed.length === 0 ? 'no files' : `${listed.length} ${listed.length === 1 ? 'file' : 'files'}: ${list(listed)}`
  const details = { folder: name, found: listed.slice(0, 50) }
  if (config !== undefined) return new EvalError('model/no-onnx', `Wanted ${wanted}; found ${found}.`, { details })
  const isCache = paths.some((path) => /(^|\/)blobs\/[^/]+$/.test(path))
  const hint = isCache
    ? ' This is a cache of the Hub whose snapshots are links, which browsers leave out: copy the snapshot with its content ("cp -rL").'
    : ''
  return new EvalError('model/not-found', `Wanted ${wanted}; found ${found}.${hint}`, { details })
}

function list(names: readonly string[]): string {
  const rest = names.length - mostNamed
  return names.slice(0, mostNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
