import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Mailer } from '../../src/kernel/ports.ts'
import { createBounceSaver } from '../../src/surfaces/worker/save-bounce.ts'
import { sendEmailBatch } from '../../src/surfaces/worker/send-emails.ts'
import { postSupplierQuestion } from '../../src/domains/rfps/questions.ts'
import { inEventTransaction } from '../support/hotels.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { createSourcingFixtures } from '../support/sourcing.ts'
import { signedInVisitor, type Visitor } from '../support/visitor.ts'

describe('RFP pages of the console', () => {
  let sales: SalesScenario
  let served: Served
  let ada: Visitor
  let base: string
  beforeAll(async () => {
    sales = await openSalesScenario(WORKED_EXAMPLE, { baseUrl: await chooseFreeBaseUrl() })
    served = await serve(sales.world)
    // Setting a password signs the assistants of a user out, so another user opens the pages.
    ada = await signedInVisitor(sales.world, served, await sales.world.organizer({ role: 'manager', at: sales.event }))
    base = `/console/events/${sales.event.clientCode}/${sales.event.eventCode}/rfps`
  })
  afterAll(() => sales.world.end())

  let made = 0
  const TIMES = { responseDueAt: '2026-05-08T15:00:00Z', decisionOn: '2026-05-20' }
  const query = async <T = any>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await sales.world.database.pool.query(text, values)).rows as T[]
  const draft = async (suppliers: number) => {
    const rows = createSourcingFixtures(sales.world, sales.event)
    const { rfp } = await sales.call('create_rfp', { briefId: await rows.brief(), ...TIMES })
    const ids = await Promise.all(Array.from({ length: suppliers }, () => rows.supplier(`House ${++made}`)))
    if (ids.length > 0) await sales.call('add_rfp_recipient', { rfpId: rfp.id, recipients: ids.map((supplierId) => ({ supplierId })) })
    return rfp.id as string
  }
  const distributed = async (suppliers: number) => {
    const rfpId = await draft(suppliers)
    await sales.callConfirmed('distribute_rfp', { rfpId })
    const { recipients } = (await sales.call('list_rfps', { rfpId })).rfp
    return { rfpId, recipients: recipients as { id: string; supplier: string; email: string }[] }
  }

  it('edits the deadlines of a draft RFP, and refuses deadlines in the wrong sequence', async () => {
    const rfpId = await draft(0)
    const page = await ada.get(`${base}/${rfpId}`)
    expect([page.status, page.text.includes('No suppliers yet'), page.html.includes('/compare"')]).toEqual([200, true, false])
    expect((await ada.get(`${base}/${rfpId}/compare`)).text).toContain('No suppliers yet')
    const times = {
      title: 'Autumn meeting',
      questionsDay: '2026-05-10',
      questionsTime: '12:00',
      responseDay: '2026-05-12',
      responseTime: '17:00',
      decisionOn: '2026-05-20',
    }
    const from = `${base}/${rfpId}`
    const wrong = await ada.post(`${from}/times`, { ...times, decisionOn: '2026-05-12' }, { from })
    expect([wrong.status, wrong.text.includes('Decision on')]).toEqual([400, true])
    expect((await ada.post(`${from}/times`, times, { from })).status).toBe(303)
    expect((await sales.call('list_rfps', { rfpId })).rfp).toMatchObject({
      title: 'Autumn meeting',
      responseDueAt: '2026-05-12T15:00:00.000Z',
      questionsDueAt: '2026-05-10T10:00:00.000Z',
    })
    expect((await ada.get(base)).text).toContain('Autumn meeting')
  })

  it("answers a supplier's question, and records a response that the supplier sent by email", async () => {
    const { rfpId, recipients } = await distributed(2)
    const [a] = recipients
    const from = `${base}/${rfpId}`
    const questionId = await inEventTransaction(sales.world, sales.event, (ctx) => postSupplierQuestion(ctx, a!.id, 'Is parking needed?'))
    expect((await ada.get(from)).text).toContain('Is parking needed?')
    await ada.post(`${from}/answer`, { question: questionId, [`body-${questionId}`]: 'No.', shareWith: 'all' }, { from })
    expect((await sales.call('list_rfps', { rfpId })).rfp.questions[0].answers).toMatchObject([{ body: 'No.', sharedWith: 'all' }])
    const typing = `${from}/responses/${a!.id}`
    await ada.get(typing)
    const offer = Object.fromEntries(
      ['2027-06-10', '2027-06-11', '2027-06-12'].flatMap((night) => [
        [`count-standard-${night}`, '60'],
        [`single-standard-${night}`, '199'],
      ]),
    )
    const wrong = await ada.post(`${typing}?dates=0`, { ...offer, tax: 'much' }, { from: typing })
    expect([wrong.status, wrong.text.includes('Enter a percentage')]).toEqual([400, true])
    expect((await ada.post(`${typing}?dates=0`, { ...offer, valid: '2026-06-01' }, { from: typing })).status).toBe(303)
    expect(await query('select source, round from rfp_responses where recipient_id = $1', [a!.id])).toEqual([
      { source: 'console', round: 1 },
    ])
  })

  it('cancels an RFP with a reason and emails the suppliers that have not declined', async () => {
    const { rfpId, recipients } = await distributed(3)
    await query(`update rfp_recipients set status = 'turnedDown' where id = $1`, [recipients[0]!.id])
    const from = `${base}/${rfpId}`
    expect((await ada.post(`${from}/cancel`, { reason: '' }, { from })).status).toBe(400)
    await ada.post(`${from}/cancel`, { reason: 'The event moves to another year' }, { from })
    const { rfp } = await sales.call('list_rfps', { rfpId })
    expect(rfp).toMatchObject({ status: 'cancelled', cancelledReason: 'The event moves to another year' })
    const emails = await query<{ text: string }>(
      `select text_body as text from messages where recipient_key = 'cancelled' and source_id = any($1)`,
      [recipients.map(({ id }) => id)],
    )
    expect(emails).toHaveLength(2)
    expect(emails[0]!.text).toContain('The event moves to another year')
    expect((await ada.post(`${from}/cancel`, { reason: 'Again' }, { from })).status).toBe(400)
  })

  it('revokes the RFP links of one supplier', async () => {
    const { rfpId, recipients } = await distributed(2)
    const from = `${base}/${rfpId}`
    await ada.get(from)
    await ada.post(`${from}/links`, { recipient: recipients[0]!.id }, { from })
    const rows = await query<{ id: string; ended: boolean }>(
      `select rfp_recipient_id as id, bool_and(revoked_at is not null) as ended from supplier_links where rfp_recipient_id = any($1) group by 1`,
      [recipients.map(({ id }) => id)],
    )
    expect(Object.fromEntries(rows.map(({ id, ended }) => [id, ended]))).toEqual({ [recipients[0]!.id]: true, [recipients[1]!.id]: false })
  })

  it('marks a supplier whose email bounced, and sends the RFP again to that supplier on request', async () => {
    const { rfpId, recipients } = await distributed(2)
    const [a] = recipients
    const mailer = {
      connections: 1,
      transport: 'smtp',
      send: async ({ to }: { to: { address: string } }) =>
        to.address === a!.email ? { kind: 'refused', address: true, reason: 'no such mailbox' } : { kind: 'accepted' },
    } as unknown as Mailer
    const { pool } = sales.world.database
    const saveBounce = createBounceSaver(sales.world.services)
    const { log } = sales.world.services
    await sendEmailBatch({ pool, mailer, log, from: 'events@example.org', batch: 500, saveBounce })
    const statusOf = async () => (await sales.call('list_rfps', { rfpId })).rfp.recipients.map(({ status }: { status: string }) => status)
    expect(await statusOf()).toEqual(['bounced', 'sent'])
    expect(await sales.callConfirmed('distribute_rfp', { rfpId })).toMatchObject({ queued: 0 })
    expect(await sales.callConfirmed('distribute_rfp', { rfpId, recipientIds: [a!.id] })).toMatchObject({ queued: 1 })
    expect(await statusOf()).toEqual(['sent', 'sent'])
    expect(await query('select rfps from suppliers where name = $1', [a!.supplier])).toEqual([{ rfps: 1 }])
  })
})
