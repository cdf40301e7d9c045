import { beforeAll, describe, expect, it } from 'vitest'
import type { PersonHandle } from '../../../test/support/participants.ts'
import { updateProfiles, signInByEmail } from '../../../test/support/recommendations.ts'
import { createRegistrationFixtures } from '../../../test/support/registrations.ts'
import { useSalesScenario } from '../../../test/support/sales-scenario.ts'
import { isScarceOrPriceRising, buildProductScoreParts, computeCoPurchaseSimilarity } from '../../domains/recommendations/products.ts'
import { computeScore } from '../../domains/recommendations/scores.ts'

describe('recommendation score of a product', () => {
  it.each([
    ['workshop', computeCoPurchaseSimilarity(120, 400, 150), 0.1, false, 0.2653],
    ['gala', computeCoPurchaseSimilarity(60, 400, 90), 0, true, 0.3502],
    ['tour', computeCoPurchaseSimilarity(20, 400, 40), 0.3, false, 0.1633],
    ['one that absent took', computeCoPurchaseSimilarity(0, 400, 0), 0, false, 0],
    ['one that all took', computeCoPurchaseSimilarity(400, 400, 400), 1, true, 0.9878],
  ])('calculates the recommendation score of %s', (_, companions, text, urgent, score) => {
    expect(computeScore(buildProductScoreParts({ companions, text, urgent }))).toBe(score)
  })

  it.each([
    [100, 10, null, true],
    [100, 11, null, false],
    [100, 8, null, true],
    [null, null, null, false],
    [100, 90, new Date(), true],
  ])('calculates the urgency of a product with capacity %s, %s left, price rising %s: %s', (capacity, left, risesAt, urgent) => {
    expect(isScarceOrPriceRising({ capacity, left, risesAt })).toBe(urgent)
  })
})

