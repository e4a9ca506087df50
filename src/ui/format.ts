/** Numbers, sizes and times as the page prints them, and untrusted text made safe to read. */
import { language } from './i18n/language.svelte.ts'
import { formatNumber } from './i18n/number-format.ts'

/** With the separators of the page's language. */
export function formatCount(value: number): string {
  return formatNumber(value, 0)
}

/** One decimal, in the page's language. */
function formatTenths(value: number): string {
  return formatNumber(value, 1)
}

/** A number with its unit, as the page's language writes and orders them: `270 MB`, `270 Mo`, `MB 270`. Units as `Intl` names them. */
function withUnit(value: number, unit: string, digits = 0): string {
  return formatNumber(value, digits, { style: 'unit', unit })
}

/** Decimal units, as download sizes are given everywhere: 1 MB = 1,000,000 bytes. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return language.current === 'en' ? `${bytes} B` : withUnit(bytes, 'byte')
  const units = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte']
  let value = bytes / 1000
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return withUnit(value, units[unit] ?? '', value < 10 ? 1 : 0)
}

/** A share between 0 and 1 in percent: `12.5%`, `12,5 %`. */
export function formatPercent(share: number, digits = 0): string {
  return formatNumber(share, digits, { style: 'percent' })
}

/** Four decimals with a point, as the harness prints values, in every language: they are compared with its tables. Text is passed through. */
export function formatScore(value: number | string | null): string {
  if (value === null) return ''
  return typeof value === 'number' ? value.toFixed(4) : value
}

/** A log-probability in nats with a real minus sign, so that columns of them line up. */
export function formatNats(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return value < 0 ? '−∞' : '∞'
  return value.toFixed(digits).replace('-', '−')
}

/** `42 s`, `3 min 5 s`, `2 h 10 min`; in other languages with their own units. */
export function formatDuration(seconds: number): string {
  const time = (value: number, unit: 'second' | 'minute' | 'hour', digits = 0) =>
    // English shortens them to `sec` and `hr`; the symbols are shorter, and the standard's.
    language.current === 'en'
      ? `${digits === 0 ? value : formatTenths(value)} ${{ second: 's', minute: 'min', hour: 'h' }[unit]}`
      : withUnit(value, unit, digits)
  if (seconds < 9.95) return time(seconds, 'second', 1)
  const whole = Math.round(seconds)
  if (whole < 60) return time(whole, 'second')
  const minutes = time(Math.floor(whole / 60) % 60, 'minute')
  return whole < 3600 ? `${minutes} ${time(whole % 60, 'second')}` : `${time(Math.floor(whole / 3600), 'hour')} ${minutes}`
}

export function formatRate(perSecond: number): string {
  return perSecond < 10 ? formatTenths(perSecond) : formatCount(perSecond)
}

/** Day and minute in the reader's own time zone; the machine-readable form goes to `<time datetime>`. */
export function formatTime(iso: string): string {
  const date = new Date(iso)
  return Number.isNaN(date.getTime())
    ? iso
    : date.toLocaleString(language.current === 'en' ? 'en-GB' : language.current, { dateStyle: 'medium', timeStyle: 'short' })
}

interface TextPart {
  readonly text: string
  readonly isEscape: boolean
}

/** Control characters but tab and line feed; bidirectional controls, zero-width characters, line separators, lone surrogates. */
// oxlint-disable-next-line no-control-regex -- finding control characters is what it is for
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\p{Cs}]/gu

/** Untrusted text with every character that can't be seen, or that rearranges others, as an escape. */
export function splitEscapes(text: string): readonly TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (const match of text.matchAll(hidden)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), isEscape: false })
    parts.push({ text: escapeOf(match[0]), isEscape: true })
    from = match.index + match[0].length
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from), isEscape: false })
  return parts
}

/** The last paragraph of a prompt on one line: the doc's own part, after the few-shot examples. */
export function lastParagraph(prompt: string): string {
  const block = prompt.trimEnd().split('\n\n').at(-1) ?? ''
  return block.replace(/\s+/g, ' ').trim()
}

function escapeOf(character: string): string {
  const code = character.charCodeAt(0)
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
