import { describe, expect, it } from 'vitest'
import { CATALOGUES, filledIn, type Key, LANGUAGES, type Message, wordsIn } from '../words.ts'

const KEYS = Object.keys(CATALOGUES.en) as Key[]
const formsOf = (message: Message) => (typeof message === 'string' ? { other: message } : message)
const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort()

/** What a language lacks, has too much, or fills in otherwise. */
function problemsOf(language: string, words: Record<string, Message | undefined>): string[] {
  const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories
  return [
    ...KEYS.filter((key) => words[key] === undefined).map((key) => `${key} is missing`),
    ...Object.keys(words).flatMap((key) => {
      const [own, source] = [words[key], CATALOGUES.en[key as Key] as Message | undefined]
      if (own === undefined) return []
      if (source === undefined) return [`${key} is no key`]
      if (typeof own !== typeof source) return [`${key} has other forms than in English`]
      const missing = typeof own === 'string' ? [] : wanted.filter((form) => own[form] === undefined)
      const names = namesIn(formsOf(source).other).join()
      const wrong = Object.entries(formsOf(own)).filter(([, text]) => namesIn(text).join() !== names)
      return [...missing.map((form) => `${key} has no form ${form}`), ...wrong.map(([form]) => `${key} fills in others at ${form}`)]
    }),
  ]
}

describe('every language', () => {
  it.each(LANGUAGES)('%s says everything', (language) => {
    expect(problemsOf(language, CATALOGUES[language]!)).toEqual([])
  })

  it('that does not is found out', () => {
    const { 'missing.title': _, ...rest } = CATALOGUES.de!
    const planted = { ...rest, 'failed.text': 'Ohne Nummer', 'no.such': 'x' }
    expect(problemsOf('de', planted)).toEqual(['missing.title is missing', 'failed.text fills in others at other', 'no.such is no key'])
  })
})

describe('wordsIn', () => {
  it('speaks the language of a region, and English where it has none', () => {
    expect(wordsIn('de-CH').say('missing.title')).toBe('Nicht gefunden')
    expect([wordsIn('de-CH').locale, wordsIn('tlh').locale, wordsIn('not a tag').locale]).toEqual(['de-CH', 'en', 'en'])
    expect(wordsIn('tlh').say('missing.title')).toBe('Not found')
  })

  it('says in English what a language lacks', () => {
    const { 'missing.title': kept } = CATALOGUES.de!
    delete CATALOGUES.de!['missing.title']
    expect(wordsIn('de').say('missing.title')).toBe('Not found')
    CATALOGUES.de!['missing.title'] = kept!
    expect(wordsIn('de').say('missing.title')).toBe('Nicht gefunden')
  })

  it('fills in once: a value that looks like a name stays', () => {
    const said = wordsIn('en').say('mail.invitation.subject', { inviter: '{place} $& {{x}}', place: 'Acme' })
    expect(said).toBe('{place} $& {{x}} invites you to Acme on Lanyard')
  })
})

describe('a message with forms', () => {
  const seats: Message = { one: '{count} place left', other: '{count} places left' }
  const polish: Message = { one: '{count} miejsce', few: '{count} miejsca', many: '{count} miejsc', other: '{count} miejsca' }

  it.each([
    [seats, 'en', 1, '1 place left'],
    [seats, 'en', 0, '0 places left'],
    [seats, 'en', 1234, '1,234 places left'],
    [seats, 'de', 1234, '1.234 places left'],
    [polish, 'pl', 1, '1 miejsce'],
    [polish, 'pl', 3, '3 miejsca'],
    [polish, 'pl', 5, '5 miejsc'],
    [polish, 'pl', 22, '22 miejsca'],
  ])('%# takes the form of its number', (message, locale, count, text) => {
    expect(filledIn(message, locale, { count })).toBe(text)
  })
})
