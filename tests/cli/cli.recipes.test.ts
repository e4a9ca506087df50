/** The scripts in docs/: each command in them is one that this command line takes. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseCommandLine } from '../../src/cli/flags/args.ts'

const folder = 'docs/scripts'
const scripts = readdirSync(folder).filter((name) => name.endsWith('.sh'))

/** The arguments of each `npm run eval` in a script, its variables filled in. */
function commandsOf(text: string): readonly (readonly string[])[] {
  const whole = text.replaceAll('\\\n', ' ')
  return [...whole.matchAll(/^\s*npm run --silent eval -- (.*)$/gm)].map(([, line = '']) =>
    (line.match(/"[^"]*"|\S+/g) ?? [])
      .map((word) => word.replaceAll('"', ''))
      .filter((word) => word !== '$@')
      .map((word) => word.replace('$folder', 'out').replace('$dtype', 'q4').replace('$part', '2')),
  )
}

describe('the scripts of docs/recipes.md', () => {
  test.each(scripts)('%s has commands that are taken, can be run, and is listed', (name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const commands = commandsOf(text).map(parseCommandLine)
    expect(commands.length).toBeGreaterThan(0)
    // What is accepted without effect has no place in an example.
    expect(commands.flatMap(({ notes }) => notes)).toEqual([])
    expect(commands.map(({ command }) => command)).not.toContain('help')
    expect(statSync(join(folder, name)).mode & 0o100).toBe(0o100)
    expect(readFileSync('docs/recipes.md', 'utf8')).toContain(`docs/scripts/${name}`)
  })

  test('there is one for checkpoints, dtypes, a judge, prompts, the harness and shards', () => {
    expect(scripts).toEqual([
      'beside-the-harness.sh',
      'checkpoint-curve.sh',
      'class-shards.sh',
      'dtype-matrix.sh',
      'judged-run.sh',
      'prompt-fan.sh',
    ])
    const sweep = commandsOf(readFileSync(join(folder, 'checkpoint-curve.sh'), 'utf8')).map(parseCommandLine)[0]
    expect(sweep?.revision?.split(',')).toHaveLength(5)
    expect(commandsOf(readFileSync(join(folder, 'dtype-matrix.sh'), 'utf8')).map(parseCommandLine)[0]?.dtypeAsked).toBe('fp32,q8,q4')
    const part = commandsOf(readFileSync(join(folder, 'class-shards.sh'), 'utf8')).map(parseCommandLine)[0]
    expect(part?.shard).toEqual({ index: 2, count: 3, overlap: 4 })
  })
})
