/**
 * Runs jobs one at a time, in the order given; a job that fails doesn't stop the next.
 *
 * Overlapping ONNX Runtime calls in one worker hang or read out of bounds (two sessions, or one), so every call goes through one queue.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  async run<T>(job: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(job)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
