import { describe, expect, it } from 'vitest'
import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import type { FieldError } from '../../../../kernel/errors.ts'
import { LANGUAGES, chooseTranslator } from '../../../../kernel/language/translator.ts'
import { translateFieldError } from '../messages.ts'

const config = { customFields: [], products: [], policies: [] } as unknown as EventConfig
const said = (locale: string, error: Pick<FieldError, 'message' | 'reason'>) =>
  translateFieldError({ words: chooseTranslator(locale), config, missing: [] }, { path: '@custom.x', ...error }).replaceAll('\u00a0', ' ')

describe('translateFieldError', () => {
  it.each([
    ['fr', 'error.later', '2027-03-01', 'Choisissez une date à partir du 1 mars 2027'],
    ['de', 'error.later', '2027-03-01', 'Wählen Sie den 1. März 2027 oder ein späteres Datum'],
    ['nl', 'error.atMost', '1234.5', 'Vul maximaal 1.234,5 in'],
    ['es', 'error.atLeast', '10.00 EUR', 'Escriba 10,00 € como mínimo'],
    ['it', 'error.sessionBegun', '2027', '«2027» è già iniziata'],
    ['pt', 'error.fileSize', '5 MB', 'O ficheiro é demasiado grande. Não pode ultrapassar 5 MB.'],
  ] as const)('formats limits in error messages for the language %s: %s %s', (locale, key, limit, text) =>
    expect(said(locale, { message: 'English', reason: { key, values: { limit } } })).toBe(text),
  )

  it.each(LANGUAGES.slice(1))('replaces an error message that exists only in English on a page in %s', (language) => {
    const message = 'accepts no more than 1'
    expect(said('en', { message })).toBe(message)
    expect(said(language, { message })).toBe(chooseTranslator(language).say('error.other'))
  })
})
