/** One doc of a task as the model is asked it: texts, tokens with their borders, and what looks wrong with its white space. */
import { EvalError, isEvalError } from '../base/errors.ts'
import { sha256 } from '../base/sha256.ts'
import type { TextRequest } from '../contracts/requests.ts'
import { requestWarnings, walkRequests, type DocRequests, type RequestSettings } from '../harness/requests/output-types.ts'
import { lintDocs, type Finding, type LintedDoc } from '../harness/requests/prompt-lint.ts'
import type { PromptTask } from '../harness/requests/task.ts'
import { rstrip } from '../python/string.ts'
import { isList, repr, str, toNumber, type PyDict, type PyValue } from '../python/value.ts'
import type { DocView, RequestTokens, RequestView } from '../rpc/task-preview-api.ts'
import { encodePair, encodeRolling } from '../tokenizing/encode.ts'
import { promptPieces } from '../tokenizing/prompt-tokens.ts'
import { piecesOf } from '../tokenizing/token-pieces.ts'
import type { Tokenizer } from '../tokenizing/tokenizer.ts'

/** Docs that are looked through for white space. */
const lintedDocs = 50
/** Characters of a column's value that are shown. */
const fieldCharacters = 600

/** The view of one doc. Throws as `walkRequests`, and `settings/invalid` for a doc beyond the last. */
export function makeDocView(task: PromptTask, docId: number, settings: RequestSettings, tokenizer: Tokenizer | null): DocView {
  const asked = findDoc(task, docId, settings)
  const [first] = asked.requests
  const firstContext = first === undefined ? '' : contextOf(first)
  const linted = task.evalDocs.slice(0, lintedDocs)
  const docs = linted.includes(asked.doc) ? linted : [asked.doc, ...linted]
  const gold = goldOf(task, asked)
  const requests = asked.requests.map((request, index) =>
    requestView(request, { index, firstContext, isGold: gold.includes(index), tokenizer }),
  )
  return {
    task: task.name,
    docId,
    docs: task.evalDocs.length,
    numFewshot: settings.numFewshot,
    target: str(asked.target),
    requests,
    fields: [...asked.doc].map(([name, value]) => [name, cut(typeof value === 'string' ? value : repr(value))] as const),
    findings: [...doubledFindings(first, asked, task, settings, tokenizer), ...lintDocs(docs.map((doc) => lintedDoc(task, doc, settings)))],
    lintedDocs: docs.length,
    warnings: requestWarnings(task, settings),
    promptHash: sha256(firstContext),
  }
}

/** Docs are walked from the first one, since their examples are drawn one after the other. */
function findDoc(task: PromptTask, docId: number, settings: RequestSettings): DocRequests {
  // Without examples no doc depends on those before it.
  const alone = settings.numFewshot === 0 ? { ...settings, samples: [docId] } : { ...settings, limit: docId + 1 }
  if (docId < task.evalDocs.length) for (const doc of walkRequests(task, alone)) if (doc.docId === docId) return doc
  throw new EvalError('settings/invalid', `task '${task.name}' has ${task.evalDocs.length} docs here; wanted doc ${docId}`, {
    details: { task: task.name, found: docId, docs: task.evalDocs.length },
  })
}

function contextOf(request: TextRequest): string {
  return request.type === 'loglikelihood_rolling' ? request.text : request.context
}

interface RequestPlace {
  readonly index: number
  readonly firstContext: string
  readonly isGold: boolean
  readonly tokenizer: Tokenizer | null
}

function requestView(request: TextRequest, { index, firstContext, isGold, tokenizer }: RequestPlace): RequestView {
  const context = contextOf(request)
  const isShown = index === 0 || context !== firstContext
  const view = {
    type: request.type,
    context: isShown ? context : null,
    continuation: request.type === 'loglikelihood' ? request.continuation : '',
    kwargs: request.type === 'generate_until' ? request.kwargs : null,
    isGold,
  }
  if (tokenizer === null) return { ...view, tokens: null, problem: null }
  try {
    return { ...view, tokens: tokensOf(request, tokenizer, isShown), problem: null }
  } catch (error) {
    if (!isEvalError(error)) throw error
    return { ...view, tokens: null, problem: error.message }
  }
}

