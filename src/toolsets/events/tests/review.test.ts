import { describe, expect, it } from 'vitest'
import { useDraftScenario } from '../../../../test/support/draft-scenario.ts'

const scenario = useDraftScenario({ startsOn: '2027-05-11', endsOn: '2027-05-13' })

interface Operation {
  op: string
  path: string
  valueJson?: string
}
interface Finding {
  code: string
  level: string
  path: string
  suggestion?: { operations: Operation[] }
}

const at = () => ({ eventCode: scenario.event.eventCode })
const set = (path: string, value: unknown): Operation => ({ op: 'set', path, valueJson: JSON.stringify(value) })
const edit = (...operations: Operation[]) => scenario.olga.call('config_set', { ...at(), operations })
const review = (more: object = {}) => scenario.olga.call('review_flow', { ...at(), ...more })
const findingsOf = ({ flows }: { flows: { findings: Finding[] }[] }) => flows.flatMap(({ findings }) => findings)
const codesOf = (result: { flows: { findings: Finding[] }[] }) => findingsOf(result).map(({ code }) => code)

const field = (id: string, binding: string, more: object = {}) => ({ id, type: 'field', binding, ...more })
const when = (binding: string, op: string, value?: unknown) => ({ all: [{ binding, op, ...(value === undefined ? {} : { value }) }] })
const email = field('email', '@participant.email', { required: true })
const thanks = { id: 'thanks', type: 'confirmation', body: 'Thank you.' }
const page = (code: string, widgets: object[], more: object = {}) => ({ code, title: `Page ${code}`, widgets, ...more })
const flow = (slug: string, pages: object[], more: object = {}) => ({
  slug,
  name: `Flow ${slug}`,
  confirmationEmail: 'confirm',
  pages,
  ...more,
})

const choices = (...codes: string[]) => codes.map((code) => ({ code, name: code }))
const base = () => [
  set('/details/contactEmail', 'team@example.org'),
  set('/customFields', [
    {
      code: 'diet',
      name: 'Diet',
      responseType: 'choice',
      choices: [...choices('none', 'vegan', 'other'), { code: 'halal', name: 'Halal', retired: true }],
    },
    { code: 'age', name: 'Age', responseType: 'number', max: 99 },
    { code: 'health', name: 'Health', responseType: 'text', sensitive: true },
  ]),
  set('/products', [
    { code: 'adm', name: 'Admission', category: 'admission', capacity: 400, prices: [{ amount: '450.00' }] },
    { code: 'dinner', name: 'Dinner', category: 'meal', prices: [{ amount: '80.00' }] },
    { code: 'badge', name: 'Badge', category: 'other', prices: [{ amount: '0.00' }] },
  ]),
  set('/emails', [
    { code: 'confirm', name: 'Confirmation', trigger: 'registration.completed', subject: 'See you, {{participant.firstName}}' },
  ]),
]
const plainFlow = () => flow('plain', [page('you', [{ id: 'name', type: 'name' }, email]), page('done', [thanks])])

