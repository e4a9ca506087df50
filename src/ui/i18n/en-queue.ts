/** Texts of the queue of runs; loaded with the part that shows it. `{name}` is filled in by `qt`. */
import { language, translated } from './language.svelte.ts'
import { fill, pluralForm, type Values } from './t.ts'

export const queueTexts = {
  heading: 'Queue of runs',
  add: 'Add to queue',
  addHint: 'Queued runs follow one another, each kept as it goes. A closed tab or a crash loses none: the queue waits here to be resumed.',
  'left.one': '{count} run of your queue is left.',
  'left.other': '{count} runs of your queue are left.',
  none: 'All runs of your queue have ended.',
  elsewhere: 'The queue goes on in another tab or window.',
  goOn: 'Go on with the queue',
  stop: 'Stop the queue',
  drop: 'Drop what is left',
  clear: 'Clear the list',
  compare: 'Compare the finished runs',
  list: 'Runs of the queue',
  'state.waiting': 'waits',
  'state.running': 'running, {done} of {total} docs',
  'state.elsewhere': 'running in another tab',
  'state.cut': 'was cut off; goes on where it was',
  'state.done': 'done',
  'state.failed': 'failed: {reason}',
} as const

type QueueMessage = keyof typeof queueTexts

/** The text of `key`, each `{name}` replaced by its value. */
export function qt(key: QueueMessage, values: Values = {}): string {
  return fill(translated('queue', queueTexts)[key], values)
}

/** How many runs are left, in words. */
export function leftText(count: number): string {
  return qt(`left.${pluralForm(count)}`, { count: count.toLocaleString(language.current) })
}
