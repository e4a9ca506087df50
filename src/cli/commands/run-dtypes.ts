/** `--dtype a,b,c`: one run after the other over the dtypes of a model, then what each of them costs beside the most precise one. */
import { basename } from 'node:path'
import type { ComparedRun } from '../../analysis/compare/compared-run.ts'
import { dtypeMatrix } from '../../analysis/compare/series/dtype-matrix.ts'
import { openFiles } from '../../app/open/open-files.ts'
import { EvalError } from '../../base/errors.ts'
import type { ModelDescription } from '../../contracts/models.ts'
import { callerFolder } from '../files/caller-folder.ts'
import type { CommandLine } from '../flags/args.ts'
import { UsageError } from '../flags/flag-values.ts'
import { dtypesNamed } from '../flags/model-flags.ts'
import { dtypeText } from '../output/matrix-text.ts'
import type { Progress } from '../output/progress.ts'
import { comparedOf } from './compare-files.ts'
import { filesOf } from './import-files.ts'
import { withSession } from './listings.ts'
import { nameOutputs, outputFolder, writeOwn } from './result-files.ts'
import { codeOfOne, failed, stopped, type Evaluate } from './run-sweep.ts'
import { chooseModel } from './settings.ts'

/** What the model of a command line offers, as the page lists it. */
export async function offeredDtypes(line: CommandLine, progress: Progress): Promise<ModelDescription['dtypes']> {
  let dtypes: ModelDescription['dtypes'] = []
  await withSession(line, progress, async (session) => {
    const { model, revision } = chooseModel(line, await session.call('listModels'))
    dtypes = (await session.call('describeModel', model, revision, line.modelFormat)).dtypes
  })
  return dtypes
}

interface DtypeMeans {
  readonly progress: Progress
  readonly print: (text: string) => void
  readonly evaluate: Evaluate
  readonly offered: typeof offeredDtypes
}

/**
 * Goes on after a run that fails, and gives 1 at the end; stops at once when it is stopped, with 130. What ran has its files. Throws UsageError,
 * and `model/unknown-dtype` before the first run when the model lacks one of them.
 */
export async function runDtypes(
  line: CommandLine,
  names: readonly string[],
  { progress, print, evaluate, offered }: DtypeMeans,
): Promise<number> {
  if (line.resume !== false) throw new UsageError('--resume goes on with one run: give one --dtype with it')
  if (!line.logSamples || line.predictOnly)
    throw new UsageError('--dtype with several compares doc by doc: it wants samples and their scores')
  const dtypes = settle(names, await offered(line, progress))
  const missing: string[] = []
  const runs: { readonly place: string; readonly compared: ComparedRun }[] = []
  for (const [index, dtype] of dtypes.entries()) {
    progress.say(`dtype ${dtype} (${index + 1} of ${dtypes.length})`)
    const written: string[] = []
    const one = { ...line, dtypes: [dtype], dtypeAsked: dtype }
    const extras = { onWritten: (file: string) => written.push(file) }
    const code = await codeOfOne(dtype, progress, () => evaluate(one, progress, line.json ? () => undefined : print, extras))
    if (code === stopped) return code
    if (code !== 0) {
      missing.push(dtype)
      continue
    }
    const files = written.flatMap((file) => filesOf(file, callerFolder()).flat())
    for (const opened of await openFiles(files, () => dtype))
      runs.push({ place: basename(written[0] ?? ''), compared: comparedOf(opened, dtype) })
  }
  if (missing.length > 0) progress.say(`Not complete: ${missing.join(', ')}`)
  // One run alone has nothing to be held against.
  if (missing.length > 0 && runs.length < 2) return failed
  const matrix = dtypeMatrix(runs.map(({ compared }) => compared))
  if (matrix === null)
    throw new EvalError('results/invalid', 'The runs’ files don’t show one model at one commit with a dtype of its own each: no matrix.')
  const model = runs[0]?.compared.file.whole['model_name']
  const outputs = nameOutputs(outputFolder(line), typeof model === 'string' && model !== '' ? model : 'model', new Date())
  const complete = dtypes.filter((dtype) => !missing.includes(dtype))
  const text = JSON.stringify({ dtypes: complete, dtype_matrix: matrix }, null, 2)
  writeOwn(outputs.own('dtypes/matrix.json'), `${text}\n`)
  progress.say(`Wrote ${outputs.own('dtypes/matrix.json')}`)
  const labels = runs.map(({ place }) => place)
  print(line.json ? text : dtypeText(matrix, labels))
  return missing.length === 0 ? 0 : failed
}

/** The model's own names of what was asked for; torch's stand for the first counterpart that there is. */
function settle(names: readonly string[], offered: ModelDescription['dtypes']): readonly string[] {
  const runnable = offered.filter(({ refusal }) => refusal === null).map(({ dtype }) => dtype)
  const settled = names.map((name) => {
    const found = dtypesNamed(name).find((dtype) => runnable.includes(dtype))
    if (found !== undefined) return found
    const refusal = offered.find(({ dtype }) => dtype === name)?.refusal ?? null
    throw new EvalError(
      'model/unknown-dtype',
      `--dtype: wanted ${JSON.stringify(name)}, ${refusal === null ? 'which the model doesn’t have' : `which can’t run here (${refusal})`}; it has ${runnable.join(', ')}.`,
      { details: { wanted: name, found: runnable } },
    )
  })
  const twice = settled.find((name, index) => settled.indexOf(name) !== index)
  if (twice !== undefined) throw new UsageError(`--dtype: two of ${names.join(', ')} mean ${twice}`)
  return settled
}
