/** `npm start`: builds the app if need be, serves it, prints its address. */
import { buildIfStale, distFolder } from './lib/build.ts'
import { serve } from './lib/serve.ts'

const defaultPort = 4173

/** The port to listen on, from `PORT`. Throws for what is no port. */
function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return defaultPort
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`PORT: wanted a number from 0 to 65535, found ${JSON.stringify(text)}`)
  return port
}

async function main(): Promise<void> {
  const port = readPort(process.env['PORT'])
  buildIfStale((line) => process.stderr.write(`${line}\n`))
  const server = await serve({ folder: distFolder, port })
  process.stdout.write(`Yardstick is at ${server.address}\n`)
}

main().catch((error: unknown) => {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(isTaken ? `The port is taken (${message}): choose another with PORT=…\n` : `${message}\n`)
  process.exitCode = 1
})
