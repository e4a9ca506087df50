/** Letters and their runs as langdetect 1.0.9 sees them (`utils/ngram.py`, `detector.py`). */
import { codePoints, isUpper } from '../../../python/string.ts'

const longestText = 10_000
const url = /https?:\/\/[-_.?&~;+=/#0-9A-Za-z]{1,2076}/g
const mail = /[-_.0-9A-Za-z]{1,64}@[-_0-9A-Za-z]{1,255}[-_.0-9A-Za-z]{1,255}/g

// Letters of Vietnamese that may have a tone mark behind them, the marks, and for each mark the letters that have it.
const vietnamese = 'AEIOUYaeiouyÂÊÔâêôĂăƠơƯư'
const tones = '\u0300\u0301\u0303\u0309\u0323'
const toned = [
  'ÀÈÌÒÙỲàèìòùỳẦỀỒầềồẰằỜờỪừ',
  'ÁÉÍÓÚÝáéíóúýẤẾỐấếốẮắỚớỨứ',
  'ÃẼĨÕŨỸãẽĩõũỹẪỄỖẫễỗẴẵỠỡỮữ',
  'ẢẺỈỎỦỶảẻỉỏủỷẨỂỔẩểổẲẳỞởỬử',
  'ẠẸỊỌỤỴạẹịọụỵẬỆỘậệộẶặỢợỰự',
]
const tonedPair = new RegExp(`([${vietnamese}])([${tones}])`, 'g')

/** Without addresses, double spaces and what lies beyond 10000 characters; and without Latin letters where most letters are others. */
export function cleanText(text: string): readonly string[] {
  const plain = text
    .replace(url, ' ')
    .replace(mail, ' ')
    .replace(tonedPair, (_pair, base: string, tone: string) => toned[tones.indexOf(tone)]?.charAt(vietnamese.indexOf(base)) ?? '')
  const kept = codePoints(plain)
    .slice(0, longestText)
    .filter((c, index, all) => c !== ' ' || all[index - 1] !== ' ')
  const latin = kept.filter((c) => c >= 'A' && c <= 'z').length
  const other = kept.filter((c) => codeOf(c) >= 0x300).length
  return latin * 2 < other ? kept.filter((c) => c < 'A' || c > 'z') : kept
}

/** Runs of one to three letters within words, in text order, save inside words in capitals. `kanji` maps characters to those that stand for them. */
export function gramsOf(text: readonly string[], kanji: ReadonlyMap<string, string>): string[] {
  const grams: string[] = []
  let run: readonly string[] = [' ']
  let isCapitals = false
  for (const original of text) {
    const c = normalize(original, kanji)
    const last = run.at(-1) ?? ' '
    if (last === ' ') {
      run = [' ']
      isCapitals = false
    }
    if (last !== ' ' || c !== ' ') {
      run = [...(run.length >= 3 ? run.slice(1) : run), c]
      isCapitals = isUpper(c) && (isCapitals || isUpper(last))
    }
    if (isCapitals) continue
    for (let n = 1; n <= run.length; n++) {
      const gram = run.slice(-n).join('')
      if (gram !== ' ') grams.push(gram)
    }
  }
  return grams
}

function codeOf(c: string): number {
  return c.codePointAt(0) ?? 0
}

/** One character for all that say the same of a language: a space for what is no letter, one Kana or Hangul syllable for all. */
function normalize(c: string, kanji: ReadonlyMap<string, string>): string {
  const code = codeOf(c)
  const isWithin = (first: number, last: number): boolean => code >= first && code <= last
  if (code < 0x80) return /[A-Za-z]/.test(c) ? c : ' '
  if (code < 0x100) return '\u00a0«°»'.includes(c) ? ' ' : c
  // Romanian letters with a comma below are written with a cedilla.
  if (c === '\u0219') return '\u015f'
  if (c === '\u021b') return '\u0163'
  if (isWithin(0x2000, 0x206f)) return ' '
  if (c === '\u06cc') return '\u064a'
  if (isWithin(0x1ea0, 0x1eff)) return '\u1ec3'
  if (isWithin(0x3040, 0x309f)) return '\u3042'
  if (isWithin(0x30a0, 0x30ff)) return '\u30a2'
  if (isWithin(0x3100, 0x312f) || isWithin(0x31a0, 0x31bf)) return '\u3105'
  if (isWithin(0x4e00, 0x9fff)) return kanji.get(c) ?? c
  return isWithin(0xac00, 0xd7af) ? '\uac00' : c
}
