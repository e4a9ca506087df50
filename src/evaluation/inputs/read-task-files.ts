/** The task files among the files of a folder, as texts. */
import { append } from '../../base/arrays.ts'
import { EvalError } from '../../base/errors.ts'
import type { TaskFile } from '../../contracts/run-settings.ts'
import type { LocalFile } from '../../rpc/run-worker-api.ts'

const limits = { fileBytes: 1024 * 1024, totalBytes: 64 * 1024 * 1024, files: 50_000 } as const
/** Files that are read at the same time. */
const atOnce = 64
/** How many files pass between two words on the way. */
const filesPerWord = 250

/**
 * YAML files, those without a suffix (the harness's templates), and the Python files that helpers stand in, each below the folder's own name: `mmlu_pro/utils` is known by that.
 * Throws `settings/invalid` for a folder without any, and for one beyond the limits of the command line's `--include_path`.
 */
export async function readTaskFiles(
  folder: string,
  files: readonly LocalFile[],
  onFiles: (read: number, total: number) => void,
): Promise<TaskFile[]> {
  const wanted = files.filter(({ path, file }) => isTaskFile(path) && file.size <= limits.fileBytes)
  const bytes = wanted.reduce((sum, { file }) => sum + file.size, 0)
  if (!wanted.some(({ path }) => /\.ya?ml$/i.test(path))) {
    throw new EvalError('settings/invalid', `The folder ${folder} holds no task files: wanted *.yaml, found ${files.length} other files.`, {
      details: { folder, found: files.length },
    })
  }
  if (bytes > limits.totalBytes || wanted.length > limits.files) {
    throw new EvalError(
      'settings/invalid',
      `The folder ${folder} holds ${wanted.length} task files with ${bytes} bytes; wanted at most ${limits.files} files with ${limits.totalBytes} bytes.`,
      { details: { folder, found: wanted.length } },
    )
  }
  const texts: TaskFile[] = []
  const prefix = folder === '' ? '' : `${folder}/`
  for (let start = 0; start < wanted.length; start += atOnce) {
    const part = wanted.slice(start, start + atOnce)
    append(texts, await Promise.all(part.map(async ({ path, file }) => ({ path: prefix + path, text: await file.text() }))))
    if (Math.floor(start / filesPerWord) !== Math.floor((start + atOnce) / filesPerWord)) onFiles(texts.length, wanted.length)
  }
  onFiles(texts.length, wanted.length)
  return texts
}

/** As `--include_path` of the command line chooses them. */
function isTaskFile(path: string): boolean {
  const parts = path.split('/')
  const name = parts.at(-1) ?? ''
  if (parts.some((part) => /^(?:node_modules|\.git|__pycache__|\.ipynb_checkpoints)$/.test(part))) return false
  // A name may end with a number, as in `_default_yaml_0.5k`.
  const hasNoSuffix = /^[^.]+(?:\.\d[^.]*)?$/.test(name) && !/^(?:LICEN[CS]E|README|Makefile)/i.test(name)
  return hasNoSuffix || /\.(?:ya?ml|py)$/i.test(name)
}
