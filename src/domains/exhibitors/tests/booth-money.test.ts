import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOOTH_SECTIONS, buildDoubleRow } from '../../../../test/support/booths.ts'
import { type Exhibitors, createExhibitorFixtures } from '../../../../test/support/companies.ts'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { checkIntegrity } from '../../orders/integrity/check.ts'
import { assignBooth } from '../booths/assign.ts'
import { releaseExpiredHoldsOfCompany } from '../booths/expired-holds.ts'
import { holdBooths, listHeldBoothIds } from '../booths/hold.ts'
import { moveBooth, swapBooths } from '../booths/move.ts'
import { getBoothByNumber } from '../booths/lock.ts'
import { vacateBooth } from '../booths/vacate.ts'

describe('booths on the order of a company', () => {
  let scenario: SalesScenario
  let exhibitors: Exhibitors
  const change = <T>(run: (ctx: EventContext) => Promise<T>): Promise<T> =>
    scenario.world.database.transact(async (db) => run(await createEventContextAt(scenario.world, scenario.event, db)))
  const rows = async <T extends object>(query: string, ...values: unknown[]): Promise<T[]> =>
    (await scenario.world.database.pool.query<T>(query, values)).rows
  const order = async (companyId: string) =>
    (
      await rows<{ number: string; total: string; balance: string; unapplied: string; bill_to: object }>(
        'select number, total, balance, unapplied, bill_to from orders where company_id = $1',
        companyId,
      )
    )[0]
  const amounts = async (companyId: string) => {
    const found = await order(companyId)
    return found && { total: Number(found.total), balance: Number(found.balance), unapplied: Number(found.unapplied) }
  }

  beforeAll(async () => {
    scenario = await openSalesScenario(BOOTH_SECTIONS)
    exhibitors = createExhibitorFixtures(scenario.world, scenario.event)
    await exhibitors.plan({}, buildDoubleRow())
  })
  afterAll(() => scenario.world.end())

  it('charges a booth by size and corner at the price of today, on one invoice with the billing address of the company', async () => {
    const { id } = await exhibitors.company({ name: 'Aurora', country: 'FR' })
    const { orderChange } = await change((ctx) => assignBooth(ctx, { number: '101', companyId: id }))
    expect(orderChange).toMatchObject({ net: 115_000, tax: 23_000, total: 138_000 })
    expect(orderChange!.lines.map(({ description, quantity, total }) => [description, quantity, total])).toEqual([
      ['Booth 3 x 3 (101)', 1, 120_000],
      ['Corner (101)', 1, 18_000],
    ])
    expect(await order(id)).toMatchObject({ bill_to: { company: 'Aurora', country: 'FR' } })
    expect(await amounts(id)).toEqual({ total: 138_000, balance: 138_000, unapplied: 0 })
    await expect(change((ctx) => assignBooth(ctx, { number: '101', companyId: id }))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^Booth 101 was assigned at \d\d:\d\d$/) as string,
    })
    await change((ctx) => vacateBooth(ctx, { number: '101', reason: 'test' }))
    expect(await amounts(id)).toEqual({ total: 0, balance: 0, unapplied: 0 })
  })

  it('credits a vacated booth that was paid, and keeps the money as credit on the order', async () => {
    const { id } = await exhibitors.company()
    await change((ctx) => assignBooth(ctx, { number: '103', companyId: id }))
    const { number } = (await order(id))!
    await scenario.call('record_manual_payment', {
      kind: 'payment',
      orderNumber: number,
      amount: { amount: '1200.00', currency: 'EUR' },
      method: 'bank',
      reference: 'booth-1',
    })
    const { orderChange } = await change((ctx) => vacateBooth(ctx, { number: '103', reason: 'Cancelled' }))
    expect(orderChange).toMatchObject({ total: -120_000 })
    expect(await amounts(id)).toEqual({ total: 0, balance: -120_000, unapplied: -120_000 })
    // The credit on the order pays for the next booth.
    await change((ctx) => assignBooth(ctx, { number: '105', companyId: id }))
    expect(await amounts(id)).toEqual({ total: 120_000, balance: 0, unapplied: 0 })
    await change((ctx) => vacateBooth(ctx, { number: '105', reason: 'Cancelled' }))
  })

  it('charges only the difference when a company moves to a corner and back', async () => {
    const { id } = await exhibitors.company()
    await change((ctx) => assignBooth(ctx, { number: '103', companyId: id }))
    const there = await change((ctx) => moveBooth(ctx, { fromNumber: '103', toNumber: '107' }))
    expect(there.orderChanges).toMatchObject([{ total: 18_000, lines: [{ productCode: 'corner', quantity: 1 }] }])
    const back = await change((ctx) => moveBooth(ctx, { fromNumber: '107', toNumber: '104' }))
    expect(back.orderChanges).toMatchObject([{ total: -18_000, lines: [{ productCode: 'corner', quantity: -1 }] }])
    expect(await change((ctx) => moveBooth(ctx, { fromNumber: '104', toNumber: '106' }))).toMatchObject({ orderChanges: [] })
    expect(await amounts(id)).toEqual({ total: 120_000, balance: 120_000, unapplied: 0 })
    await change((ctx) => vacateBooth(ctx, { number: '106', reason: 'test' }))
    expect(await amounts(id)).toEqual({ total: 0, balance: 0, unapplied: 0 })
  })

  it('charges and credits the difference when companies swap booths of different prices', async () => {
    const [a, b] = [await exhibitors.company(), await exhibitors.company()]
    await exhibitors.assign('101', a.id)
    await exhibitors.assign('103', b.id)
    const { orderChanges } = await change((ctx) => swapBooths(ctx, { numberA: '101', numberB: '103' }))
    expect(orderChanges.map(({ companyId, total }) => [companyId, total])).toEqual([
      [a.id, -18_000],
      [b.id, 18_000],
    ])
    expect([await amounts(a.id), await amounts(b.id)]).toMatchObject([{ total: 120_000 }, { total: 138_000 }])
    for (const number of ['101', '103']) await change((ctx) => vacateBooth(ctx, { number, reason: 'test' }))
    expect([await amounts(a.id), await amounts(b.id)]).toMatchObject([{ total: 0 }, { total: 0 }])
  })

  it("ends a company's booth offers before it releases the company's expired holds", async () => {
    const { id } = await exhibitors.company()
    const boothIds = await change(async (ctx) => [(await getBoothByNumber(ctx, '108')).id])
    await change((ctx) => holdBooths(ctx, { boothIds, companyId: id, until: new Date('2099-01-01') }))
    const ended: string[] = []
    const release = () =>
      change((ctx) =>
        releaseExpiredHoldsOfCompany(ctx, id, async (_, companyId) => {
          ended.push(companyId)
        }),
      )
    await release()
    expect(await change((ctx) => listHeldBoothIds(ctx, id))).toEqual(boothIds)
    await scenario.world.database.pool.query(`update booths set held_until = '2020-01-01' where id = $1`, boothIds)
    await release()
    expect(await change((ctx) => listHeldBoothIds(ctx, id))).toEqual([])
    expect(ended).toEqual([id, id])
  })

  it('keeps all integrity rules after booths were sold, credited, moved and swapped', async () => {
    const found = await checkIntegrity(scenario.world.database.read, scenario.event.tenantId, scenario.event.eventId)
    expect(found.filter(({ ok }) => !ok)).toEqual([])
  })
})
