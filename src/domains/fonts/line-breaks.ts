import { makeLazy } from '../../kernel/lazy.ts'
import { hasUnspacedWords } from './characters.ts'

const getWords = makeLazy(() => new Intl.Segmenter('en', { granularity: 'word' }))
const getGraphemes = makeLazy(() => new Intl.Segmenter('en', { granularity: 'grapheme' }))

/** Wraps a text between words if possible, otherwise inside a word, but never between a letter and its marks. */
export function wrapTextIntoLines(text: string, width: number, widthOf: (text: string) => number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    const fits = (line: string) => widthOf(line.trimEnd()) <= width
    let line = ''
    for (const word of splitWords(paragraph)) {
      if (line !== '') {
        if (fits(line + word)) {
          line += word
          continue
        }
        lines.push(line.trimEnd())
      }
      line = word
      while (!fits(line)) {
        const ends = listGraphemeEnds(line)
        if (ends.length < 2) break
        let count = ends.length - 1
        while (count > 1 && widthOf(line.slice(0, ends[count - 1])) > width) count--
        lines.push(line.slice(0, ends[count - 1]))
        line = line.slice(ends[count - 1])
      }
    }
    return [...lines, line.trimEnd()]
  })
}

const listGraphemeEnds = (text: string): number[] =>
  Array.from(getGraphemes().segment(text), ({ index, segment }) => index + segment.length)

/**
 * Splits a text into the parts between which a line may end. Punctuation stays with the word before it, an opening bracket with the word
 * after it.
 */
function splitWords(text: string): string[] {
  if (!hasUnspacedWords(text)) return text.split(/(?<=\s)/)
  const words: string[] = []
  let opening = ''
  for (const { segment, isWordLike } of getWords().segment(text)) {
    if (/^[\p{Ps}\p{Pi}]$/v.test(segment)) opening += segment
    else {
      words.push((isWordLike ? '' : (words.pop() ?? '')) + opening + segment)
      opening = ''
    }
  }
  return opening === '' ? words : [...words, opening]
}
