import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConfigDocument } from '../../schema/event-config.ts'
import { diffSynchronously } from '../../../../../test/support/diff-synchronously.ts'
import type { Change } from '../diff.ts'

const details = { name: 'Summit', startsOn: '2027-05-11', endsOn: '2027-05-13' }
const blank: ConfigDocument = { details }
const page = (code: string, title = `Page ${code}`) => ({
  code,
  title,
  widgets: [{ id: `w-${code}`, type: 'heading' as const, text: `About ${code}` }],
})
const flowOf = (codes: readonly string[]): ConfigDocument => ({
  details,
  flows: [{ slug: 'attendee', name: 'Attendee', pages: codes.map((code) => page(code)) }],
})
const product = (code: string, more: object = {}) => ({
  code,
  name: `Product ${code}`,
  category: 'meal' as const,
  prices: [{ amount: '125.00' }],
  ...more,
})
const productsOf = (...products: ReturnType<typeof product>[]): ConfigDocument => ({ details, products })

const summarize = (changes: readonly Change[]) => changes.map(({ kind, path }) => `${kind} ${path}`)
const diff = (a: ConfigDocument, b: ConfigDocument, under?: string) =>
  summarize(diffSynchronously(a, b, under === undefined ? {} : { under }))

describe('diffDocuments', () => {
  it('finds no changes between a document and itself, or a copy of it', () => {
    const document = flowOf(['a', 'b'])
    expect(diff(document, document)).toEqual([])
    expect(diff(document, structuredClone(document))).toEqual([])
  })

  it('reports a changed price as one change', () => {
    const a = productsOf(product('adm'), product('gala'))
    const b = productsOf(product('adm', { prices: [{ amount: '140.00' }] }), product('gala'))
    expect(diffSynchronously(a, b)).toEqual([
      {
        kind: 'changed',
        path: '/products/adm/prices/0/amount',
        title: 'Price of "Product adm"',
        within: '"Product adm"',
        before: '125.00',
        after: '140.00',
      },
    ])
  })

  it('reports one move if the last of five pages is moved to the front', () => {
    expect(diffSynchronously(flowOf(['a', 'b', 'c', 'd', 'e']), flowOf(['e', 'a', 'b', 'c', 'd']))).toEqual([
      {
        kind: 'moved',
        path: '/flows/attendee/pages/e',
        title: 'Page "Page e" of flow "Attendee"',
        within: 'flow "Attendee"',
        from: 'd',
        to: null,
      },
    ])
  })

  it('reports the minimum number of moves for every reordering of a list', () => {
    const codes = ['a', 'b', 'c', 'd', 'e']
    const fewest = fewestMoves(codes)
    expect(fewest.size).toBe(120)
    for (const [order, moves] of fewest) expect(diff(flowOf(codes), flowOf(order.split('')))).toHaveLength(moves)
  })

  it('reports an added list item as one change, with its position in the list', () => {
    expect(diffSynchronously(blank, productsOf(product('adm')))).toMatchObject([
      { kind: 'added', path: '/products/adm', to: null, after: product('adm') },
    ])
    expect(diffSynchronously(flowOf(['a', 'b']), flowOf(['a', 'x', 'b']))).toMatchObject([
      { kind: 'added', path: '/flows/attendee/pages/x', to: 'a' },
    ])
    expect(diffSynchronously(flowOf(['a', 'b']), flowOf(['b']))).toMatchObject([
      { kind: 'removed', path: '/flows/attendee/pages/a', from: null, before: page('a') },
    ])
  })

  it('finds no difference between a missing property and its default value', () => {
    const set = productsOf(product('adm', { retired: true, capacity: 50 }))
    expect(diffSynchronously(productsOf(product('adm')), set)).toMatchObject([
      { kind: 'added', path: '/products/adm/capacity', after: 50 },
      { kind: 'changed', path: '/products/adm/retired', before: false, after: true },
    ])
    expect(diff({ details, theme: { radius: 4 } }, blank)).toEqual(['changed /theme/radius'])
    expect(diff({ details, products: [] }, blank)).toEqual([])
  })

  describe('diffDocuments with renamed items', () => {
    it('recognizes a renamed item by its other values, and reports the values that changed', () => {
      const a = productsOf(product('adm', { capacity: 5, order: 2, perPerson: 3 }), product('gala'))
      const b = productsOf(product('entry', { name: 'Product adm', capacity: 6, order: 2, perPerson: 3 }), product('gala'))
      expect(diffSynchronously(a, b)).toMatchObject([
        { kind: 'renamed', path: '/products/entry', from: 'adm', to: 'entry' },
        { kind: 'changed', path: '/products/entry/capacity', before: 5, after: 6 },
      ])
    })

    it('reports a removed and an added item instead of a rename if fewer than 80% of their values are equal', () => {
      // The product has four values besides its code: name, category, amount, capacity.
      const a = productsOf(product('adm', { capacity: 5 }))
      expect(diff(a, productsOf(product('entry', { name: 'Product adm', capacity: 6 })))).toEqual([
        'removed /products/adm',
        'added /products/entry',
      ])
      // The product has five values besides the code now, and four of them are equal.
      const more = productsOf(product('adm', { capacity: 5, order: 1 }))
      expect(diff(more, productsOf(product('entry', { name: 'Product adm', capacity: 6, order: 1 })))).toEqual([
        'renamed /products/entry',
        'changed /products/entry/capacity',
      ])
    })

    it('pairs a renamed item with the most similar removed item, or with the first of equally similar ones', () => {
      const rich = (code: string, order: number) => product(code, { name: 'Same', capacity: 1, perPerson: 2, order })
      expect(diff(productsOf(rich('a', 1), rich('b', 2)), productsOf(rich('x', 2), rich('y', 3)))).toEqual([
        'renamed /products/x',
        'renamed /products/y',
        'moved /products/x',
        'changed /products/y/order',
      ])
      expect(
        diffSynchronously(productsOf(rich('a', 1), rich('b', 1)), productsOf(rich('x', 1))).map(({ kind, from }) => [kind, from]),
      ).toEqual([
        ['renamed', 'a'],
        ['removed', 'a'],
      ])
    })

    it('finds renamed items in long lists without comparing every pair of items', () => {
      const many = (prefix: string) =>
        Array.from({ length: 300 }, (_, i) => product(`${prefix}-${i}`, { name: `Seat ${i}`, capacity: 5, order: i + 1, perPerson: 2 }))
      const changes = diffSynchronously(
        productsOf(...many('old')),
        productsOf(...many('new').map((one, i) => (i === 7 ? { ...one, capacity: 9 } : one))),
      )
      expect(changes.filter(({ kind }) => kind === 'renamed')).toHaveLength(300)
      expect(summarize(changes.slice(300))).toEqual(['changed /products/new-7/capacity'])
    })

    it('reports changes below a renamed item under its new key', () => {
      const a: ConfigDocument = {
        details,
        flows: [{ slug: 'old', name: 'Flow', pages: ['a', 'b', 'c', 'd', 'e', 'f'].map((code) => page(code)) }],
      }
      const b: ConfigDocument = {
        details,
        flows: [{ slug: 'new', name: 'Flow', pages: ['a', 'b', 'c', 'd', 'e'].map((code) => page(code)) }],
      }
      expect(diff(a, b)).toEqual(['renamed /flows/new', 'removed /flows/new/pages/f'])
    })
  })

  describe('diffDocuments with lists whose items have no keys', () => {
    const withPrices = (...prices: object[]) => productsOf(product('adm', { prices }))
    const tagged = (hashtags: string[]): ConfigDocument => ({ details: { ...details, hashtags } })

    it('compares the items of configuration lists without keys by value', () => {
      expect(diff(tagged(['a', 'b', 'c']), tagged(['a', 'x', 'c']))).toEqual(['changed /details/hashtags/1'])
      expect(diff(tagged(['a', 'b', 'c']), tagged(['b', 'c']))).toEqual(['removed /details/hashtags/0'])
      expect(diff(tagged(['b', 'c']), tagged(['a', 'b', 'c', 'd']))).toEqual(['added /details/hashtags/0', 'added /details/hashtags/3'])
      expect(diff(tagged(['a', 'b', 'c', 'd']), tagged(['b', 'd']))).toEqual(['removed /details/hashtags/2', 'removed /details/hashtags/0'])
    })

    it('pairs similar items of lists without keys, so that an inserted item is the only change', () => {
      const late = { amount: '120.00', from: '2027-02-01', tags: ['vip'] }
      const a = withPrices(late)
      const b = withPrices({ amount: '90.00', until: '2027-01-31' }, { ...late, amount: '130.00' })
      expect(diff(a, b)).toEqual(['added /products/adm/prices/0', 'changed /products/adm/prices/1/amount'])
    })
  })

  it('reports each changed property of a widget whose type changed', () => {
    const withWidget = (widget: object): ConfigDocument => ({
      details,
      flows: [{ slug: 'f', name: 'F', pages: [{ code: 'p', widgets: [{ id: 'w', ...widget } as never] }] }],
    })
    const at = '/flows/f/pages/p/widgets/w'
    expect(diff(withWidget({ type: 'heading', text: 'Hello' }), withWidget({ type: 'text', body: '<p>Hello</p>' }))).toEqual([
      `changed ${at}/type`,
      `removed ${at}/text`,
      `added ${at}/body`,
    ])
  })

  it('reports a changed condition as a single change of the whole condition', () => {
    const shown = (value: string): ConfigDocument => {
      const [first] = flowOf(['a']).flows!
      return {
        details,
        flows: [{ ...first!, pages: [{ ...page('a'), showWhen: { all: [{ binding: '@custom.diet', op: 'equals', value }] } }] }],
      }
    }
    expect(diff(shown('vegan'), shown('other'))).toEqual(['changed /flows/attendee/pages/a/showWhen'])
  })

  it('reports changed translations by language and pointer of the source text', () => {
    const entry = (text: string) => ({ text, sourceHash: '0123456789abcdef', state: 'machine' as const })
    const a: ConfigDocument = { details, translations: { de: { '/details/name': entry('Gipfel'), '/tags/vip/name': entry('VIP') } } }
    const b: ConfigDocument = {
      details,
      translations: { de: { '/details/name': entry('Treffen') }, fr: { '/details/name': entry('Sommet') } },
    }
    expect(diffSynchronously(a, b).map(({ kind, path, title }) => [kind, path, title])).toEqual([
      ['changed', '/translations/de/~1details~1name/text', 'Text of translation into de of /details/name'],
      ['removed', '/translations/de/~1tags~1vip~1name', 'Translation into de of /tags/vip/name'],
      ['added', '/translations/fr', 'Translations into fr'],
    ])
  })

  it('returns only changes at or below a JSON pointer, and those that replace one of its ancestors as a whole', () => {
    const a = flowOf(['a', 'b'])
    const b: ConfigDocument = { ...flowOf(['b', 'a', 'c']), tags: [{ code: 'vip', name: 'VIP' }] }
    expect(diff(a, b, '/flows')).toEqual(['moved /flows/attendee/pages/b', 'added /flows/attendee/pages/c'])
    expect(diff(a, b, '/flows/attendee/pages/c/title')).toEqual(['added /flows/attendee/pages/c'])
    expect(diff(a, b, '/flows/attendee/pages/b/title')).toEqual([])
    expect(diff(a, b, '/tags')).toEqual(['added /tags/vip'])
  })

  it('skips unchanged parts of a configuration that are the same object in both documents', () => {
    fc.assert(
      fc.property(fc.nat(3), (index) => {
        const a = productsOf(...['a', 'b', 'c', 'd'].map((code) => product(code)))
        // The shared parts throw when they are read, so the test fails if the comparison reads one.
        const sealed = a.products!.map(
          (one) => new Proxy(one, { ownKeys: () => expect.unreachable(), getOwnPropertyDescriptor: () => expect.unreachable() }),
        )
        const changed = sealed.map((one, i) => (i === index ? product('abcd'[i]!, { name: 'New' }) : one))
        const before = sealed.map((one, i) => (i === index ? a.products![i]! : one))
        expect(diff({ details, products: before }, { details, products: changed })).toEqual([`changed /products/${'abcd'[index]}/name`])
      }),
    )
  })
})

/** Counts the minimum number of moves from the given order to every other order, found by breadth-first search. */
function fewestMoves(codes: readonly string[]): Map<string, number> {
  const moves = new Map([[codes.join(''), 0]])
  for (const [order, count] of moves) {
    for (let from = 0; from < order.length; from++) {
      const rest = order.slice(0, from) + order.slice(from + 1)
      for (let to = 0; to < order.length; to++) {
        const next = rest.slice(0, to) + order[from] + rest.slice(to)
        if (!moves.has(next)) moves.set(next, count + 1)
      }
    }
  }
  return moves
}