describe('review_flow', () => {
  it('finds no errors in a simple flow and returns its statistics', async () => {
    const { draftRevision } = await edit(...base(), set('/flows', [plainFlow()]))
    expect(await review()).toEqual({
      flows: [
        { slug: 'plain', findings: [], stats: { pages: 2, widgets: 3, required: 2, conditions: 0, branches: 0, estimatedMinutes: 0.7 } },
      ],
      counts: { error: 0, warning: 0, info: 0 },
      reviewedRevision: draftRevision,
    })
  })

  it('rejects an unknown flow and lists the existing ones', async () => {
    await edit(...base(), set('/flows', [plainFlow()]))
    const refused = await scenario.olga.refused('review_flow', { ...at(), flowSlug: 'plane' })
    expect(refused).toMatchObject({
      code: 'not_found',
      message: 'No flow plane — did you mean plain?; there are plain',
      fields: [{ path: 'flowSlug', allowed: ['plain'] }],
    })
  })

  it('filters review findings by level, check, flow and version', async () => {
    await edit(...base(), set('/flows', [plainFlow()]))
    await scenario.olga.call('publish_event', at())
    const broken = flow(
      'broken',
      [page('you', [{ id: 'name', type: 'name' }, field('health', '@custom.health')], { title: null }), page('done', [thanks])],
      { retired: true },
    )
    await edit(set('/flows', [plainFlow(), broken]))
    // A retired flow is reviewed only when it is named.
    expect(codesOf(await review())).toEqual([])
    expect(codesOf(await review({ flowSlug: 'broken' }))).toEqual(['F01', 'F15', 'F12'])
    expect(codesOf(await review({ flowSlug: 'broken', levels: ['error', 'info'] }))).toEqual(['F01', 'F12'])
    const one = await review({ flowSlug: 'broken', checks: ['F15'] })
    expect({ codes: codesOf(one), counts: one.counts }).toEqual({ codes: ['F15'], counts: { error: 0, warning: 1, info: 0 } })
    expect(await scenario.olga.refused('review_flow', { ...at(), flowSlug: 'broken', source: 'live' })).toMatchObject({ code: 'not_found' })
    expect(codesOf(await review({ source: 'live' }))).toEqual([])
  })

  it('shows the most severe findings if the review has too many, and counts the rest', async () => {
    const pages = Array.from({ length: 40 }, (_, n) => ({ code: `page-${n}`, widgets: [] }))
    const flows = Array.from({ length: 9 }, (_, n) => flow(`flow-${n}`, pages))
    await edit(...base(), set('/flows', flows))
    const result = await review()
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(80_000)
    expect(result).toMatchObject({ truncated: true, counts: { error: 18, warning: 369, info: 360 } })
    expect(codesOf(result).filter((code) => code === 'F01' || code === 'F05')).toHaveLength(18)
    expect(result.note).toBe(
      `Shows ${codesOf(result).length} of 747 findings, errors first: name a flowSlug with levels or checks for the others.`,
    )
    expect((await review({ flowSlug: 'flow-8', checks: ['F15'] })).truncated).toBeUndefined()
  })

  it('reports only that a directory connection is not ready, and treats the fields that it fills in as known', async () => {
    await scenario.olga.call('create_directory_connection', {
      ...at(),
      name: 'Members',
      code: 'members',
      preset: 'generic-rest',
      baseUrl: 'https://directory.example',
      onFailure: 'block',
    })
    await edit(...base(), set('/flows', [{ ...plainFlow(), directory: 'members' }]))
    expect(findingsOf(await review())).toMatchObject([{ code: 'F27', level: 'error', path: '/flows/plain/directory' }])
  })
})

/** Two flows with as many different errors as possible. */
const wrongFlows = () => [
  flow(
    'shop',
    [
      page('you', [
        field('diet', '@custom.diet', { choices: ['vegan', 'other', 'halal'] }),
        field('age', '@custom.age', { min: 120 }),
        field('locked', '@participant.company', { required: true, readOnly: true }),
      ]),
      page('empty', []),
      page('vip', [{ id: 'hint', type: 'text', body: 'Welcome' }], { showWhen: when('@product.dinner', 'isSet'), title: 'Page you' }),
      page('shop', [
        { id: 'dinner', type: 'products', products: ['dinner'] },
        field('again', '@custom.diet'),
        { id: 'tip', type: 'text', body: 'Tip', showWhen: when('@custom.diet', 'contains', 'vegan') },
        { id: 'rooms', type: 'housing' },
      ]),
      page('done', [thanks, { id: 'bye', type: 'text', body: 'Bye', showWhen: when('@flow.slug', 'equals', 'shop') }], { title: null }),
    ],
    { confirmationEmail: null, capacity: 700, closesAt: '2027-07-01T00:00:00.000Z', inviteOnly: true },
  ),
  flow('free', [
    page('you', [{ id: 'name', type: 'name' }, email, field('health', '@custom.health')]),
    page('pay', [{ id: 'pay', type: 'payment', methods: ['card'] }]),
    page('terms', [
      { id: 'badge', type: 'products', products: ['badge'] },
      { id: 'terms', type: 'policy', policy: 'terms' },
    ]),
  ]),
]

describe('suggested fixes of review_flow', () => {
  it('suggests fixes that each pass a dry run unchanged, and together leave only findings without a suggestion', async () => {
    await edit(
      ...base(),
      set('/details/capacity', 500),
      set('/policies', [{ code: 'terms', title: 'Terms', body: 'Be kind.' }]),
      set('/products/dinner', {
        name: 'Dinner',
        category: 'meal',
        requires: ['adm'],
        prices: [
          { amount: '80.00', until: '2027-02-28' },
          { amount: '70.00', until: '2027-02-28' },
          { amount: '90.00', from: '2027-04-01' },
        ],
      }),
      set('/flows', wrongFlows()),
    )
    const before = await review()
    expect([...new Set(codesOf(before))].sort()).toEqual(
      [
        'F01',
        'F03',
        'F05',
        'F06',
        'F07',
        'F08',
        'F09',
        'F10',
        'F11',
        'F12',
        'F15',
        'F16',
        'F17',
        'F19',
        'F20',
        'F21',
        'F22',
        'F23',
        'F25',
        'F26',
        'F29',
        'F31',
        'F33',
        'F34',
        'F36',
      ].sort(),
    )
    const suggestions = findingsOf(before).flatMap(({ code, suggestion }) =>
      suggestion ? [{ code, operations: suggestion.operations }] : [],
    )
    for (const { code, operations } of suggestions) {
      const { dryRun, changed } = await scenario.olga.call('config_set', { ...at(), operations, dryRun: true })
      expect({ code, dryRun, changes: changed.length > 0 }).toEqual({ code, dryRun: true, changes: true })
    }
    await edit(...suggestions.flatMap(({ operations }) => operations))
    const left = findingsOf(await review())
    expect(left.filter(({ suggestion }) => suggestion)).toEqual([])
    expect(left.map(({ code }) => code)).toEqual(['F12'])
  })
})

