import { describe, expect, it } from 'vitest'
import type { ConfigDocument } from '../../schema/event-config.ts'
import { isGoalDecidedByFlowRules, listTestRunGoals } from '../goals.ts'
import { buildFlowSolverModel } from '../model.ts'
import { type PlannedTestParticipant, type TestRunPlan, planTestRunParticipants } from '../plan.ts'
import { findTestRunGoalStatuses } from '../reachable-goals.ts'
import { choices, configOf, field, flowOf, NOW, type PageInput, when, workedExample, ZONE } from './fixtures.ts'
import { largeConfig } from './large.ts'

const options = { now: NOW, timezone: ZONE }
const planOf = (parts: Partial<ConfigDocument>, more = {}): TestRunPlan => {
  const config = configOf(parts)
  return planTestRunParticipants(config, config.flows[0]!, { ...options, ...more })
}
/** Returns the status of every branch of the first flow, by path below the flow and outcome. */
const branchesOf = (config: ReturnType<typeof configOf>, combinations?: number): Record<string, string> => {
  const flow = config.flows[0]!
  const branches = listTestRunGoals(config, flow).filter(isGoalDecidedByFlowRules)
  return Object.fromEntries(
    findTestRunGoalStatuses(buildFlowSolverModel(config, flow, options), branches, combinations).map(({ goal, status }) => [
      `${goal.path.replace(`/flows/${flow.slug}/pages/`, '')} ${goal.outcome}`,
      status,
    ]),
  )
}
const branchesIn = (parts: Partial<ConfigDocument>, combinations?: number) => branchesOf(configOf(parts), combinations)

describe('planTestRunParticipants for the example flow of the specification', () => {
  const config = workedExample()
  const flow = config.flows[0]!

  it('finds 6 reachable branches in the example flow', () => {
    expect(Object.values(branchesOf(config))).toEqual(Array(6).fill('reachable'))
  })

  it('plans 4 test participants for the example flow, who pay 1650.00 in total', () => {
    const { people, unreached } = planTestRunParticipants(config, flow, { ...options, maxPeople: 60, seed: 1 })
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

  it('returns the same test plan for the same seed, and other participant names for another seed', () => {
    const plan = (seed: number) => planTestRunParticipants(config, flow, { ...options, seed })
    expect(plan(7)).toEqual(plan(7))
    const names = (seed: number) => plan(seed).people.map(({ answers }) => answers['@participant.lastName'])
    expect(names(7)).not.toEqual(names(8))
  })

  it('reports a flow outcome as notTried if reaching it needs more test participants than the maximum', () => {
    const { people, unreached } = planTestRunParticipants(config, flow, { ...options, maxPeople: 1 })
    expect(people).toHaveLength(1)
    expect(unreached).toContainEqual({ path: '/flows/attendee/pages/welcome', outcome: 'hidden', reason: 'notTried' })
  })

  it('plans at least one test participant per language of the event', () => {
    const { people } = planTestRunParticipants(config, flow, { ...options, locales: ['en', 'de', 'fr', 'ja', 'pl', 'it'] })
    expect(people.map(({ locale }) => locale)).toEqual(['en', 'de', 'fr', 'ja', 'pl', 'it'])
  })
})

const twoChoices = { customFields: [{ code: 'kind', name: 'Kind', responseType: 'choice' as const, choices: choices('a', 'b') }] }

describe('findTestRunGoalStatuses', () => {
  it('finds pages of a flow that no participant can reach', () => {
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
    expect(branchesIn({ ...twoChoices, flows: [flowOf(pages)] })).toEqual({ 'two shown': 'unsatisfiable', 'two hidden': 'reachable' })
    const { unreached } = planOf({ ...twoChoices, flows: [flowOf(pages)] })
    expect(unreached).toEqual([{ path: '/flows/attendee/pages/two', outcome: 'shown', reason: 'unsatisfiable' }])
  })

  it('finds conditions of a flow that are always true', () => {
    const pages: PageInput[] = [
      {
        code: 'one',
        widgets: [
          field('kind', '@custom.kind', { required: true }),
          { id: 'n', type: 'divider', showWhen: when('@custom.kind', 'in', ['a', 'b']) },
        ],
      },
    ]
    expect(branchesIn({ ...twoChoices, flows: [flowOf(pages)] })['one/widgets/n hidden']).toBe('unsatisfiable')
    const optional: PageInput[] = [{ code: 'one', widgets: [field('kind', '@custom.kind'), pages[0]!.widgets![1]!] }]
    expect(branchesIn({ ...twoChoices, flows: [flowOf(optional)] })['one/widgets/n hidden']).toBe('reachable')
  })

  it('reports a flow outcome as undecided if the maximum number of answer combinations was tried without success', () => {
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
    expect(branchesIn(parts, 2)['two shown']).toBe('undecided')
    expect(branchesIn(parts)['two shown']).toBe('reachable')
  })

  it('decides which flow outcomes are reachable by tags from before the flow, lookups and earlier purchases', () => {
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

  it('plans test participants for all reachable outcomes of the largest possible flow, which has 2,000 widgets', () => {
    const config = largeConfig()
    const flow = config.flows[0]!
    const branches = Object.values(branchesOf(config))
    const { people, unreached } = planTestRunParticipants(config, flow, options)
    expect(unreached.length).toBeLessThanOrEqual(branches.filter((status) => status !== 'reachable').length)
    expect(people.every(({ outcome }) => outcome === 'completed')).toBe(true)
  })
})

const cartOf = ({ answers }: PlannedTestParticipant) => Object.keys(answers).sort()

describe('planTestRunParticipants with products', () => {
  const product = (code: string, more = {}) => ({ code, name: code, category: 'other' as const, prices: [{ amount: '10.00' }], ...more })
  const page: PageInput = { code: 'one', widgets: [{ id: 'buy', type: 'products', category: 'other', selection: 'multiple' }] }

  it('plans carts of test participants with all required products and never with mutually exclusive products', () => {
    const products = [product('day'), product('dinner', { requires: ['day'] }), product('online', { excludes: ['day'] })]
    for (const allCombinations of [0, 2048]) {
      const { people, unreached } = planOf({ products, flows: [flowOf([page])] }, { allCombinations })
      expect(unreached).toEqual([])
      const carts = people.map(cartOf)
      expect(carts).toEqual(expect.arrayContaining([['@product.day', '@product.dinner'], ['@product.online']]))
      expect(carts.every((cart) => !(cart.includes('@product.online') && cart.includes('@product.day')))).toBe(true)
    }
  })

  it('plans one test participant per product of a widget in which exactly one product must be chosen', () => {
    const flows = [flowOf([{ code: 'one', widgets: [{ id: 'buy', type: 'products', category: 'other', selection: 'single', min: 1 }] }])]
    const products = Array.from({ length: 12 }, (_, index) => product(`p${index}`))
    const { people, unreached } = planOf({ products, flows })
    expect(unreached).toEqual([])
    expect(people.map(({ total }) => total)).toEqual(products.map(() => '10.00'))
  })

  it('reports a price of another period as not reachable in a test run, with the reason notInForce', () => {
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

  it('plans test participants whom a directory lookup blocks, and counts no later pages as reached by them', () => {
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
