import { describe, expect, it } from 'vitest'
import type { CustomField } from '../../schema/event-config.ts'
import { SAMPLE_NAMES, SAMPLE_PHONES } from '../sample-data.ts'
import { generatePatternSamples } from '../pattern-samples.ts'
import { listValidAnswers } from '../legal-answers.ts'
import { findAnswerErrorMessage, findQuestionRules, toCustomFieldRules, getResponseTypeRules, toE164PhoneNumber } from '../answer-rules.ts'
import { choices, configOf } from './fixtures.ts'

const fieldOf = (field: Record<string, unknown>): CustomField =>
  configOf({ customFields: [{ code: 'q', name: 'Q', ...field } as never] }).customFields[0]!
const rules = (field: Record<string, unknown>) => toCustomFieldRules(fieldOf(field))
const widget = (more: Record<string, unknown> = {}) => ({ min: null, max: null, pattern: null, choices: null, ...more }) as never
const ok = (field: Record<string, unknown>, ...values: unknown[]) =>
  expect(values.map((value) => findAnswerErrorMessage(rules(field), null, value))).toEqual(values.map(() => null))
const wrong = (field: Record<string, unknown>, ...values: unknown[]) =>
  expect(values.map((value) => findAnswerErrorMessage(rules(field), null, value)).filter((message) => message === null)).toEqual([])

describe('findAnswerErrorMessage', () => {
  it('checks the minimum and maximum number of characters of a text answer', () => {
    ok({ responseType: 'text' }, 'x'.repeat(300), '🎉'.repeat(300))
    wrong({ responseType: 'text' }, 'x'.repeat(301), 5, ['x'])
    ok({ responseType: 'longText' }, 'x'.repeat(5000))
    wrong({ responseType: 'longText' }, 'x'.repeat(5001))
    expect(findAnswerErrorMessage(rules({ responseType: 'text', min: 3, max: 5 }), null, 'ab')).toBe('Enter at least 3 characters.')
    expect(findAnswerErrorMessage(rules({ responseType: 'text', min: 3, max: 5 }), null, 'abcdef')).toBe('Enter at most 5 characters.')
  })

  it('requires the whole answer to match the pattern of a question, not only a part', () => {
    ok({ responseType: 'text', pattern: '[A-Z]{2}\\d+' }, 'AB12')
    wrong({ responseType: 'text', pattern: '[A-Z]{2}\\d+' }, 'xAB12', 'AB12x', '')
  })

  it('accepts number answers in decimal notation only', () => {
    ok({ responseType: 'number', min: 0, max: 10 }, 0, '10', '0.30', 1.5)
    wrong({ responseType: 'number', min: 0, max: 10 }, -0.1, '10.01', 'ten', '1e1', Number.NaN, true)
    ok({ responseType: 'number', integer: true }, 3, '-4', '5.0')
    wrong({ responseType: 'number', integer: true }, 3.5, '0.1')
  })

  it('accepts only true and false for yes/no questions, and only valid days for date questions', () => {
    ok({ responseType: 'boolean' }, true, false)
    wrong({ responseType: 'boolean' }, 'true', 1)
    ok({ responseType: 'date', min: '2026-01-01', max: '2026-12-31' }, '2026-01-01', '2026-12-31')
    wrong({ responseType: 'date', min: '2026-01-01', max: '2026-12-31' }, '2025-12-31', '2027-01-01', '2026-02-30', '01.02.2026')
  })

  it('accepts a retired choice only if it is the stored answer', () => {
    const field = { responseType: 'choice', choices: [...choices('a', 'b'), { code: 'old', name: 'Old', retired: true }] }
    ok(field, 'a', 'b')
    wrong(field, 'old', 'c', ['a'])
    expect(findAnswerErrorMessage(rules(field), null, 'old', { previous: 'old' })).toBeNull()
    expect(findAnswerErrorMessage(rules(field), null, 'old', { previous: 'a' })).toBe('Choose one of a, b.')
    expect(findAnswerErrorMessage(rules(field), widget({ choices: ['a'] }), 'b')).toBe('Choose one of a.')
  })

  it('accepts the answer to a multiple-choice question only without duplicates', () => {
    const field = { responseType: 'multiChoice', choices: choices('a', 'b', 'c'), minChoices: 1, maxChoices: 2 }
    ok(field, ['a'], ['b', 'a'])
    wrong(field, [], ['a', 'b', 'c'], ['a', 'a'], ['x'], 'a')
  })

  it('accepts valid email and web addresses as answers', () => {
    ok({ responseType: 'email' }, 'a@b.org', `${'x'.repeat(64)}@example.org`, 'o’brien@münchen.example')
    wrong(
      { responseType: 'email' },
      'a',
      'a@b',
      'a@@b.org',
      'a@b@c.org',
      `${'x'.repeat(65)}@example.org`,
      'a b@c.org',
      '.a@b.org',
      'a@b..org',
      7,
    )
    ok({ responseType: 'url' }, 'https://example.org', 'http://x.org/y?z')
    wrong({ responseType: 'url' }, 'example.org', 'ftp://x.org', 'javascript:alert(1)', 'https://')
  })

  it("accepts phone numbers with country code, and without it only numbers of the venue's country", () => {
    ok({ responseType: 'phone' }, '+49 30 227-32152', '+12024561111')
    wrong({ responseType: 'phone' }, '030 22732152', '+49', 'call me', '+1555')
    expect(findAnswerErrorMessage(rules({ responseType: 'phone' }), null, '030 22732152', { country: 'DE' })).toBeNull()
    expect(toE164PhoneNumber('030 22732152', 'DE')).toBe('+493022732152')
    expect(SAMPLE_PHONES.map((phone) => toE164PhoneNumber(phone))).toEqual(SAMPLE_PHONES)
  })

  it('accepts valid country codes and file ids as answers', () => {
    ok({ responseType: 'country' }, 'DE', 'JP')
    wrong({ responseType: 'country' }, 'de', 'EU', 'XX', 'Germany')
    ok({ responseType: 'file' }, '0123456789abcdef01234567')
    wrong({ responseType: 'file' }, 'photo.jpg', null)
  })

  it('lets a widget make the answer rules of its data field stricter but not looser', () => {
    const field = rules({ responseType: 'number', min: 2, max: 8 })
    expect(findAnswerErrorMessage(field, widget({ min: 0, max: 5 }), 1)).toBe('Enter at least 2.')
    expect(findAnswerErrorMessage(field, widget({ min: 0, max: 5 }), 6)).toBe('Enter at most 5.')
    expect(findAnswerErrorMessage(field, widget({ min: 0, max: 5 }), 5)).toBeNull()
  })

  it('finds the answer rules of participant properties such as the email', () => {
    const config = configOf({})
    expect(findQuestionRules(config, '@participant.email')?.type).toBe('email')
    expect(findQuestionRules(config, '@participant.nothing')).toBeNull()
    for (const { firstName, lastName } of SAMPLE_NAMES) {
      expect(findAnswerErrorMessage(findQuestionRules(config, '@participant.firstName')!, null, firstName)).toBeNull()
      expect(findAnswerErrorMessage(findQuestionRules(config, '@participant.lastName')!, null, lastName)).toBeNull()
    }
  })
})

