import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { brief, code, count, day, id, list, object, oneOf, secretText, text } from '../args.ts'
import { inputShapeOf, inWords, shapeAt } from '../input-shape.ts'
import { markedSchema } from '../marked-schema.ts'
import { wireSchema } from '../wire.ts'

const Line = object({ amount: count(1, 99), kind: oneOf(['sale', 'credit']), personId: id().optional(), secret: secretText(10).optional() })
const whole = z.strictObject({
  eventCode: code(),
  lines: brief(list(Line), 'amount, kind'),
  from: day().nullable().optional(),
  free: z.looseObject({ a: text() }).optional(),
  flags: list(oneOf(['x', 'y'])).optional(),
})

describe('the shape of what a tool takes', () => {
  const shape = inputShapeOf(whole)

  it('is whole where clients are told a line', () => {
    expect(wireSchema(markedSchema(whole)).properties!.lines).toEqual({
      type: 'array',
      items: { type: 'object' },
      description: 'amount, kind',
    })
    expect(shapeAt(shape, ['lines', 0, 'amount'])).toEqual({ type: 'integer', minimum: 1, maximum: 99 })
    expect(shapeAt(shape, ['lines', 7])!.required).toEqual(['amount', 'kind'])
  })

  it('knows references and secrets by their words, however they are called', () => {
    expect(shapeAt(shape, ['lines', 0, 'personId'])).toMatchObject({ reference: true })
    expect(shapeAt(shape, ['lines', 0, 'secret'])).toMatchObject({ secret: true })
    expect(shapeAt(shape, ['eventCode'])!.reference).toBeUndefined()
  })

  it('knows what may be null, and what takes any key', () => {
    expect(shapeAt(shape, ['from'])).toMatchObject({ type: 'string', nullable: true })
    expect(shapeAt(shape, ['free'])).toMatchObject({ open: true })
    expect(shapeAt(shape, ['lines', 0])!.open).toBeUndefined()
  })

  it('has no parts that only every object has', () => {
    expect(shapeAt(shape, ['constructor'])).toBeUndefined()
    expect(shapeAt(shape, ['lines', 0, '__proto__'])).toBeUndefined()
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
  ])('is told in words: %j', (path, words) => {
    expect(inWords(shapeAt(shape, path)!)).toBe(words)
  })
})
