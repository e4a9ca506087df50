/** A judge by log-probability is a task of the harness's: lm_eval 0.4.13 ran its task file unchanged (golden), and decides as we do. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { judgeTask, quizTaskName, rowsPath } from '../../../src/analysis/judge/judge-task.ts'
import { judgeQuiz, quizRows, scoreQuiz } from '../../../src/analysis/judge/quiz.ts'
import { verdictOfLogprobs, verdictTexts } from '../../../src/analysis/judge/verdict.ts'
import type { Json } from '../../../src/base/errors.ts'
import { walkRequests } from '../../../src/harness/requests/output-types.ts'
import { buildTask } from '../../../src/harness/requests/task.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { fromJson, isDict } from '../../../src/python/value.ts'
import { readYamlMapping } from '../../../src/python/yaml/parse.ts'
import { embeddedFolder } from '../../engines/embedded.ts'
import { openAsked, readHarness } from '../../engines/held-to-harness.ts'
import { plainSettings } from '../../requirements/run-task.ts'
import { tableOf } from '../../support/tables.ts'

const golden = 'tests/goldens/judge'
/** Braces, quotes and line ends are Jinja's and YAML's business as well. */
const template = 'Same value? "{% raw %}" {{ 7 * 7 }}\n7/2 and 3.5: [Yes]\n7/2 and 4: [No]\n{obj_gold} and {prediction}: '
const task = judgeTask(quizTaskName, template, 'loglikelihood', true)

describe('a judge by log-probability', () => {
  it('is the task file that lm_eval was given, over the quiz', () => {
    if (process.env['YARDSTICK_WRITE'] !== undefined) {
      for (const folder of ['tasks', 'judge']) mkdirSync(`${golden}/${folder}`, { recursive: true })
      writeFileSync(`${golden}/tasks/${quizTaskName}.yaml`, task.text)
      writeFileSync(`${golden}/${rowsPath(quizTaskName)}`, quizRows())
    }
    expect(readFileSync(`${golden}/tasks/${quizTaskName}.yaml`, 'utf8')).toBe(task.text)
    expect(readFileSync(`${golden}/${rowsPath(quizTaskName)}`, 'utf8')).toBe(quizRows())
  })

  it.skipIf(embeddedFolder('pico') === null || !existsSync(`${golden}/harness.json`))(
    'asks, weighs and decides as the harness',
    async () => {
      const wanted = readHarness(golden).tasks[quizTaskName]
      const rows = quizRows()
        .trim()
        .split('\n')
        // What JSON.parse gives is JSON.
        .map((line) => fromJson(JSON.parse(line) as Json))
        .filter(isDict)
      const built = buildTask(
        readTaskConfig(readYamlMapping(task.text, task.path), task.path),
        { test: tableOf(rows) },
        { functions: functionTable() },
      )
      const docs = [...walkRequests(built, plainSettings)]
      expect(docs).toHaveLength(judgeQuiz.length)
      expect(
        new Set(docs.map(({ requests }) => requests.map((one) => (one.type === 'loglikelihood' ? one.continuation : '')).join())),
      ).toEqual(new Set([verdictTexts.join()]))
      const asked = await openAsked(embeddedFolder('pico') ?? '')
      const sums = await asked.hold(docs, wanted, 1e-3)
      await asked.close()
      const verdicts = sums.map(([yes = NaN, no = NaN]) => verdictOfLogprobs(yes, no))
      // Our count of right verdicts is the harness's acc.
      const { right, n } = scoreQuiz(verdicts)
      expect(right / n).toBe(wanted?.acc)
    },
    60_000,
  )
})
