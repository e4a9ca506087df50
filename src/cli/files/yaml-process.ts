/** The process behind `yaml-gate.ts`: reads the files that it is given one after the other, and says a line before each. */
import { readFileSync, writeSync } from 'node:fs'
import { isEvalError } from '../../base/errors.ts'
import { readYaml } from '../../python/yaml/parse.ts'

// What `yaml-gate.ts` sends.
const files = JSON.parse(readFileSync(0, 'utf8')) as readonly { readonly path: string; readonly text: string }[]
for (const { path, text } of files) {
  writeSync(1, '.\n')
  try {
    readYaml(text, path)
  } catch (error) {
    // What the parser refuses it refuses as fast elsewhere; what ran out of stack may end a process that is called from deeper down.
    if (!isEvalError(error) || /call stack/.test(error.message)) process.exit(1)
  }
}
