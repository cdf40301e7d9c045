import { describe, expect, it } from 'vitest'
import type { ConfigDocument } from '../../schema/event-config.ts'
import { type FlowEvaluation, evaluateFlow, type FlowEvaluationInput } from '../walk.ts'
import { configOf, field, flowOf, NOW, type PageInput, when, workedExample, ZONE } from './fixtures.ts'

const walked = (parts: Partial<ConfigDocument>, input: Partial<FlowEvaluationInput> = {}): FlowEvaluation => {
  const config = configOf(parts)
  return evaluateFlow(config, config.flows[0]!, { answers: {}, tags: [], now: NOW, timezone: ZONE, ...input })
}
const shown = (walk: FlowEvaluation) =>
  walk.pages.flatMap((page) => [...(page.visible ? [page.code] : []), ...page.widgets.filter((one) => one.visible).map(({ id }) => id)])
const missing = (walk: FlowEvaluation) => walk.missing.map(({ page, binding }) => `${page} ${binding}`)

const chain: PageInput[] = [
  {
    code: 'one',
    widgets: [
      field('a', '@participant.company'),
      { ...field('b', '@participant.jobTitle', { required: true }), showWhen: when('@participant.company', 'isSet') },
    ],
  },
  { code: 'two', showWhen: when('@participant.jobTitle', 'isSet'), widgets: [field('c', '@participant.city', { required: true })] },
]

describe('evaluateFlow', () => {
  it('ignores the answer to a question that only a hidden widget asks', () => {
    const answers = { '@participant.company': 'Example', '@participant.jobTitle': 'Engineer' }
    expect(shown(walked({ flows: [flowOf(chain)] }, { answers }))).toEqual(['one', 'a', 'b', 'two', 'c'])
    expect(shown(walked({ flows: [flowOf(chain)] }, { answers: { ...answers, '@participant.company': '' } }))).toEqual(['one', 'a'])
  })

  it('requires no answers to questions that the participant does not see', () => {
    expect(missing(walked({ flows: [flowOf(chain)] }))).toEqual([])
    const walk = walked({ flows: [flowOf(chain)] }, { answers: { '@participant.company': 'x', '@participant.jobTitle': 'y' } })
    expect(missing(walk)).toEqual(['two @participant.city'])
    expect(walk.pages[1]!.widgets[0]!.required).toEqual(['@participant.city'])
  })

  it('evaluates conditions without the answers to later questions, and with answers that no widget asks for', () => {
    const late: PageInput[] = [
      { code: 'one', widgets: [{ id: 'n', type: 'divider', showWhen: when('@participant.city', 'isSet') }] },
      { code: 'two', widgets: [field('c', '@participant.city')] },
    ]
    expect(shown(walked({ flows: [flowOf(late)] }, { answers: { '@participant.city': 'Rome' } }))).toEqual(['one', 'two', 'c'])
    expect(shown(walked({ flows: [flowOf(late.slice(0, 1))] }, { answers: { '@participant.city': 'Rome' } }))).toEqual(['one', 'n'])
  })

  it('uses the answer to a question that two widgets ask if only the first widget is hidden', () => {
    const twice: PageInput[] = [
      { code: 'one', widgets: [{ ...field('a', '@participant.city'), visibleForTags: { type: 'all', required: ['vip'] } }] },
      { code: 'two', showWhen: when('@participant.city', 'isSet'), widgets: [] },
      { code: 'three', widgets: [field('b', '@participant.city')] },
      { code: 'four', showWhen: when('@participant.city', 'isSet'), widgets: [] },
    ]
    const flows = [flowOf(twice)]
    const tags = [{ code: 'vip', name: 'VIP' }]
    expect(shown(walked({ flows, tags }, { answers: { '@participant.city': 'Rome' } }))).toEqual(['one', 'three', 'b', 'four'])
    expect(shown(walked({ flows, tags }, { answers: { '@participant.city': 'Rome' }, tags: ['vip'] }))).toEqual([
      'one',
      'a',
      'two',
      'three',
      'b',
      'four',
    ])
  })

  it("evaluates conditions on participant tags and on the flow's slug", () => {
    const pages: PageInput[] = [
      { code: 'one', showWhen: when('@participant.tags', 'contains', 'vip'), widgets: [] },
      { code: 'two', showWhen: when('@flow.slug', 'equals', 'attendee'), widgets: [] },
      { code: 'three', visibleForTags: { type: 'none', required: ['own'] }, widgets: [] },
    ]
    const parts = { tags: ['vip', 'own'].map((code) => ({ code, name: code })), flows: [flowOf(pages, { addsTags: ['own'] })] }
    expect(shown(walked(parts))).toEqual(['two'])
    expect(shown(walked(parts, { tags: ['vip'] }))).toEqual(['one', 'two'])
  })

  it('does not admit a participant to a flow because of a tag that the flow itself gives', () => {
    const flows = [flowOf([{ code: 'one', widgets: [] }], { addsTags: ['own'], visibleForTags: { type: 'all', required: ['own'] } })]
    expect(walked({ flows }).open).toBe(false)
    expect(walked({ flows }, { tags: ['own'] }).open).toBe(true)
  })

  it('returns the next visible page after a given page of the flow', () => {
    const pages: PageInput[] = [
      { code: 'one', visibleForTags: { type: 'any', required: ['vip'] }, widgets: [] },
      { code: 'two', widgets: [] },
      { code: 'three', visibleForTags: { type: 'any', required: ['vip'] }, widgets: [] },
      { code: 'four', widgets: [{ id: 'end', type: 'confirmation', body: 'Bye' }] },
    ]
    const walk = walked({ flows: [flowOf(pages)] })
    expect([walk.next(null), walk.next('two'), walk.next('four'), walk.next('unknown')]).toEqual(['two', 'four', null, null])
    expect(walk.pages[3]!.widgets[0]!.terminal).toBe(true)
  })
})

