/** A process that runs cases: a line of the corpus comes in, `{ difference }` goes out. It says `ready` once its modules are loaded. */
import { checkCase } from './check-case.ts'

process.on('message', (line: unknown) => {
  process.send?.({ difference: checkCase(String(line)) })
})
// Without its parent there is nobody to answer to.
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
