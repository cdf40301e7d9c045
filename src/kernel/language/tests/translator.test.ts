import { describe, expect, it } from 'vitest'
import { MESSAGE_CATALOGUES, fillPlaceholders, type MessageKey, LANGUAGES, type MessageTemplate, chooseTranslator } from '../translator.ts'

const KEYS = Object.keys(MESSAGE_CATALOGUES.en) as MessageKey[]
const formsOf = (message: MessageTemplate) => (typeof message === 'string' ? { other: message } : message)
const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort()

/** Texts that are the same in English and in the language. All other texts that equal the English one count as not translated. */
const SAME_AS_ENGLISH: Record<string, string> = {
  en: '',
  de: 'Hotel Website Tickets Merchandise Extras Code Leads Name Admin Scans No-Shows Position Word PDF',
  fr: 'Photo Total Session Documents Message Invitations Documentation Console Programme Code position Contact Notes Scans Licences Description Agenda Programme Dates Suites Questions Double Commission Version Clauses Word PDF Rooming list No-shows Signatures Active Rooming list, version',
  es: 'Hotel Total Extras Cheque No Suites Word PDF Rooming list No-shows',
  it: 'Hotel No Console Email Word PDF Report Rooming list Pass Online Offline',
  nl: 'In details Hotel Website Postcode Tickets Merchandise Cheque Open Console Code Leads Contact Scans Bed No-shows Suites Contract Word Pdf Rooming list Status',
  pt: 'Hotel Total Extras Cheque Email Word PDF Rooming list No-shows',
}
/** Messages that consist of placeholders, and names. */
const isUntranslatable = (text: string) => !/\p{L}/u.test(text.replaceAll(/\{\w+\}|LinkedIn/g, ''))
const isSameWord = (language: string, text: string) =>
  isUntranslatable(text) || ` ${SAME_AS_ENGLISH[language]} `.toLowerCase().includes(` ${text.replace(/ ?\{\w+\}/, '').toLowerCase()} `)

/** In French, Italian, Portuguese and Spanish `many` is for whole millions, which no text counts: `other` serves. */
const NEEDED_FORMS = (language: string) =>
  new Intl.PluralRules(language)
    .resolvedOptions()
    .pluralCategories.filter((form) => form !== 'many' || !['fr', 'it', 'pt', 'es'].includes(language))

/** Missing keys, unknown keys, differing placeholders and untranslated texts of one language. */
function problemsOf(language: string, words: Record<string, MessageTemplate | undefined>): string[] {
  const wanted = NEEDED_FORMS(language)
  return [
    ...KEYS.filter((key) => words[key] === undefined).map((key) => `${key} is missing`),
    ...Object.keys(words).flatMap((key) => {
      const [own, source] = [words[key], MESSAGE_CATALOGUES.en[key as MessageKey] as MessageTemplate | undefined]
      if (own === undefined) return []
      if (source === undefined) return [`${key} is no key`]
      if (typeof own !== typeof source) return [`${key} has other forms than in English`]
      const missing = typeof own === 'string' ? [] : wanted.filter((form) => own[form] === undefined)
      const names = namesIn(formsOf(source).other).join()
      const wrong = Object.entries(formsOf(own)).filter(([, text]) => namesIn(text).join() !== names)
      const isEnglish = language !== 'en' && JSON.stringify(own) === JSON.stringify(source) && !isSameWord(language, formsOf(own).other)
      return [
        ...missing.map((form) => `${key} has no form ${form}`),
        ...wrong.map(([form]) => `${key} fills in others at ${form}`),
        ...(isEnglish ? [`${key} is English`] : []),
      ]
    }),
  ]
}

