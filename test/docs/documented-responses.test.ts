import { describe, expect, it } from 'vitest'
import { parseCurlRequests } from '../support/curl.ts'
import { createPageValues } from '../support/page-values.ts'
import { parseCodeBlocks } from '../support/code-blocks.ts'

const ID = '66f0a1b2c3d4e5f607182930'
const OTHER = '01a1e28f75768f8c49686a7b'
const differencesBetween = (written: unknown, real: unknown) => createPageValues().findDifferences(written, real)

describe('documented response', () => {
  it.each<[string, unknown, unknown]>([
    ['the same values', { a: [1, 'x', null, true] }, { a: [1, 'x', null, true] }],
    ['another id, time, token or number', { a: `of ${ID}`, b: '2027-03-01T09:00:00.000Z', c: 'lps_Zr5u…' }, { a: `of ${OTHER}`, b: '2026-11-02T09:00:06.026Z', c: 'lps_WEwIlOitbEZ6' }],
    ['omitted fields', { a: 1, '…': '…' }, { a: 1, b: 2 }],
    ['omitted items', ['a', '…'], ['a', 'b', 'c']],
    ['omitted words', 'No email … that can be sent', 'No email x that can be sent'],
    ['another status of a record', { tag: 'W/"2-d40f917a"', revision: 2 }, { tag: 'W/"17-00000000"', revision: 17 }],
  ])('matches a documented response with a real response with %s', (_, written, real) => {
    expect(differencesBetween(written, real)).toEqual([])
  })

  it.each<[string, unknown, unknown]>([
    ['another sentence', { detail: 'No such badge' }, { detail: 'No such company' }],
    ['other words around an omission', 'No email … can be sent', 'No email x may be sent'],
    ['an additional key', { a: 1 }, { a: 1, b: 2 }],
    ['a missing key', { a: 1, b: 2, '…': '…' }, { a: 1 }],
    ['more items', ['a'], ['a', 'b']],
    ['fewer items', ['a', 'b', '…'], ['a']],
    ['another number', { captures: 3 }, { captures: 4 }],
    ['null', { a: 'x' }, { a: null }],
    ['another kind of token', 'lat_q1W9…', 'lrt_q1W9xBfN'],
    ['no moment', '2027-03-01T09:00:00.000Z', 'soon'],
    ['one id for two records', [ID, ID], [OTHER, '01a1e28f7861534d8b80b983']],
  ])('rejects a documented response for a real response with %s', (_, written, real) => {
    expect(differencesBetween(written, real)).not.toEqual([])
  })

  it('replaces documented values in later requests with the real values of earlier responses', () => {
    const { findDifferences: faultsOf, toReal: realOf, toWritten: writtenOf } = createPageValues()
    expect(faultsOf({ id: ID, jwt: 'eyJhbGciOiJI…' }, { id: OTHER, jwt: 'eyJx.y.z' })).toEqual([])
    expect(realOf(`/v1/orders/${ID}?token=eyJhbGciOiJI…`)).toBe(`/v1/orders/${OTHER}?token=eyJx.y.z`)
    expect(writtenOf(OTHER)).toBe(ID)
  })
})

describe('documented request', () => {
  it('parses a documented request like a shell command line', () => {
    const lines = 'CODE=abc\ncurl -siG https://x.example/a \\\n  -d "code=$CODE" --data-urlencode \'b=1|2\' -H \'A: "x"\'\ncurl https://x.example/b -d \'{"a":\n1}\''
    expect([...parseCurlRequests(lines, new Map())]).toEqual([
      { method: 'GET', url: 'https://x.example/a?code=abc&b=1%7C2', headers: { accept: '*/*', a: '"x"' } },
      { method: 'POST', url: 'https://x.example/b', headers: { accept: '*/*', 'content-type': 'application/x-www-form-urlencoded' }, body: '{"a":\n1}' },
    ])
    expect(() => [...parseCurlRequests('curl https://x.example/$ABSENT', new Map())]).toThrow('$ABSENT is used but was never set')
  })

  it('finds each code block of a page with the heading above it', () => {
    const page = '# T\n\n## First\n\n```sh\n# no heading\ncurl x\n```\n\n### Second\n\n```json\n{}\n```\n'
    expect(parseCodeBlocks(page).map(({ heading, language, text }) => [heading, language, text])).toEqual([
      ['First', 'sh', '# no heading\ncurl x\n'],
      ['Second', 'json', '{}\n'],
    ])
  })
})
