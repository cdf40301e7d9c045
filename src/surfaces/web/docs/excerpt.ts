import { listSearchTerms } from './terms.ts'

export interface ExcerptPart {
  text: string
  marked: boolean
}

const LENGTH = 220
const BEFORE = 70

/** Returns an excerpt of a text around the first word that matches the query, cut at word boundaries, with matching words marked. */
export function buildSearchExcerpt(text: string, wanted: ReadonlySet<string>): ExcerptPart[] {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  const isWanted = (word: string) => listSearchTerms(word).some((term) => wanted.has(term))
  const words = [...flat.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ word, index }))
  const first = words.find(({ word }) => isWanted(word))?.index ?? 0
  const start = first <= BEFORE ? 0 : (words.find(({ index }) => index >= first - BEFORE)?.index ?? 0)
  const shown = words.filter(({ index, word }) => index >= start && index + word.length <= start + LENGTH)
  const end = shown.at(-1)
  const parts: ExcerptPart[] = []
  const add = (part: string, marked: boolean) => {
    const last = parts.at(-1)
    if (last && last.marked === marked) last.text += part
    else if (part) parts.push({ text: part, marked })
  }
  if (start > 0) add('… ', false)
  for (const [i, { word }] of shown.entries()) {
    if (i > 0) add(' ', false)
    // Punctuation around a matching word is not highlighted.
    const [, before = '', core = '', after = ''] = /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/u.exec(word) ?? []
    add(before, false)
    add(core, core !== '' && isWanted(core))
    add(after, false)
  }
  if (end && end.index + end.word.length < flat.length) add(' …', false)
  return parts
}
