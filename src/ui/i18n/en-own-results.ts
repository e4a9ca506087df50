/** Texts of what stands beside the harness's results. A file of its own because no first load needs them. */
import { translated } from './language.svelte.ts'

export const ownTexts = {
  docsCut: 'docs with a prompt cut at its beginning: {count}',
  goldsOutside: 'golds that are no choice: {count}',
  scoredRate: 'tokens scored a second: {rate}',
  writtenRate: 'tokens written a second: {rate}',
  insidePasses: 'time inside forward passes: {share}',
  dispatch: 'of it, fixed cost of passes (dispatch), estimated: {share}',
  averages: 'Groups, both ways of averaging',
  averagesHint: 'Macro: every task counts the same. Micro: every doc does. The harness’s table above has one of the two.',
  group: 'Group',
  metric: 'Metric',
  macro: 'Macro',
  micro: 'Micro',
  tasks: 'Tasks',
  docs: 'Docs',
  categories: 'Categories as in',
  scores: 'Other scores, from the same answers',
  scoresHint:
    'Not the harness’s rows. acc_tok divides by a choice’s tokens, acc_bytes by its UTF-8 bytes, acc_norm by its characters. mean_strict is the mean of IFEval’s two strict scores; “within” counts numbers as equal that differ by so much of the gold one.',
  agreements: 'Beside the published verdicts',
  agreementsHint:
    'Which docs were right in the evaluation that was published with the rows, and are now. Kappa is the agreement beyond chance.',
  failures: 'Replies without an answer',
  failuresHint:
    'The filter found nothing to hold against the reference. Such replies count as wrong; a high share says more of the prompt, the filter or the length that was allowed than of the model.',
  filter: 'Filter',
  score: 'Score',
  failed: 'No answer',
  rate: 'Share',
  guessed: 'With guesses',
  guessedHint: '“With guesses” is not the harness’s: each such reply became a random letter of the row’s options, drawn with seed {seed}.',
  noAnswerYet: '{count} without an answer',
  published: 'Beside published recipes',
  publishedHint: 'What is known to differ from recipes under which scores of these benchmarks were published. A list, not a correction.',
  nothingDiffers: 'Nothing known differs.',
  source: 'Source: {source}.',
  moreTasks: 'and {count} more',
  noise: 'Repeat-run noise',
  noiseHint:
    'The first {items} items of the run were computed afresh, twice together and twice each alone (batch 1). Differences are of log-probabilities, in nats.',
  repeat: 'Computed',
  again: 'Together, twice',
  aloneAgain: 'One at a time, twice',
  alone: 'One at a time against together',
  identical: 'Identical',
  largest: 'Largest difference',
  mean: 'Mean difference',
  flips: 'is_greedy differs',
  sameTexts: 'Same texts',
  agree: 'Agree',
  kappa: 'Kappa',
  gained: 'Right now only',
  lost: 'Right before only',
  task: 'Task',
  value: 'Value',
  stderr: 'Stderr',
  recipes: 'How the tasks of our own were asked',
  recipesHint:
    'Not the harness’s procedure: its mmlu asks otherwise. One forward pass a question, softmax over the choices’ tokens alone. Mass is the share of all probability that lies on them.',
  mass: 'Mean mass',
  lowMass: 'Docs below 5%',
  examples: 'Examples shown',
  tokens: 'Scored tokens',
  tokPick: 'acc_tok pick (not the harness’s)',
  shown: 'Examples shown',
  cut: 'cut at its beginning',
  probabilities: 'Softmax over the choices',
  massOne: 'Probability on the choices',
} as const

/** All of them in the language of the page. */
export function ownPageTexts() {
  return translated('own', ownTexts)
}
