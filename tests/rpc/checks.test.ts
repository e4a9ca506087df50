import { describe, expect, it } from 'vitest'
import { check, checked, checkSettings, forwardAnswersSchema, runEventSchema } from '../../src/rpc/checks.ts'
import { defaultSettings } from '../support/default-settings.ts'

const settings = { ...defaultSettings, model: 'm/x', tasks: ['t'], genKwargs: { until: ['\n'] } }

describe('settings', () => {
  it('pass when complete', () => {
    expect(checkSettings(settings)).toEqual(settings)
  })

  it.each([
    [{ device: 'cuda' }, 'device', 'cuda'],
    [{ numFewshot: -1 }, 'numFewshot', '-1'],
    [{ numFewshot: 1.5 }, 'numFewshot', '1.5'],
    [{ limit: 0 }, 'limit', '0'],
    [{ tasks: [] }, 'tasks', '0'],
    [{ seeds: { random: 'x', numpy: 1, torch: 1, fewshot: 1 } }, 'seeds.random', '"x"'],
    [{ extra: 1 }, 'extra', '"extra"'],
    [{ model: undefined }, 'model', 'undefined'],
  ])('name the key at fault: %j', (change, key, found) => {
    expect.assertions(2)
    try {
      checkSettings({ ...settings, ...change })
    } catch (error) {
      expect(error).toMatchObject({ code: 'settings/invalid', details: { key } })
      expect(String(error)).toContain(found)
    }
  })
})

describe('messages', () => {
  it('let events through unchanged', () => {
    const event = { type: 'bytes', file: 'a', loaded: 1, total: null }
    expect(check(runEventSchema, event, 'event')).toEqual(event)
  })

  it('refuse an unknown event', () => {
    expect(() => check(runEventSchema, { type: 'shout' }, 'event')).toThrow(/event: 'type' must be/)
  })

  it('refuse a NaN log-probability', async () => {
    const answers = [{ answers: [{ logprob: NaN, isGreedy: false }], tokenLogprobs: [new Float32Array(1)] }]
    await expect(checked(forwardAnswersSchema, Promise.resolve(answers), 'score')).rejects.toMatchObject({
      code: 'worker/message',
      message: "score: '0.answers.0.logprob' must be number, not NaN.",
    })
  })

  it('refuse answers without their per-token lists', async () => {
    const answers = [{ answers: [{ logprob: -1, isGreedy: false }], tokenLogprobs: [] }]
    await expect(checked(forwardAnswersSchema, Promise.resolve(answers), 'score')).rejects.toMatchObject({ code: 'worker/message' })
  })
})
