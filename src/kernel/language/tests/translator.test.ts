import { describe, expect, it } from 'vitest'
import { CATALOGUES, fillPlaceholders, type MessageKey, LANGUAGES, type Message, translatorFor } from '../translator.ts'

const KEYS = Object.keys(CATALOGUES.en) as MessageKey[]
const formsOf = (message: Message) => (typeof message === 'string' ? { other: message } : message)
const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort()

/** Missing keys, unknown keys and differing placeholders of one language. */
function problemsOf(language: string, words: Record<string, Message | undefined>): string[] {
  const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories
  return [
    ...KEYS.filter((key) => words[key] === undefined).map((key) => `${key} is missing`),
    ...Object.keys(words).flatMap((key) => {
      const [own, source] = [words[key], CATALOGUES.en[key as MessageKey] as Message | undefined]
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

describe('catalogues', () => {
  it.each(LANGUAGES)('has every text key in %s, with the same placeholders as in English', (language) => {
    expect(problemsOf(language, CATALOGUES[language]!)).toEqual([])
  })

  it('reports missing text keys, unknown keys and differing placeholders', () => {
    const { 'notFound.title': _, ...rest } = CATALOGUES.de!
    const planted = { ...rest, 'failed.text': 'Ohne Nummer', 'no.such': 'x' }
    expect(problemsOf('de', planted)).toEqual(['notFound.title is missing', 'failed.text fills in others at other', 'no.such is no key'])
  })
})

describe('translatorFor', () => {
  it('uses the base language for a region, and English for unknown languages', () => {
    expect(translatorFor('de-CH').say('notFound.title')).toBe('Nicht gefunden')
    expect([translatorFor('de-CH').locale, translatorFor('tlh').locale, translatorFor('not a tag').locale]).toEqual(['de-CH', 'en', 'en'])
    expect(translatorFor('tlh').say('notFound.title')).toBe('Not found')
  })

  it('falls back to English for a text that is missing in the language', () => {
    const { 'notFound.title': kept } = CATALOGUES.de!
    delete CATALOGUES.de!['notFound.title']
    expect(translatorFor('de').say('notFound.title')).toBe('Not found')
    CATALOGUES.de!['notFound.title'] = kept!
    expect(translatorFor('de').say('notFound.title')).toBe('Nicht gefunden')
  })

  it('replaces placeholders once, so that values with braces stay as they are', () => {
    const said = translatorFor('en').say('mail.invitation.subject', { inviter: '{place} $& {{x}}', place: 'Acme' })
    expect(said).toBe('{place} $& {{x}} invites you to Acme on Lanyard')
  })
})

describe('fillPlaceholders', () => {
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
  ])('chooses the plural form for the number (case %#)', (message, locale, count, text) => {
    expect(fillPlaceholders(message, locale, { count })).toBe(text)
  })
})
