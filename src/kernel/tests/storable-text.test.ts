import { expect, it } from 'vitest'
import { findUnstorableText } from '../storable-text.ts'

const paths = (value: unknown) => findUnstorableText(value, 'no').map(({ path }) => path)

it('reports the path of text and keys that the database cannot store', () => {
  expect(paths({ a: 'fine 😀', b: [1, null, { c: 'e\u0301' }] })).toEqual([])
  expect(paths('a\0')).toEqual([''])
  expect(paths({ a: ['x', { b: '\ud800' }], c: '\udc00' })).toEqual(['a/1/b', 'c'])
  expect(paths({ a: { 'b\0': 'x' } })).toEqual(['a'])
})
