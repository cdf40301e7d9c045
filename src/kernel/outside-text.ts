const LINE_BREAK = /\r\n|[\r\u0085\u2028\u2029]/g

// A joiner has a shape, and belongs to the spelling, between letters of these scripts: Persian and Sinhala names need it.
const JOINING =
  '[[\\p{L}\\p{M}]&&[\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}]]'

const VISIBLE_USE = [
  `(?<=${JOINING})[\\u200C\\u200D](?=${JOINING})`,
  '(?<=[\\p{ExtPict}\\p{EMod}]\\uFE0F?)\\u200D(?=\\p{ExtPict})',
  '(?<=\\p{ExtPict})[\\uFE0E\\uFE0F]',
  '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
].join('|')

// DI, "default ignorable", is Unicode's own list of what shows nothing: zero widths, fillers, bidi controls, variation selectors, tags.
// Every look-around is of bounded length, so the whole is linear.
const HIDDEN = new RegExp(`(${VISIBLE_USE})|[[\\p{Cc}\\p{Cs}\\p{DI}\\uFFF9-\\uFFFB]--[\\n\\t]]`, 'gv')

/** What people outside wrote, without characters that hide something from a reader; line breaks and tabs stay. Lengths are UTF-16 units. */
export function cleanText(text: string, maxLength = Infinity): string {
  const clean = stripHidden(text)
  // The cut may leave half a pair or a joiner without its second half: both are hidden characters then.
  return clean.length <= maxLength ? clean : stripHidden(clean.slice(0, maxLength))
}

// Most text needs no more than this look at it.
const PLAIN = /^[\t\n\x20-\x7E]*$/

const stripHidden = (text: string) => (PLAIN.test(text) ? text : text.replace(LINE_BREAK, '\n').replace(HIDDEN, '$1'))

/** A name on one line, as people see it: what shows nothing goes, and blanks of any kind and breaks become one blank. */
export const cleanName = (text: string): string => cleanText(text).replaceAll(/\s+/g, ' ').trim()
