import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFormFields } from '../form-fields.ts'

const LIMITS = { fields: 3, name: 4, value: 5 }
const read = (body: string) => parseFormFields(body, LIMITS)

describe('parseFormFields', () => {
  it('returns form fields in order, including repeated ones', () => {
    expect(read('b=1&a=2&b=3')).toEqual({
      fields: [
        ['b', '1'],
        ['a', '2'],
        ['b', '3'],
      ],
    })
    expect(read('')).toEqual({ fields: [] })
    expect(read('&&a=1&&')).toEqual({ fields: [['a', '1']] })
    expect(read('?a=1')).toEqual({ fields: [['?a', '1']] })
    expect(read('a')).toEqual({ fields: [['a', '']] })
    expect(read('=b')).toEqual({ fields: [['', 'b']] })
    expect(read('b=x+y%2Fz')).toEqual({ fields: [['b', 'x y/z']] })
  })

  it('parses arbitrary form bodies as URLSearchParams does', () => {
    const generous = { fields: 1000, name: 10_000, value: 10_000 }
    const part = fc.string({
      unit: fc.constantFrom('a', '=', '&', '%', '%4', '%41', '%C3%A9', '%ff', '+', '?', 'é', '😀', '\0', '#', '__proto__'),
    })
    fc.assert(
      fc.property(part, (body) => {
        // A leading question mark is the one difference: in a body it belongs to the name.
        expect(parseFormFields(body, generous)).toEqual({ fields: [...new URLSearchParams(`&${body}`)] })
      }),
      { numRuns: 2000 },
    )
  })

  it('rejects a form with more fields than the limit', () => {
    expect(read('a=1&b=2&c=3&d=4')).toEqual({ refused: 'The form has more than 3 fields' })
    expect(read('a=1&b=2&c=3&&&')).toHaveProperty('fields.length', 3)
    expect(read('&'.repeat(32 * 1024))).toEqual({ fields: [] })
  })

  it('rejects a form whose field name or value is too long, counted in bytes', () => {
    expect(read('abcd=12345')).toHaveProperty('fields')
    expect(read('abcde=1')).toEqual({ refused: 'The name of a field has more than 4 bytes' })
    expect(read('ééé=1')).toEqual({ refused: 'The name of a field has more than 4 bytes' })
    expect(read('a=123456')).toEqual({ refused: 'A field has more than 5 bytes' })
    expect(read('a=%C3%A9%C3%A9%C3%A9')).toEqual({ refused: 'A field has more than 5 bytes' })
    expect(read('a=%C3%A9%C3%A9')).toEqual({ fields: [['a', 'éé']] })
  })

  it('stops parsing a form at the first field over the limit', () => {
    let looked = 0
    const body = 'a=1&'.repeat(100_000)
    const watched = {
      length: body.length,
      indexOf: (...args: [string, number]) => (looked++, body.indexOf(...args)),
      slice: (...args: [number, number]) => body.slice(...args),
    } as unknown as string
    expect(parseFormFields(watched)).toEqual({ refused: 'The form has more than 500 fields' })
    expect(looked).toBe(501)
  })
})
