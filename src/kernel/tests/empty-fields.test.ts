import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toAnnotatedSchema } from '../annotated-schema.ts'
import { toOneLine, count, instant, keepNullInResult, list, money, object, pageResult, text, untrustedText } from '../args.ts'
import { findEmptyFields, omitEmptyFields } from '../empty-fields.ts'

const shown = (shape: z.ZodRawShape, value: object) => omitEmptyFields(value, findEmptyFields(toAnnotatedSchema(object(shape))))

describe('omitEmptyFields', () => {
  it('leaves out null texts, dates and objects of a tool result, at any depth and in fields with a shortened schema', () => {
    const Person = object({ id: text(), company: untrustedText().nullable(), group: object({ name: text().nullable() }).nullable() })
    const shape = {
      closesAt: instant().nullable().optional(),
      people: list(toOneLine(Person, 'id, company')),
      host: toOneLine(Person, 'id').nullable(),
    }
    const people = [
      { id: 'a', company: null, group: null },
      { id: 'b', company: 'Acme', group: { name: null } },
    ]
    expect(shown(shape, { closesAt: null, people, host: null })).toEqual({ people: [{ id: 'a' }, { id: 'b', company: 'Acme', group: {} }] })
  })

  it('keeps null numbers and amounts of a tool result, and null fields that are declared as meaningful', () => {
    const shape = {
      capacity: count().nullable(),
      rate: z.number().nullable(),
      price: money().nullable(),
      rows: list(object({ country: keepNullInResult(text().nullable()).optional(), total: count() })),
      ...pageResult,
    }
    const value = { capacity: null, rate: null, price: null, rows: [{ country: null, total: 1 }], nextCursor: null }
    expect(shown(shape, value)).toEqual(value)
  })

  it('keeps null items of lists, and null fields of objects whose fields are not declared', () => {
    const value = { cells: ['a', null], row: { company: null }, answers: { q1: null } }
    const shape = { cells: list(text().nullable()), row: z.looseObject({}), answers: z.record(z.string(), z.unknown()) }
    expect(shown(shape, value)).toEqual(value)
  })

  it('returns a copy of a tool result without its empty fields, and leaves the original unchanged', () => {
    const value = { person: { company: null } }
    expect(shown({ person: object({ company: text().nullable() }) }, value)).toEqual({ person: {} })
    expect(value).toEqual({ person: { company: null } })
  })
})
