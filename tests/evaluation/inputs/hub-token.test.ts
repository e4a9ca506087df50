import { describe, expect, it } from 'vitest'
import { checkToken } from '../../../src/evaluation/inputs/hub-token.ts'

/** What `whoami-v2` answers for a token. */
async function verdictOf(accessToken: object): Promise<string> {
  const answer = { type: 'user', name: 'ada', auth: { type: 'access_token', accessToken: { displayName: 'mine', ...accessToken } } }
  const { verdict } = await checkToken(() => Promise.resolve(Response.json(answer)), 'https://hub.invalid', 'hf_abcdefgh')
  return verdict
}
const scoped = (...permissions: readonly string[]) => ({
  role: 'fineGrained',
  fineGrained: { canReadGatedRepos: true, global: [], scoped: [{ entity: { type: 'user', name: 'write' }, permissions }] },
})

describe('a Hub token', () => {
  it.each([
    [{ role: 'read' }, 'accepted'],
    [{ role: 'write' }, 'may-write'],
    [{ role: 'admin' }, 'may-write'],
    [{ role: 'god' }, 'may-write'],
    [scoped('repo.content.read', 'inference.serverless.read', 'user.billing.read'), 'accepted'],
    [scoped('repo.content.read', 'repo.write'), 'may-write'],
    [scoped('repo.content.read', 'repo.access.write'), 'may-write'],
    ...['discussion.write', 'post.write', 'inference.endpoints.write', 'user.webhooks.write', 'job.write', 'org.write', 'write'].map(
      (permission): [object, string] => [scoped('repo.content.read', permission), 'may-write'],
    ),
    [{ role: 'fineGrained', fineGrained: { global: ['post.write'], scoped: [] } }, 'may-write'],
    [{ role: 'fineGrained', fineGrained: { later: { permissions: [{ name: 'collection.write' }] }, scoped: [] } }, 'may-write'],
    [{ role: 'fineGrained', fineGrained: { scoped: [null, { permissions: null }] } }, 'accepted'],
  ])('%j is %s', async (token, expected) => {
    expect(await verdictOf(token)).toBe(expected)
  })
})
