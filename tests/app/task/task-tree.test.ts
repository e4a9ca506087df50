import { describe, expect, test } from 'vitest'
import { taskRows, type TaskView } from '../../../src/app/task/task-tree.ts'
import type { TaskListing } from '../../../src/contracts/listings.ts'
import { taskListing } from '../builders.ts'

const group = (name: string, members: readonly string[]) => taskListing(name, { kind: 'group', outputType: null, members })
const tag = (name: string, members: readonly string[]) => taskListing(name, { kind: 'tag', outputType: null, members })
const many = Array.from({ length: 12 }, (_, index) => `lang_${index}`)
const tasks: readonly TaskListing[] = [
  taskListing('arc_easy'),
  ...many.map((name) => taskListing(name)),
  tag('languages', many),
  tag('short_tag', ['arc_easy']),
  taskListing('stem_physics'),
  taskListing('stem_maths'),
  group('stem', ['stem_physics', 'stem_maths', 'not_listed']),
  group('exams', ['stem', 'exams']),
]
const rows = (view: Partial<TaskView> = {}) => taskRows(tasks, { search: '', expanded: new Set(), chosen: [], ...view })
const shown = (view: Partial<TaskView> = {}) => rows(view).map(({ depth, listing }) => `${'  '.repeat(depth)}${listing.name}`)

describe('the list of tasks', () => {
  test('begins with groups and tags, and folds away what they hold', () => {
    expect(shown()).toEqual(['exams', 'languages', 'short_tag', 'arc_easy'])
  })

  test('unfolds a group in its own order, and groups within it', () => {
    expect(shown({ expanded: new Set(['exams', 'exams/stem']) })).toEqual([
      'exams',
      '  stem',
      '    stem_physics',
      '    stem_maths',
      'languages',
      'short_tag',
      'arc_easy',
    ])
  })

  test('says which chosen group asks for a task already, through groups in between', () => {
    const all = rows({ expanded: new Set(['exams', 'exams/stem']), chosen: ['exams'] })
    expect(all.map(({ listing, coveredBy }) => [listing.name, coveredBy]).slice(0, 4)).toEqual([
      ['exams', null],
      ['stem', 'exams'],
      ['stem_physics', 'exams'],
      ['stem_maths', 'exams'],
    ])
  })

  test('a search finds folded tasks by any words, in any order', () => {
    expect(shown({ search: 'physics STEM' })).toEqual(['stem_physics'])
    expect(shown({ search: 'stem' })).toEqual(['stem', 'stem_maths', 'stem_physics'])
    expect(shown({ search: 'multiple lang_1' })).toEqual(['lang_1', 'lang_10', 'lang_11'])
  })

  test('has a key of its own for a task that stands in two places', () => {
    const keys = rows({ expanded: new Set(['exams', 'exams/stem', 'short_tag', 'languages']) }).map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('lays three thousand tasks out within a frame or two', () => {
    const names = Array.from({ length: 3000 }, (_, index) => `task_${index}`)
    const large = [...names.map((name) => taskListing(name)), ...names.slice(0, 60).map((name) => group(`g_${name}`, names))]
    const began = performance.now()
    taskRows(large, { search: '', expanded: new Set(['g_task_0']), chosen: names })
    // Not a measurement: only a quadratic walk takes this long.
    expect(performance.now() - began).toBeLessThan(2000)
  })
})