const price = (amount: string, ...tags: string[]) => ({ amount, tags })
const shop = (pages: PageInput[], more = {}) => ({
  tags: ['member', 'gala'].map((code) => ({ code, name: code })),
  products: [
    { code: 'pass', name: 'Pass', category: 'admission' as const, prices: [price('450.00'), price('300.00', 'member')], order: 2 },
    { code: 'club', name: 'Club', category: 'admission' as const, prices: [price('90.00')], addsTags: ['member', 'gala'], order: 1 },
    {
      code: 'vip',
      name: 'VIP',
      category: 'admission' as const,
      prices: [price('5.00')],
      visibleForTags: { type: 'all' as const, required: ['gala'] },
      requires: ['pass'],
    },
    { code: 'old', name: 'Old', category: 'admission' as const, prices: [price('1.00')], retired: true },
    { code: 'none', name: 'None', category: 'admission' as const, prices: [{ amount: '1.00', until: '2020-01-01' }] },
  ],
  flows: [flowOf(pages, more)],
})
const offers = (walk: FlowEvaluation) =>
  walk.pages.flatMap(({ widgets }) => widgets.flatMap(({ products }) => products.map(({ code, amount }) => `${code} ${amount}`)))

describe('evaluateFlow with products', () => {
  const both: PageInput[] = [
    { code: 'one', widgets: [{ id: 'a', type: 'products', category: 'admission' }] },
    {
      code: 'two',
      widgets: [
        { id: 'b', type: 'products', category: 'admission', min: 1 },
        { id: 'n', type: 'divider', showWhen: when('@product.vip', 'gt', 0) },
      ],
    },
  ]

  it('offers only products that are on sale, visible and not retired, in display order', () => {
    expect(offers(walked(shop(both.slice(0, 1))))).toEqual(['club 90.00', 'pass 450.00'])
  })

  it('applies the tags of chosen products to the visibility of later pages, and never to prices', () => {
    const walk = walked(shop(both), { answers: { '@product.club': 1 } })
    expect(offers(walk)).toEqual(['club 90.00', 'pass 450.00', 'vip 5.00', 'club 90.00', 'pass 450.00'])
    expect(walk.tags).toEqual(['gala', 'member'])
  })

  it('ignores a chosen product that is not offered to the participant', () => {
    expect(shown(walked(shop(both), { answers: { '@product.vip': 1 } }))).toEqual(['one', 'a', 'two', 'b'])
  })

  it('requires the minimum number of products of a product widget, and products that a chosen product requires', () => {
    expect(walked(shop(both.slice(1))).missing).toEqual([
      { page: 'two', widget: 'b', binding: '@product.club', oneOf: ['@product.club', '@product.pass'], why: 'tooFew' },
    ])
    const walk = walked(shop(both), { answers: { '@product.club': 1, '@product.vip': '1' } })
    expect(walk.missing).toEqual([{ page: 'two', widget: 'b', binding: '@product.pass', why: 'neededByProduct' }])
  })
})

