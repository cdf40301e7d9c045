import { describe, expect, it } from 'vitest'
import { findInvalidAnswerReason, getResponseTypeRules } from '../../src/domains/configuration/flow/answer-rules.ts'
import { listMissingFields } from '../../src/domains/registration/missing-fields.ts'
import { invalidArguments, preconditionFailed } from '../../src/kernel/errors.ts'
import { toFieldError } from '../../src/kernel/field-reasons.ts'
import { chooseTranslator } from '../../src/kernel/language/translator.ts'
import { serializeResultFields } from '../../src/surfaces/mcp/outcome.ts'
import { toHttpProblem } from '../../src/surfaces/rest/problem-error.ts'
import { translateFieldError } from '../../src/surfaces/web/register/messages.ts'
import { readSources } from '../architecture/sources.ts'

const config = { customFields: [], products: [], policies: [] } as never
const german = { words: chooseTranslator('de'), config, missing: [] }

describe('error texts of refused answers', () => {
  it.each([
    ['email', {}, 'x', 'Geben Sie eine E-Mail-Adresse'],
    ['number', {}, 'x', 'Zahl'],
    ['number', { max: 5 }, 9, '5'],
    ['text', { maxLength: 3 }, 'long', '3'],
    ['date', {}, '2027-02-30', 'Datum'],
    ['date', { min: '2027-01-01' }, '2026-01-01', '1. Januar 2027'],
    ['choice', {}, 'x', 'Wählen'],
  ] as const)('translates the error text of a refused answer by its reason: %s %j', (type, limits, value, text) => {
    const fault = findInvalidAnswerReason({ ...getResponseTypeRules(type), ...limits }, null, value)!
    const translated = translateFieldError(german, { path: '@custom.x', ...fault })
    expect(translated).not.toBe(fault.message)
    expect(translated).toContain(text)
  })

  it('keeps the English error sentence for assistants, even if the page shows another text', () => {
    const fault = findInvalidAnswerReason({ ...getResponseTypeRules('text'), maxLength: 3 }, null, 'long')!
    expect(fault.message).toBe('Enter at most 3 characters.')
    // A sentence that only looks like a known one has no translation: nothing is read from its words.
    expect(translateFieldError(german, { path: 'x', message: 'Enter at most 3 characters.' })).toMatch(
      /^Diese Angabe wurde nicht angenommen/,
    )
  })

  it('asks for a missing answer in its field error, unless the error has another reason', () => {
    const missing = [{ binding: '@participant.firstName', why: 'required', page: 'you', widget: 'name' }] as never
    const path = '@participant.firstName'
    const entered = translateFieldError({ ...german, missing }, { path, message: 'x', reason: { key: 'error.format' } })
    expect(entered).toBe(german.words.say('error.enter', { label: german.words.say('field.firstName') }))
    expect(translateFieldError({ ...german, missing }, toFieldError(path, 'error.full'))).toBe(german.words.say('error.full'))
  })

  it('inserts names and limits into English and German error texts', () => {
    const error = toFieldError('@session.x', 'error.sessionsClash', { limit: 'Opening', other: 'Lunch' })
    expect(error.message).toBe('“Opening” and “Lunch” take place at the same time. Choose one of them.')
    expect(translateFieldError(german, error)).toContain('Opening')
  })
})

describe('machine-readable reasons of field errors', () => {
  const error = invalidArguments([{ ...toFieldError('@product.pass', 'error.full'), allowed: ['a'] }])

  it('leaves the translation key of a field error out of the answer to an assistant', () => {
    const sent = JSON.parse(`{${serializeResultFields({ kind: 'error', error })}}`) as { _meta: Record<string, unknown> }
    expect(sent._meta['lanyard/error']).toEqual({
      code: 'invalid_arguments',
      message: '@product.pass: This is now sold out',
      fields: [{ path: '@product.pass', message: 'This is now sold out', allowed: ['a'] }],
    })
    const other = preconditionFailed('A cannot be combined with B', { pageReason: { key: 'error.together' } })
    expect(serializeResultFields({ kind: 'error', error: other })).not.toContain('eason')
  })

  it('leaves the translation key of a field error out of the answer to a REST client', () => {
    expect(JSON.stringify(toHttpProblem(error))).not.toContain('reason')
  })
})

describe('translated texts of field errors', () => {
  it('shows field errors as sentences, never as keys of texts', () => {
    const keys = readSources().flatMap(({ path, text }) =>
      [...text.matchAll(/\bmessage: '([a-z]+(?:[A-Z][a-z]+)*)'/g)].map(([, key]) => `${path}: ${key}`),
    )
    expect(keys).toEqual([])
  })

  it('names the missing answer in a field error: a group to enter, a session or products to choose, a field of a guest', () => {
    const walk = {
      missing: [
        { binding: '@group.code', oneOf: ['@group.code', '@group.name'], why: 'tooFew' },
        { binding: '@session.', why: 'tooFew' },
        { binding: '@product.pass', oneOf: ['@product.pass', '@product.day'], why: 'tooFew' },
        { binding: '@guest.1.firstName', why: 'tooFew' },
      ],
    } as never
    expect(listMissingFields(config, walk, { skipRequired: false }).map(({ message }) => message)).toEqual([
      'enter @group.code or @group.name',
      'choose a session',
      'choose from @product.pass, @product.day',
      'First name of guest 1 is required',
    ])
  })
})
