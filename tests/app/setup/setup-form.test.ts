import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Query } from '../../../src/app/router.svelte.ts'
import { benchmarkOf, benchmarks, type BenchmarkId } from '../../../src/app/setup/benchmarks.ts'
import { Catalogue } from '../../../src/app/setup/catalogue.svelte.ts'
import { LocalFiles } from '../../../src/app/setup/local-files.svelte.ts'
import { SetupForm } from '../../../src/app/setup/setup-form.svelte.ts'
import { embeddedModel, suggestedModel, taskListing } from '../builders.ts'
import { createFakeClient } from '../fake-client.ts'

async function openForm(query: Query = {}, change: Partial<ReturnType<typeof createFakeClient>> = {}) {
  const client = { ...createFakeClient(), ...change }
  const catalogue = new Catalogue(client)
  const local = new LocalFiles(client)
  const form = new SetupForm(client, catalogue, local)
  const opening = form.open(query)
  await vi.advanceTimersByTimeAsync(10)
  await opening
  const lookUps = () => client.calls.filter((name) => name === 'describeModel').length
  return { client, catalogue, form, local, lookUps }
}

function benchmark(id: BenchmarkId) {
  const found = benchmarks.find((one) => one.id === id)
  if (found === undefined) throw new Error(`no benchmark ${id}`)
  return found
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a kind of model chosen while the lists are on their way', () => {
  test.each([
    ['hub', (form: SetupForm) => form.chooseHub()],
    ['folder', (form: SetupForm) => form.chooseFolder('')],
  ] as const)('stays chosen: %s', async (source, choose) => {
    const fake = createFakeClient()
    const first = taskListing('afrimgsm', { kind: 'group', outputType: null, members: [] })
    const listTasks: typeof fake.listTasks = async (files) => {
      const index = await fake.listTasks(files)
      return { ...index, tasks: [first, ...index.tasks] }
    }
    const client = { ...fake, listTasks }
    const form = new SetupForm(client, new Catalogue(client), new LocalFiles(client))
    const opening = form.open({})
    choose(form)
    await vi.advanceTimersByTimeAsync(10)
    await opening
    expect(form.source).toBe(source)
    expect(form.fields.model).toBe('')
    // The included benchmark, not whichever group comes first.
    expect(form.fields.tasks).toEqual(['bench'])
  })
})

describe('a form whose lists are on their way', () => {
  /** A form of a link, opened while one list takes a second. */
  function openLate(query: Query, late: 'listModels' | 'listTasks' | 'listSuggestedModels') {
    const fake = createFakeClient()
    const soon = () => new Promise((resolve) => setTimeout(resolve, 1000))
    const client = {
      ...fake,
      ...(late === 'listModels' && { listModels: () => soon().then(() => fake.listModels()) }),
      ...(late === 'listTasks' && {
        listTasks: (...files: Parameters<typeof fake.listTasks>) => soon().then(() => fake.listTasks(...files)),
      }),
      ...(late === 'listSuggestedModels' && { listSuggestedModels: () => soon().then(() => fake.listSuggestedModels()) }),
    }
    const form = new SetupForm(client, new Catalogue(client), new LocalFiles(client))
    return { form, opening: form.open(query) }
  }

  test.each(['listModels', 'listTasks'] as const)('is not filled in before its model and tasks are: %s', async (late) => {
    const { form, opening } = openLate({}, late)
    await vi.advanceTimersByTimeAsync(10)
    expect([form.isFilled, form.fields.tasks]).toEqual([false, []])
    await vi.advanceTimersByTimeAsync(1000)
    await opening
    expect([form.isFilled, form.fields.tasks]).toEqual([true, ['bench']])
    expect(form.fields.model).not.toBe('')
  })

  test('waits for the suggested models only where a model is named, which may be one of them', async () => {
    const unnamed = openLate({}, 'listSuggestedModels')
    const named = openLate({ model: 'made-up/small-135M' }, 'listSuggestedModels')
    await vi.advanceTimersByTimeAsync(10)
    expect([unnamed.form.isFilled, unnamed.form.source]).toEqual([true, 'embedded'])
    expect(unnamed.form.fields.model).not.toBe('')
    expect(named.form.isFilled).toBe(false)
    await vi.advanceTimersByTimeAsync(1000)
    await Promise.all([unnamed.opening, named.opening])
    expect([named.form.isFilled, named.form.source]).toEqual([true, 'suggested'])
  })
})