describe('listValidAnswers', () => {
  it('returns a valid sample answer for every answer type', () => {
    for (const type of ['text', 'longText', 'number', 'boolean', 'date', 'email', 'phone', 'url', 'country', 'file'] as const) {
      expect(listValidAnswers(getResponseTypeRules(type), null).length).toBeGreaterThan(0)
    }
  })

  it('lists sample answers just below and above each compared number or day, within the limits of the question', () => {
    expect(listValidAnswers(rules({ responseType: 'number', integer: true, min: 0, max: 5 }), null, { values: [5], parts: [] })).toEqual([
      1, 0, 5, 4, 2,
    ])
    const days = listValidAnswers(rules({ responseType: 'date', max: '2026-05-01' }), null, { values: ['2026-05-01'], parts: [] })
    expect(days).toEqual(['2026-05-01', '2026-04-30'])
  })

  it('lists sample answers of a multiple-choice question with and without each choice that a condition uses', () => {
    const sets = listValidAnswers(rules({ responseType: 'multiChoice', choices: choices('a', 'b', 'c') }), null, {
      values: [],
      parts: ['a', 'b'],
    })
    expect(sets).toEqual(expect.arrayContaining([['a'], ['b'], ['c'], ['a', 'b'], ['a', 'b', 'c']]))
  })

  it('limits the length of sample answers for regular expressions with nested repetitions', () => {
    for (const pattern of ['(((((((a*)*)*)*)*)*)*)*', '((((((((((a+)+)+)+)+)+)+)+)+)+)+b', '(?:[a-z]{0,9}){0,9}']) {
      const samples = generatePatternSamples(pattern)
      expect(samples.length).toBeGreaterThan(0)
      for (const sample of samples) expect(sample.length).toBeLessThanOrEqual(500)
    }
  })

  it("lists sample answers that match the question's pattern and have its minimum length", () => {
    for (const pattern of [
      '[A-Z]{2}\\d{4}',
      '(?:EX|IN)-[0-9a-f]+',
      '\\d{3}-?\\d{2}',
      '[^0-9]{5}',
      '^M\\w{7,}$',
      'a|b+',
      '[\\w.-]+@acme\\.com',
      '\\S+ \\S+',
    ]) {
      const [sample] = generatePatternSamples(pattern)
      expect(sample).toBeDefined()
      expect(findAnswerErrorMessage(rules({ responseType: 'text', pattern }), null, sample)).toBeNull()
    }
    expect(listValidAnswers(rules({ responseType: 'text', pattern: '\\d+', min: 12 }), null).length).toBeGreaterThan(0)
    expect(listValidAnswers(rules({ responseType: 'longText', min: 50 }), null).length).toBeGreaterThan(0)
  })
})