const sale = (code: string, more: object = {}) => ({ code, name: code, category: 'other', prices: [{ amount: '10.00' }], ...more })
const SECTIONS = {
  details: { contactEmail: 'olga@example.org' },
  tags: [{ code: 'vip', name: 'VIP' }],
  products: [
    sale('pass', { name: 'Pass', category: 'admission' }),
    sale('workshop', { name: 'Workshop on robotics', category: 'session' }),
    sale('gala', { name: 'Gala', category: 'meal', capacity: 100 }),
    sale('tour', { name: 'Tour', category: 'tour' }),
    sale('early', {
      name: 'Early bird',
      prices: [
        { amount: '10.00', until: '2026-04-15' },
        { amount: '12.00', from: '2026-04-16' },
      ],
    }),
    sale('later', {
      name: 'Later bird',
      prices: [
        { amount: '10.00', until: '2026-04-17' },
        { amount: '12.00', from: '2026-04-18' },
      ],
    }),
    sale('cheaper', {
      name: 'Cheaper soon',
      prices: [
        { amount: '10.00', until: '2026-04-15' },
        { amount: '8.00', from: '2026-04-16' },
      ],
    }),
    sale('full', { capacity: 0 }),
    sale('vips', { visibleForTags: { type: 'all', required: ['vip'] } }),
    sale('addon', { requires: ['workshop'] }),
    sale('rival', { excludes: ['pass'] }),
    sale('booth', { category: 'booth' }),
    sale('leads', { category: 'leadRetrieval' }),
    sale('banner', { category: 'advertising' }),
    sale('companion', { category: 'guest' }),
    sale('old', { retired: true }),
    sale('unsold'),
  ],
  flows: [
    {
      slug: 'attendee',
      name: 'Registration',
      pages: [
        {
          code: 'contact',
          widgets: [
            { id: 'name', type: 'name' },
            { id: 'email', type: 'field', binding: '@participant.email', required: true },
            { id: 'bio', type: 'field', binding: '@participant.bio' },
          ],
        },
        {
          code: 'choices',
          widgets: [
            {
              id: 'sale',
              type: 'products',
              products: [
                'pass',
                'workshop',
                'gala',
                'tour',
                'early',
                'later',
                'cheaper',
                'full',
                'vips',
                'addon',
                'rival',
                'booth',
                'leads',
                'banner',
                'companion',
              ],
            },
          ],
        },
        { code: 'pay', widgets: [{ id: 'pay', type: 'payment', methods: ['bank'] }] },
        { code: 'done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
      ],
    },
  ],
}

describe('recommend_products', () => {
  const scenario = useSalesScenario(SECTIONS)
  let me: PersonHandle
  const recommended = async (who: PersonHandle, limit = 10) => (await who.call('recommend_products', { limit })).recommendations as any[]
  const codes = async (who: PersonHandle) => (await recommended(who)).map(({ productCode }) => productCode)

  beforeAll(async () => {
    const at = createRegistrationFixtures(scenario.world, scenario.event)
    const groupId = await at.group('crowd')
    // Products held: pass by 399 and me, workshop by 150 of whom 120 have a pass, gala by 90 and 60, tour by 40 and 20.
    const holds = (n: number) => ({
      pass: n < 399,
      workshop: n < 120 || (n >= 399 && n < 429),
      gala: (n >= 120 && n < 180) || (n >= 429 && n < 459),
      tour: (n >= 180 && n < 200) || n >= 459,
    })
    const lines = []
    for (let n = 0; n < 479; n++) {
      const id = await at.person()
      for (const [product, held] of Object.entries(holds(n))) if (held) lines.push({ product, net: 0, for: id })
    }
    await at.buys({ groupId }, lines)
    await scenario.world.database.pool.query(`update inventory set sold = 92 where key = 'product:gala'`)
    await scenario.register({ pass: 1 }, { data: { '@participant.email': 'me@example.org' } })
    await updateProfiles(scenario)
    me = await signInByEmail(scenario, 'me@example.org')
  })

  it('ranks products by what buyers of the same products bought, by words and by scarcity', async () => {
    const [first, second, third, ...others] = await recommended(me)
    expect(first).toEqual({
      productCode: 'gala',
      name: 'Gala',
      price: { amount: '10.00', currency: 'EUR' },
      category: 'meal',
      reasons: ['8 of 100 left', 'often bought together with Pass'],
      score: 0.3502,
      addUrl: `/tenant/demo/client/${scenario.event.clientCode}/event/${scenario.event.eventCode}/registration/edit/choices`,
    })
    // Workshop: 0.5 × 120 / (√(400 × 150) + 10) for purchases together, and nothing for matching words.
    expect(second).toMatchObject({ productCode: 'workshop', score: 0.2353, reasons: ['often bought together with Pass'] })
    // The price rises on the 16th, in six days. A rise on the 18th is too far away, and a falling price is not urgent.
    expect(third).toMatchObject({ productCode: 'early', score: 0.2, reasons: ['the price rises at 2026-04-15T22:00:00.000Z'] })
    expect(others.map(({ productCode, score }) => [productCode, score])).toEqual([
      ['tour', 0.0733],
      ['cheaper', 0],
      ['later', 0],
    ])
  })

  it('omits products that are held, full, restricted, excluded, retired, unlisted, for exhibitors, or lack a required product', async () => {
    const offered = await codes(me)
    for (const code of ['pass', 'full', 'vips', 'addon', 'rival', 'booth', 'leads', 'banner', 'companion', 'old', 'unsold']) {
      expect(offered).not.toContain(code)
    }
    const { participant } = await scenario.register({ workshop: 1 }, { data: { '@participant.email': 'other@example.org' }, tags: ['vip'] })
    const other = await signInByEmail(scenario, 'other@example.org')
    expect(await codes(other)).toEqual(expect.arrayContaining(['vips', 'addon', 'rival', 'pass']))
    expect((await scenario.call('edit_participant', { participantId: participant.id, data: { '@product.pass': 1 } })).changed).toContain(
      'products',
    )
    expect(await codes(other)).not.toContain('rival')
  })

  it("ranks products by words of the person's own answers", async () => {
    await scenario.register(
      { pass: 1 },
      { data: { '@participant.email': 'rob@example.org', '@participant.bio': 'I build robots for a robotic workshop.' } },
    )
    const [workshop, gala] = await recommended(await signInByEmail(scenario, 'rob@example.org'))
    expect(gala).toMatchObject({ productCode: 'gala', score: 0.3502 })
    // "robot" and "workshop" occur in 1 text of 17 each, "on" is a stop word; the bio has "robot" twice and no other product term.
    const text = (2 + 1) / Math.sqrt(5) / Math.sqrt(2)
    expect(workshop).toMatchObject({
      productCode: 'workshop',
      score: computeScore(buildProductScoreParts({ companions: computeCoPurchaseSimilarity(120, 400, 150), text, urgent: false })),
      reasons: ['matches the registration: robotics, workshop', 'often bought together with Pass'],
    })
  })

  it('recommends the most popular products to a person who bought none', async () => {
    await scenario.register({}, { data: { '@participant.email': 'new@example.org' } })
    const list = await recommended(await signInByEmail(scenario, 'new@example.org'), 3)
    // The most popular is the pass: 0.5 × ln(1 + n) / ln(1 + 400), and the gala is nearly sold out.
    expect(list.map(({ productCode, score, reasons }) => [productCode, score, reasons[0]])).toEqual([
      ['gala', 0.5763, 'popular at this event'],
      ['pass', 0.5, 'popular at this event'],
      ['workshop', 0.4185, 'popular at this event'],
    ])
  })

  it('recommends five products by default, and none after the edit deadline', async () => {
    expect((await me.call('recommend_products')).recommendations).toHaveLength(5)
    await scenario.world.database.pool.query(`update events set status = 'archived'`)
    expect(await recommended(me)).toEqual([])
    await scenario.world.database.pool.query(`update events set status = 'published'`)
  })

  it('requires a registration to recommend products', async () => {
    const early = await signInByEmail(scenario, 'absent@example.org')
    expect((await early.refused('recommend_products')).message).toBe('No participant identity available')
  })
})
