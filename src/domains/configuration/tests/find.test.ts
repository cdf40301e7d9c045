import { describe, expect, it } from 'vitest'
import { CONGRESS } from '../../../../test/support/congress.ts'
import type { CompiledPattern } from '../../../kernel/patterns.ts'
import { findInConfigDocument, type ConfigSearchRequest } from '../find.ts'
import { SEARCH_MATCH_RANKS, buildPatternQuery } from '../find-ranks.ts'
import type { Configuration } from '../read.ts'
import type { ConfigDocument } from '../schema/event-config.ts'
import type { SearchEntry } from '../search-index.ts'

const find = (request: ConfigSearchRequest, document: ConfigDocument = CONGRESS) => {
  const { hits, toMatch } = findInConfigDocument({ document, facts: { currency: 'EUR' } } as unknown as Configuration, request)
  return hits.map(toMatch)
}
const paths = (request: ConfigSearchRequest, document?: ConfigDocument) => find(request, document).map(({ path }) => path)
const refusal = (request: ConfigSearchRequest) => {
  try {
    find(request)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('it was not refused')
}

describe('findInConfigDocument by text', () => {
  it("ranks matches of an item's key first, then matches of a whole text, of the start of a word and inside a word", () => {
    const document: ConfigDocument = {
      ...CONGRESS,
      tags: [
        { code: 'one', name: 'Magalas' },
        { code: 'two', name: 'The gala night' },
        { code: 'three', name: 'GALA' },
      ],
      translations: {},
    }
    expect(find({ text: 'gala', in: '/tags' }, document).map(({ excerpt }) => excerpt)).toEqual(['GALA', 'The gala night', 'Magalas'])
    expect(find({ text: 'gala' }, document)[0]).toEqual({
      path: '/products/gala',
      title: 'Gala dinner',
      excerpt: 'Gala dinner · meal · 75.00 to 120.00 EUR · capacity 300',
      matched: 'key',
      context: 'Products',
    })
  })

  it('finds texts that contain all searched words in any order, ignoring case, accents and HTML tags', () => {
    expect(find({ text: 'ROYAL cafe' })).toEqual([
      {
        path: '/products/gala/description',
        title: 'Description',
        excerpt: 'Three courses at the Café Royal & dancing until late',
        matched: 'value',
        context: 'Gala dinner',
      },
    ])
    expect(paths({ text: 'royal & dancing' })).toEqual(['/products/gala/description'])
    expect(paths({ text: 'strong' })).toEqual([])
    const letters: ConfigDocument = { ...CONGRESS, tags: [{ code: 'a', name: 'Straße nach Łódź' }] }
    expect(paths({ text: 'lodz STRASSE' }, letters)).toEqual(['/tags/a/name'])
  })

  it('finds translations by their own text and by their source text', () => {
    const [match] = find({ text: 'galaabend' })
    expect(match).toEqual({
      path: '/translations/de/~1products~1gala~1name/text',
      title: 'Name',
      excerpt: 'Galaabend',
      matched: 'value',
      context: 'Gala dinner › de',
    })
    expect(paths({ text: 'galaabend', in: '/products/gala' })).toEqual([match!.path])
    expect(paths({ text: 'galaabend', in: '/tags' })).toEqual([])
  })

  it('finds settings and their values by words, and with keysOnly only elements with such a name', () => {
    expect(paths({ text: 'show when' })).toEqual(['/flows/attendee/pages/about-you/widgets/w3/showWhen'])
    expect(paths({ text: 'confirmationEmail' })).toEqual(['/flows/attendee/confirmationEmail'])
    expect(paths({ text: 'diet', keysOnly: true })).toEqual(['/customFields/diet'])
    expect(find({ text: 'vegan' }).map(({ path, matched }) => [path, matched])).toEqual([
      ['/customFields/diet/choices/vegan', 'key'],
      ['/customFields/diet/choices/vegan/name', 'value'],
      ['/flows/attendee/pages/about-you/widgets/w3/showWhen', 'reference'],
    ])
  })

  it('shows an excerpt of at most 160 characters around the match in a long text', () => {
    const body = `<p>${'Nothing of note here. '.repeat(40)}Refunds for the Übernachtung end in May. ${'And more. '.repeat(40)}</p>`
    const document: ConfigDocument = { ...CONGRESS, policies: [{ code: 'long', title: 'Long', body }] }
    const [match] = find({ text: 'ubernachtung' }, document)
    expect(match!.excerpt).toContain('Refunds for the Übernachtung end in May.')
    expect(match!.excerpt.length).toBeLessThanOrEqual(160)
    expect(match!.excerpt.startsWith('…') && match!.excerpt.endsWith('…')).toBe(true)
    const [wide] = find(
      { regex: 'x{3}y' },
      { ...CONGRESS, policies: [{ code: 'long', title: 'Long', body: `${'x'.repeat(500)}y${'z'.repeat(500)}` }] },
    )
    expect(wide!.excerpt.length).toBeLessThanOrEqual(160)
  })
})

describe('findInConfigDocument by pattern', () => {
  it('matches a regular expression search against the stored text, case-sensitively', () => {
    expect(paths({ regex: '<strong>' })).toEqual(['/products/gala/description'])
    expect(paths({ regex: '^w[45]$', keysOnly: true })).toEqual(['w4', 'w5'].map((id) => `/flows/attendee/pages/extras/widgets/${id}`))
    expect(paths({ regex: 'galaabend' })).toEqual([])
    expect(paths({ regex: '(?i)galaabend' })).toHaveLength(1)
  })

  it('stops a regular expression search when its time budget is used up, and counts the paths not searched', () => {
    const products = Array.from({ length: 2000 }, (_, n) => ({
      code: `p-${n}`,
      name: `${'word '.repeat(39)}${n}`,
      category: 'other' as const,
    }))
    const document: ConfigDocument = { ...CONGRESS, products }
    const search = (request: ConfigSearchRequest) =>
      findInConfigDocument({ document, facts: { currency: 'EUR' } } as unknown as Configuration, request)
    const cut = search({ regex: 'word \\d+$' })
    expect(cut.unread!.paths).toBeGreaterThan(0)
    expect(cut.hits.length).toBeGreaterThan(1000)
    expect(cut.hits.length).toBeLessThan(2000)
    expect(paths({ regex: 'word \\d+$', in: '/products/p-1999' }, document)).toEqual(['/products/p-1999/name'])
    expect(search({ regex: '^p-1999$', keysOnly: true })).toMatchObject({ unread: null, hits: [{ matched: 'key' }] })
    const words = search({ text: 'word' })
    expect([words.unread, words.hits.length]).toEqual([null, 2000])
  })

  it('searches less text with an expensive regular expression, and reports where the search ended', () => {
    const products = Array.from({ length: 2000 }, (_, n) => ({ code: `p-${n}`, name: 'word '.repeat(39), category: 'other' as const }))
    const document: ConfigDocument = { ...CONGRESS, products }
    const after = (regex: string) =>
      findInConfigDocument({ document, facts: { currency: 'EUR' } } as unknown as Configuration, { regex }).unread?.after
    expect(after('[a-z]+$')).toBe(250_000)
    expect(after('.{1,300}[0-9]')).toBeLessThan(70_000)
  })

  it('runs a regular expression only once per text, and not again for the excerpts', () => {
    let steps = 0
    const asked: string[] = []
    const size = 600
    const costly: CompiledPattern = {
      size,
      finds: () => true,
      matches: () => true,
      span(text) {
        asked.push(text)
        steps += text.length * size
        return [6, 9]
      },
    }
    const wanted = buildPatternQuery(costly)
    const spots = Array.from(
      { length: 1000 },
      (_, n) => ({ text: `here: ${n}\n\tand some more`, segment: 'name' }) as unknown as SearchEntry,
    )
    expect(new Set(spots.map((spot) => wanted.inText(spot)))).toEqual(new Set([SEARCH_MATCH_RANKS.start, SEARCH_MATCH_RANKS.inside]))
    expect(steps).toBeLessThanOrEqual(500_000)
    expect(asked.length).toBeGreaterThan(20)
    expect(new Set(asked).size).toBe(asked.length)
    const before = asked.length
    expect(wanted.locateMatch('<b>here: 7 and some more', spots[7]!)).toEqual([9, 11])
    expect(wanted.locateMatch('nothing of it', spots[999]!)).toEqual([0, 0])
    expect(asked.length).toBe(before)
  })

  it('rejects regular expression syntax that RE2 does not support', () => {
    expect(refusal({ regex: '(?=a)b' })).toMatch(/^regex: RE2 cannot compile "\(\?=a\)b"/)
  })
})

describe('findInConfigDocument by reference', () => {
  it('finds references to a path and to paths below it, in conditions, merge fields and translations', () => {
    expect(paths({ references: '/tags/member' })).toEqual([
      '/products/adm/prices/1/tags/0',
      '/products/gala/prices/2/tags/0',
      '/flows/attendee/addsTags/0',
      '/translations/de/~1tags~1member~1name/text',
    ])
    expect(paths({ references: '/customFields/0' })).toEqual(paths({ binding: 'custom.diet' }))
    expect(paths({ references: '/customFields/diet/choices/vegan' })).toEqual(['/flows/attendee/pages/about-you/widgets/w3/showWhen'])
    expect(paths({ references: '/policies', in: '/flows' })).toEqual(['/flows/attendee/pages/extras/widgets/w5/policy'])
  })

  it('finds references to a deleted item, and rejects a path that the schema does not have', () => {
    const { policies: _, ...without } = CONGRESS
    expect(paths({ references: '/policies/terms' }, without)).toEqual(['/flows/attendee/pages/extras/widgets/w5/policy'])
    expect(refusal({ references: '/polices/terms' })).toBe('No /polices — did you mean /policies?')
    expect(refusal({ text: 'x', in: '/polices' })).toBe('No /polices — did you mean /policies?')
  })

  it('rejects a search for references to a binding that is not a data field', () => {
    expect(refusal({ binding: 'diet' })).toMatch(/use the form @custom.diet/)
    expect(paths({ binding: '@participant.lastName' })).toEqual(['/badge/fields/0'])
    expect(paths({ binding: '@custom.nothing' })).toEqual([])
  })
})

describe('findInConfigDocument by type', () => {
  it('finds page widgets, email blocks and questions of a given type', () => {
    expect(paths({ type: 'field' })).toEqual(['/flows/attendee/pages/about-you/widgets/w2'])
    expect(paths({ type: 'text' })).toEqual(['/customFields/badge-name', '/emails/confirmed/blocks/b1'])
    expect(paths({ type: 'choice', in: '/flows' })).toEqual([])
    expect(find({ type: 'products' })[0]).toMatchObject({ context: 'Attendees › Extras', excerpt: 'w4 · products' })
  })

  it('rejects an unknown widget, block or answer type in a configuration search, and suggests the nearest one', () => {
    expect(refusal({ type: 'heding' })).toBe('type: "heding" is not a widget, block or response type — did you mean heading?')
  })
})

describe('findInConfigDocument', () => {
  it('requires exactly one of text, regex, references, binding and type, and accepts keysOnly only with text or regex', () => {
    expect(refusal({})).toMatch(/exactly one of text, regex, binding, references, type/)
    expect(refusal({ text: 'a', regex: 'b' })).toMatch(/text and regex cannot be combined/)
    expect(refusal({ type: 'field', keysOnly: true })).toMatch(/keysOnly: works only with text or regex/)
  })
})

describe('findInConfigDocument with another key order', () => {
  /** Reverses the order of all keys of a document, because documents read from the database and edited ones differ in key order. */
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, part]) => [name, turned(part)]),
    )
  }
  const both: ConfigDocument = {
    ...CONGRESS,
    translations: {
      fr: { '/tags/member/name': { text: 'Membre a', sourceHash: '0123456789abcdef', state: 'machine' } },
      de: {
        '/tags/member/name': { text: 'Mitglied a', sourceHash: '0123456789abcdef', state: 'machine' },
        '/details/name': { text: 'Name a', sourceHash: '0123456789abcdef', state: 'machine' },
      },
    },
  }

  it.each<[string, ConfigSearchRequest]>([
    ['text', { text: 'a' }],
    ['a pattern', { regex: 'a' }],
    ['a binding', { binding: '@custom.diet' }],
    ['references', { references: '/tags/member' }],
  ])('finds the same matches in the same order by %s if the keys of the document are reversed', (_what, request) => {
    const found = paths(request, both)
    expect(found.length).toBeGreaterThan(1)
    expect(paths(request, turned(both) as ConfigDocument)).toEqual(found)
  })
})
