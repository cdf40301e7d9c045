import { describe, expect, it } from 'vitest'
import { requestsIn } from '../support/curl.ts'
import { shownValues } from '../support/page-answers.ts'
import { blocksIn } from '../support/page-blocks.ts'

const ID = '66f0a1b2c3d4e5f607182930'
const OTHER = '01a1e28f75768f8c49686a7b'
const told = (written: unknown, real: unknown) => shownValues().faultsOf(written, real)

describe('an answer on a page', () => {
  it.each<[string, unknown, unknown]>([
    ['what is the same', { a: [1, 'x', null, true] }, { a: [1, 'x', null, true] }],
    ['another id, moment, token or number', { a: `of ${ID}`, b: '2027-03-01T09:00:00.000Z', c: 'lps_Zr5u…' }, { a: `of ${OTHER}`, b: '2026-11-02T09:00:06.026Z', c: 'lps_WEwIlOitbEZ6' }],
    ['what is left out', { a: 1, '…': '…' }, { a: 1, b: 2 }],
    ['items that are left out', ['a', '…'], ['a', 'b', 'c']],
    ['words that are left out', 'No email … that can be sent', 'No email x that can be sent'],
    ['another state of a record', { tag: 'W/"2-d40f917a"', revision: 2 }, { tag: 'W/"17-00000000"', revision: 17 }],
  ])('agrees with %s', (_, written, real) => {
    expect(told(written, real)).toEqual([])
  })

  it.each<[string, unknown, unknown]>([
    ['another sentence', { detail: 'No such badge' }, { detail: 'No such company' }],
    ['another word in the middle of one that is left open', 'No email … can be sent', 'No email x may be sent'],
    ['a key that the page does not say', { a: 1 }, { a: 1, b: 2 }],
    ['a key that is not there', { a: 1, b: 2, '…': '…' }, { a: 1 }],
    ['more items', ['a'], ['a', 'b']],
    ['fewer items', ['a', 'b', '…'], ['a']],
    ['another number', { captures: 3 }, { captures: 4 }],
    ['null', { a: 'x' }, { a: null }],
    ['another kind of token', 'lat_q1W9…', 'lrt_q1W9xBfN'],
    ['no moment', '2027-03-01T09:00:00.000Z', 'soon'],
    ['one id for two things', [ID, ID], [OTHER, '01a1e28f7861534d8b80b983']],
  ])('does not agree with %s', (_, written, real) => {
    expect(told(written, real)).not.toEqual([])
  })

  it('names what is asked for next', () => {
    const { faultsOf, realOf, writtenOf } = shownValues()
    expect(faultsOf({ id: ID, jwt: 'eyJhbGciOiJI…' }, { id: OTHER, jwt: 'eyJx.y.z' })).toEqual([])
    expect(realOf(`/v1/orders/${ID}?token=eyJhbGciOiJI…`)).toBe(`/v1/orders/${OTHER}?token=eyJx.y.z`)
    expect(writtenOf(OTHER)).toBe(ID)
  })
})

describe('a request on a page', () => {
  it('is read as a shell would', () => {
    const lines = 'CODE=abc\ncurl -siG https://x.example/a \\\n  -d "code=$CODE" --data-urlencode \'b=1|2\' -H \'A: "x"\'\ncurl https://x.example/b -d \'{"a":\n1}\''
    expect([...requestsIn(lines, new Map())]).toEqual([
      { method: 'GET', url: 'https://x.example/a?code=abc&b=1%7C2', headers: { accept: '*/*', a: '"x"' } },
      { method: 'POST', url: 'https://x.example/b', headers: { accept: '*/*', 'content-type': 'application/x-www-form-urlencoded' }, body: '{"a":\n1}' },
    ])
    expect(() => [...requestsIn('curl https://x.example/$NOBODY', new Map())]).toThrow('$NOBODY is used and was never set')
  })

  it('stands under its heading', () => {
    const page = '# T\n\n## First\n\n```sh\n# no heading\ncurl x\n```\n\n### Second\n\n```json\n{}\n```\n'
    expect(blocksIn(page).map(({ heading, language, text }) => [heading, language, text])).toEqual([
      ['First', 'sh', '# no heading\ncurl x\n'],
      ['Second', 'json', '{}\n'],
    ])
  })
})
