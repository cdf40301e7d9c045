import { expect, it } from 'vitest'
import { unkeepable } from '../unkeepable.ts'

const paths = (value: unknown) => unkeepable(value, 'no').map(({ path }) => path)

it('finds what the database cannot keep, in texts and in names, by its place', () => {
  expect(paths({ a: 'fine 😀', b: [1, null, { c: 'e\u0301' }] })).toEqual([])
  expect(paths('a\0')).toEqual([''])
  expect(paths({ a: ['x', { b: '\ud800' }], c: '\udc00' })).toEqual(['a/1/b', 'c'])
  expect(paths({ a: { 'b\0': 'x' } })).toEqual(['a'])
})
