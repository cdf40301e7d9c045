import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOOTH_SECTIONS, HALL_OF_LAYOUT_A, buildLayoutA } from '../../../../test/support/booths.ts'
import { type Exhibitors, createExhibitorFixtures, buildRectangle } from '../../../../test/support/companies.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'
import { checkIntegrity } from '../../../domains/orders/integrity/check.ts'

const euros = (amount: string) => ({ amount, currency: 'EUR' })
const DAY = '2026-04-20T10:00:00.000Z'

let scenario: SalesScenario
let exhibitors: Exhibitors
const manage = (action: string, more: object = {}) => scenario.call('manage_booths', { action, ...more })
const refused = async (action: string, more: object = {}) => {
  const { code, message } = await scenario.refused('manage_booths', { action, ...more })
  return { code, message }
}
const list = (more: Record<string, unknown> = {}) => scenario.call('list_booths', more)
const get = (number: string) => scenario.call('get_booth', { number })
const numbers = ({ booths }: any): string[] => booths.map(({ number }: any) => number)

beforeAll(async () => {
  scenario = await openSalesScenario(BOOTH_SECTIONS)
  exhibitors = createExhibitorFixtures(scenario.world, scenario.event)
  await exhibitors.plan({ ...HALL_OF_LAYOUT_A, code: 'hall-a' }, buildLayoutA({ sizeCode: 'small' }))
})
afterAll(() => scenario.world.end())

describe('list_booths', () => {
  it('counts 48 booths and 12 corners in layout A of the specification, and 47 available booths after one hold', async () => {
    expect(await list()).toMatchObject({ total: 48, totals: { count: 48, area: 4800, price: { net: euros('49800.00') } } })
    expect(await list({ type: 'corner' })).toMatchObject({ total: 12 })
    const { id: companyId } = await exhibitors.company({ name: 'Holding company' })
    const held = await manage('hold', { number: '205', companyId, until: DAY })
    expect(held).toMatchObject({ booths: [{ number: '205', status: 'held', heldUntil: DAY, company: { companyId } }], warnings: [] })
    expect(await list({ status: ['available'] })).toMatchObject({ total: 47 })
    expect(numbers(await list({ search: 'holding' }))).toEqual(['205'])
    expect(numbers(await list({ companyId }))).toEqual(['205'])
    expect(await manage('hold', { number: '205', companyId, until: '2026-05-01T10:00:00.000Z' })).toMatchObject({
      booths: [{ heldUntil: '2026-05-01T10:00:00.000Z' }],
    })
    await manage('release', { number: '205' })
    expect(await list({ status: ['available'] })).toMatchObject({ total: 48 })
  })

  it('queries booths by type with the same result as the booth list, also through companies, and only at one event', async () => {
    const query = (more: object) => scenario.call('query_data', { entity: 'booth', ...more })
    const corner = { field: 'type', op: 'equals', value: 'corner' }
    const { rows } = await query({ groupBy: ['type'], orderBy: ['-count'] })
    expect(rows.map(({ type, count }: any) => [type, count])).toEqual([
      ['inline', 36],
      ['corner', 12],
    ])
    const corners = await query({ fields: ['number', 'type'], filter: corner, orderBy: ['number'], total: true })
    expect(corners).toMatchObject({ total: 12, rows: expect.arrayContaining([expect.objectContaining({ type: 'corner' })]) })
    const owners = async () =>
      (await scenario.call('query_data', { entity: 'company', fields: ['name'], filter: { relation: 'booths', where: corner } })).rows
    expect(await owners()).toEqual([])
    const { id: companyId } = await exhibitors.company({ name: 'Corner company' })
    const [{ number }] = corners.rows
    await manage('hold', { number, companyId, until: DAY })
    expect((await owners()).map(({ name }: any) => name)).toEqual(['Corner company'])
    await manage('release', { number })
    const across = { entity: 'booth', groupBy: ['type'], aggregates: ['count'] }
    expect(await scenario.olga.refused('query_across_events', across)).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('type is computed for one event at a time: use query_data'),
    })
  })

  it('sorts booths by number in natural order, by ascending price or by descending area, across pages', async () => {
    const all: string[] = []
    for (let cursor: string | undefined; ;) {
      const page: any = await list({ limit: 20, ...(cursor === undefined ? {} : { cursor }) })
      all.push(...numbers(page))
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    expect([all.length, ...all.slice(0, 3)]).toEqual([48, '101', '102', '103'])
    const { booths } = await list({ sort: 'price', limit: 100 })
    expect([booths[0].price.total, booths[47].price.total]).toEqual([euros('1200.00'), euros('1380.00')])
    const best = await list({ sort: 'quality', limit: 100 })
    const qualities = best.booths.map(({ quality }: any) => quality)
    expect(qualities).toEqual(qualities.toSorted((a: number, b: number) => b - a))
  })

  it('measures distances between booths from edge to edge', async () => {
    // Booth 103 is in the middle of the lower row; the next rows are 10 ft away, beyond an aisle.
    expect(numbers(await list({ near: { boothNumber: '103', distance: 0 } }))).toEqual(['101', '102', '104', '105', '106'])
    expect(numbers(await list({ near: { boothNumber: '103', distance: 9.9 } }))).toEqual(['101', '102', '104', '105', '106'])
    expect((await list({ near: { boothNumber: '103', distance: 20 } })).total).toBeGreaterThan(8)
    expect((await scenario.refused('list_booths', { near: { boothNumber: '999', distance: 1 } })).code).toBe('not_found')
    expect(await list({ minArea: 101 })).toMatchObject({ total: 0, totals: { area: 0 } })
  })
})

