/** Texts of sharing; loaded with the parts that show them. `{name}` is filled in by `shareText`. */
import { translated } from './language.svelte.ts'
import { fill, type Values } from './t.ts'

export const shareTexts = {
  share: 'Share',
  making: 'Making the link…',
  link: 'Share link',
  copy: 'Copy the link',
  copied: 'Copied',
  tooLong: 'This run has too many scores for a link. Share its results file instead.',
  holds: 'The link itself holds the scores and what they rest on; nothing is uploaded. It holds no prompts and no texts of the data.',
  qr: 'QR code',
  qrLabel: 'QR code of the shared result',
  qrTooLong: 'This result is too long for a QR code that can be read from a screen. Use the link.',
  qrLeavesOut: 'To fit, the code leaves out: {what}. The link holds them.',
  leavesOut: 'Left out: {what}.',
  'omitted.logprobs': 'each doc’s log-probability',
  'omitted.picks': 'each doc’s choice',
  'omitted.warnings': 'the warnings',
  'omitted.system-instruction': 'the system instruction',
  ownTasks: 'Tasks from files of your own are named only: send the files, too, if others should run them.',
  heading: 'A shared result',
  notVerified: 'Reported by the sender, not verified.',
  notVerifiedMore:
    'Anybody can write a link like this. The numbers below are what the link says; run some docs again to see whether they hold.',
  reading: 'Reading the link…',
  restsOn: 'What it rests on',
  model: 'Model',
  commit: 'Commit',
  weights: 'Weights',
  device: 'Device',
  selfCheck: 'Self-check',
  'selfCheck.passed': 'passed, largest difference {difference} nats a token',
  'selfCheck.limited': 'passed for short runs, largest difference {difference} nats a token',
  'selfCheck.failed': 'failed',
  'selfCheck.skipped': 'not needed',
  made: 'Made',
  madeBy: '{time} with Yardstick {version}',
  licence: 'Licence',
  tasksFrom: 'Data',
  warnings: 'Warnings of the run',
  again: 'Run {count} docs again here',
  againWhy: 'Downloads the model and the data unless they are here already, runs {count} docs on this machine, and compares each choice.',
  againNone: 'The link holds no docs to run again.',
  againOwn: 'It names tasks from a file of the sender’s own; add that file on the set-up page and run them there.',
  refused:
    'Not taken from this link: {names}. A link neither chooses a model nor lets its code run by arguments, so it isn’t run again as it stands.',
  setUp: 'Set up the same run',
  compared: 'Compared with the shared result',
  agrees: 'Agrees: {same} of {docs} choices are the same; largest difference {difference} nats (allowed {tolerance}).',
  agreesPicks: 'Agrees: {same} of {docs} choices are the same. The link holds no log-probabilities to compare.',
  differs:
    'Does not agree: {same} of {docs} choices are the same; {differing} docs differ by their choice or by more than {tolerance} nats.',
  differsDocs: 'Docs that differ',
  backToLink: 'Back to the shared result',
  unreadable: 'This link can’t be read',
  'fault.empty': 'Nothing follows #/r/ in the address.',
  'fault.too-long': 'The link is longer than a link of ours can be.',
  'fault.not-base64url': 'The link holds characters that no link of ours has. It was probably cut or changed on its way.',
  'fault.not-deflate': 'The link is damaged: it can’t be unpacked. It was probably cut off on its way.',
  'fault.too-large': 'The link unpacks to more than any result needs, so it was refused.',
  'fault.not-utf8': 'The link is damaged: what it holds is no text.',
  'fault.not-json': 'The link is damaged: what it holds can’t be read.',
  'fault.newer-version': 'The link was made by a newer version of this page. Reload the page, and open the link again.',
  'fault.not-a-result': 'The link holds something else than a result.',
  ask: 'Ask the sender for the link again, or for the results file.',
} as const

type ShareKey = keyof typeof shareTexts

/** The text of `key`, each `{name}` replaced by its value. */
export function shareText(key: ShareKey, values: Values = {}): string {
  return fill(translated('share', shareTexts)[key], values)
}
