const LINE_BREAK = /\r\n|[\r\u0085\u2028\u2029]/g

// Matches a letter of the scripts in which zero-width joiners change the spelling, as in Persian and Sinhala names.
const JOINING =
  '[[\\p{L}\\p{M}]&&[\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}]]'

const VISIBLE_USE = [
  `(?<=${JOINING})[\\u200C\\u200D](?=${JOINING})`,
  '(?<=[\\p{ExtPict}\\p{EMod}]\\uFE0F?)\\u200D(?=\\p{ExtPict})',
  '(?<=\\p{ExtPict})[\\uFE0E\\uFE0F]',
  '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
].join('|')

// DI, "default ignorable", is Unicode's list of invisible characters: zero widths, fillers, bidi controls, variation selectors, tags.
// The look-arounds of the pattern have bounded length, so matching is linear.
const HIDDEN = new RegExp(`(${VISIBLE_USE})|[[\\p{Cc}\\p{Cs}\\p{DI}\\uFFF9-\\uFFFB]--[\\n\\t]]`, 'gv')

/** Removes invisible characters from untrusted text, but keeps line breaks and tabs. Lengths count UTF-16 code units. */
export function cleanText(text: string, maxLength = Infinity): string {
  const clean = stripHidden(text)
  // Truncation may cut a character of several code units in half. The half that remains is removed.
  return clean.length <= maxLength ? clean : stripHidden(clean.slice(0, maxLength))
}

// Matches text that needs no cleaning, because it consists of plain ASCII characters.
const PLAIN = /^[\t\n\x20-\x7E]*$/

const stripHidden = (text: string) => (PLAIN.test(text) ? text : text.replace(LINE_BREAK, '\n').replace(HIDDEN, '$1'))

/** Returns a name on one line: invisible characters are removed, and runs of whitespace become one space. */
export const cleanName = (text: string): string => cleanText(text).replaceAll(/\s+/g, ' ').trim()
