import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { readPdfText } from '../support/pdf-text.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { createNegotiationFixtures } from '../support/negotiations.ts'
import { createSigningFixtures } from '../support/signing.ts'
import { EXAMPLE_NEED, createSourcingFixtures } from '../support/sourcing.ts'
import { readFieldValue } from '../support/visitor.ts'
import { ConsoleBrowser } from './console-browser.ts'

let scenario: SalesScenario
let served: Served
let olga: ConsoleBrowser
let base: string
let client: string

beforeAll(async () => {
  scenario = await openSalesScenario(undefined, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  olga = await new ConsoleBrowser(served).enter(scenario.world, scenario.olga)
  base = `/console/events/${scenario.event.clientCode}/${scenario.event.eventCode}`
  client = `/console/clients/${scenario.event.clientCode}`
})
afterAll(() => scenario.world.end())

const send = (path: string, fields: Record<string, string>, from = path) => olga.submit(from, path, fields)
const lastAction = () =>
  scenario.world.database.pool
    .query<{ tool: string }>('select tool from audit_entries order by id desc limit 1')
    .then(({ rows }) => rows[0]!.tool)

describe('event briefs in the console', () => {
  it('shows the answers of an event brief by section, and locks and unlocks the brief', async () => {
    expect((await olga.get(`${base}/briefs`)).text).toContain('No briefs yet')
    const { briefId } = await scenario.call('start_or_advance_brief', { title: 'Annual meeting', answers: EXAMPLE_NEED })
    expect((await olga.get(`${base}/briefs`)).text).toContain('Annual meeting Open')
    const path = `${base}/briefs/${briefId}`
    const page = await olga.get(path)
    for (const words of ['Room nights 250', 'Rooms on the peak night 100', 'Meals 400', '10 Jun 2027, 100 single rooms', 'Never locked'])
      expect(page.text).toContain(words)
    const locked = await send(`${path}/lock`, { reason: 'Agreed' }, path)
    expect([locked.status, locked.location]).toEqual([303, `${path}?done=saved`])
    expect(await lastAction()).toBe('lock_brief')
    expect((await olga.get(path)).text).toContain('Unlock brief')
    await createSourcingFixtures(scenario.world, scenario.event).rfp(briefId)
    const refused = await send(`${path}/unlock`, {}, path)
    expect([refused.status, refused.text.includes('cannot be unlocked while an open RFP uses it')]).toEqual([400, true])
    await scenario.world.database.pool.query(`update rfps set status = 'cancelled'`)
    expect((await send(`${path}/unlock`, {}, path)).status).toBe(303)
    expect((await scenario.call('get_brief', { briefId })).brief.status).toBe('open')
  })

  it('lists the missing answers of an event brief, and refuses to lock the brief', async () => {
    const { briefId } = await scenario.call('start_or_advance_brief', { answers: { purpose: 'Kick-off' } })
    const path = `${base}/briefs/${briefId}`
    expect((await olga.get(path)).text).toContain('Still needed: What kind of event is it?')
    const refused = await send(`${path}/lock`, {}, path)
    expect([refused.status, refused.text.includes('required answers are missing')]).toEqual([400, true])
  })
})

describe('archived briefs in the console', () => {
  it('refuses to lock an archived brief until it is restored', async () => {
    const { briefId } = await scenario.call('start_or_advance_brief', { title: 'Kick-off', answers: EXAMPLE_NEED })
    const path = `${base}/briefs/${briefId}`
    expect((await send(`${path}/archive`, {}, path)).status).toBe(303)
    expect(await lastAction()).toBe('archive_brief')
    const archived = await olga.get(path)
    expect([archived.text.includes('Restore brief'), archived.text.includes('Lock brief')]).toEqual([true, false])
    expect((await scenario.refused('update_brief', { briefId, answers: { attendees: 300 } })).message).toContain('is archived')
    expect((await send(`${path}/restore`, {}, path)).status).toBe(303)
    expect(await lastAction()).toBe('restore_brief')
    expect((await scenario.call('lock_brief', { briefId })).version).toBe(1)
    await createSourcingFixtures(scenario.world, scenario.event).rfp(briefId)
    const refused = await send(`${path}/archive`, {}, path)
    expect([refused.status, refused.text.includes('cannot be archived while an open RFP uses it')]).toEqual([400, true])
  })
})

describe('suppliers in the console', () => {
  const FIELDS = {
    name: 'Atlantico Palace',
    kind: 'hotel',
    'address/city': 'Porto',
    'address/country': 'PT',
    latitude: '41.15',
    longitude: '-8.61',
    stars: '4.5',
    sleepingRooms: '210',
    contacts: 'Eva Lindner; eva@palace.example; +351 22 000 000\n; sales@palace.example',
    meetingRooms: 'Hall; 510 m²; theater 560; classroom 300\nStudio; ; boardroom 12',
    amenities: 'wifi, parking',
  }

  it('adds a supplier by hand, and rejects an invalid form without losing the input', async () => {
    const path = `${client}/suppliers/new`
    const wrong = await send(path, { ...FIELDS, contacts: 'Eva; not-an-address', meetingRooms: 'Hall; 510; school 300', longitude: '' })
    expect([wrong.status, readFieldValue(wrong.html, 'name')]).toEqual([400, FIELDS.name])
    for (const words of ['Contacts, line 1: not an email address', 'Meeting rooms, line 1']) expect(wrong.text).toContain(words)
    const half = await send(path, { ...FIELDS, longitude: '' })
    expect([half.status, half.text.includes('latitude and longitude belong together')]).toEqual([400, true])
    const done = await send(path, FIELDS)
    expect(done.status).toBe(303)
    const { suppliers } = await scenario.call('search_suppliers', {
      search: 'atlantico',
      largestRoomFor: { people: 300, setup: 'classroom' },
    })
    expect(suppliers).toEqual([
      expect.objectContaining({ name: 'Atlantico Palace', sleepingRooms: 210, totalMeetingSqm: 510, status: 'unverified' }),
    ])
    const twice = await send(path, FIELDS)
    expect([twice.status, twice.text.includes('has the same name and place already')]).toEqual([400, true])
    expect((await olga.get(`${client}/suppliers?search=atlantico`)).text).toContain('Atlantico Palace')
  })

  it('edits a supplier, and refuses an edit of an outdated form', async () => {
    const [{ id }] = (await scenario.call('search_suppliers', { search: 'atlantico' })).suppliers
    const path = `${client}/suppliers/${id}`
    const { html, text } = await olga.get(path)
    expect(readFieldValue(html, 'meetingRooms')).toBe('Hall; 510; theatre 560; classroom 300\nStudio; ; boardroom 12')
    expect(readFieldValue(html, 'contacts')).toBe('Eva Lindner; eva@palace.example; +351 22 000 000\n; sales@palace.example')
    for (const words of [
      'A 4.5-star hotel in Porto, Portugal, with 210 sleeping rooms and 510 m² of meeting space. It has not received an RFP yet.',
      'Room Area Theatre Classroom Boardroom Hall 510 m² 560 300 – Studio – – – 12',
      'Eva Lindner eva@palace.example +351 22 000 000',
    ])
      expect(text).toContain(words)
    const revision = readFieldValue(html, 'revision')!
    expect((await send(path, { ...FIELDS, revision, sleepingRooms: '220', website: 'https://palace.example' })).status).toBe(303)
    expect((await send(path, { ...FIELDS, revision, sleepingRooms: '230' })).status).toBe(400)
    expect((await scenario.call('search_suppliers', { search: 'atlantico' })).suppliers[0].sleepingRooms).toBe(220)
    expect(await lastAction()).toBe('edit_supplier')
  })

  it('lets an organizer verify, block and unblock a supplier', async () => {
    const [{ id }] = (await scenario.call('search_suppliers', { search: 'atlantico' })).suppliers
    const path = `${client}/suppliers/${id}`
    expect((await send(`${path}/status`, { status: 'verified' }, path)).status).toBe(303)
    expect((await send(`${path}/status`, { status: 'verified' }, path)).status).toBe(400)
    expect((await send(`${path}/status`, { status: 'blocked' }, path)).status).toBe(303)
    expect((await scenario.call('search_suppliers', { search: 'atlantico' })).suppliers).toEqual([])
    expect((await olga.get(`${client}/suppliers?status=blocked`)).text).toContain('Atlantico Palace')
    expect((await send(`${path}/status`, { status: 'unverified' }, path)).status).toBe(303)
  })
})

describe('sourcing settings of a client', () => {
  const settings = async () =>
    (
      await scenario.world.database.pool.query<{ sourcing: object }>('select sourcing from clients where id = $1', [
        scenario.event.clientId,
      ])
    ).rows[0]!.sourcing

  it('saves approval limit, decline text and the longest PCI override in days, and keeps the negotiation playbook', async () => {
    const playbook = { attrition: { commitPercent: { standard: 80, fallback: 85, walkAway: 90, step: 5, better: 'lower' } } }
    await scenario.olga.call('update_client', { clientCode: scenario.event.clientCode, sourcing: { playbook } })
    const path = `${client}/settings`
    expect((await olga.get(path)).text).toContain('80%, fallback 85%, walk away over 90%')
    const fields = { approvalAmount: '50000.00', approvalCurrency: 'EUR', decliningText: 'Thank you.', pciOverrideMaxDays: '60' }
    const saved = await send(`${path}/sourcing`, fields, path)
    expect([saved.status, saved.location]).toEqual([303, `${path}?done=saved`])
    const expected = {
      approvalLimit: { amount: '50000.00', currency: 'EUR' },
      decliningText: 'Thank you.',
      pciOverrideMaxDays: 60,
      playbook,
    }
    expect(await settings()).toEqual(expected)
    const wrong = await send(`${path}/sourcing`, { ...fields, approvalAmount: '50.000,00', pciOverrideMaxDays: '60' }, path)
    expect([wrong.status, wrong.text.includes('Approval limit:'), readFieldValue(wrong.html, 'approvalAmount')]).toEqual([
      400,
      true,
      '50.000,00',
    ])
    expect(await settings()).toEqual(expected)
    expect(
      (await send(`${path}/sourcing`, { approvalAmount: '', approvalCurrency: 'EUR', decliningText: '', pciOverrideMaxDays: '' }, path))
        .status,
    ).toBe(303)
    expect(await settings()).toEqual({ playbook })
  })
})

describe('contract milestones in the console', () => {
  it('marks a contract milestone as done or waived, and reopens the milestone', async () => {
    const { world, event, call } = scenario
    const signing = createSigningFixtures(world, event)
    const { contractId } = await signing.contract()
    await call('generate_milestones', { contractId })
    const path = `${base}/milestones`
    const page = await olga.get(path)
    for (const words of ['Cut-off', '11 May 2027', '40,000.00 EUR', '72,000.00 EUR']) expect(page.text).toContain(words)
    const statusOf = async (id: string) =>
      (await call('list_milestones', { contractId })).milestones.find((one: { id: string }) => one.id === id).status
    const [{ id }] = (await call('list_milestones', { contractId })).milestones.filter(({ code }: { code: string }) => code === 'cutoff')
    for (const [decision, status] of [
      ['done', 'done'],
      ['reopened', 'upcoming'],
      ['waived', 'waived'],
      ['unknown', 'waived'],
    ] as const) {
      expect((await send(`${path}/${id}`, { decision }, path)).status).toBe(303)
      expect(await statusOf(id)).toBe(status)
    }
    const counts = (await olga.get(path)).html.match(/class="status[^"]*"/g)!.length
    expect(counts).toBe((await call('list_milestones', { contractId, limit: 100 })).milestones.length)
  })
})

describe('supplier contracts in the console', () => {
  it('links to contract clauses that are not agreed, explains these clauses, and prepares the contract for signature', async () => {
    const { world, event, call } = scenario
    const contractId = await createNegotiationFixtures(world, event, call).contract('redlined')
    const path = `${base}/contracts/${contractId}`
    const page = await olga.get(path)
    expect(page.html).toContain('href="#attrition"')
    expect(page.html).toContain('id="attrition"')
    for (const words of [
      'Committed share of the room block: 90% is beyond the fallback of 85%.',
      'Charge of the first cancellation step: 70% is beyond the fallback of 60%.',
      'Not yet: Attrition and Cancellation are not agreed.',
    ])
      expect(page.text).toContain(words)
    expect(page.text).not.toMatch(/commitPercent|step1Percent/)
    expect(page.html).not.toContain(`${path}/ready`)
    const early = await send(`${path}/ready`, {}, path)
    expect([early.status, early.text.includes('Not agreed in contract')]).toEqual([400, true])
    for (const key of ['attrition', 'cancellation'])
      expect((await send(`${path}/clause`, { key, decision: 'accept', note: 'Agreed by phone' }, path)).status).toBe(303)
    expect((await olga.get(path)).text).toContain('All clauses are agreed.')
    expect((await send(`${path}/ready`, {}, path)).status).toBe(303)
    expect(await lastAction()).toBe('mark_contract_ready_for_signature')
    expect((await olga.get(path)).text).toContain('is final')
    expect((await call('list_contracts', { contractId })).contracts[0].status).toBe('readyForSignature')
  })
})

describe('a counterproposal sent to a supplier, in the console', () => {
  it('shows the organizer’s counterproposal and the supplier’s value of a contract clause', async () => {
    const { world, event, call } = scenario
    const contractId = await createNegotiationFixtures(world, event, call).contract('sent')
    const page = await olga.get(`${base}/contracts/${contractId}`)
    for (const words of ['The supplier has not answered yet.', '85% our counter', '90% theirs', 'Mark as agreed'])
      expect(page.text).toContain(words)
    expect(page.text).not.toContain('Accept their text')
  })
})

describe('RFP awards in the console', () => {
  it('executes or withdraws an RFP award on the comparison page', async () => {
    const { world, event, call } = scenario
    const { rfp, award } = await createNegotiationFixtures(world, event, call).proposal()
    const path = `${base}/rfps/${rfp}/compare`
    const page = await olga.get(path)
    for (const words of ['The best offer for our guests', '108,144.00 EUR gross, 101,644.00 EUR net', '1 other response costs less.'])
      expect(page.text).toContain(words)
    expect((await send(`${path}/withdraw`, { award }, path)).status).toBe(303)
    expect((await olga.get(path)).text).not.toContain('The best offer for our guests')
    const again = await send(`${path}/award`, { award }, path)
    expect([again.status, again.text.includes('withdrawn')]).toEqual([400, true])
    const next = await createNegotiationFixtures(world, event, call).proposal()
    const there = `${base}/rfps/${next.rfp}/compare`
    expect((await send(`${there}/award`, { award: next.award, reason: 'Too far away' }, there)).status).toBe(303)
    expect(await lastAction()).toBe('execute_award')
    const { rfp: awarded } = await call('list_rfps', { rfpId: next.rfp })
    expect(awarded).toMatchObject({ status: 'awarded', award: { status: 'executed' } })
    expect(awarded.recipients.find(({ status }: { status: string }) => status === 'declined').reason).toBe('Too far away')
    expect((await olga.get(there)).html).not.toContain(`${there}/award`)
  })
})

/** Sends a form and then the confirmation that its answer asks for. */
async function sendConfirmed(path: string, fields: Record<string, string>) {
  const checked = await send(path, fields)
  const hidden = ['key', 'checked', 'call', 'confirmToken'].map((name) => [name, readFieldValue(checked.html, name) ?? ''])
  const done = await send(path, { ...fields, ...Object.fromEntries(hidden), do: 'confirm' })
  return { checked, done, again: () => send(path, { ...fields, ...Object.fromEntries(hidden), do: 'confirm' }) }
}

describe('award of another RFP', () => {
  it('refuses to execute or withdraw the award of another RFP', async () => {
    const { world, event, call } = scenario
    const negotiations = createNegotiationFixtures(world, event, call)
    const here = await negotiations.proposal()
    const other = await negotiations.proposal()
    const path = `${base}/rfps/${here.rfp}/compare`
    for (const act of ['award', 'withdraw']) {
      const refused = await send(`${path}/${act}`, { award: other.award, reason: 'Too far away' }, path)
      expect(refused.status).toBe(404)
    }
    for (const { rfp } of [here, other]) expect((await call('list_rfps', { rfpId: rfp })).rfp.award.status).toBe('proposed')
    expect((await send(`${path}/withdraw`, { award: here.award }, path)).status).toBe(303)
  })
})

describe('proposing an RFP award in the console', () => {
  it('shows the dry run of an RFP award with its warnings, and proposes the award once', async () => {
    const { world, event, call } = scenario
    const { rfp, response } = await createNegotiationFixtures(world, event, call).rfp()
    const compare = `${base}/rfps/${rfp}/compare`
    expect((await olga.get(compare)).html).toContain(`${compare}/propose`)
    const path = `${compare}/propose`
    const short = await send(path, { response, rationale: 'Too short' })
    expect(short.status).toBe(400)
    expect(short.text).toContain('Reasons: at least 20 characters')
    const { checked, done, again } = await sendConfirmed(path, { response, rationale: 'The best offer for our guests' })
    for (const words of ['for 108,144.00 EUR gross', 'No supplier gets an email yet.', '1 other response costs less.'])
      expect(checked.text).toContain(words)
    expect([done.status, done.location]).toEqual([303, `${compare}?done=saved#award`])
    expect(await lastAction()).toBe('propose_award')
    expect((await again()).status).toBe(303)
    const { award } = (await call('list_rfps', { rfpId: rfp })).rfp
    expect(award.status).toBe('proposed')
    const page = await olga.get(compare)
    expect([page.text.includes('The best offer for our guests'), page.html.includes(path)]).toEqual([true, false])
    const second = await send(path, { response, rationale: 'The best offer for our guests' })
    expect([second.status, second.text.includes('has a proposed award already')]).toEqual([400, true])
  })

  it('refuses to award a response of another RFP', async () => {
    const { world, event, call } = scenario
    const negotiations = createNegotiationFixtures(world, event, call)
    const [here, other] = [await negotiations.rfp(), await negotiations.rfp()]
    const path = `${base}/rfps/${here.rfp}/compare/propose`
    const refused = await send(path, { response: other.response, rationale: 'The best offer for our guests' })
    expect([refused.status, refused.text.includes('No response')]).toEqual([400, true])
  })
})

describe('sending a contract for signature in the console', () => {
  const SIGNERS = {
    'client-name': 'Olga Client',
    'client-email': 'olga@client.example',
    'client-order': '1',
    'supplier-name': 'Clara Moser',
    'supplier-email': 'clara@hotel.example',
    'supplier-order': '2',
    days: '14',
    message: '',
  }

  it('shows the signers in signing sequence, sends the contract once, and voids the contract with a reason', async () => {
    const { world, event, call } = scenario
    const { contractId } = await createSigningFixtures(world, event).contract()
    const home = `${base}/contracts/${contractId}`
    await call('mark_contract_ready_for_signature', { contractId })
    expect((await olga.get(home)).html).toContain(`${home}/sign`)
    const path = `${home}/sign`
    const one = await send(path, { ...SIGNERS, 'supplier-name': '', 'supplier-email': '' })
    expect([one.status, one.text.includes('at least one signer of each side')]).toEqual([400, true])
    const wrong = await send(path, { ...SIGNERS, 'supplier-email': 'clara', days: '0' })
    expect(wrong.status).toBe(400)
    for (const words of ['For the supplier, email:', 'Days to sign:']) expect(wrong.text).toContain(words)
    const { checked, done, again } = await sendConfirmed(path, SIGNERS)
    for (const words of ['Olga Client (olga@client.example) gets the link to sign now.', 'Then Clara Moser (clara@hotel.example).'])
      expect(checked.text).toContain(words)
    expect([done.status, done.location]).toEqual([303, `${home}?done=saved`])
    expect(await lastAction()).toBe('send_contract_for_signature')
    expect((await again()).status).toBe(303)
    const { rows } = await world.database.pool.query<{ to: string }>(
      `select to_address as to from messages where email_code = 'signature-request' order by id desc limit 2`,
    )
    expect(rows.map(({ to }) => to)).toEqual(['olga@client.example'])
    expect((await olga.get(home)).html).toContain(`${home}/void`)

    const short = await send(`${home}/void`, { reason: 'No', notify: 'on' })
    expect(short.status).toBe(400)
    expect(short.text).toContain('Reason: at least 5 characters')
    const voided = await sendConfirmed(`${home}/void`, { reason: 'The wrong person signs', notify: 'on' })
    expect(voided.checked.text).toContain('The links to sign stop working immediately.')
    expect(voided.done.status).toBe(303)
    expect(await lastAction()).toBe('void_contract_envelope')
    expect((await call('list_contracts', { contractId })).contracts[0]).toMatchObject({
      status: 'readyForSignature',
      envelope: { status: 'voided' },
    })
  })
})

describe('PDF of an RFP in the console', () => {
  it('renders the PDF of an RFP in the language of the event', async () => {
    const { pool } = scenario.world.database
    const rows = createSourcingFixtures(scenario.world, scenario.event)
    const rfp = await rows.rfp(await rows.brief())
    const textIn = async (locale: string) => {
      await pool.query('update events set locale = $2 where id = $1', [scenario.event.eventId, locale])
      const response = await fetch(served.url(`${base}/rfps/${rfp}/request.pdf`), {
        headers: { cookie: `lanyard-organizer=${olga.session}` },
      })
      return readPdfText(Buffer.from(await response.arrayBuffer()))
    }
    const [german, english] = [await textIn('de'), await textIn('en')]
    expect([german.includes('Termine'), german.includes('Dates')]).toEqual([true, false])
    expect([english.includes('Termine'), english.includes('Dates')]).toEqual([false, true])
  })
})
