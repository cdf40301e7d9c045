import { describe, expect, it } from 'vitest'
import type { ConfigDocument } from '../../schema/event-config.ts'
import { findBranches, type PlannedParticipant, type TestPlan, planParticipants } from '../solver.ts'
import { choices, configOf, field, flowOf, NOW, type PageInput, when, workedExample, ZONE } from './fixtures.ts'
import { largeConfig } from './large.ts'

const options = { now: NOW, timezone: ZONE }
const planOf = (parts: Partial<ConfigDocument>, more = {}): TestPlan => {
  const config = configOf(parts)
  return planParticipants(config, config.flows[0]!, { ...options, ...more })
}
const branchesIn = (parts: Partial<ConfigDocument>, more = {}) => {
  const config = configOf(parts)
  return findBranches(config, config.flows[0]!, { ...options, ...more })
}

describe('planParticipants for the example flow of the specification', () => {
  const config = workedExample()
  const flow = config.flows[0]!

  it('finds 6 branches in the example flow, all reachable', () => {
    expect(findBranches(config, flow, options)).toMatchObject({ branches: 6, reachable: 6 })
  })

  it('plans 4 test participants who pay 1650.00 in total', () => {
    const { people, unreached } = planParticipants(config, flow, { ...options, maxPeople: 60, seed: 1 })
    const outcomes = people.map(({ answers, outcome, total }) => [
      answers['@custom.diet'],
      answers['@custom.first-time'],
      answers['@lookup.lookup'],
      outcome,
      total,
    ])
    expect(outcomes).toEqual([
      ['other', true, 'found', 'completed', '300.00'],
      ['none', false, 'notFound', 'completed', '450.00'],
      ['vegan', false, 'many', 'completed', '450.00'],
      ['none', false, 'error', 'completed', '450.00'],
    ])
    expect(people.map(({ pages }) => pages.length)).toEqual([4, 3, 3, 3])
    expect(unreached).toEqual([])
    expect(people.reduce((sum, { total }) => sum + Number(total), 0)).toBe(1650)
  })

  it('returns the same plan for the same seed, and other names for another seed', () => {
    const plan = (seed: number) => planParticipants(config, flow, { ...options, seed })
    expect(plan(7)).toEqual(plan(7))
    const names = (seed: number) => plan(seed).people.map(({ answers }) => answers['@participant.lastName'])
    expect(names(7)).not.toEqual(names(8))
  })

  it('reports goals beyond the maximum number of participants as notTried', () => {
    const { people, unreached } = planParticipants(config, flow, { ...options, maxPeople: 1 })
    expect(people).toHaveLength(1)
    expect(unreached).toContainEqual({ path: '/flows/attendee/pages/welcome', outcome: 'hidden', reason: 'notTried' })
  })

  it('plans at least one participant per language', () => {
    const { people } = planParticipants(config, flow, { ...options, locales: ['en', 'de', 'fr', 'ja', 'pl', 'it'] })
    expect(people.map(({ locale }) => locale)).toEqual(['en', 'de', 'fr', 'ja', 'pl', 'it'])
  })
})

const twoChoices = { customFields: [{ code: 'kind', name: 'Kind', responseType: 'choice' as const, choices: choices('a', 'b') }] }

