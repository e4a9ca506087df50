/** Names that graphs for scoring share with the session that runs them. */

/**
 * Names that a graph for scoring has besides a decoder's own. Inputs: `rows` (R) of a pass that are scored; `places` (K) = row of each target among them × V + its token.
 * Outputs: `logprobs` (K) in nats; `picks` (R) = lowest id of each row's largest log-probability, `tokens` (R) = that of its largest logit, which rounding
 * may keep apart where log-probabilities tie; `logits` of the rows in float32.
 */
export const scoringNames = {
  rows: 'yardstick_rows',
  places: 'yardstick_places',
  logprobs: 'yardstick_logprobs',
  picks: 'yardstick_picks',
  tokens: 'yardstick_tokens',
  logits: 'yardstick_logits',
} as const

/**
 * Inputs that let one pass hold branches which don't see each other: `bias` (1, 1, S, T) is added to the attention scores; `localBias` (1, 1, S, T), only of our own graphs, is the same for layers that see a sliding
 * window; `positions` (T), only
 * of graphs that count positions themselves, is the position of each token of cache and pass; `runPositions` (1, S), int64, that of the pass’s tokens alone.
 *
 * Of our own graphs on WASM, whose attention multiplies no branches that don't see each other (scoring/branch-groups.ts): `isApart` (1), bool, is true where the pass is parted in G groups of L places. `slots` (G, L)
 * is the index of the token in each place, `slotOf` (S) a place of each token, and both biases are (G, 1, L, P + L) then. `rowBias` (1, 1, R, T) is what the wanted rows of the last layer see.
 */
export const packingNames = {
  bias: 'yardstick_bias',
  localBias: 'yardstick_local_bias',
  isApart: 'yardstick_is_apart',
  slots: 'yardstick_slots',
  slotOf: 'yardstick_slot_of',
  rowBias: 'yardstick_row_bias',
  positions: 'yardstick_positions',
  runPositions: 'yardstick_run_positions',
} as const