describe('evaluateFlow with lookups', () => {
  const pages = (onNotFound: 'continue' | 'block' = 'continue'): PageInput[] => [
    {
      code: 'one',
      widgets: [
        { id: 'first', type: 'products', products: ['pass'] },
        { id: 'look', type: 'membershipLookup', connection: 'crm', inputs: ['email'], memberTags: ['member'], required: true, onNotFound },
      ],
    },
    { code: 'two', widgets: [{ id: 'then', type: 'products', products: ['pass'] }] },
  ]

  it('applies the tags of a directory lookup to the visibility and prices of later widgets', () => {
    expect(offers(walked(shop(pages()), { answers: { '@lookup.look': 'found' } }))).toEqual(['pass 450.00', 'pass 300.00'])
    expect(offers(walked(shop(pages()), { answers: { '@lookup.look': 'notFound' } }))).toEqual(['pass 450.00', 'pass 450.00'])
  })

  it('requires a directory lookup marked as required, and blocks the participant if a lookup that must succeed fails', () => {
    expect(missing(walked(shop(pages())))).toEqual(['one @lookup.look'])
    expect(walked(shop(pages()), { answers: { '@lookup.look': 'many' } }).missing).toEqual([])
    expect(walked(shop(pages('block')), { answers: { '@lookup.look': 'many' } }).missing).toMatchObject([{ why: 'lookupFailed' }])
  })

  it("blocks or admits the participant by the connection's onFailure setting when the directory fails", () => {
    const answers = { '@lookup.look': 'error' }
    expect(walked(shop(pages()), { answers }).tags).toEqual(['directory-unverified'])
    expect(walked(shop(pages()), { answers, connections: { crm: { onFailure: 'block' } } }).missing).toHaveLength(1)
    expect(walked(shop(pages()), { answers, connections: { crm: { onFailure: 'queue' } } })).toMatchObject({ tags: [], missing: [] })
  })

  it("runs the flow's own directory lookup by email after the page that asks for the email", () => {
    const own: PageInput[] = [
      { code: 'one', widgets: [field('mail', '@participant.email'), { id: 'a', type: 'products', products: ['pass'] }] },
      { code: 'two', widgets: [{ id: 'b', type: 'products', products: ['pass'] }] },
    ]
    const parts = shop(own, { directory: 'crm' })
    const connections = { crm: { tags: ['member'] } }
    const answers = { '@directory.crm': 'found', '@participant.email': 'a@b.org' }
    expect(offers(walked(parts, { answers, connections }))).toEqual(['pass 450.00', 'pass 300.00'])
    expect(offers(walked(parts, { answers: { '@directory.crm': 'found' }, connections }))).toEqual(['pass 450.00', 'pass 450.00'])
  })
})

describe('evaluateFlow with other widgets', () => {
  it('lists missing names, address parts, policies, guests, groups and conference sessions', () => {
    const pages: PageInput[] = [
      {
        code: 'one',
        widgets: [
          { id: 'name', type: 'name', parts: ['prefix', 'firstName', 'lastName'] },
          { id: 'addr', type: 'address', requiredParts: ['city', 'country'] },
          { id: 'face', type: 'headshot', required: true },
          { id: 'terms', type: 'policy', policy: 'terms' },
          { id: 'news', type: 'policy', policy: 'news' },
          { id: 'guests', type: 'guests', min: 1 },
          { id: 'group', type: 'group', mode: 'both' },
          { id: 'talks', type: 'sessions', required: true },
          { id: 'room', type: 'housing', required: true },
          { id: 'invite', type: 'inviteCode' },
        ],
      },
    ]
    const parts: Partial<ConfigDocument> = {
      policies: [
        { code: 'terms', title: 'Terms', body: 'x' },
        { code: 'news', title: 'News', body: 'x', required: false },
      ],
      flows: [flowOf(pages, { guests: { enabled: true, fields: [{ binding: '@participant.email', required: true }] } })],
    }
    const wanted = [
      ...['firstName', 'lastName', 'city', 'country', 'headshot'].map((name) => `@participant.${name}`),
      '@policy.terms',
      ...['firstName', 'lastName', 'email'].map((name) => `@guest.1.${name}`),
      '@group.code',
      '@session.',
      ...['hotelId', 'roomTypeCode', 'checkIn', 'checkOut'].map((name) => `@housing.${name}`),
      '@invite.code',
    ]
    expect(walked(parts, { answers: { '@policy.terms': false } }).missing.map(({ binding }) => binding)).toEqual(wanted)
    const answers = {
      ...Object.fromEntries(wanted.map((binding) => [binding, binding === '@policy.terms' ? true : 'x'])),
      '@session.abc': true,
    }
    expect(walked(parts, { answers }).missing).toEqual([])
    expect(missing(walked(parts, { answers: { ...answers, '@guest.2.firstName': 'Bo' } }))).toEqual([
      'one @guest.2.lastName',
      'one @guest.2.email',
    ])
  })

  it('accepts `false` as the answer to a required question', () => {
    const parts: Partial<ConfigDocument> = {
      customFields: [{ code: 'first', name: 'First time?', responseType: 'boolean' }],
      flows: [flowOf([{ code: 'one', widgets: [field('f', '@custom.first', { required: true })] }])],
    }
    expect(walked(parts, { answers: { '@custom.first': false } }).missing).toEqual([])
    expect(walked(parts).missing).toHaveLength(1)
  })

  it('finds no missing answers in the completed example flow of the specification', () => {
    const config = workedExample()
    const answers = {
      '@participant.firstName': 'Anna',
      '@participant.lastName': 'Weber',
      '@participant.email': 'a@b.org',
      '@custom.diet': 'none',
      '@custom.first-time': false,
      '@product.adm': 1,
    }
    expect(evaluateFlow(config, config.flows[0]!, { answers, tags: ['member'], now: NOW, timezone: ZONE })).toMatchObject({
      missing: [],
      open: true,
    })
  })
})
