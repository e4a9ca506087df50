/** Names of result files. lm_eval 0.4.13, `EvaluationTracker` and `lm_eval.utils`. */
import { sha256 } from '../../base/sha256.ts'

/** The run's date as it stands in file names: local ISO time, `:` as `-`, with microseconds unless they are 0. */
export function formatDateId(date: Date, microseconds = date.getMilliseconds() * 1000): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  const time = `${two(date.getHours())}-${two(date.getMinutes())}-${two(date.getSeconds())}`
  return `${day}T${time}${microseconds === 0 ? '' : `.${String(microseconds).padStart(6, '0')}`}`
}

/** Most bytes of a name; the file systems in use take 255, and suffixes follow. */
const maxNameBytes = 180

/** Names that Windows keeps for devices, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:[ .]|$)/i

/**
 * A name of a model or task as one file or folder: every run of `" < > : / \ | ? * [ ]` becomes two underscores, as in the harness. Names
 * that would lead elsewhere or that no file can have differ from the harness's: empty ones, those of dots alone, control characters,
 * Windows' devices, and long ones, which are cut and end with a hash of the whole.
 */
export function sanitizeModelName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- no file name may hold them
  const plain = name.replace(/["<>:/|\\?*[\]]+/g, '__').replace(/[\u0000-\u001f\u007f]+/g, '__')
  const own = /^[. ]*$/.test(plain) || deviceName.test(plain) ? `__${plain}` : plain
  if (byteLength(own) <= maxNameBytes) return own
  let kept = ''
  let bytes = 0
  for (const character of own) {
    bytes += byteLength(character)
    if (bytes > maxNameBytes - 18) break
    kept += character
  }
  return `${kept}__${sha256(name).slice(0, 16)}`
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Where results and samples go below `outputPath`, which is a folder, or a file name ending in `.json`. */
export function resultPaths(
  outputPath: string,
  model: string,
  dateId: string,
): { readonly results: string; samples(task: string): string } {
  const isFile = /[^/]\.json$/.test(outputPath)
  const folder = isFile ? outputPath.replace(/[^/]*$/, '') : `${outputPath.replace(/\/+$/, '')}/${sanitizeModelName(model)}/`
  const results = isFile ? outputPath.replace(/\.json$/, `_${dateId}.json`) : `${folder}results_${dateId}.json`
  return { results, samples: (task) => `${folder}samples_${sanitizeModelName(task)}_${dateId}.jsonl` }
}
