/** Helpers of `french_bench/utils.py` and `french_bench/preprocess_wikitext.py`, lm_eval 0.4.13. */
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { lower, split } from '../../../python/string.ts'
import { str, type PyValue } from '../../../python/value.ts'
import { bareTokenF1 } from '../answers/token-f1.ts'
import { textOf } from '../columns.ts'
import { addQuery } from './hellaswag.ts'
import { detokenizeWiki, rollingScores } from './rolling.ts'

const articles = compileWhenUsed(String.raw`\b(un|une|des|le|la|les)\b`)

/** Lower case, without ASCII punctuation, French articles and extra space. */
function normalize(text: PyValue | undefined): string {
  return split(articles.sub(' ', lower(str(text ?? '')).replace(/[!-/:-@[-`{-~]/g, ''))).join(' ')
}

const tokens = (text: PyValue | undefined): readonly string[] => split(normalize(text))

export const frenchBench: FunctionFamily = {
  folder: 'french_bench',
  processDocs: { 'utils.process_docs': (docs) => docs.map(addQuery) },
  docTo: { 'preprocess_wikitext.wikitext_detokenizer': (doc) => detokenizeWiki(textOf(doc, 'paragraph')) },
  processResults: { 'preprocess_wikitext.process_results': (doc, results) => rollingScores(textOf(doc, 'paragraph'), results) },
  metric: {
    'utils.exact': ([gold], [said]) => (normalize(gold) === normalize(said) ? 1 : 0),
    'utils.f1': ([gold], [said]) => bareTokenF1(tokens(gold), tokens(said)),
    // The harness hands it `[gold, response]`.
    'utils.is_included': ([gold], [said]) => str(said ?? '').includes(str(gold ?? '')),
  },
}