describe('review_flow with a sample person', () => {
  const prices = [{ amount: '450.00' }, { amount: '300.00', tags: ['member'] }, { amount: '500.00', from: '2027-04-01' }]
  const seen = () =>
    edit(
      ...base(),
      set('/tags', [
        { code: 'member', name: 'Member' },
        { code: 'vip', name: 'VIP' },
      ]),
      set('/products', [
        { code: 'adm', name: 'Admission', category: 'admission', prices },
        { code: 'dinner', name: 'Dinner', category: 'meal', prices: [{ amount: '80.00', tags: ['vip'] }] },
        {
          code: 'tour',
          name: 'Tour',
          category: 'tour',
          visibleForTags: { type: 'none', required: ['vip'] },
          prices: [{ amount: '20.00' }],
        },
        { code: 'late', name: 'Late', category: 'tour', prices: [{ amount: '9.00', from: '2027-05-01' }] },
      ]),
      set('/flows', [
        flow('seen', [
          page('you', [
            { id: 'name', type: 'name' },
            email,
            field('diet', '@custom.diet'),
            field('age', '@custom.age', {
              showWhen: { all: [when('@custom.diet', 'isSet').all[0], when('@custom.diet', 'equals', 'vegan').all[0]] },
            }),
          ]),
          page('club', [{ id: 'hi', type: 'text', body: '<p>Hello <b>member</b></p>' }], {
            visibleForTags: { type: 'any', required: ['member', 'vip'] },
          }),
          page('shop', [{ id: 'list', type: 'products', products: ['adm', 'dinner', 'tour', 'late'], min: 1 }]),
          page('done', [thanks]),
        ]),
        flow('closed', [page('c', [thanks])], { visibleForTags: { type: 'all', required: ['vip'] } }),
      ]),
    )
  const sees = async (person: object, flowSlug = 'seen') => (await review({ flowSlug, personJson: JSON.stringify(person) })).sees
  const price = (amount: string) => ({ amount, currency: 'EUR' })

  it('returns the pages, widgets and prices that the given sample person sees', async () => {
    await seen()
    const { pages, products } = await sees({ tags: ['member'], answers: { '@custom.diet': 'vegan' }, asOf: '2027-03-01' })
    expect(pages).toEqual([
      {
        slug: 'you',
        widgets: [
          { key: 'name', label: 'the name (name)', required: true },
          { key: 'email', label: 'Email', required: true },
          { key: 'diet', label: 'Diet', required: false },
          { key: 'age', label: 'Age', required: false },
        ],
      },
      { slug: 'club', widgets: [{ key: 'hi', label: 'Hello member', required: false }] },
      { slug: 'shop', widgets: [{ key: 'list', label: 'the product list (list)', required: true }] },
      { slug: 'done', widgets: [{ key: 'thanks', label: 'Thank you.', required: false }] },
    ])
    expect(products).toEqual([
      { code: 'adm', name: 'Admission', price: price('300.00'), reason: 'row 2 for member' },
      { code: 'tour', name: 'Tour', price: price('20.00') },
    ])
  })

  it('explains why other pages, widgets and products are hidden from the given sample person', async () => {
    await seen()
    expect((await sees({ answers: { 'custom.diet': 'other' }, asOf: '2027-03-01' })).hidden).toEqual([
      { kind: 'widget', key: 'age', because: '@custom.diet equals vegan does not hold' },
      { kind: 'page', key: 'club', because: 'only for participants with one of the tags member, vip' },
      { kind: 'product', key: 'dinner', because: 'its prices are only for participants with vip' },
      { kind: 'product', key: 'late', because: 'it has no price at that time' },
    ])
    expect((await sees({})).hidden[0]).toEqual({ kind: 'widget', key: 'age', because: '@custom.diet isSet does not hold' })
    expect((await sees({ tags: ['vip'] })).hidden).toContainEqual({
      kind: 'product',
      key: 'tour',
      because: 'not for participants with the tags vip',
    })
    expect(await sees({}, 'closed')).toEqual({
      pages: [],
      products: [],
      hidden: [{ kind: 'page', key: 'c', because: 'the flow is only for participants with the tags vip' }],
    })
  })

  it('reviews a flow with the prices that apply on the requested day', async () => {
    await seen()
    const admission = async (person: object) => (await sees(person)).products[0].price.amount
    expect(await admission({ asOf: '2027-03-31' })).toBe('450.00')
    // The day begins at 22:00 UTC in Berlin.
    expect(await admission({ asOf: '2027-03-31T21:59:59.000Z' })).toBe('450.00')
    expect(await admission({ asOf: '2027-03-31T22:00:00.000Z' })).toBe('500.00')
    expect(await admission({ asOf: '2027-04-01', tags: ['member'] })).toBe('300.00')
    expect((await sees({ asOf: '2027-05-01' })).products.map(({ code }: { code: string }) => code)).toEqual(['adm', 'tour', 'late'])
  })

  it('saves nothing when it reviews a flow for a given person, and rejects an invalid person', async () => {
    await seen()
    const before = await scenario.olga.call('list_versions', at())
    await sees({ tags: ['vip'] })
    expect(await scenario.olga.call('list_versions', at())).toEqual(before)
    const refused = async (personJson: string, more: object = { flowSlug: 'seen' }) =>
      (await scenario.olga.refused('review_flow', { ...at(), personJson, ...more })).fields!
    expect(await refused('{}', {})).toMatchObject([{ path: 'flowSlug' }])
    expect(await refused('{')).toMatchObject([{ path: 'personJson' }])
    expect(await refused('{"tag":[]}')).toMatchObject([{ path: 'personJson' }])
    expect(await refused('{"tags":["membr"],"answers":{"@custom.dite":1}}')).toEqual([
      { path: 'personJson/tags', message: 'No tag "membr" — did you mean member?' },
      { path: 'personJson/answers', message: 'No data field "@custom.dite" — did you mean @custom.diet?' },
    ])
    expect(await refused('{"asOf":"2027-02-30"}')).toMatchObject([{ path: 'personJson/asOf' }])
  })
})

