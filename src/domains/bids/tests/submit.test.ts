import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'
import { RESPONSE_A, createSourcingFixtures } from '../../../../test/support/sourcing.ts'
import { submitResponse } from '../submit.ts'

describe('submitResponse and distribute_rfp', () => {
  let sales: SalesScenario
  beforeAll(async () => {
    sales = await openSalesScenario()
  })
  afterAll(() => sales.world.end())

  const query = async <T = any>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await sales.world.database.pool.query(text, values)).rows as T[]

  it('sends each supplier one email if two concurrent calls distribute the same RFP', async () => {
    const rows = createSourcingFixtures(sales.world, sales.event)
    const { rfp } = await sales.call('create_rfp', {
      briefId: await rows.brief(),
      responseDueAt: '2026-05-08T15:00:00Z',
      decisionOn: '2026-05-20',
    })
    const suppliers = await Promise.all(['One', 'Two', 'Three'].map((name) => rows.supplier(name)))
    await sales.call('add_rfp_recipient', { rfpId: rfp.id, recipients: suppliers.map((supplierId) => ({ supplierId })) })
    const distribute = () => sales.callConfirmed('distribute_rfp', { rfpId: rfp.id })
    const outcomes = await Promise.allSettled([distribute(), distribute()])
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true)
    expect(await query(`select count(*)::int as n from messages where source_kind = 'rfpRecipient'`)).toEqual([{ n: 3 }])
    expect(await query('select distinct rfps from suppliers where id = any($1)', [suppliers])).toEqual([{ rfps: 1 }])
  })

  it('keeps one valid response if a supplier submits several times concurrently', async () => {
    const rows = createSourcingFixtures(sales.world, sales.event)
    const rfpId = await rows.rfp(await rows.brief())
    const supplierId = await rows.supplier('Four')
    const recipientId = await rows.recipient(rfpId, supplierId)
    const submit = (rental: number) =>
      inEventTransaction(sales.world, sales.event, (ctx) =>
        submitResponse(ctx, { recipientId, dateOption: 0, content: { ...RESPONSE_A, rental }, source: 'portal' }),
      )
    await Promise.all([1, 2, 3, 4].map(submit))
    expect(await query('select count(*)::int as n, count(*) filter (where withdrawn_at is null)::int as valid from rfp_responses')).toEqual(
      [{ n: 4, valid: 1 }],
    )
    expect(await query('select responses from suppliers where id = $1', [supplierId])).toEqual([{ responses: 1 }])
  })

  it('rejects an RFP response with wrong dates, unknown answers, or a validity that ends before the decision', async () => {
    const rows = createSourcingFixtures(sales.world, sales.event)
    const rfpId = await rows.rfp(await rows.brief(), { questions: [{ code: 'green', text: 'Green?', type: 'boolean', required: true }] })
    const recipientId = await rows.recipient(rfpId, await rows.supplier('Five'))
    const refusedPaths = async (more: object) => {
      const answers = { green: true }
      const content = { ...RESPONSE_A, answers, ...more }
      try {
        await inEventTransaction(sales.world, sales.event, (ctx) =>
          submitResponse(ctx, { recipientId, dateOption: 0, content, source: 'portal' }),
        )
        return []
      } catch (error) {
        return (error as { details: { fields: { path: string }[] } }).details.fields.map(({ path }) => path)
      }
    }
    const [night] = RESPONSE_A.rooms
    expect(await refusedPaths({ rooms: [{ ...night!, night: '2027-06-13' }] })).toEqual(['rooms/0/night'])
    expect(await refusedPaths({ answers: {} })).toEqual(['answers/green'])
    expect(await refusedPaths({ answers: { green: 'yes' } })).toEqual(['answers/green'])
    expect(await refusedPaths({ answers: { green: true, red: 1 } })).toEqual(['answers/red'])
    expect(await refusedPaths({ validUntil: '2026-04-11' })).toEqual(['validUntil'])
    expect(await refusedPaths({ taxPercent: 101 })).toEqual(['taxPercent'])
    expect(await refusedPaths({})).toEqual([])
  })
})