describe('findBranches', () => {
  it('finds unreachable pages and their widgets', () => {
    const impossible = {
      all: [
        { binding: '@custom.kind', op: 'equals', value: 'a' },
        { binding: '@custom.kind', op: 'equals', value: 'b' },
      ],
    } as never
    const pages: PageInput[] = [
      { code: 'one', widgets: [field('kind', '@custom.kind', { required: true })] },
      { code: 'two', showWhen: impossible, widgets: [field('city', '@participant.city', { required: true })] },
    ]
    const found = branchesIn({ ...twoChoices, flows: [flowOf(pages)] })
    expect(found).toMatchObject({ branches: 2, reachable: 1 })
    expect([found.shown('two'), found.shown('two', 'city'), found.shown('one', 'kind'), found.hidden('one')]).toEqual([
      'unsatisfiable',
      'unsatisfiable',
      'reachable',
      'unsatisfiable',
    ])
    const { unreached } = planOf({ ...twoChoices, flows: [flowOf(pages)] })
    expect(unreached).toEqual([{ path: '/flows/attendee/pages/two', outcome: 'shown', reason: 'unsatisfiable' }])
  })

  it('finds conditions that are always true', () => {
    const pages: PageInput[] = [
      {
        code: 'one',
        widgets: [
          field('kind', '@custom.kind', { required: true }),
          { id: 'n', type: 'divider', showWhen: when('@custom.kind', 'in', ['a', 'b']) },
        ],
      },
    ]
    expect(branchesIn({ ...twoChoices, flows: [flowOf(pages)] }).hidden('one', 'n')).toBe('unsatisfiable')
    const optional: PageInput[] = [{ code: 'one', widgets: [field('kind', '@custom.kind'), pages[0]!.widgets![1]!] }]
    expect(branchesIn({ ...twoChoices, flows: [flowOf(optional)] }).hidden('one', 'n')).toBe('reachable')
  })

  it('finds product widgets that offer nothing to some participants', () => {
    const rule = (type: 'all' | 'none') => ({ type, required: ['member'] })
    const product = (code: string, type: 'all' | 'none') => ({
      code,
      name: code,
      category: 'admission' as const,
      prices: [{ amount: '5.00' }],
      visibleForTags: rule(type),
    })
    const shop = (...products: ReturnType<typeof product>[]) => ({
      tags: [{ code: 'member', name: 'Member' }],
      products,
      flows: [flowOf([{ code: 'one', widgets: [{ id: 'buy', type: 'products', category: 'admission', min: 1 }] }])],
    })
    expect(branchesIn(shop(product('in', 'all'), product('out', 'none'))).emptyOffers).toMatchObject([{ status: 'unsatisfiable' }])
    expect(branchesIn(shop(product('out', 'none'))).emptyOffers).toEqual([
      { path: '/flows/attendee/pages/one/widgets/buy', status: 'reachable', tags: ['member'] },
    ])
  })

  it('returns undecided after too many combinations of answers', () => {
    const names = Array.from({ length: 12 }, (_, index) => `q${index}`)
    const customFields = names.map((code) => ({ code, name: code, responseType: 'boolean' as const }))
    const pairs = names
      .slice(1)
      .map((name, index) => ({ any: [when(`@custom.${name}`, 'equals', true), when(`@custom.${names[index]!}`, 'equals', true)] }))
    const pages: PageInput[] = [
      { code: 'one', widgets: names.map((name) => field(name, `@custom.${name}`)) },
      { code: 'two', showWhen: { all: pairs } as never, widgets: [] },
    ]
    const parts = { customFields, flows: [flowOf(pages)] }
    expect(branchesIn(parts, { combinations: 2 }).shown('two')).toBe('undecided')
    expect(branchesIn(parts).shown('two')).toBe('reachable')
  })

  it('takes tags given before the flow, by earlier lookups and by earlier purchases into account', () => {
    const seen = { type: 'all' as const, required: ['gala'] }
    const parts = (pages: PageInput[], more = {}) => ({
      tags: [{ code: 'gala', name: 'Gala' }],
      products: [{ code: 'gala', name: 'Gala', category: 'other' as const, prices: [{ amount: '5.00' }], addsTags: ['gala'] }],
      flows: [flowOf(pages, more)],
    })
    const buy: PageInput = { code: 'buy', widgets: [{ id: 'buy', type: 'products', products: ['gala'] }] }
    const { people } = planOf(parts([buy, { code: 'vip', visibleForTags: seen, widgets: [] }]))
    expect(people.map(({ tags, pages }) => [tags, pages])).toEqual([
      [[], ['buy', 'vip']],
      [[], ['buy']],
    ])
    expect(planOf(parts([{ code: 'vip', visibleForTags: seen, widgets: [] }])).people.map(({ tags }) => tags)).toEqual([[], ['gala']])
  })

  it('analyses the largest possible flow of 2,000 widgets', () => {
    const config = largeConfig()
    const flow = config.flows[0]!
    const { branches, reachable } = findBranches(config, flow, options)
    const { people, unreached } = planParticipants(config, flow, options)
    expect(unreached.length).toBeLessThan(branches - reachable + 1)
    expect(people.every(({ outcome }) => outcome === 'completed')).toBe(true)
  })
})

const cartOf = ({ answers }: PlannedParticipant) => Object.keys(answers).sort()

describe('planParticipants with products', () => {
  const product = (code: string, more = {}) => ({ code, name: code, category: 'other' as const, prices: [{ amount: '10.00' }], ...more })
  const page: PageInput = { code: 'one', widgets: [{ id: 'buy', type: 'products', category: 'other', selection: 'multiple' }] }

  it('buys required products and never excluded ones', () => {
    const products = [product('day'), product('dinner', { requires: ['day'] }), product('online', { excludes: ['day'] })]
    for (const allCombinations of [0, 2048]) {
      const { people, unreached } = planOf({ products, flows: [flowOf([page])] }, { allCombinations })
      expect(unreached).toEqual([])
      const carts = people.map(cartOf)
      expect(carts).toEqual(expect.arrayContaining([['@product.day', '@product.dinner'], ['@product.online']]))
      expect(carts.every((cart) => !(cart.includes('@product.online') && cart.includes('@product.day')))).toBe(true)
    }
  })

  it('buys one product where one must be chosen, with one participant per product', () => {
    const flows = [flowOf([{ code: 'one', widgets: [{ id: 'buy', type: 'products', category: 'other', selection: 'single', min: 1 }] }])]
    const products = Array.from({ length: 12 }, (_, index) => product(`p${index}`))
    const { people, unreached } = planOf({ products, flows })
    expect(unreached).toEqual([])
    expect(people.map(({ total }) => total)).toEqual(products.map(() => '10.00'))
  })

  it('reports price rows of another period as notInForce', () => {
    const products = [
      product('day', {
        prices: [
          { amount: '10.00', until: '2026-01-31' },
          { amount: '20.00', from: '2026-02-01' },
        ],
      }),
    ]
    const { unreached } = planOf({ products, flows: [flowOf([page])] })
    expect(unreached).toEqual([{ path: '/products/day/prices/0', outcome: 'used', reason: 'notInForce' }])
  })

  it('plans participants blocked by a lookup and counts no goals after it for them', () => {
    const flows = [
      flowOf([
        {
          code: 'one',
          widgets: [{ id: 'look', type: 'membershipLookup', connection: 'crm', inputs: ['email'], required: true, onNotFound: 'block' }],
        },
        { code: 'two', widgets: page.widgets! },
      ]),
    ]
    const { people, unreached } = planOf({ products: [product('day')], flows })
    expect(unreached).toEqual([])
    const ways = people.map(({ answers, outcome, pages }) => [answers['@lookup.look'], outcome, pages.length])
    expect(ways).toEqual(
      expect.arrayContaining([
        ['notFound', 'blocked', 1],
        ['many', 'blocked', 1],
      ]),
    )
    expect(
      ways.filter(([way]) => way === 'found' || way === 'error').every(([, outcome, pages]) => outcome === 'completed' && pages === 2),
    ).toBe(true)
  })
})
