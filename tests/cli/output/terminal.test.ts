import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EvalError } from '../../../src/base/errors.ts'
import { createProgress } from '../../../src/cli/output/progress.ts'
import { reportError } from '../../../src/cli/output/report-error.ts'
import { visible } from '../../../src/cli/output/terminal.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** Clears the screen, sets the window's title and the clipboard, overwrites the line, turns text round; C0, DEL, C1. */
const attack = '\u001b[2J\u001b]0;title\u0007\u001b]52;c;ZXZpbA==\u0007\rok\b\u007f\u009b31m\u202eevil\u2066'
// oxlint-disable-next-line no-control-regex -- finding control characters is what it is for
const dangerous = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

const between = '--- the next command line ---'
/** Runs each command line once the one before has nothing left to do: most of a start is loading modules, which they share. */
const runner = `
  const [, lines] = process.argv
  const waiting = JSON.parse(lines)
  process.on('beforeExit', () => {
    const args = waiting.shift()
    if (args === undefined) return
    process.stdout.write('${between}')
    process.stderr.write('${between}')
    process.argv = [process.execPath, 'src/cli/main.ts', ...args]
    void import('./src/cli/main.ts?' + waiting.length)
  })
`

/** What each of the command lines writes, in one process. */
function runLines(lines: readonly (readonly string[])[], folder: string): { readonly stdout: string; readonly stderr: string }[] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', runner, JSON.stringify(lines)],
    {
      encoding: 'utf8',
      env: { ...process.env, INIT_CWD: folder },
    },
  )
  const errors = stderr.split(between).slice(1)
  return stdout
    .split(between)
    .slice(1)
    .map((text, at) => ({ stdout: text, stderr: errors[at] ?? '' }))
}

describe('untrusted text on the terminal', () => {
  it('has its control characters as escapes, and nothing else changed', () => {
    expect(visible('a\tb\nÉ 漢 👩‍👧 می‌خواهم')).toBe('a\tb\nÉ 漢 👩‍👧 می‌خواهم')
    expect(visible(attack)).toBe(
      '\\u001b[2J\\u001b]0;title\\u0007\\u001b]52;c;ZXZpbA==\\u0007\\u000dok\\u0008\\u007f\\u009b31m\\u202eevil\\u2066',
    )
    expect(JSON.parse(visible(JSON.stringify({ [attack]: attack })))).toEqual({ [attack]: attack })
  })

  it('is shown so in progress, warnings and the line that is rewritten', () => {
    const written: string[] = []
    const output = { isTerminal: true, columns: 500, write: (text: string) => written.push(text), now: () => 0 }
    const progress = createProgress(output)
    progress.say(attack)
    progress.show({ type: 'warning', message: attack })
    progress.show({ type: 'bytes', file: `${attack}\nnext`, loaded: 1, total: 2 })
    progress.show({ type: 'waiting', what: 'network', message: attack, seconds: null })
    progress.show({ type: 'generating', task: attack, docId: 0, tail: '', tokens: 1, maxTokens: 2, tokensPerSecond: null })
    expect(written.join('').match(/\\u001b\[2J/g)).toHaveLength(5)
    // Of its own it writes only the escape that clears a line.
    expect(written.join('').replaceAll('\r\u001b[K', '')).not.toMatch(dangerous)
    expect(written.filter((text) => text.includes('next'))).toEqual([expect.stringContaining('\\nnext')])
  })

  it('is shown so in results, comparisons and errors of the command line', () => {
    const folder = temporaryFolder('escapes')
    const results = {
      results: { [attack]: { alias: attack, 'acc,none': 0.5, 'acc_stderr,none': 0.1 } },
      versions: { [attack]: attack },
      'n-shot': { [attack]: 0 },
      config: { model: 'hf', model_args: { pretrained: attack } },
      model_name: attack,
    }
    for (const name of ['a', 'b']) writeFileSync(join(folder, `results_${name}.json`), JSON.stringify(results))
    writeFileSync(join(folder, 'broken.json'), `{"results": ${attack}`)
    writeFileSync(join(folder, 'run.yaml'), `model: hf\n"un${'\\e[2J\\u202e'}known": 1\ntasks: [t]\n`)
    const lines = [
      ['import', 'results_a.json'],
      ['compare', 'results_a.json', 'results_b.json'],
      ['import', 'broken.json'],
      ['--config', 'run.yaml'],
      ['import', 'results_a.json', '--json'],
    ]
    const outputs = runLines(lines, folder)
    expect(outputs).toHaveLength(lines.length)
    for (const [at, { stdout, stderr }] of outputs.entries()) {
      expect(stdout + stderr, lines[at]?.join(' ')).not.toMatch(dangerous)
      expect(stdout + stderr, lines[at]?.join(' ')).toContain('[2J')
    }
    expect(JSON.stringify(JSON.parse(outputs.at(-1)?.stdout ?? ''))).toContain(JSON.stringify(attack).slice(1, -1))
  })

  it('is shown so by whatever reports an error', () => {
    const written: string[] = []
    reportError(new EvalError('settings/invalid', attack), (text) => written.push(visible(text)))
    expect(written.join('')).not.toMatch(dangerous)
  })
})
