import { describe, expect, test } from 'vitest'
import { readFields } from '../../../src/app/setup/read-fields.ts'
import { defaultFields, queryToFields, settingsToQuery, type SetupFields } from '../../../src/app/setup/setup-fields.ts'
import { runSettings } from '../builders.ts'

function fields(change: Partial<SetupFields> = {}): SetupFields {
  return { ...defaultFields(), model: 'org/name', tasks: ['arc_easy'], ...change }
}

function settingsOf(change: Partial<SetupFields>) {
  const read = readFields(fields(change), [])
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.settings
}

function problemsOf(change: Partial<SetupFields>) {
  const read = readFields(fields(change), [])
  return read.ok ? [] : read.problems
}

describe('readFields', () => {
  test('gives the harness’s defaults for an untouched form', () => {
    expect(settingsOf({})).toEqual(runSettings({ model: 'org/name', tasks: ['arc_easy'], dtype: null }))
  })

  test.each([
    ['5', 5],
    ['0.25', 0.25],
    ['', null],
  ])('reads the limit %j as %j', (limit, expected) => {
    expect(settingsOf({ limit }).limit).toBe(expected)
  })

  test.each(['0', '-3', '1.5', 'x', '0.0'])('refuses the limit %j', (limit) => {
    expect(problemsOf({ limit })).toEqual([{ field: 'limit', kind: 'not-a-limit', found: limit }])
  })

  test('names every field that is wrong, not only the first', () => {
    const problems = problemsOf({ model: ' ', tasks: [], numFewshot: 'two', seed: '1,2', modelArgs: 'max_length' })
    expect(problems.map(({ field }) => field).sort()).toEqual(['model', 'modelArgs', 'numFewshot', 'seed', 'tasks'])
  })

  test('uses one seed for all four generators', () => {
    expect(settingsOf({ seed: '7' }).seeds).toEqual({ random: 7, numpy: 7, torch: 7, fewshot: 7 })
  })

  test('reads metadata as arguments, and how many items to compute again', () => {
    expect(settingsOf({ metadata: 'guess_seed=3,note=x' }).metadata).toEqual({ guess_seed: 3, note: 'x' })
    expect(settingsOf({ metadata: '{"a": [1, null]}' }).metadata).toEqual({ a: [1, null] })
    expect(settingsOf({ noiseItems: '8' }).noiseItems).toBe(8)
    expect(settingsOf({ noiseItems: '0' })).not.toHaveProperty('noiseItems')
    expect(problemsOf({ metadata: 'x', noiseItems: 'many' }).map(({ field, kind }) => [field, kind])).toEqual([
      ['noiseItems', 'not-a-count'],
      ['metadata', 'not-arguments'],
    ])
  })

  test('reads a part of the docs, which a link carries too, and refuses one that there isn’t', () => {
    const settings = settingsOf({ shard: ' 2/3+5 ' })
    expect(settings.shard).toEqual({ index: 2, count: 3, overlap: 5 })
    expect(queryToFields(settingsToQuery(settings)).shard).toBe('2/3+5')
    expect(problemsOf({ shard: '4/3' })).toEqual([{ field: 'shard', kind: 'not-a-shard', found: '4/3' }])
  })

  test('takes a template’s name only when the template is applied', () => {
    expect(settingsOf({ chatTemplateName: 'tool_use' }).applyChatTemplate).toBe(false)
    expect(settingsOf({ applyChatTemplate: true, chatTemplateName: 'tool_use' }).applyChatTemplate).toBe('tool_use')
    expect(settingsOf({ applyChatTemplate: true }).applyChatTemplate).toBe(true)
  })
})

test('the link of a run fills the form in with the run’s settings', () => {
  const settings = runSettings({
    model: 'org/name',
    revision: 'step-1000',
    dtype: 'q8',
    modelFormat: 'safetensors',
    device: 'wasm',
    tasks: ['hellaswag', 'arc_easy'],
    limit: 0.5,
    metadata: { guess_seed: 3 },
    noiseItems: 4,
    numFewshot: 3,
    applyChatTemplate: 'tool_use',
    fewshotAsMultiturn: false,
    systemInstruction: 'Answer in Yorùbá & briefly.',
    modelArgs: { max_length: 512, add_bos_token: true, name: 'a b' },
    genKwargs: { until: ['\n', ','], temperature: 0.5 },
    seeds: { random: 1, numpy: 2, torch: 3, fewshot: 4 },
    predictOnly: true,
  })
  const read = readFields({ ...defaultFields(), ...queryToFields(settingsToQuery(settings)) }, [])
  expect(read).toEqual({ ok: true, settings })
})

test('a run for which nobody chose a form of weights says nothing of it, as those stored before did', () => {
  expect(settingsOf({})).not.toHaveProperty('modelFormat')
  expect(settingsToQuery(runSettings({}))).not.toHaveProperty('model_format')
})

test('a link with nonsense in it changes nothing but what it may', () => {
  expect(
    queryToFields({
      model_format: 'pickle',
      device: 'tpu',
      fewshot_as_multiturn: 'perhaps',
      apply_chat_template: 'False',
      hub: 'https://evil.example',
    }),
  ).toEqual({})
})
