/** `npm start`: builds the app if need be, serves it, prints its address. */
import { buildIfStale, distFolder } from '../src/cli/browser/build.ts'
import { serve } from '../src/cli/browser/serve.ts'
import { namesOf } from '../src/cli/browser/this-machine.ts'

const defaultPort = 4173

/** The port to listen on, from `PORT`. Throws for what is no port. */
function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return defaultPort
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`PORT: wanted a number from 0 to 65535, found ${JSON.stringify(text)}`)
  return port
}

/** The names of `ALLOWED_HOSTS`, which a proxy or a forwarded port may reach us by; `.example.org` stands for every name below it. */
function readHosts(text: string | undefined): string[] {
  const names = (text ?? '').split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '')
}

async function main(): Promise<void> {
  const port = readPort(process.env['PORT'])
  const asked = process.env['HOST'] ?? ''
  const bind = asked === '' || asked === 'localhost' ? '127.0.0.1' : asked
  buildIfStale((line) => process.stderr.write(`${line}\n`))
  const answersTo = namesOf(bind, readHosts(process.env['ALLOWED_HOSTS']))
  const server = await serve({ folder: distFolder, port, bind, answersTo })
  process.stdout.write(`Yardstick is at ${server.address}\n`)
}

main().catch((error: unknown) => {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(isTaken ? `The port is taken (${message}): choose another with PORT=…\n` : `${message}\n`)
  process.exitCode = 1
})
