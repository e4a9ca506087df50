/** What we say beside the harness's results: other scores, averages, alarms, noise. */

/** A score of ours beside the harness's: it never stands in the harness's keys of the results file. */
export interface OwnScore {
  readonly task: string
  readonly metric: string
  /** Absent for unfiltered answers. */
  readonly filter?: string
  readonly value: number
  readonly stderr: number | 'N/A'
  readonly n: number
}

/** A group's score in both ways of averaging. */
export interface GroupAverage {
  readonly group: string
  readonly alias: string
  readonly metric: string
  readonly filter: string
  /** Every task counts the same. */
  readonly macro: number
  readonly macroStderr: number | 'N/A'
  /** Every doc counts the same. */
  readonly micro: number
  readonly microStderr: number | 'N/A'
  readonly tasks: number
  /** Docs that were scored, over all tasks. */
  readonly docs: number
  /** Which map of MMLU's subjects to areas the group's members follow; null where that is no question. */
  readonly categoryMap: 'hendrycks' | 'lm-evaluation-harness' | null
}

/** What one task with the `yardstick` key did, for the results file and the exports. */
export interface RecipeFacts {
  readonly task: string
  readonly recipe: string | null
  /** Ids of the choices' tokens, alone and with a blank before; null where the choices are scored as the harness does. */
  readonly tokens: readonly { readonly choice: string; readonly bare: number; readonly spaced: number }[] | null
  readonly tokensUsed: 'bare' | 'spaced' | 'continuation'
  /** Docs by the number of examples that they show. */
  readonly shots: { readonly [count: string]: number }
  readonly docs: number
  /** Docs with less than 5% of the probability on the choices; null where that isn't known. */
  readonly lowMassDocs: number | null
  readonly meanMass: number | null
  /** The csv file of the task's rows with the model's answers: path below the results folder, and its first line; null for none. */
  readonly csv: { readonly path: string; readonly header: string } | null
}

/** Replies of a task in which one of its filters found no answer; they count as wrong. */
export interface AnswerFailures {
  readonly task: string
  readonly alias: string
  readonly filter: string
  readonly n: number
  readonly failed: number
  /** The first mean under this filter, and its value; null where there is none. */
  readonly metric: string | null
  readonly value: number | null
  /** The same with a seeded random letter for each failure: not the harness's score. Null unless the run asked for it. */
  readonly guessed: { readonly seed: number; readonly docs: readonly number[]; readonly value: number } | null
}

/** How two verdicts on the same docs agree. */
export interface VerdictAgreement {
  readonly n: number
  readonly agree: number
  readonly disagree: number
  /** Ids of docs that were wrong before and are right now, and the other way round; in the order given. */
  readonly gained: readonly number[]
  readonly lost: readonly number[]
  /** Share right now less share right before. */
  readonly difference: number
  /** Exact two-sided McNemar test of gained against lost; 1 when no doc changed sides. */
  readonly p: number
}

/** A task's verdicts beside those that were published with its rows, under one filter. */
export interface PublishedAgreement extends VerdictAgreement {
  readonly task: string
  /** Where the published verdicts stand. */
  readonly column: string
  readonly metric: string
  readonly filter: string
  /** Cohen's; null where chance alone makes both agree always. */
  readonly kappa: number | null
  /** Docs without a published verdict. */
  readonly unknown: number
}

/** Docs of a task that the difference between the scoring paths could decide otherwise. */
export interface TieBand {
  readonly task: string
  /** Docs with a margin below this count: twice the difference seen. */
  readonly nats: number
  readonly docs: readonly number[]
  /** A score's value if all of these docs were wrong, and if all were right. */
  readonly bands: readonly { readonly metric: string; readonly low: number; readonly high: number }[]
}

/** What differs between some of a run's tasks and a recipe under which their benchmark was published. */
export interface RecipeDifference {
  readonly recipe: string
  /** Where what is said of the recipe comes from. */
  readonly source: string
  readonly tasks: readonly string[]
  /** Sentences; none where nothing known differs. */
  readonly differs: readonly string[]
}

