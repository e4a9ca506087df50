/** Values in messages: short, whatever they hold. */
import { isDict, isList, str, typeName, type PyValue } from '../value.ts'

/** The value as it prints, or what kind of value it is where that could be long; of a text so many UTF-16 units at most. */
export function brief(value: PyValue, most = 80): string {
  if (typeof value === 'string') return value.length > most ? `${value.slice(0, most)}…` : value
  return isList(value) || isDict(value) || typeof value === 'bigint' ? `a ${typeName(value)}` : str(value)
}
