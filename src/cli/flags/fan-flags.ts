/** The flags of a prompt fan, as data. */
import { fanStyles, type FanStyle } from '../../analysis/prompt-variants/asking.ts'
import type { Flag } from './flag.ts'

const chats = ['both', 'on', 'off'] as const

export interface FanFlags {
  readonly styles: readonly FanStyle[]
  /** `auto`: both where the model has a chat template. */
  readonly chat: (typeof chats)[number] | 'auto'
  /** Tasks whose words are taken; `all` = the siblings in the task's folder, `auto` = those where they are few. */
  readonly wordings: 'auto' | 'all' | readonly string[]
}

export const fanFlags: readonly Flag[] = [
  {
    name: 'styles',
    kind: 'list',
    value: 'a,b,c',
    help: `${fanStyles.join(', ')} (default all): what is shown and what is scored; hybrid shows letters and scores texts`,
  },
  { name: 'chat', kind: 'text', value: chats.join('|'), help: 'with or without the chat template (default both, where the model has one)' },
  {
    name: 'wordings',
    kind: 'list',
    value: 'all|none|TASK,…',
    help: 'the same docs in the words of other tasks: all = siblings in its folder, as other languages have (default where they are few), or these',
  },
]

/** What the fan is made of. `fail` is called with what is wrong. */
export function readFan(
  list: (name: string) => readonly string[],
  text: (name: string) => string | null,
  fail: (problem: string) => never,
): FanFlags {
  const styles = list('styles').map(
    (style) =>
      fanStyles.find((one) => one === style) ?? fail(`--styles: wanted some of ${fanStyles.join(', ')}, found ${JSON.stringify(style)}`),
  )
  const asked = text('chat')
  const chat =
    asked === null
      ? 'auto'
      : (chats.find((one) => one === asked) ?? fail(`--chat: wanted ${chats.join(' or ')}, found ${JSON.stringify(asked)}`))
  const words = list('wordings')
  const [only] = words
  const wordings = words.length === 0 ? 'auto' : words.length > 1 ? words : only === 'all' ? 'all' : only === 'none' ? [] : words
  return { styles: styles.length === 0 ? fanStyles : styles, chat, wordings }
}