/** How answers differ when the same is computed again. */
export interface NoiseFacts {
  /** Log-probabilities compared, those that are the same to the last bit, and the absolute differences in nats. */
  readonly logprobs: number
  readonly identical: number
  readonly maxAbsDiff: number
  readonly meanAbsDiff: number
  /** How many `is_greedy` differ. */
  readonly greedyFlips: number
  /** Texts written again, and those whose tokens are the same. */
  readonly texts: number
  readonly sameTexts: number
}

/** Repeat-run noise of a run, measured on its first items. */
export interface RunVariance {
  readonly items: number
  /** The items of a planned batch together, against the same together again. */
  readonly again: NoiseFacts
  /** Each item in a forward pass of its own (batch 1), against the same items together. */
  readonly alone: NoiseFacts
  /** Each item alone, against each alone again; absent in runs of earlier versions. */
  readonly aloneAgain?: NoiseFacts
}

/** A sign that a score is no measurement; see `viewer/alarms.ts`. */
export type Alarm =
  | { readonly kind: 'equal-choices' | 'not-finite' | 'no-answer'; readonly docs: number; readonly of: number }
  | {
      readonly kind: 'one-position'
      readonly norm: 'acc' | 'acc_norm'
      readonly position: number
      readonly picked: number
      readonly gold: number
      readonly of: number
    }
  /** `of` = replies in which the first filter found a letter. */
  | { readonly kind: 'one-letter'; readonly letter: string; readonly picked: number; readonly gold: number; readonly of: number }
  | { readonly kind: 'low-mass'; readonly docs: number; readonly of: number; readonly meanMass: number }

/** Docs of a task whose prompts were longer than the model's window and lost their beginning. */
export interface CutPrompts {
  readonly task: string
  readonly docs: readonly number[]
  /** Of the prompt that lost most. */
  readonly mostTokens: number
}

/** Docs of a task whose right answer is none of their choices: wrong whatever is picked. */
export interface GoldsOutside {
  readonly task: string
  readonly docs: readonly number[]
  /** The first doc's gold, as Python prints it. */
  readonly example: string
}

export interface TokenCount {
  readonly tokens: number
  readonly seconds: number
}

/** Where the time of a session's answers went. Texts' passes are among them. */
export interface PassTimes {
  readonly passes: number
  /** Inside ONNX Runtime, and altogether from the first batch to the last answer kept. */
  readonly insideSeconds: number
  readonly wallSeconds: number
  /** What passes cost whatever is in them (`PassCosts.runMs` of each), most of it dispatching kernels: an estimate. Null where it wasn't measured. */
  readonly fixedSeconds: number | null
}

/** How fast the model was in the session that ended the run; null for what it wasn't asked for. */
export interface RunSpeed {
  /** Tokens computed for log-likelihoods. */
  readonly scored: TokenCount | null
  /** Tokens of texts, and the time after their prompts were read. */
  readonly written: TokenCount | null
  /** Absent in runs of earlier versions. */
  readonly times?: PassTimes
}

/** What we say beside the harness's results. */
export interface OwnResults {
  /** Absent in runs of earlier versions, and in merged ones. */
  readonly alarms?: readonly { readonly task: string; readonly alarm: Alarm }[]
  /** Absent in runs of earlier versions. */
  readonly cuts?: readonly CutPrompts[]
  /** Absent in runs of earlier versions. */
  readonly goldsOutside?: readonly GoldsOutside[]
  /** Not in a results file unasked, since a resumed run writes one like an uninterrupted run's; `times` are once speed is measured. Absent where nothing was computed. */
  readonly speed?: RunSpeed
  readonly scores: readonly OwnScore[]
  readonly averages: readonly GroupAverage[]
  readonly recipes: readonly RecipeFacts[]
  /** Absent in runs of earlier versions. */
  readonly agreements?: readonly PublishedAgreement[]
  /** Absent in runs of earlier versions. */
  readonly failures?: readonly AnswerFailures[]
  /** Of runs on the fast path, tasks with near ties only. */
  readonly ties?: readonly TieBand[]
  /** Absent in runs of earlier versions. */
  readonly published?: readonly RecipeDifference[]
  /** Only where it was asked for. */
  readonly noise?: RunVariance
  /** Small files to write beside the results: path below the results folder, and text. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
}
