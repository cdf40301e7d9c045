import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toOneLine, code, count, day, id, list, object, oneOf, secretText, text } from '../args.ts'
import { buildInputShapeFromSchema, describeArgumentShape, findArgumentShape } from '../input-shape.ts'
import { toAnnotatedSchema } from '../annotated-schema.ts'
import { toClientVisibleSchema } from '../wire.ts'

const Line = object({
  amount: count(1, 99),
  kind: oneOf(['sale', 'credit']),
  personId: id().optional(),
  secret: secretText(10).optional(),
})
const whole = z.strictObject({
  eventCode: code(),
  lines: toOneLine(list(Line), 'amount, kind'),
  from: day().nullable().optional(),
  free: z.looseObject({ a: text() }).optional(),
  flags: list(oneOf(['x', 'y'])).optional(),
})

describe('input shape of a tool', () => {
  const shape = buildInputShapeFromSchema(whole)

  it('describes arguments in full where the schema for clients is abbreviated', () => {
    expect(toClientVisibleSchema(toAnnotatedSchema(whole)).properties!.lines).toEqual({
      type: 'array',
      items: { type: 'object' },
      description: 'amount, kind',
    })
    expect(findArgumentShape(shape, ['lines', 0, 'amount'])).toEqual({ type: 'integer', minimum: 1, maximum: 99 })
    expect(findArgumentShape(shape, ['lines', 7])!.required).toEqual(['amount', 'kind'])
  })

  it('marks record ids and secrets by their schema type, not their name', () => {
    expect(findArgumentShape(shape, ['lines', 0, 'personId'])).toMatchObject({ reference: true })
    expect(findArgumentShape(shape, ['lines', 0, 'secret'])).toMatchObject({ secret: true })
    expect(findArgumentShape(shape, ['eventCode'])!.reference).toBeUndefined()
  })

  it('marks nullable arguments and objects that accept additional keys', () => {
    expect(findArgumentShape(shape, ['from'])).toMatchObject({ type: 'string', nullable: true })
    expect(findArgumentShape(shape, ['free'])).toMatchObject({ open: true })
    expect(findArgumentShape(shape, ['lines', 0])!.open).toBeUndefined()
  })

  it('finds no argument with the name of an inherited property such as constructor', () => {
    expect(findArgumentShape(shape, ['constructor'])).toBeUndefined()
    expect(findArgumentShape(shape, ['lines', 0, '__proto__'])).toBeUndefined()
  })

  it.each([
    [['eventCode'], 'a code such as summit-2027'],
    [
      ['lines'],
      'a list of { amount: a whole number from 1 to 99, kind: one of sale, credit, personId?: an id of 24 characters 0-9 a-f, secret? }',
    ],
    [['from'], 'a day as YYYY-MM-DD'],
    [['flags'], 'a list of one of x, y'],
    [['free', 'a'], 'a text'],
  ])('describes a valid argument in one line: %j', (path, words) => {
    expect(describeArgumentShape(findArgumentShape(shape, path)!)).toBe(words)
  })
})
