import createBidi, { type Bidi } from 'bidi-js'
import { makeLazy } from '../../kernel/lazy.ts'
import { hasRightToLeftText, isIgnorableCharacter, isRightToLeftWord, toPrintableCharacter } from './characters.ts'
import type { FontSubset } from './font-parts.ts'

/** A sequence of characters that are printed in one font, in the writing direction of their script. */
export interface FontRun {
  font: FontSubset
  text: string
}

// The imported package exports a function directly, although its type declarations describe a default export.
const getBidi = makeLazy(createBidi as unknown as () => Bidi)

/**
 * Splits a line into runs, each printed in one font, in the order in which they are printed from left to right. The first strong letter of
 * the paragraph that the line is part of decides its direction.
 */
export const splitIntoFontRuns = (line: string, fonts: readonly FontSubset[], paragraph = line): FontRun[] =>
  hasRightToLeftText(paragraph) ? orderRuns(line, fonts, paragraph) : splitByFont(line, fonts)

function splitByFont(text: string, fonts: readonly FontSubset[]): FontRun[] {
  const runs: FontRun[] = []
  for (const character of text) {
    const printed = toPrintableCharacter(character)
    const code = printed.codePointAt(0)!
    const last = runs.at(-1)
    // Characters that several fonts have, such as blanks and digits, continue the current run.
    const font = last?.font.characters.has(code) ? last.font : fonts.find(({ characters }) => characters.has(code))
    if (!font && isIgnorableCharacter(character)) continue
    const shown = font ? printed : '?'
    const own = font ?? fonts[0]!
    if (last?.font === own) last.text += shown
    else runs.push({ font: own, text: shown })
  }
  return runs
}

interface LeveledRun extends FontRun {
  /** The embedding level of the Unicode Bidirectional Algorithm; odd levels are written from right to left. */
  level: number
}

function orderRuns(line: string, fonts: readonly FontSubset[], paragraph: string): FontRun[] {
  const bidi = getBidi()
  const base = bidi.getEmbeddingLevels(paragraph).paragraphs[0]!.level % 2 === 1 ? 'rtl' : 'ltr'
  const { levels } = bidi.getEmbeddingLevels(line, base)
  const mirrored = bidi.getMirroredCharactersMap(line, levels)
  const runs: LeveledRun[] = []
  let start = 0
  const isSpace = (index: number) => line[index] === ' '
  for (let end = 1; end <= line.length; end++) {
    if (end < line.length && levels[end] === levels[start] && isSpace(end) === isSpace(start)) continue
    const level = levels[start]!
    const text = Array.from({ length: end - start }, (_, offset) => mirrored.get(start + offset) ?? line[start + offset]!).join('')
    for (const run of splitByFont(text, fonts)) runs.push({ ...run, text: toRunText(run.text, level), level })
    start = end
  }
  return reorder(runs)
}

/** Returns the text of a run in printing order. In right-to-left text, only punctuation is reversed; the font library reverses letters. */
const toRunText = (text: string, level: number) => (level % 2 === 0 || isRightToLeftWord(text) ? text : [...text].toReversed().join(''))

/** Reverses each sequence of runs of a level or above, from the highest level to 1 (rule L2 of the Unicode algorithm). */
function reorder(runs: readonly LeveledRun[]): FontRun[] {
  let ordered = [...runs]
  const highest = Math.max(0, ...runs.map(({ level }) => level))
  for (let level = highest; level > 0; level--) {
    const next: LeveledRun[] = []
    let sequence: LeveledRun[] = []
    for (const run of ordered) {
      if (run.level >= level) {
        sequence.unshift(run)
        continue
      }
      next.push(...sequence, run)
      sequence = []
    }
    ordered = [...next, ...sequence]
  }
  return ordered
}
