import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../../kernel/language/translator.ts'
import { SURVEY_STOP_WORDS } from '../stop-words/index.ts'
import { extractWordsAndWordPairs } from '../terms.ts'

describe('extractWordsAndWordPairs', () => {
  it('lists words and pairs of adjacent words of a text without stop words', () => {
    expect(extractWordsAndWordPairs('The Coffee machine was great.', 'en')).toEqual(['coffee', 'machine', 'coffee machine', 'great'])
  })

  it('counts a repeated term once, and separates words at punctuation and stop words', () => {
    expect(extractWordsAndWordPairs('Coffee, coffee! Queue for coffee', 'en-GB')).toEqual(['coffee', 'queue'])
  })

  it('normalizes case, character width and apostrophes of terms', () => {
    expect(extractWordsAndWordPairs('ＣＯＦＦＥＥ DON’T Straße', 'de')).toEqual(extractWordsAndWordPairs("coffee don't straße", 'de'))
    expect(extractWordsAndWordPairs('I don’t like waiting', 'en')).toEqual(['waiting'])
  })

  it('removes elided articles in French and Italian', () => {
    expect(extractWordsAndWordPairs('L’accueil était parfait, j’ai aimé l’organisation', 'fr')).toEqual([
      'accueil',
      'parfait',
      'aimé',
      'organisation',
      'aimé organisation',
    ])
    expect(extractWordsAndWordPairs('L’organizzazione dell’evento', 'it')).toEqual(['organizzazione', 'evento', 'organizzazione evento'])
  })

  it('leaves out numbers and symbols, and finds words in scripts without spaces', () => {
    expect(extractWordsAndWordPairs('100 % 👍 5', 'en')).toEqual([])
    expect(extractWordsAndWordPairs('コーヒーが美味しい', 'ja').length).toBeGreaterThan(0)
  })

  it('has stop words for every language of the participant pages', () => {
    expect(Object.keys(SURVEY_STOP_WORDS).toSorted()).toEqual([...LANGUAGES].toSorted())
    expect(Object.entries(SURVEY_STOP_WORDS).filter(([, words]) => words.size <= 150)).toEqual([])
    const misspelled = Object.entries(SURVEY_STOP_WORDS).flatMap(([language, words]) =>
      [...words].filter((word) => word !== word.toLocaleLowerCase(language).normalize('NFKC')),
    )
    expect(misspelled).toEqual([])
  })
})
