/** Date-like texts, which `datasets` turns into datetimes; here they stay text, as Python's `str` prints them. */

const isoPattern = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d)(?::(\d\d)(?::(\d\d))?)?(?:Z|([+-])(\d\d):?(\d\d))?)?$/

/** `YYYY-MM-DD HH:MM:SS` (UTC) for a text that pyarrow reads as a timestamp in seconds, else null. */
export function readTimestamp(text: string): string | null {
  const match = isoPattern.exec(text)
  if (match === null) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part: string | undefined) => Number(part ?? 0))
  const [sign, offsetHours, offsetMinutes] = match.slice(7)
  if (year === undefined || month === undefined || day === undefined || hour === undefined || minute === undefined || second === undefined)
    return null
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return null
  const date = new Date(0)
  // Not Date.UTC: it takes years below 100 for 19xx.
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCDate() !== day) return null
  date.setUTCHours(hour, minute, second)
  if (sign !== undefined) {
    const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * (sign === '-' ? -1 : 1)
    date.setTime(date.getTime() - offset * 60_000)
  }
  return printDatetime(date)
}

/** A moment as Python's `str(datetime)` prints it in UTC; microseconds only when there are any. */
export function printDatetime(date: Date, microseconds = date.getUTCMilliseconds() * 1000): string {
  const year = String(date.getUTCFullYear()).padStart(4, '0')
  const rest = [date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map((n) =>
    String(n).padStart(2, '0'),
  )
  const [month, day, hour, minute, second] = rest
  const fraction = microseconds === 0 ? '' : `.${String(microseconds).padStart(6, '0')}`
  return `${year}-${month ?? ''}-${day ?? ''} ${hour ?? ''}:${minute ?? ''}:${second ?? ''}${fraction}`
}