function tokensOf(request: TextRequest, tokenizer: Tokenizer, isContextShown: boolean): RequestTokens {
  const { context, continuation } = encodeRequest(request, tokenizer)
  return {
    context: isContextShown ? promptPieces(context, tokenizer) : [],
    continuation: piecesOf(continuation, tokenizer, context.slice(-1)),
    contextCount: context.length,
    continuationCount: continuation.length,
    cut: request.type === 'loglikelihood' ? Math.max(0, context.length + continuation.length - 1 - tokenizer.maxLength) : 0,
  }
}

function encodeRequest(request: TextRequest, tokenizer: Tokenizer): { context: readonly number[]; continuation: readonly number[] } {
  switch (request.type) {
    case 'loglikelihood':
      return encodePair(tokenizer, request.context, request.continuation)
    case 'loglikelihood_rolling':
      return { context: [], continuation: encodeRolling(tokenizer, request.text).flatMap(({ target }) => [...target]) }
    case 'generate_until':
      return { context: tokenizer.encode(request.context), continuation: [] }
  }
}

/** Positions of the requests that are right. */
function goldOf(task: PromptTask, { doc, target }: DocRequests): readonly number[] {
  if (task.outputType !== 'multiple_choice') return []
  const gold: PyValue = task.multipleInput > 0 ? task.docToText(doc) : target
  const choices = task.docToChoice(doc).map(str)
  return (isList(gold) ? gold : [gold]).flatMap((one) => {
    const index = typeof one === 'string' ? choices.indexOf(one) : (toNumber(one) ?? -1)
    return index < 0 ? [] : [index]
  })
}

function lintedDoc(task: PromptTask, doc: PyDict, { chat }: RequestSettings): LintedDoc {
  const { targetDelimiter, genPrefix } = task.config
  const target = task.docToTarget(doc)
  const isChoice = task.outputType === 'multiple_choice'
  const choices = isChoice ? task.docToChoice(doc).map(str) : []
  // With several inputs the choices are the questions, and the target follows each.
  const isMulti = task.multipleInput > 0
  return {
    text: task.outputType === 'loglikelihood_rolling' ? '' : isMulti ? (choices[0] ?? '') : str(task.docToText(doc)),
    answers: isChoice && !isMulti ? choices : task.outputType === 'generate_until' || isList(target) ? [] : [str(target)],
    answerKey: isChoice && !isMulti ? 'doc_to_choice' : 'doc_to_target',
    delimiter: targetDelimiter,
    isSeamElsewhere: chat !== null || (genPrefix !== null && genPrefix !== ''),
  }
}

/** Marks that chat templates set; a question that brings some was put into a template before. */
const turnMarks = /<\|(?:im_start|start_header_id|begin_of_text|user|assistant|system)\|>|<start_of_turn>|\[INST\]|<s>\s*\[/

function doubledFindings(
  request: TextRequest | undefined,
  asked: DocRequests,
  task: PromptTask,
  { chat }: RequestSettings,
  tokenizer: Tokenizer | null,
): Finding[] {
  if (request === undefined) return []
  const found: Finding[] = []
  const context = contextOf(request)
  const question = task.multipleInput > 0 ? '' : str(task.docToText(asked.doc))
  const mark = turnMarks.exec(question)
  if (chat !== null && mark !== null)
    found.push({ code: 'doubled-template', key: 'doc_to_text', excerpt: question.slice(mark.index, mark.index + 32), docs: 1 })
  if (tokenizer?.bos === undefined || tokenizer.bos === null) return found
  const [bos, id] = tokenizer.bos
  const ids = tokenizer.encode(rstrip(context).slice(0, 200))
  if (ids[0] === id && ids[1] === id)
    found.push({ code: 'doubled-bos', key: 'doc_to_text', excerpt: context.slice(0, bos.length * 2 + 16), docs: 1 })
  return found
}

function cut(text: string): string {
  return text.length > fieldCharacters ? `${text.slice(0, fieldCharacters)}…` : text
}
