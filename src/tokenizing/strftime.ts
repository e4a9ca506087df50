/** Python's `datetime.strftime` in the C locale, for a local time. */

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

/** The time by a format of `%` directives; unknown ones stay as they are. */
export function formatDate(date: Date, format: string): string {
  return format.replace(/%(-?)([a-zA-Z%])/g, (whole, dash: string, code: string) => {
    const text = fieldOf(date, code)
    if (text === null) return whole
    return dash === '-' ? text.replace(/^0+(?=\d)/, '') : text
  })
}

function fieldOf(date: Date, code: string): string | null {
  const two = (value: number): string => String(value).padStart(2, '0')
  const hour12 = date.getHours() % 12 === 0 ? 12 : date.getHours() % 12
  const day = days[date.getDay()] ?? ''
  const month = months[date.getMonth()] ?? ''
  switch (code) {
    case 'Y':
      return String(date.getFullYear())
    case 'y':
      return two(date.getFullYear() % 100)
    case 'm':
      return two(date.getMonth() + 1)
    case 'd':
      return two(date.getDate())
    case 'e':
      return String(date.getDate()).padStart(2, ' ')
    case 'B':
      return month
    case 'b':
    case 'h':
      return month.slice(0, 3)
    case 'A':
      return day
    case 'a':
      return day.slice(0, 3)
    case 'w':
      return String(date.getDay())
    case 'H':
      return two(date.getHours())
    case 'I':
      return two(hour12)
    case 'M':
      return two(date.getMinutes())
    case 'S':
      return two(date.getSeconds())
    case 'p':
      return date.getHours() < 12 ? 'AM' : 'PM'
    case 'F':
      return formatDate(date, '%Y-%m-%d')
    case 'T':
      return formatDate(date, '%H:%M:%S')
    case 'D':
      return formatDate(date, '%m/%d/%y')
    case 'j':
      return String(
        Math.round((Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - Date.UTC(date.getFullYear(), 0, 1)) / 86_400_000) + 1,
      ).padStart(3, '0')
    case '%':
      return '%'
    default:
      return null
  }
}
