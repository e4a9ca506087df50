import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { EvalError } from '../../../src/base/errors.ts'
import { runDtypes } from '../../../src/cli/commands/run-dtypes.ts'
import type { RunExtras } from '../../../src/cli/commands/run-evaluation.ts'
import { parseCommandLine } from '../../../src/cli/flags/args.ts'
import { UsageError } from '../../../src/cli/flags/flag-values.ts'
import { sweptDtypes } from '../../../src/cli/flags/swept-flags.ts'
import { createProgress } from '../../../src/cli/output/progress.ts'

const folder = mkdtempSync(join(tmpdir(), 'dtypes-'))
afterAll(() => rmSync(folder, { recursive: true }))
const silent = createProgress({ isTerminal: false, columns: 80, write: () => undefined, now: () => 0 })
const golden = 'tests/goldens/embedded/all'

const offer =
  (...dtypes: readonly string[]) =>
  () =>
    Promise.resolve(
      dtypes.map((name) => {
        const [dtype = '', refusal = null] = name.split(':')
        return { dtype, file: '', externalFiles: [], bytes: 1, refusal }
      }),
    )

/** The harness's samples of the bundled model as files of a run with this dtype; below fp32 the first docs' choices swap their log-likelihoods. */
function writeRun(dtype: string): string {
  const place = join(folder, dtype)
  mkdirSync(place, { recursive: true })
  const date = '2026-01-01T00-00-00.000001'
  const results = JSON.parse(readFileSync(join(golden, 'results.json'), 'utf8')) as { config: { readonly [key: string]: unknown } }
  const config = { ...results.config, model_sha: 'c', model_dtype: dtype, model_args: { pretrained: 'org/model', dtype } }
  writeFileSync(join(place, `results_${date}.json`), JSON.stringify({ ...results, config, model_name: 'org/model' }))
  const lines = gunzipSync(readFileSync(join(golden, 'samples_yardstick_facts.jsonl.gz')))
    .toString()
    .trim()
    .split('\n')
  const changed = lines.slice(0, 20).map((line, index) => {
    const row = JSON.parse(line) as { resps: unknown[]; filtered_resps: unknown[]; acc: number }
    return dtype === 'fp32' || index >= 3
      ? line
      : JSON.stringify({ ...row, resps: [...row.resps].reverse(), filtered_resps: [...row.filtered_resps].reverse() })
  })
  writeFileSync(join(place, `samples_yardstick_facts_${date}.jsonl`), `${changed.join('\n')}\n`)
  return join(place, `results_${date}.json`)
}

async function sweep(argv: readonly string[], offered: ReturnType<typeof offer>, failAt = '', failWith: number | Error = 130) {
  const line = parseCommandLine([...argv, '--output_path', folder])
  const asked: (string | null)[] = []
  const printed: string[] = []
  const outcome = await runDtypes(line, sweptDtypes(line) ?? [], {
    ...{ progress: silent, print: (text: string) => void printed.push(text), offered },
    evaluate: (one, _progress, _print, { onWritten }: RunExtras = {}) => {
      asked.push(one.dtypes?.join('+') ?? null)
      if (one.dtypeAsked === failAt) return typeof failWith === 'number' ? Promise.resolve(failWith) : Promise.reject(failWith)
      onWritten?.(writeRun(one.dtypeAsked ?? ''))
      return Promise.resolve(0)
    },
  }).catch((error: unknown) => error)
  return { asked, printed: printed.join('\n'), outcome }
}

describe('a sweep over dtypes', () => {
  test('runs one after the other, torch’s names mapped, and prints what each costs beside the most precise one', async () => {
    const { asked, printed, outcome } = await sweep(['--dtype', 'q8,float32'], offer('fp32', 'q8', 'q4'))
    expect([outcome, asked]).toEqual([0, ['q8', 'fp32']])
    const cells = printed.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
    expect(printed).toMatch(/^Dtypes of one model, beside fp32 \(results_2026-01-01T00-00-00\.000001\.json\):/)
    // Three docs have other log-likelihoods.
    const row = cells.find((one) => one[1] === 'q8' && one[2] === 'yardstick_facts')
    expect(row?.slice(3, 5)).toEqual(['20', '3'])
    const [place = ''] = readdirSync(join(folder, 'org__model'))
    expect(JSON.parse(readFileSync(join(folder, 'org__model', place, 'matrix.json'), 'utf8'))).toMatchObject({
      dtypes: ['q8', 'fp32'],
      dtype_matrix: { reference: { dtype: 'fp32', run: 1 }, arms: [{ dtype: 'q8', run: 0 }] },
    })
  })

  test('names what the model has before the first run where one is missing or refused', async () => {
    const missing = await sweep(['--dtype', 'fp32,q2'], offer('fp32', 'q4', 'fp16:needs shader-f16'))
    expect(missing.asked).toEqual([])
    expect(missing.outcome).toMatchObject({
      code: 'model/unknown-dtype',
      message: '--dtype: wanted "q2", which the model doesn’t have; it has fp32, q4.',
    })
    const refused = await sweep(['--dtype', 'fp32,fp16'], offer('fp32', 'q4', 'fp16:needs shader-f16'))
    expect(refused).toMatchObject({
      asked: [],
      outcome: { message: expect.stringContaining('can’t run here (needs shader-f16)') as string },
    })
    expect((await sweep(['--dtype', 'float32,fp32'], offer('fp32'))).outcome).toBeInstanceOf(UsageError)
  })

  test.each([1, new EvalError('engine/timeout', 'it was not done after 10 minutes')])(
    'passes over a run that fails (%s), and compares the others',
    async (failure) => {
      const { asked, outcome, printed } = await sweep(['--dtype', 'fp32,q8,q4', '--json'], offer('fp32', 'q8', 'q4'), 'q8', failure)
      expect([outcome, asked]).toEqual([1, ['fp32', 'q8', 'q4']])
      expect(JSON.parse(printed)).toMatchObject({ dtypes: ['fp32', 'q4'], dtype_matrix: { arms: [{ dtype: 'q4' }] } })
    },
  )

  test('has nothing to compare where one run is left', async () => {
    const { asked, outcome, printed } = await sweep(['--dtype', 'fp32,q8'], offer('fp32', 'q8'), 'q8', 1)
    expect([outcome, asked, printed]).toEqual([1, ['fp32', 'q8'], ''])
  })

  test('stops at a run that the user stops', async () => {
    const { asked, outcome, printed } = await sweep(['--dtype', 'fp32,q8,q4'], offer('fp32', 'q8', 'q4'), 'q8')
    expect([outcome, asked, printed]).toEqual([130, ['fp32', 'q8'], ''])
  })
})
