import { describe, expect, it } from 'vitest'
import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import { LANGUAGES, translatorFor } from '../../../../kernel/language/translator.ts'
import { translateFieldError } from '../messages.ts'

const config = { customFields: [], products: [], policies: [] } as unknown as EventConfig
const said = (locale: string, message: string) =>
  translateFieldError({ words: translatorFor(locale), config, missing: [] }, { path: '@custom.x', message }).replaceAll('\u00a0', ' ')

describe('translateFieldError', () => {
  it.each([
    ['fr', 'Choose 2027-03-01 or later.', 'Choisissez une date à partir du 1 mars 2027'],
    ['de', 'Choose 2027-03-01 or later.', 'Wählen Sie den 1. März 2027 oder ein späteres Datum'],
    ['nl', 'Enter at most 1234.5.', 'Vul maximaal 1.234,5 in'],
    ['es', 'Gala begins at 10.00 EUR', 'Escriba 10,00 € como mínimo'],
    ['it', '“2027” has begun already', '«2027» è già iniziata'],
    ['pt', 'The file is larger than the limit of 5 MB', 'O ficheiro é demasiado grande. Não pode ultrapassar 5 MB.'],
    ['en', 'The file is text/html by its content. It must be one of image/png', 'This type of file is not accepted. Choose another file.'],
  ])('writes limits as readers of %s write them: %s', (locale, message, text) => expect(said(locale, message)).toBe(text))

  it.each(LANGUAGES.slice(1))('shows no English message on a page in %s', (language) => {
    const english = 'accepts no more than 1'
    expect(said('en', english)).toBe(english)
    expect(said(language, english)).toBe(translatorFor(language).say('error.other'))
  })
})
