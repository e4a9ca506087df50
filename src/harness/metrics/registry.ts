/** The harness's registered metrics: default aggregation and direction. lm_eval 0.4.13, `lm_eval/api/metrics.py`. */
import type { OutputType } from '../../contracts/requests.ts'

export type AggregationName =
  | 'bypass'
  | 'nanmean'
  | 'mean'
  | 'median'
  | 'perplexity'
  | 'weighted_perplexity'
  | 'bits_per_byte'
  | 'f1'
  | 'matthews_corrcoef'
  | 'bleu'
  | 'chrf'
  | 'chrf++'
  | 'ter'
  | 'brier_score'
  | 'weighted_f1_score'
  | 'acc_all'
  | 'rouge1_unicode'
  | 'rouge2_unicode'
  | 'rougeL_unicode'
  | 'rougeLsum_unicode'

interface RegisteredMetric {
  readonly aggregation: AggregationName
  readonly higherIsBetter: boolean
}

const better = (aggregation: AggregationName): RegisteredMetric => ({ aggregation, higherIsBetter: true })
const worse = (aggregation: AggregationName): RegisteredMetric => ({ aggregation, higherIsBetter: false })

/**
 * Every metric that a task may name without help, plus our own: `acc_tok` (length normalised by tokens) and `rouge…_unicode` (ROUGE whose
 * tokens are letters and digits of any script; the package's own, which a task's `!function` names, know a-z alone).
 */
export const registeredMetrics: ReadonlyMap<string, RegisteredMetric> = new Map([
  ['acc', better('mean')],
  ['acc_norm', better('mean')],
  ['acc_mutual_info', better('mean')],
  ['acc_bytes', better('mean')],
  ['acc_tok', better('mean')],
  ['acc_all', better('mean')],
  ['exact_match', better('mean')],
  ['likelihood', better('mean')],
  ['brier_score', worse('brier_score')],
  ['perplexity', worse('perplexity')],
  ['word_perplexity', worse('weighted_perplexity')],
  ['byte_perplexity', worse('weighted_perplexity')],
  ['bits_per_byte', worse('bits_per_byte')],
  ['bypass', better('bypass')],
  ['mcc', better('matthews_corrcoef')],
  ['f1', better('f1')],
  ['bleu', better('bleu')],
  ['chrf', better('chrf')],
  ['chrf++', better('chrf++')],
  ['ter', worse('ter')],
  ['rouge1_unicode', better('rouge1_unicode')],
  ['rouge2_unicode', better('rouge2_unicode')],
  ['rougeL_unicode', better('rougeL_unicode')],
  ['rougeLsum_unicode', better('rougeLsum_unicode')],
])

/** What a task without `metric_list` reports. */
export const defaultMetrics: { readonly [type in OutputType]: readonly string[] } = {
  loglikelihood: ['perplexity', 'acc'],
  loglikelihood_rolling: ['word_perplexity', 'byte_perplexity', 'bits_per_byte'],
  multiple_choice: ['acc', 'acc_norm'],
  generate_until: ['exact_match'],
}
