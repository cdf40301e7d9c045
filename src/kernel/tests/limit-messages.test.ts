import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { list, text } from '../args.ts'
import { rewordValidationMessage, removeMisleadingLimitIssues } from '../limit-messages.ts'

const issuesOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error!.issues
const messagesOf = (schema: z.ZodType, value: unknown) => removeMisleadingLimitIssues(issuesOf(schema, value)).map(rewordValidationMessage)

describe('rewordValidationMessage and withoutMisleadingLimits', () => {
  it('does not report the length limit of a list if a text was sent', () => {
    const schema = list(text(), 3)
    // The validator checks the length of the text too.
    expect(issuesOf(schema, 'draft').map(({ code }) => code)).toEqual(['invalid_type', 'too_big'])
    expect(removeMisleadingLimitIssues(issuesOf(schema, 'draft')).map(({ code }) => code)).toEqual(['invalid_type'])
    expect(messagesOf(schema, ['a', 'b', 'c', 'd'])).toEqual(['at most 3 items'])
    expect(messagesOf(z.object({ a: schema, b: schema }), { a: 'draft', b: ['a', 'b', 'c', 'd'] }).at(-1)).toBe('at most 3 items')
  })

  it('names a limit in characters, in items or as a number, and one item in the singular', () => {
    expect(messagesOf(z.string().max(5), 'longer')).toEqual(['at most 5 characters'])
    expect(messagesOf(z.string().min(2), 'x')).toEqual(['at least 2 characters'])
    expect(messagesOf(list(text(), 1), ['a', 'b'])).toEqual(['at most 1 item'])
    expect(messagesOf(z.array(z.string()).min(1), [])).toEqual(['at least 1 item'])
    expect(messagesOf(z.number().max(10), 11)).toEqual(['at most 10'])
  })

  it('explains why a key of an object is invalid', () => {
    expect(messagesOf(z.record(z.string().max(2), z.string()), { long: 'x' })).toEqual([
      'has a key that is not valid: at most 2 characters',
    ])
  })

  it('keeps an error message that the schema defines itself', () => {
    expect(messagesOf(text(3), 'long')).toEqual(['at most 3 characters'])
    expect(messagesOf(z.string().min(1, 'needs a name'), '')).toEqual(['needs a name'])
  })
})