describe('publish_event', () => {
  const late = () =>
    flow('late', [
      page('vegans', [{ id: 'hint', type: 'text', body: 'Welcome' }], { showWhen: when('@custom.diet', 'equals', 'vegan') }),
      page('you', [{ id: 'name', type: 'name' }, email, field('diet', '@custom.diet')]),
      page('done', [thanks]),
    ])

  it('rejects publishing while an open flow has an error, and succeeds after applying the suggestion', async () => {
    const { issues } = await edit(...base(), set('/flows', [late()]))
    expect(issues).toEqual([])
    const refused = await scenario.olga.refused('publish_event', at())
    const path = '/flows/late/pages/vegans/showWhen'
    expect(refused).toMatchObject({
      code: 'precondition_failed',
      fields: [{ path, message: expect.stringContaining('"Diet", which is only asked later') }],
    })
    expect(await scenario.olga.call('validate_schema', at())).toMatchObject({
      publishable: false,
      issues: [{ level: 'reference', code: 'F07', path }],
    })

    const [finding] = findingsOf(await review())
    expect(finding).toMatchObject({
      code: 'F07',
      suggestion: { operations: [{ op: 'move', path: '/flows/late/pages/vegans', after: 'you' }] },
    })
    await edit(...finding!.suggestion!.operations)
    expect(codesOf(await review())).toEqual([])
    expect(await scenario.olga.call('publish_event', at())).toMatchObject({ published: true, version: 1, issues: [] })
  })

  it('publishes a flow with an error if it opens later, and returns the error as a warning', async () => {
    await edit(...base(), set('/flows', [{ ...late(), opensAt: '2027-03-01T00:00:00.000Z' }]))
    expect(await scenario.olga.call('publish_event', at())).toMatchObject({ published: true, issues: [{ level: 'warning', code: 'F07' }] })
  })

  it('lists warnings of the flow review, and rejects publishing if the caller does not accept them', async () => {
    await edit(...base(), set('/flows', [{ ...plainFlow(), confirmationEmail: null }]))
    expect(await scenario.olga.refused('publish_event', { ...at(), acceptWarnings: false })).toMatchObject({
      fields: [{ path: '/flows/plain/confirmationEmail' }],
    })
    expect(await scenario.olga.call('publish_event', at())).toMatchObject({ published: true, issues: [{ level: 'warning', code: 'F29' }] })
  })
})
