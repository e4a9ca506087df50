/** Character classes of the package `regex`, with which NLTK 3.10 matches, as the inside of a JavaScript class. */

/** `\s`: Unicode's white space; without the separators U+001C to U+001F that `re` adds. */
export const space = '\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
/** `\w`: also marks and joiners, unlike `re`, so that words of Indic scripts stay whole. */
export const word = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}'
/** `[^\W\d]` */
export const letter = `[[${word}]--[\\p{Nd}]]`
