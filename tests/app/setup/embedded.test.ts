import { expect, test } from 'vitest'
import { readEmbeddedModels } from '../../../src/app/setup/embedded.ts'

const file = {
  models: [
    { id: 'y/gqa', family: 'gqa', dtypes: ['q4'], revisions: ['main'], parameters: 10, license: 'apache-2.0', default_dtype: 'q4' },
    { id: 'y/base', family: 'decomposed', dtypes: ['fp32', 'q4'], revisions: ['main', 'step-1'] },
  ],
  default: { model: 'y/base', dtype: 'q4', tasks: ['bench'] },
}

test('puts the default first and offers its tasks', () => {
  const [first, second] = readEmbeddedModels(file)
  expect(first).toMatchObject({ id: 'y/base', isDefault: true, defaultTasks: ['bench'], revisions: ['main', 'step-1'], parameters: null })
  expect(second).toMatchObject({ id: 'y/gqa', isDefault: false, family: 'gqa', parameters: 10, defaultDtype: 'q4' })
})

test.each([null, {}, { models: 3 }, [{ name: 'no id' }]])('refuses %j', (json) => {
  expect(() => readEmbeddedModels(json)).toThrow(expect.objectContaining({ code: 'hub/corrupt' }))
})
