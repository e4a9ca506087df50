/** One process that runs cases under a deadline; a case that loops or takes all memory costs that process, not the command. */
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../src/cli/browser/child-environment.ts'

const workerFile = fileURLToPath(new URL('./case-worker.ts', import.meta.url))
const maxHeapMiB = 2048

/**
 * Runs cases one after the other, in a process that is replaced when it had to be ended. A process and not a worker thread: the loader that
 * lets Node 20 read TypeScript doesn't reach into threads.
 */
export class CaseProcess {
  private readonly deadlineMs: number
  private child: Promise<ChildProcess> | null = null

  constructor(deadlineMs: number) {
    this.deadlineMs = deadlineMs
  }

  /** What differs in the case; null when nothing does. Rejects only when no process can be started. */
  async check(line: string): Promise<string | null> {
    this.child ??= startChild()
    const child = await this.child
    const { difference, isAlive } = await ask(child, line, this.deadlineMs)
    if (!isAlive) {
      this.child = null
      child.kill('SIGKILL')
    }
    return difference
  }

  async close(): Promise<void> {
    const child = await this.child
    child?.kill('SIGKILL')
    this.child = null
  }
}

interface Answer {
  readonly difference: string | null
  /** False when the process is gone, or has to go. */
  readonly isAlive: boolean
}

function ask(child: ChildProcess, line: string, deadlineMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const finish = (answer: Answer): void => {
      clearTimeout(timer)
      child.removeAllListeners()
      // What happens to a process that is being ended must not end the command.
      child.on('error', () => undefined)
      resolve(answer)
    }
    const timer = setTimeout(() => finish({ difference: `not done within ${deadlineMs / 1000} s`, isAlive: false }), deadlineMs)
    child.once('message', (message) => finish({ difference: readDifference(message), isAlive: true }))
    child.once('error', (error) => finish({ difference: `crashed: ${error.message}`, isAlive: false }))
    child.once('exit', (code, signal) =>
      finish({ difference: `crashed: its process ended (${signal ?? code ?? 'unknown'})`, isAlive: false }),
    )
    child.send(line)
  })
}

function readDifference(message: unknown): string | null {
  if (typeof message !== 'object' || message === null || !('difference' in message)) return 'crashed: its process gave no answer'
  const { difference } = message
  return difference === null || typeof difference === 'string' ? difference : 'crashed: its process gave no answer'
}

/** A process that has loaded its modules, so that a deadline counts the case alone. */
function startChild(): Promise<ChildProcess> {
  const loader = process.execArgv.some((argument) => argument.includes('tsx')) ? process.execArgv : ['--import', 'tsx']
  const child = fork(workerFile, [], {
    execArgv: [...loader, `--max-old-space-size=${maxHeapMiB}`],
    // What V8 prints when memory runs out is no result.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: childEnvironment(),
  })
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(new Error('No process could be started to run the cases in.'))
    child.once('error', gone)
    child.once('exit', gone)
    child.once('message', () => {
      child.removeAllListeners()
      resolve(child)
    })
  })
}
