/** What is measured after a run has ended, put into its results file. */
import { EvalError, type JsonObject } from '../base/errors.ts'
import type { RunSummary } from '../contracts/results.ts'

/**
 * The results with `value` under `yardstick.KEY`, first among its keys and in place of an earlier one. Nothing else of the text changes, since Python prints
 * numbers otherwise than JavaScript does. `key`: lower-case letters and underscores.
 */
export function withOwnKey<R extends Pick<RunSummary, 'resultsFile' | 'resultsText'>>(results: R, key: string, value: JsonObject): R {
  const opening = '  "yardstick": {\n'
  const { resultsText, resultsFile } = results
  if (!resultsText.includes(`\n${opening}`)) throw new EvalError('internal', 'these results have no key "yardstick"')
  const rest = resultsText.replace(new RegExp(`^ {4}"${key}": .*\\n`, 'm'), '')
  const own = resultsFile['yardstick']
  return {
    ...results,
    resultsText: rest.replace(`\n${opening}`, () => `\n${opening}    "${key}": ${JSON.stringify(value)},\n`),
    resultsFile: {
      ...resultsFile,
      yardstick: { ...(typeof own === 'object' && own !== null && !Array.isArray(own) ? own : {}), [key]: value },
    },
  }
}
