/** Revisions ticked from a Hub's list, beside those that are typed. */
import { describe, expect, test } from 'vitest'
import { RevisionChoice, namedIn, withRevisions } from '../../../src/app/compare/revision-choice.svelte.ts'
import { createFakeClient } from '../fake-client.ts'

describe('the list of a model’s revisions', () => {
  test('stands in the order of training steps as numbers, those without one last', async () => {
    const client = createFakeClient()
    const choice = new RevisionChoice(client)
    expect(client.calls).toEqual([])
    await choice.list('org/trained')
    expect(choice).toMatchObject({ state: 'ready', model: 'org/trained', names: ['step-20', 'step-300', 'step-1000', 'main'] })
  })

  test('is asked of nobody for a model that comes with the page', async () => {
    const client = createFakeClient()
    const choice = new RevisionChoice(client)
    await choice.list('yardstick/pocket')
    expect(choice.names).toEqual(['step-1000', 'step-3000', 'main'])
    expect(client.calls).not.toContain('listRefs yardstick/pocket')
  })

  test('is absent where the Hub gives none, and the answer for an earlier model doesn’t take a later one’s place', async () => {
    const choice = new RevisionChoice(createFakeClient())
    const first = choice.list('org/missing')
    await choice.list('org/trained')
    await first
    expect([choice.state, choice.model]).toEqual(['ready', 'org/trained'])
    await choice.list('org/missing')
    expect([choice.state, choice.error?.code]).toEqual(['absent', 'hub/not-found'])
  })
})

test('ticking adds to what is typed, each once; patterns stay until one of theirs is unticked', () => {
  expect(withRevisions('', ['a'], true)).toBe('a')
  expect(withRevisions('step-{10..30..10} main', ['step-20', 'b'], true)).toBe('step-{10..30..10}, main, b')
  expect(withRevisions('step-{10..30..10}, main', ['main'], false)).toBe('step-{10..30..10}')
  expect(withRevisions('step-{10..30..10}, main', ['step-20'], false)).toBe('step-10, step-30, main')
  expect(withRevisions('a, b', ['a', 'b'], false)).toBe('')
  expect(namedIn('broken-{1..')).toEqual([])
  expect(withRevisions('broken-{1.., a', ['a'], false)).toBe('broken-{1..')
})
