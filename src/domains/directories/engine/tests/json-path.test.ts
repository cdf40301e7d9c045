import { describe, expect, it } from 'vitest'
import { checkJsonPath, getLastKey, parseJsonPath, cutPathBeforeWildcard, readJsonPath } from '../json-path.ts'

const DOCUMENT = {
  id: 7,
  name: { first: 'Anna', 'last name': 'Muster' },
  Items: {
    $values: [
      { t: 'home', n: 1 },
      { t: 'work', n: 2 },
      { n: 3, deep: { k: null } },
    ],
  },
  'a.b': ["it's", ['x']],
}

describe('JSON paths', () => {
  it.each<[string, unknown[]]>([
    ['$', [DOCUMENT]],
    ['$.id', [7]],
    [' $.name.first ', ['Anna']],
    ["$.name['last name']", ['Muster']],
    ['$.name["last name"]', ['Muster']],
    ['$.Items.$values[0].t', ['home']],
    ['$.Items.$values[9]', []],
    ['$.Items.$values[*].n', [1, 2, 3]],
    ['$.Items.$values[*].t', ['home', 'work']],
    ["$.Items.$values[?(@.t=='work')].n", [2]],
    ['$.Items.$values[?(@.t == "work")].n', [2]],
    ['$.Items.$values[?(@.n==3)].n', [3]],
    ['$.Items.$values[?(@.deep.k==null)].n', [3]],
    ["$.Items.$values[?(@['t']=='home')].n", [1]],
    ["$.Items.$values[?(@.t=='none')]", []],
    ["$['a.b'][0]", ["it's"]],
    ["$['a.b'][1][0]", ['x']],
    ['$.name[*]', ['Anna', 'Muster']],
    ['$.missing.deeper', []],
    ['$.id.length', []],
    ["$['a.b'].length", []],
    ['$.__proto__', []],
    ['$.constructor.name', []],
    ["$['toString']", []],
  ])('reads the values at the JSON path %s', (text, found) => {
    expect(readJsonPath(DOCUMENT, parseJsonPath(text))).toEqual(found)
  })

  it('reads __proto__ and constructor in a JSON path as plain keys', () => {
    const document: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":"x"}')
    expect(readJsonPath(document, parseJsonPath('$.__proto__.admin'))).toEqual([true])
    expect(readJsonPath(document, parseJsonPath('$.constructor'))).toEqual(['x'])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  it('reads values from a deeply nested document, and returns at most the maximum number of matches', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = { k: deep }
    expect(readJsonPath(deep, parseJsonPath('$.k.k.k'))).toHaveLength(1)
    expect(
      readJsonPath(
        Array.from({ length: 20_000 }, () => 1),
        parseJsonPath('$[*]'),
      ),
    ).toHaveLength(10_000)
  })

  it.each([
    ['', 'it must start with $'],
    ['email', 'it must start with $'],
    ['$..email', 'cannot be read from "..email" on'],
    ['$.', 'cannot be read from'],
    ['$.a[', 'cannot be read from "[" on'],
    ['$.a[-1]', 'cannot be read'],
    ['$.a[1:2]', 'cannot be read'],
    ["$['a]", 'cannot be read'],
    ['$.a[?(@.b>1)]', 'cannot be read'],
    ['$.a[?(@.b==process.exit())]', 'cannot be read'],
    ['$.a[(1+1)]', 'cannot be read'],
    ['$.*', 'cannot be read'],
    [`$${'.a'.repeat(40)}`, 'at most 32 segments'],
    [`$.${'a'.repeat(600)}`, 'at most 500 characters'],
  ])('rejects the JSON path %s with a readable message', (text, words) => {
    expect(checkJsonPath(text)).toContain(words)
    expect(() => parseJsonPath(text)).toThrow(words)
  })

  it('returns the part of a JSON path before the first wildcard, and the last key of the path', () => {
    expect(cutPathBeforeWildcard(parseJsonPath('$.a.b[*].c'))).toEqual(parseJsonPath('$.a.b'))
    expect(getLastKey(parseJsonPath("$.FieldValues[?(@.Code=='Phone')].Value"))).toBe('Value')
    expect(getLastKey(parseJsonPath('$'))).toBe('')
  })
})