describe('a benchmark chosen by name', () => {
  test('leaves nothing to set: tasks, a limit for a first look, a model that knows something', async () => {
    const { form } = await openForm()
    form.begin(benchmark('hellaswag'))
    expect(await form.read()).toMatchObject({
      model: 'made-up/small-135M',
      revision: 'main',
      dtype: 'q4',
      tasks: ['hellaswag'],
      limit: 100,
    })
    expect(form.begun).toMatchObject({ isModelOurs: true })
    expect(form.benchmark?.id).toBe('hellaswag')
  })

  test.each([
    ['an included model', (form: SetupForm) => form.chooseEmbedded(embeddedModel(), 'main'), 'yardstick/pocket'],
    ['a suggested model', (form: SetupForm) => form.chooseSuggested(suggestedModel({ id: 'o/s' })), 'o/s'],
    ['a model that a search found', (form: SetupForm) => form.chooseFound('o/found'), 'o/found'],
  ])('keeps %s that was chosen before', async (_, choose, model) => {
    const { form } = await openForm()
    choose(form)
    form.begin(benchmark('piqa'))
    expect([form.fields.model, form.begun?.isModelOurs]).toEqual([model, false])
  })

  test('keeps the model of a link', async () => {
    const { form } = await openForm({ model: 'org/name' })
    form.begin(benchmark('piqa'))
    expect(form.fields.model).toBe('org/name')
  })

  test('keeps the included model when there is nothing to suggest', async () => {
    const { form } = await openForm({}, { listSuggestedModels: () => Promise.reject(new Error('gone')) })
    form.begin(benchmark('hellaswag'))
    expect([form.fields.model, form.begun?.isModelOurs]).toEqual(['yardstick/pocket', false])
  })

  test('replaces its own limit, never one that was typed', async () => {
    const { form } = await openForm()
    form.begin(benchmark('hellaswag'))
    form.begin(benchmark('mmlu'))
    expect(form.fields.limit).toBe('5')
    form.fields.limit = '37'
    form.begin(benchmark('arc'))
    expect([form.fields.limit, form.fields.tasks]).toEqual(['37', ['arc_easy', 'arc_challenge']])
  })

  test('runs on all docs when asked to', async () => {
    const { form } = await openForm()
    form.begin(benchmark('hellaswag'))
    form.useAllDocs()
    expect((await form.read())?.limit).toBeNull()
  })

  test('is offered only when all its tasks are there', async () => {
    const { form } = await openForm()
    expect(benchmarks.filter((one) => form.offers(one)).map(({ id }) => id)).toEqual(['hellaswag', 'arc', 'mmlu', 'truthfulqa'])
  })

  test('is known again by its tasks in any order, and by nothing less', () => {
    expect(benchmarkOf(['arc_challenge', 'arc_easy'])?.id).toBe('arc')
    expect(benchmarkOf(['arc_easy'])).toBeNull()
    expect(benchmarkOf(['arc_easy', 'arc_challenge', 'piqa'])).toBeNull()
  })
})

describe('a suggested model', () => {
  test('is looked up only where the choice rests', async () => {
    const { form, lookUps } = await openForm()
    const before = lookUps()
    for (const id of ['o/1', 'o/2', 'o/3']) {
      form.chooseSuggested(suggestedModel({ id }))
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(lookUps()).toBe(before)
    await vi.advanceTimersByTimeAsync(1000)
    expect(lookUps()).toBe(before + 1)
  })

  test('isn’t looked up when another kind of model was chosen meanwhile', async () => {
    const { form, lookUps } = await openForm()
    const before = lookUps()
    form.chooseSuggested(suggestedModel())
    form.chooseHub()
    await vi.advanceTimersByTimeAsync(1000)
    expect([lookUps(), form.fields.model]).toEqual([before, ''])
  })

  test('that a link names is chosen in the list, with the link’s weights, and nothing is asked of the Hub', async () => {
    const { form, lookUps } = await openForm({ model: 'made-up/small-135M', dtype: 'fp16', tasks: 'bench' })
    await vi.advanceTimersByTimeAsync(1000)
    expect([form.source, form.fields.dtype, lookUps()]).toEqual(['suggested', 'fp16', 0])
  })

  test('at another revision is a model of the Hub like any other', async () => {
    const { form } = await openForm({ model: 'made-up/small-135M', revision: 'v2' })
    expect(form.source).toBe('hub')
  })

  test('starts with the default when it doesn’t offer the recommended weights', async () => {
    const { form } = await openForm()
    form.chooseSuggested(suggestedModel({ dtype: 'q1' }))
    await vi.advanceTimersByTimeAsync(1000)
    expect(form.fields.dtype).toBe('')
  })
})

test('a task file added while the first list is under way stays, also when that list comes later', async () => {
  const fake = createFakeClient()
  let giveFirst: () => void = () => undefined
  const firstGiven = new Promise<void>((resolve) => {
    giveFirst = resolve
  })
  const client = {
    ...fake,
    listTasks: async (files: Parameters<typeof fake.listTasks>[0]) => {
      if (files.length === 0) await firstGiven
      return fake.listTasks(files)
    },
  }
  const catalogue = new Catalogue(client)
  const form = new SetupForm(client, catalogue, new LocalFiles(client))
  const opening = form.open({})
  await form.addTaskFiles([{ path: 'mine.yaml', text: 'task: mine' }])
  giveFirst()
  await vi.advanceTimersByTimeAsync(10)
  await opening
  expect(form.fields.tasks).toContain('mine')
  expect(catalogue.tasks).toMatchObject({ state: 'ready' })
  expect(catalogue.tasks.state === 'ready' && catalogue.tasks.value.map(({ name }) => name)).toContain('mine')
})

test('a run of a task whose own data file is not here doesn’t start, and says which', async () => {
  const listed = [taskListing('mine', { dataFiles: ['data/rows.jsonl', 'parts/*.jsonl', 'https://host/x.jsonl'] })]
  const { form, local } = await openForm({}, { listTasks: async () => ({ tasks: listed, problems: [] }) })
  form.fields.tasks = ['mine']
  expect(await form.read()).toBeNull()
  expect(form.problems).toEqual([{ field: 'tasks', kind: 'missing-file', found: 'data/rows.jsonl' }])
  await local.addDataFiles([{ path: 'rows.jsonl', file: new Blob(['{}']) }])
  expect(await form.read()).toMatchObject({ tasks: ['mine'] })
  expect(form.problems).toEqual([])
})

test('tasks that were chosen stay when one’s own is added', async () => {
  const client = createFakeClient()
  const form = new SetupForm(client, new Catalogue(client), new LocalFiles(client))
  await form.open({})
  const [preset = ''] = form.fields.tasks
  form.toggleTask(preset, false)
  form.toggleTask(preset, true)
  await form.addTaskFiles([{ path: 'mine.yaml', text: 'task: mine' }])
  expect(form.fields.tasks).toEqual([preset, 'mine'])
})
