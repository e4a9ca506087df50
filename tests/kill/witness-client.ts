/** The kill test's side of the witness inside the browser: what the doubles of the workers report, synchronously, so that no report is lost. */
import type { FailPoint } from '../../src/base/fail-point.ts'

/** What the witness may answer instead of nothing. */
export type Order = 'go' | 'close-worker' | 'throw'

const origin = new URL(import.meta.url).origin

/** Blocks until the witness has answered; it may kill the browser instead. A witness that can't be reached fails the test loudly. */
export function report(path: string, body: unknown): Order {
  const request = new XMLHttpRequest()
  request.open('POST', `${origin}/witness/${path}`, false)
  request.send(JSON.stringify(body))
  if (request.status !== 200) throw new Error(`the witness answered ${request.status}`)
  const order = request.responseText
  if (order === 'close-worker') {
    globalThis.close()
    throw new Error('closed by the witness')
  }
  return order === 'throw' ? 'throw' : 'go'
}

/** From now on every fail point asks the witness. */
export function askAtFailPoints(): void {
  globalThis.yardstickFailPoint = (name: FailPoint) => {
    report('fail-point', { name })
  }
}