describe('catalogues', () => {
  it.each(LANGUAGES)('translates every text key into %s, with the same placeholders as in English', (language) => {
    expect(problemsOf(language, MESSAGE_CATALOGUES[language]!)).toEqual([])
  })

  it('reports missing text keys, unknown keys, differing placeholders and untranslated texts of a catalogue', () => {
    const { 'notFound.title': _, ...rest } = MESSAGE_CATALOGUES.de!
    const planted = { ...rest, 'failed.text': 'Ohne Nummer', 'no.such': 'x', 'offer.title': MESSAGE_CATALOGUES.en['offer.title'] }
    expect(problemsOf('de', planted).toSorted()).toEqual([
      'failed.text fills in others at other',
      'no.such is no key',
      'notFound.title is missing',
      'offer.title is English',
    ])
    expect(problemsOf('pl', { 'room.nights': { one: '{count} noc', other: '{count} nocy' } })).toContain('room.nights has no form many')
  })

  it('supports texts in seven languages', () => expect(LANGUAGES).toEqual(['en', 'de', 'fr', 'es', 'it', 'nl', 'pt']))

  /** Typewriter quotes, quotes of another language, other spellings of email, and the form of address for friends. */
  const typography: Record<string, RegExp> = {
    en: /'/,
    de: /'|“[^“„]*”|(?<!\p{L})(?:du|dein|deine|euch)(?!\p{L})/iu,
    // Two-part marks need a narrow space that does not break, and are never written without one; a time or an address is no such mark.
    fr: /'|“| [;:!?»%]|« |[^\u202f\d][;!?»%]|[^\u202f\ds]:|«[^\u202f]|(?<!\p{L})(?:tu|ton|toi)(?!\p{L})/u,
    es: /'|“|^[^¿]*\?|^[^¡]*!|(?<!\p{L})(?:tú|tu|tus|ti|contigo|puedes|tienes|has|elige)(?!\p{L})/iu,
    it: /'|“|(?<!\p{L})(?:[Tt]u[oae]?|[Tt]uoi|[Tt][ei]|[Pp]uoi|[Hh]ai)(?!\p{L})|(?<!\{)\bemail\b|\p{L} (?:Sua|Suo|Suoi|Sue|Lei)(?!\p{L})/u,
    nl: /'|“|(?<!\p{L})(?:je|jij|jouw|jullie)(?!\p{L})/iu,
    pt: /'|“|(?<!\p{L})(?:teu|tua|teus|tuas|você|vocês)(?!\p{L})|(?<!\{)\bemail\b/iu,
  }
  it.each(LANGUAGES)('uses the typography and the form of address of %s in all texts', (language) => {
    const texts = Object.entries(MESSAGE_CATALOGUES[language]!).flatMap(([key, message]) =>
      Object.values(formsOf(message)).map((text) => [key, text] as const),
    )
    expect(texts.filter(([, text]) => typography[language]!.test(text))).toEqual([])
  })

  it('reports wrong quotation marks, wrong spelling and informal address in a translated text', () => {
    const wrong = {
      de: ['Deine Karte', 'Der Bericht “Teilnehmer”'],
      fr: ['Oui ?', 'Oui?', '« Oui »', "l'oui", 'C’est à toi'],
      es: ['Sí?', 'Hola!', 'Tus respuestas', 'Usted puede y tú puedes'],
      it: ['La tua camera', 'Solo tu puoi aprire il file', 'La Sua firma', 'Il report “Iscritti”', 'Inviamo una email'],
      nl: ['Jouw kamer', 'Het rapport “Deelnemers”'],
      pt: ['Tua sala', 'Só você pode abrir', 'O relatório “Inscritos”', 'Responde por email'],
    }
    for (const [language, texts] of Object.entries(wrong)) for (const text of texts) expect(text).toMatch(typography[language]!)
  })
})

describe('chooseTranslator', () => {
  it('returns the texts of the base language for a region, and English texts for an unknown language', () => {
    expect(chooseTranslator('de-CH').say('notFound.title')).toBe('Nicht gefunden')
    expect([chooseTranslator('de-CH').locale, chooseTranslator('tlh').locale, chooseTranslator('not a tag').locale]).toEqual([
      'de-CH',
      'en',
      'en',
    ])
    expect(chooseTranslator('tlh').say('notFound.title')).toBe('Not found')
  })

  it('falls back to English for a text that is missing in the language', () => {
    const { 'notFound.title': kept } = MESSAGE_CATALOGUES.de!
    delete MESSAGE_CATALOGUES.de!['notFound.title']
    expect(chooseTranslator('de').say('notFound.title')).toBe('Not found')
    MESSAGE_CATALOGUES.de!['notFound.title'] = kept!
    expect(chooseTranslator('de').say('notFound.title')).toBe('Nicht gefunden')
  })

  it('replaces placeholders of a text once, so that values with braces stay unchanged', () => {
    const said = chooseTranslator('en').say('mail.invitation.subject', { inviter: '{place} $& {{x}}', place: 'Acme' })
    expect(said).toBe('{place} $& {{x}} invites you to Acme on Lanyard')
  })
})

describe('fillPlaceholders', () => {
  const seats: MessageTemplate = { one: '{count} place left', other: '{count} places left' }
  const polish: MessageTemplate = { one: '{count} miejsce', few: '{count} miejsca', many: '{count} miejsc', other: '{count} miejsca' }

  it.each([
    [seats, 'en', 1, '1 place left'],
    [seats, 'en', 0, '0 places left'],
    [seats, 'en', 1234, '1,234 places left'],
    [seats, 'de', 1234, '1.234 places left'],
    [polish, 'pl', 1, '1 miejsce'],
    [polish, 'pl', 3, '3 miejsca'],
    [polish, 'pl', 5, '5 miejsc'],
    [polish, 'pl', 22, '22 miejsca'],
  ])('chooses the plural form of a text by its count (case %#)', (message, locale, count, text) => {
    expect(fillPlaceholders(message, locale, { count })).toBe(text)
  })
})
