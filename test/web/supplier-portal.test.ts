import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processRfpDeadlines } from '../../src/domains/rfps/task.ts'
import { createRecurringTaskContext } from '../../src/surfaces/worker/run-recurring.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { SUPPLIER_A_OFFER_FORM as OFFER } from '../support/offer-forms.ts'
import { RESPONSE_A, createSourcingFixtures } from '../support/sourcing.ts'
import { readFieldValue, visitor } from '../support/visitor.ts'

describe('supplier pages', () => {
  let sales: SalesScenario
  let served: Served
  let rfpId: string
  let links: string[]
  beforeAll(async () => {
    sales = await openSalesScenario(WORKED_EXAMPLE, { baseUrl: await chooseFreeBaseUrl() })
    served = await serve(sales.world)
    const rows = createSourcingFixtures(sales.world, sales.event)
    const { rfp } = await sales.call('create_rfp', {
      briefId: await rows.brief(),
      responseDueAt: '2026-05-08T15:00:00Z',
      decisionOn: '2026-05-20',
      questions: [{ code: 'green', text: 'Do you have a green certificate?', type: 'boolean', required: true }],
    })
    rfpId = rfp.id
    const suppliers = await Promise.all(['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta'].map((name) => rows.supplier(name)))
    await sales.call('add_rfp_recipient', { rfpId, recipients: suppliers.map((supplierId) => ({ supplierId })) })
    await sales.callConfirmed('distribute_rfp', { rfpId })
    links = await readLinks()
  })
  afterAll(() => sales.world.end())

  const query = async <T = any>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await sales.world.database.pool.query(text, values)).rows as T[]
  const readLinks = async () => {
    const rows = await query<{ text: string }>(
      `select m.text_body as text from messages m join rfp_recipients r on r.id = m.source_id
       where r.rfp_id = $1 and m.recipient_key like 'request%' order by m.to_address`,
      [rfpId],
    )
    return rows.map(({ text }) => new URL(/https?:\/\/\S+\/supplier\/\S+/.exec(text)![0]).pathname)
  }
  const statuses = async () =>
    Object.fromEntries(
      (
        await query<{ name: string; status: string }>(
          `select s.name, r.status from rfp_recipients r join suppliers s on s.id = r.supplier_id where r.rfp_id = $1`,
          [rfpId],
        )
      ).map(({ name, status }) => [name, status]),
    )
  const runTask = () => processRfpDeadlines.run(createRecurringTaskContext(sales.world.services, processRfpDeadlines.name, new Date()))

  it('shows an RFP to its supplier, marks it as opened, and accepts acknowledgement and questions', async () => {
    expect(links).toHaveLength(6)
    const [home] = links
    const browser = visitor(served)
    const page = await browser.get(home!)
    expect(page.status).toBe(200)
    for (const text of [
      'Request for proposal',
      '250 room nights and 2 meals',
      'Your offer is due',
      'cannot read yours before then',
      'Questions close',
    ])
      expect(page.text).toContain(text)
    // A scanner of a mail server fetches the link as well, without the cookie of an earlier page.
    for (let fetches = 0; fetches < 3; fetches++) expect((await visitor(served).get(home!)).status).toBe(200)
    expect((await visitor(served).get(`${home}/request.pdf`)).status).toBe(200)
    expect((await statuses())['Alpha']).toBe('sent')
    await browser.get(`${home}/offer`)
    expect((await statuses())['Alpha']).toBe('opened')
    const from = home!
    expect((await browser.post(`${home}/acknowledge`, {}, { from })).location).toContain('done=acknowledged')
    expect((await statuses())['Alpha']).toBe('acknowledged')
    const empty = await browser.post(`${home}/ask`, { ask: ' ' }, { from })
    expect([empty.status, empty.text.includes('Enter a question')]).toEqual([400, true])
    await browser.post(`${home}/ask`, { ask: 'Is a rebate expected?' }, { from })
    const { rfp } = await sales.call('list_rfps', { rfpId })
    expect(rfp).toMatchObject({ openQuestions: 1, questions: [{ supplier: 'Alpha', body: 'Is a rebate expected?' }] })
    await sales.call('post_rfp_question', { rfpId, answerTo: rfp.questions[0].id, body: 'Yes.' })
    const other = await visitor(served).get(links[1]!)
    for (const text of ['Is a rebate expected?', 'From a supplier', 'sent to all suppliers']) expect(other.text).toContain(text)
    expect(other.text).not.toContain('Alpha')
    const pdf = await fetch(served.url(`${home}/request.pdf`))
    expect([pdf.status, (await pdf.text()).startsWith('%PDF')]).toEqual([200, true])
  })

  it('shows an invalid offer again as typed, and submits a valid one with the total of the worked example', async () => {
    const [home] = links
    const browser = visitor(served)
    const path = `${home}/offer?dates=0`
    await browser.get(path)
    const half = await browser.post(path, { ...OFFER, service: 'twenty-two', valid: '', do: 'save' })
    expect(half.location).toContain('/offer')
    const saved = await browser.get(path)
    expect(saved.text).toContain('Draft saved')
    expect(readFieldValue(saved.html, 'service')).toBe('twenty-two')
    expect((await statuses())['Alpha']).toBe('inProgress')
    const wrong = await browser.post(path, { ...OFFER, service: 'twenty-two', valid: '2026-05-19', do: 'send' })
    expect(wrong.status).toBe(400)
    for (const text of [
      'Your offer was not sent',
      'Enter a percentage such as 22',
      'Enter a day on or after the decision',
      'Answer this question',
    ])
      expect(wrong.text).toContain(text)
    expect(readFieldValue(wrong.html, 'rental')).toBe('10,000.00')
    expect(await query('select id from rfp_responses')).toEqual([])
    const sent = await browser.post(path, { ...OFFER, 'q-green': 'yes', do: 'send' })
    expect(sent.location).toContain('done=submitted')
    const page = await browser.get(home!)
    expect(page.text).toContain('€101,644.00 net')
    const [row] = await query(
      `select r.content, r.round, r.source, s.responses from rfp_responses r join suppliers s on s.id = r.supplier_id`,
    )
    expect(row).toMatchObject({ round: 1, source: 'portal', responses: 1, content: { answers: { green: true }, validUntil: '2026-06-01' } })
    expect((await statuses())['Alpha']).toBe('submitted')
  })

  it('writes nothing of a sealed offer to audit entries, webhook messages or the results of list_rfps', async () => {
    const written = JSON.stringify([
      await query('select * from audit_entries'),
      await query('select * from webhook_messages'),
      await sales.call('list_rfps', { rfpId }),
      await sales.call('list_rfps'),
    ])
    for (const canary of ['twenty-two', '10,000.00', '1000000', '3000000', '101644', '2026-06-01']) expect(written).not.toContain(canary)
  })

  it('lets a supplier replace an offer in the same bidding round, withdraw it and submit another one', async () => {
    const [home] = links
    const browser = visitor(served)
    const path = `${home}/offer?dates=0`
    await browser.get(path)
    await browser.post(path, { ...OFFER, 'q-green': 'no', rental: '9,000.00', do: 'send' })
    expect((await query('select withdrawn_at is null as valid from rfp_responses order by id')).map(({ valid }) => valid)).toEqual([
      false,
      true,
    ])
    await browser.post(`${home}/withdraw`, {}, { from: home! })
    expect((await statuses())['Alpha']).toBe('withdrawn')
    expect(await query('select id from rfp_responses where withdrawn_at is null')).toEqual([])
    await browser.post(path, { ...OFFER, 'q-green': 'yes', do: 'send' })
    expect((await statuses())['Alpha']).toBe('submitted')
    expect(await query(`select responses from suppliers where name = 'Alpha'`)).toEqual([{ responses: 1 }])
  })

  it('shows a supplier the earlier offer in the next bidding round', async () => {
    await sales.callConfirmed('distribute_rfp', { rfpId })
    const browser = visitor(served)
    const page = await browser.get(`${links[0]}/offer?dates=0`)
    expect(page.text).toContain('In round 1 you offered €101,644.00 net')
    expect(readFieldValue(page.html, 'rental')).toBe('10,000.00')
    await browser.post(`${links[0]}/offer?dates=0`, { ...OFFER, 'q-green': 'yes', rental: '8,000', do: 'send' })
    expect((await query('select round from rfp_responses where withdrawn_at is null order by round')).map(({ round }) => round)).toEqual([
      1, 2,
    ])
  })

  it('lets a supplier decline an RFP with a reason and withdraw the decline', async () => {
    const home = links[1]!
    const browser = visitor(served)
    await browser.get(home)
    expect((await browser.post(`${home}/turn-down`, { message: 'Sorry' }, { from: home })).text).toContain('Choose a reason')
    await browser.post(`${home}/turn-down`, { why: 'full', message: 'Next year?' }, { from: home })
    const { recipients } = (await sales.call('list_rfps', { rfpId })).rfp
    expect(recipients[1]).toMatchObject({ status: 'turnedDown', reason: 'We are full on these dates. Next year?' })
    await browser.post(`${home}/take-back`, {}, { from: home })
    expect((await statuses())['Beta']).toBe('acknowledged')
    await browser.post(`${home}/turn-down`, { why: 'fit' }, { from: home })
  })

  it('refuses forms of other sites and unknown supplier links, and emails a new link for a revoked one', async () => {
    const home = links[2]!
    const browser = visitor(served)
    await browser.get(home)
    expect((await browser.post(`${home}/acknowledge`, {}, { from: home, csrf: 'forged' })).status).toBe(404)
    expect((await browser.get('/supplier/supplier_unknown')).status).toBe(404)
    await query(`update supplier_links set revoked_at = lanyard_now() where contact_email = 'delta@suppliers.example'`)
    const ended = await browser.get(home)
    expect([ended.status, ended.text.includes('This link no longer works')]).toEqual([410, true])
    expect((await browser.get(`${home}/request.pdf`)).status).toBe(410)
    expect((await browser.post(`${home}/link`, {}, { from: home })).status).toBe(200)
    const [fresh] = await query<{ text: string }>(
      `select text_body as text from messages where to_address = 'delta@suppliers.example' order by id desc limit 1`,
    )
    expect((await browser.get(new URL(/https?:\/\/\S+\/supplier\/\S+/.exec(fresh!.text)![0]).pathname)).status).toBe(200)
  })

  it('emails a new link to the contact on record for an expired contract link, at every request', async () => {
    const rows = createSourcingFixtures(sales.world, sales.event)
    const awarded = await rows.rfp(await rows.brief())
    const recipient = await rows.recipient(awarded, await rows.supplier('Contract House'))
    const awardId = await rows.award(awarded, await rows.response(recipient, RESPONSE_A))
    const { contract } = await sales.call('create_contract_from_award', { awardId })
    await sales.call('submit_contract_to_supplier', { contractId: contract.id, contactEmail: 'desk@contract.example' })
    const readContractLinks = async () => {
      const found = await query<{ text: string }>(
        `select text_body as text from messages where to_address = 'desk@contract.example' order by id`,
      )
      return found.map(({ text }) => new URL(/https?:\/\/\S+\/supplier\/\S+/.exec(text)![0]).pathname)
    }
    const [home] = await readContractLinks()
    const browser = visitor(served)
    expect((await browser.get(home!)).status).toBe(200)
    await query(`update supplier_links set expires_at = lanyard_now() where contact_email = 'desk@contract.example'`)
    const ended = await browser.get(home!)
    expect([ended.status, ended.text.includes('This link no longer works')]).toEqual([410, true])
    expect((await browser.post(`${home}/link`, {}, { from: home!, csrf: 'forged' })).status).toBe(404)
    expect(await readContractLinks()).toHaveLength(1)
    for (const sent of [2, 3]) {
      const answer = await browser.post(`${home}/link`, {}, { from: home! })
      expect([answer.status, answer.text.includes('a new link is on its way')]).toEqual([200, true])
      const fresh = await readContractLinks()
      expect(new Set(fresh).size).toBe(sent)
      const page = await visitor(served).get(fresh.at(-1)!)
      expect([page.status, page.text.includes(`Contract ${contract.number}`)]).toEqual([200, true])
    }
  })

  it('closes an RFP at the due time, refuses late offers and marks suppliers without a response', async () => {
    await sales.world.clock.stopAt('2026-05-08T15:00:00Z')
    await sales.world.renewTokens()
    const browser = visitor(served)
    const path = `${links[3]}/offer?dates=0`
    const page = await browser.get(path)
    expect(page.text).toContain('Offers closed')
    await browser.post(path, { ...OFFER, 'q-green': 'yes', do: 'send' })
    await runTask()
    await runTask()
    expect(await statuses()).toEqual({
      Alpha: 'submitted',
      Beta: 'turnedDown',
      Gamma: 'noResponse',
      Delta: 'noResponse',
      Epsilon: 'noResponse',
      Zeta: 'noResponse',
    })
    const { rfps } = await sales.call('list_rfps', { rfpId })
    expect(rfps[0]).toMatchObject({
      status: 'closed',
      recipients: { total: 6, notSent: 0, sent: 0, submitted: 1, turnedDown: 1, noResponse: 4 },
    })
  })
})