describe('get_booth', () => {
  it('shows the end booth of a double row as a corner, priced by size and with one corner fee', async () => {
    const shown = await get('101')
    expect(shown).toMatchObject({
      booth: { openSides: 2, type: 'corner', area: 100, areaM2: 9.2903, units: 'ft', status: 'available' },
      price: {
        lines: [
          { productCode: 'booth-small', quantity: 1 },
          { productCode: 'corner', quantity: 1 },
        ],
        total: euros('1380.00'),
      },
      history: [],
    })
    expect(shown.neighbours.slice(0, 3)).toEqual([
      { number: '102', distance: 0, sharesEdge: true },
      { number: '103', distance: 0, sharesEdge: true },
      { number: '104', distance: 0, sharesEdge: false },
    ])
    expect(shown.quality.quality).toBeGreaterThan(0)
  })

  it('suggests the three nearest booth numbers for an unknown number', async () => {
    expect((await scenario.refused('get_booth', { number: '118' })).message).toBe(
      'No booth 118 at this event. Nearest numbers: 116, 115, 114',
    )
  })
})

describe('manage_booths', () => {
  it("charges today's price for an assigned booth, refuses to assign it again, and credits it when it is vacated", async () => {
    const { id: companyId } = await exhibitors.company({ name: 'Trumpf' })
    const assigned = await manage('assign', { number: '101', companyId })
    expect(assigned).toMatchObject({
      booths: [{ number: '101', status: 'assigned', company: { companyId, name: 'Trumpf' } }],
      orderChange: { lines: [{ companyId, total: euros('1200.00') }, { total: euros('180.00') }], total: euros('1380.00') },
      warnings: [],
    })
    expect(await refused('assign', { number: '101', companyId })).toEqual({ code: 'conflict', message: 'Booth 101 was assigned at 12:00' })
    expect(await refused('hold', { number: '101', companyId, until: DAY })).toEqual({
      code: 'precondition_failed',
      message: 'Booth 101 is assigned and cannot be held',
    })
    const vacated = await manage('vacate', { number: '101', reason: 'Insolvent' })
    expect(vacated).toMatchObject({ booths: [{ status: 'available' }], orderChange: { total: euros('-1380.00') } })
    expect((await get('101')).history).toMatchObject([{ company: { name: 'Trumpf' }, reason: 'Insolvent', by: expect.any(String) }])
    expect(await refused('vacate', { number: '101', reason: 'again' })).toMatchObject({ code: 'precondition_failed' })
    expect(await refused('delete', { numbers: ['101'] })).toEqual({
      code: 'precondition_failed',
      message: 'Booth 101 has a history and cannot be deleted: block it instead',
    })
  })

  it('merges booths 101 and 103 into one of twice the area, and restores their exact shapes when it is split', async () => {
    const before = [(await get('105')).booth.polygon, (await get('107')).booth.polygon]
    const merged = await manage('merge', { numbers: ['105', '107'], number: '105' })
    expect(merged).toMatchObject({ booths: [{ number: '105', area: 200, width: 20, depth: 10, status: 'available' }] })
    expect(await list()).toMatchObject({ total: 47, totals: { area: 4800 } })
    expect((await get('105')).booth.mergedFrom).toEqual(['105', '107'])
    expect(await refused('delete', { numbers: ['105'] })).toMatchObject({ message: expect.stringContaining('split it first') })
    expect(numbers(await manage('split', { number: '105' }))).toEqual(['105', '107'])
    expect([(await get('105')).booth.polygon, (await get('107')).booth.polygon]).toEqual(before)
    expect(await list()).toMatchObject({ total: 48 })
  })

  it('keeps the history of a merged booth after it was split', async () => {
    const { id: companyId } = await exhibitors.company()
    await manage('merge', { numbers: ['109', '111'], number: '109X' })
    const { booths } = await manage('assign', { number: '109x', companyId })
    expect(booths[0].id).toBeDefined()
    expect(await refused('split', { number: '109X' })).toMatchObject({ message: 'Booth 109X is assigned and cannot be split' })
    await manage('vacate', { number: '109X', reason: 'Downsized' })
    expect(numbers(await manage('split', { number: '109X', into: [{ number: '109' }, { number: '111B' }] }))).toEqual(['109', '111B'])
    expect(await scenario.queryNumber(`select count(*)::int as figure from booths where was_split`)).toBe(1)
    expect(await refused('delete', { numbers: ['109'] })).toMatchObject({ message: expect.stringContaining('block it instead') })
    await manage('update', { boothId: (await get('111B')).booth.id, number: '111' })
  })

  it('merges held booths of one company into a held booth, and refuses to merge held booths of different companies', async () => {
    const [a, b] = [await exhibitors.company(), await exhibitors.company()]
    await manage('hold', { number: '301', companyId: a.id, until: DAY })
    await manage('hold', { number: '305', companyId: b.id, until: DAY })
    expect(await refused('merge', { numbers: ['301', '305'], number: '301' })).toMatchObject({
      message: 'Booths 301 and 305 are held for different companies',
    })
    expect(await manage('merge', { numbers: ['301', '303'], number: '301' })).toMatchObject({
      booths: [{ status: 'held', company: { companyId: a.id }, heldUntil: DAY }],
    })
    expect(await refused('split', { number: '301' })).toMatchObject({ message: 'Booth 301 is held and cannot be split' })
    for (const number of ['301', '305']) await manage('release', { number })
    await manage('split', { number: '301' })
    expect(await refused('merge', { numbers: ['301', '305'], number: '301' })).toMatchObject({
      message: 'Booths 301 and 305 do not share full edges',
    })
  })

  it('splits a booth into the given parts if they cover its whole area', async () => {
    const half = (x: number, width = 5) => ({ x, y: 10, width, depth: 10 })
    expect(
      await refused('split', {
        number: '113',
        into: [
          { number: '113', ...half(70) },
          { number: '113B', ...half(75, 4) },
        ],
      }),
    ).toMatchObject({
      code: 'invalid_arguments',
      message: 'into: does not cover booth 113',
    })
    const parts = await manage('split', {
      number: '113',
      into: [
        { number: '113', ...half(70) },
        { number: '113B', ...half(75) },
      ],
    })
    expect(parts.booths.map(({ number, area }: any) => [number, area])).toEqual([
      ['113', 50],
      ['113B', 50],
    ])
    await manage('merge', { numbers: ['113', '113B'], number: '113' })
  })

  it('warns about competitors nearer than the configured distance', async () => {
    const [a, b] = [await exhibitors.company({ name: 'Coke' }), await exhibitors.company({ name: 'Pepsi' })]
    await scenario.world.database.pool.query(
      `insert into company_competitors (tenant_id, event_id, company_id, competitor_id)
       select tenant_id, event_id, least(id, $2), greatest(id, $2) from companies where id = $1`,
      [a.id, b.id],
    )
    await manage('assign', { number: '206', companyId: a.id })
    const near = await manage('assign', { number: '208', companyId: b.id })
    expect(near.warnings).toEqual([
      { code: 'competitor', number: '208', message: 'A competitor has booth 206, 0 ft from booth 208', company: 'Coke' },
    ])
    // Competitors must be 6 m apart: 10 ft are less, and 20 ft are more.
    const moved = await manage('move', { fromNumber: '208', toNumber: '210' })
    expect(moved).toMatchObject({ warnings: [{ number: '210' }], booths: [{ number: '208', status: 'available' }, { number: '210' }] })
    expect(moved.orderChange).toBeUndefined()
    expect(await manage('move', { fromNumber: '210', toNumber: '212' })).toMatchObject({ warnings: [] })
    for (const number of ['206', '212']) await manage('vacate', { number, reason: 'test' })
  })

  it('swaps booths whose products are sold out', async () => {
    const own = await openSalesScenario({
      ...BOOTH_SECTIONS,
      products: BOOTH_SECTIONS.products.map((one) => (one.code.startsWith('booth-') ? { ...one, capacity: 1 } : one)),
    })
    const there = createExhibitorFixtures(own.world, own.event)
    await there.plan({}, [
      { number: '1', polygon: buildRectangle(6, 6, 3, 3), sizeCode: 'small' },
      { number: '2', polygon: buildRectangle(20, 6, 6, 3), sizeCode: 'large' },
      { number: '3', polygon: buildRectangle(6, 14, 6, 3), sizeCode: 'large' },
    ])
    const companies = [(await there.company()).id, (await there.company()).id]
    for (const [i, companyId] of companies.entries()) await own.call('manage_booths', { action: 'assign', number: `${i + 1}`, companyId })
    const swapped = await own.call('manage_booths', { action: 'swap', numberA: '1', numberB: '2' })
    expect(swapped.booths.map(({ number, company }: any) => [number, company.companyId])).toEqual([
      ['1', companies[1]],
      ['2', companies[0]],
    ])
    expect((await own.refused('manage_booths', { action: 'move', fromNumber: '1', toNumber: '3' })).message).toContain(
      'The product booth-large is full (1 of 1)',
    )
    const found = await checkIntegrity(own.world.database.read, own.event.tenantId, own.event.eventId)
    expect(found.filter(({ ok }) => !ok)).toEqual([])
    await own.world.end()
  })

  it('swaps booths of different prices, and refuses to swap an available booth', async () => {
    const [a, b] = [await exhibitors.company(), await exhibitors.company()]
    await manage('assign', { number: '201', companyId: a.id })
    await manage('assign', { number: '203', companyId: b.id })
    const swapped = await manage('swap', { numberA: '201', numberB: '203' })
    expect(swapped.booths.map(({ number, company }: any) => [number, company.companyId])).toEqual([
      ['201', b.id],
      ['203', a.id],
    ])
    expect(swapped.orderChange).toMatchObject({ total: euros('0.00'), lines: [{ quantity: -1 }, { quantity: 1 }] })
    expect(await refused('swap', { numberA: '201', numberB: '205' })).toMatchObject({
      code: 'precondition_failed',
      message: 'Booth 205 is available and cannot be swapped',
    })
    for (const number of ['201', '203']) await manage('vacate', { number, reason: 'test' })
  })

  it('charges the booth price published on the day of assignment, and lets a company that moves keep the price it paid', async () => {
    const { id: companyId } = await exhibitors.company()
    await manage('assign', { number: '207', companyId })
    const raised = BOOTH_SECTIONS.products.map((product) =>
      product.code === 'booth-small' ? { ...product, prices: [{ amount: '1100.00' }] } : product,
    )
    await scenario.publish({ products: raised })
    expect(await manage('assign', { number: '209', companyId })).toMatchObject({ orderChange: { total: euros('1320.00') } })
    expect(await manage('move', { fromNumber: '207', toNumber: '211' })).not.toHaveProperty('orderChange')
    expect(await manage('vacate', { number: '211', reason: 'test' })).toMatchObject({ orderChange: { total: euros('-1200.00') } })
    await manage('vacate', { number: '209', reason: 'test' })
    await scenario.publish({ products: BOOTH_SECTIONS.products })
  })

  it('charges an overridden booth price without corner fees, and reports a booth without a price', async () => {
    const { id: companyId } = await exhibitors.company()
    const { booth } = await get('301')
    expect(await manage('update', { boothId: booth.id, priceOverride: euros('500.00'), note: 'Partner' })).toMatchObject({
      booths: [{ price: { net: euros('500.00'), total: euros('600.00') } }],
    })
    expect(await manage('assign', { number: '301', companyId })).toMatchObject({ orderChange: { total: euros('600.00') } })
    expect(await manage('move', { fromNumber: '301', toNumber: '303' })).toMatchObject({
      orderChange: { total: euros('600.00'), lines: [{ total: euros('-600.00') }, { total: euros('1200.00') }] },
    })
    await manage('vacate', { number: '303', reason: 'test' })
    await manage('update', { boothId: booth.id, clear: ['priceOverride', 'sizeCode', 'note'] })
    const free = await manage('assign', { number: '301', companyId })
    expect(free).toMatchObject({ warnings: [{ code: 'no_price', number: '301' }] })
    expect(free.orderChange).toBeUndefined()
    expect(await manage('update', { boothId: booth.id, sizeCode: 'small' })).toMatchObject({ warnings: [{ code: 'already_charged' }] })
    await manage('vacate', { number: '301', reason: 'test' })
  })

  it('counts assigned booths against the capacity of their product', async () => {
    const { id: companyId } = await exhibitors.company()
    const limited = BOOTH_SECTIONS.products.map((product) => (product.code === 'booth-large' ? { ...product, capacity: 1 } : product))
    await scenario.publish({ products: limited })
    for (const number of ['302', '304']) await manage('update', { boothId: (await get(number)).booth.id, sizeCode: 'large' })
    await manage('assign', { number: '302', companyId })
    expect(await refused('assign', { number: '304', companyId })).toEqual({
      code: 'precondition_failed',
      message: 'The product booth-large is full (1 of 1). Raise its capacity first',
    })
    expect((await get('304')).booth.status).toBe('available')
    expect(await manage('move', { fromNumber: '302', toNumber: '304' })).toMatchObject({ orderChange: { total: euros('-180.00') } })
    await manage('vacate', { number: '304', reason: 'test' })
    await manage('assign', { number: '302', companyId })
    await manage('vacate', { number: '302', reason: 'test' })
    for (const number of ['302', '304']) await manage('update', { boothId: (await get(number)).booth.id, sizeCode: 'small' })
    await scenario.publish({ products: BOOTH_SECTIONS.products })
  })

  it('credits a vacated booth by the refund rules of its product', async () => {
    const { id: companyId } = await exhibitors.company()
    const tiers = BOOTH_SECTIONS.products.map((product) =>
      product.code === 'booth-small'
        ? { ...product, refundTiers: [{ until: '2026-06-01T00:00:00.000Z', percent: 50 }] }
        : product.code === 'corner'
          ? { ...product, refundUntil: '2026-01-01T00:00:00.000Z' }
          : product,
    )
    await scenario.publish({ products: tiers })
    await manage('assign', { number: '216', companyId })
    expect(await manage('vacate', { number: '216', reason: 'test' })).toMatchObject({
      orderChange: { total: euros('-600.00'), lines: [{ total: euros('-600.00') }, { total: euros('0.00') }] },
    })
    await scenario.publish({ products: BOOTH_SECTIONS.products })
  })

  it('puts the booths of a test company on an order that is test data', async () => {
    const { id: companyId } = await exhibitors.company({ name: 'Trial', isTestData: true })
    const { orderChange } = await manage('assign', { number: '307', companyId })
    expect(orderChange.lines[0].orderNumber).toMatch(/^T-R-/)
    await manage('vacate', { number: '307', reason: 'test' })
  })

  it('refuses booth changes for a cancelled company, an unknown size, an outdated revision or an overlapping booth', async () => {
    const { id: companyId } = await exhibitors.company({ status: 'cancelled', code: 'gone' })
    expect(await refused('assign', { number: '309', companyId })).toEqual({
      code: 'precondition_failed',
      message: 'gone has cancelled and cannot get a booth',
    })
    const { booth } = await get('309')
    const edit = (more: object) => refused('update', { boothId: booth.id, ...more })
    expect(await edit({ sizeCode: 'smal' })).toMatchObject({ message: 'sizeCode: no booth size "smal" — did you mean small?' })
    expect(await edit({ ifRevision: booth.revision + 1, note: 'x' })).toMatchObject({ code: 'conflict' })
    expect(await edit({ number: '311' })).toEqual({ code: 'conflict', message: 'Booth number 311 is taken at this event' })
    expect(await edit({ polygon: [...buildRectangle(55, 70, 10, 10)] })).toMatchObject({ message: 'polygon: booth 309 overlaps booth 311' })
    expect(await edit({ priceOverride: { amount: '1', currency: 'JPY' } })).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused('hold', { number: '309', companyId, until: '2026-01-01T00:00:00.000Z' })).toMatchObject({
      message: 'until: must be in the future',
    })
  })

  it('blocks and unblocks booths with a reason, and deletes only booths that were never used', async () => {
    expect(await manage('block', { number: '315', reason: 'Fire lane' })).toMatchObject({ booths: [{ status: 'blocked' }] })
    expect((await get('315')).booth.blockReason).toBe('Fire lane')
    const { id: companyId } = await exhibitors.company()
    expect(await refused('assign', { number: '315', companyId })).toMatchObject({ message: 'Booth 315 is blocked and cannot be assigned' })
    expect(await manage('unblock', { number: '315', reason: 'Approved' })).toMatchObject({ booths: [{ status: 'available' }] })
    expect(await refused('unblock', { number: '315', reason: 'again' })).toMatchObject({ code: 'precondition_failed' })
    expect(await manage('delete', { numbers: ['315'] })).toMatchObject({ deleted: ['315'], booths: [] })
    const made = await manage('create', {
      floorPlanCode: 'hall-a',
      booths: [{ number: '315', x: 80, y: 70, width: 10, depth: 10, sizeCode: 'small' }],
    })
    expect(made).toMatchObject({ booths: [{ number: '315', type: 'corner', sizeCode: 'small' }] })
    expect(await refused('create', { floorPlanCode: 'hall-a', booths: [{ number: '316', x: 1, y: 1, width: 2, depth: 2 }] })).toMatchObject(
      {
        code: 'conflict',
      },
    )
  })

  it('renumbers the booths of a published plan only with force, by aisles or in sequence', async () => {
    await exhibitors.plan(
      { ...HALL_OF_LAYOUT_A, code: 'hall-b' },
      buildLayoutA().map((booth) => ({ ...booth, number: `B${booth.number}` })),
      {
        published: false,
      },
    )
    await manage('renumber', { floorPlanCode: 'hall-b', scheme: 'aisleHundreds', prefix: 'H' })
    const byPlace = async () => {
      const { rows } = await scenario.world.database.pool.query<{ number: string; x: string; y: string }>(
        `select number, polygon -> 0 ->> 0 as x, polygon -> 0 ->> 1 as y from booths b join floor_plans p on p.id = b.floor_plan_id
         where p.code = 'hall-b'`,
      )
      return (x: number, y: number) => rows.find((row) => Number(row.x) === x * 3048 && Number(row.y) === y * 3048)!.number
    }
    // The aisle along the lower wall is the first; the last one has booths only below it.
    const aisles = await byPlace()
    expect([aisles(10, 10), aisles(20, 10), aisles(10, 20), aisles(10, 40), aisles(80, 80)]).toEqual([
      'H102',
      'H104',
      'H201',
      'H202',
      'H415',
    ])
    const { id: companyId } = await exhibitors.company({ appointmentsEnabled: false })
    const wanted = { sizes: [], boothNumbers: [aisles(80, 80), '101', aisles(10, 20).toLowerCase()] }
    const { applications } = await scenario.call('manage_booth_application', { action: 'create', companyId, wanted, submit: true })
    await manage('renumber', { floorPlanCode: 'hall-b', scheme: 'sequential', prefix: 'S' })
    const wishes = `select wanted ->> 'boothNumbers' as wishes from booth_applications where number = $1`
    const { rows } = await scenario.world.database.pool.query(wishes, [applications[0].number])
    expect(rows).toEqual([{ wishes: '["S48", "101", "S9"]' }])
    const ordered = await byPlace()
    expect([ordered(10, 10), ordered(20, 10), ordered(10, 20), ordered(80, 80)]).toEqual(['S1', 'S2', 'S9', 'S48'])
    expect(await refused('renumber', { floorPlanCode: 'hall-a', scheme: 'sequential', prefix: 'X' })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('force: true'),
    })
  })

  it('creates one order line for 20 concurrent assignments of the same booth', async () => {
    const companies = await Promise.all(Array.from({ length: 20 }, () => exhibitors.company()))
    const answers = await Promise.all(
      companies.map(({ id: companyId }) =>
        scenario.olga.call('manage_booths', { eventCode: scenario.event.eventCode, action: 'assign', number: '103', companyId }).then(
          () => 'assigned',
          (error: unknown) => String(error),
        ),
      ),
    )
    expect(answers.filter((answer) => answer === 'assigned')).toHaveLength(1)
    expect(answers.filter((answer) => answer.includes('Booth 103 was assigned at 12:00'))).toHaveLength(19)
    expect(await exhibitors.figure(`select count(*)::int as n from order_lines where description like '%(103)'`)).toBe(1)
    await manage('vacate', { number: '103', reason: 'test' })
  })

  it('refuses to assign booths without the write permission', async () => {
    const analyst = await scenario.world.organizer({ role: 'analyst', at: scenario.event })
    const refusal = await analyst.refused('manage_booths', { eventCode: scenario.event.eventCode, action: 'release', number: '101' })
    expect(refusal.message).toBe('Forbidden — manage_booths requires the exhibitors.write permission')
  })

  it('passes all integrity checks, and reports an assigned booth without its order line as a violation of check X1', async () => {
    const violations = async () =>
      (await checkIntegrity(scenario.world.database.read, scenario.event.tenantId, scenario.event.eventId)).filter(({ ok }) => !ok)
    expect(await violations()).toEqual([])
    await manage('assign', { number: '101', companyId: (await exhibitors.company()).id })
    expect(await violations()).toEqual([])
    await scenario.world.database.pool.query(`update booth_assignments set order_line_ids = '{gone}' where until is null`)
    expect(await violations()).toMatchObject([{ id: 'X1', samples: ['order lines of booth 101'] }])
  })
})
