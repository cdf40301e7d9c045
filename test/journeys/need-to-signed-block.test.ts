import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processRfpDeadlines } from '../../src/domains/rfps/task.ts'
import { ConsoleBrowser } from '../console/console-browser.ts'
import { buildRoomAnswers, buildRoomSections } from '../support/hotels.ts'
import { useJourney } from '../support/journey.ts'
import { listAttachments, type Mailbox, openMailbox, readEmailPart } from '../support/mailbox.ts'
import { SUPPLIER_A_OFFER_FORM, SUPPLIER_A_FIRST_OFFER_FORM, SUPPLIER_B_OFFER_FORM } from '../support/offer-forms.ts'
import type { OrganizerAssistant } from '../support/organizer-assistant.ts'
import { runRecurringTask } from '../support/room-deadlines.ts'
import { newAttendee } from '../support/sales-scenario.ts'
import { sealCompletedEnvelopes, TWO_SIGNERS } from '../support/signing.ts'
import { readEmailText } from '../support/smtp-sink.ts'
import { EXAMPLE_NEED, createSourcingFixtures } from '../support/sourcing.ts'
import { readFieldValue, type Visitor, visitor } from '../support/visitor.ts'
import type { OrganizerHandle } from '../support/world.ts'

const euro = (amount: string) => ({ amount, currency: 'EUR' })

const RUBRIC = [
  { code: 'cost', name: 'Cost', weight: 40, scorer: 'formula', formula: 'lowestCost' },
  { code: 'location', name: 'Location', weight: 30, scorer: 'manual' },
  { code: 'space', name: 'Space', weight: 30, scorer: 'manual' },
]
const SUPPLIERS = ['Alpha', 'Beta', 'Gamma', 'Delta'] as const
type Supplier = (typeof SUPPLIERS)[number]
const addressOf = (name: Supplier) => `${name.toLowerCase()}@suppliers.example`
const TIMES = { responseDueAt: '2026-05-08T15:00:00Z', decisionOn: '2026-05-20' }

describe('from an event brief to a signed block of rooms', () => {
  const journey = useJourney(buildRoomSections(), { startsOn: '2027-06-10' })
  let mailbox: Mailbox
  let marta: OrganizerHandle
  let colleague: OrganizerAssistant
  const browsers = {} as Record<Supplier, Visitor>
  /** The page of each supplier's request. */
  const homes = {} as Record<Supplier, string>
  const ids = { rfp: '', award: '', contract: '', hotel: '' }

  beforeAll(async () => {
    const { scenario, served } = journey
    mailbox = await openMailbox(scenario.world, served)
    marta = await scenario.world.organizer({ role: 'admin', at: scenario.event })
    colleague = await journey.connect(marta)
    for (const name of SUPPLIERS) browsers[name] = visitor(served)
  })
  afterAll(() => mailbox.stop())

  const call = (tool: string, args?: object) => journey.assistant.call(tool, { ...args })
  const callConfirmed = (tool: string, args: object) => journey.assistant.callConfirmed(tool, { ...args })
  /** The path of the only link of the latest email to a supplier with this subject. */
  const readLink = async (name: Supplier, subject: RegExp) => {
    const paths = mailbox.listPaths((await mailbox.read(addressOf(name), subject)).at(-1)!)
    expect(paths).toHaveLength(1)
    return paths[0]!
  }
  const listStatuses = async () =>
    Object.fromEntries((await call('list_rfps', { rfpId: ids.rfp })).rfp.recipients.map((one: any) => [one.supplier, one.status]))
  const sendOffer = async (name: Supplier, offer: Record<string, string>) =>
    expect((await browsers[name].post(`${homes[name]}/offer?dates=0`, { ...offer, do: 'send' })).location).toContain('done=submitted')
  const readRoomContract = async () =>
    (
      await journey.rows(`select status, attrition ->> 'commitPercent' as commit from housing_contracts where hotel_id = $1`, [ids.hotel])
    )[0]
  const book = () => ({
    flowSlug: 'attendee',
    data: {
      ...newAttendee(buildRoomAnswers(ids.hotel, '2027-06-10', '2027-06-12', { '@housing.roomTypeCode': 'standard' })),
      '@product.pass': 1,
    },
  })

  it('emails the RFP of the locked brief to four suppliers, and does not count a link opened by a mail scanner as read', async () => {
    await call('update_client', { clientCode: journey.scenario.event.clientCode, sourcing: { approvalLimit: euro('100000.00') } })
    const { purpose, eventType, attendees, ...rest } = EXAMPLE_NEED
    const started = await call('start_or_advance_brief', { title: 'Annual meeting', answers: { purpose, eventType, attendees } })
    expect(started).toMatchObject({ readyToLock: false, errors: [] })
    const { briefId } = started
    const answered = await call('start_or_advance_brief', { briefId, answers: { ...rest, budget: euro('130000.00') } })
    expect(answered).toMatchObject({ readyToLock: true, derived: { roomNights: 250, peak: 100 } })
    expect(await journey.assistant.refused('create_rfp', { briefId, ...TIMES })).toContain('lock_brief')
    expect((await call('lock_brief', { briefId })).version).toBe(1)
    const { rfp } = await call('create_rfp', { briefId, ...TIMES })
    ids.rfp = rfp.id
    await call('create_scoring_rubric', { name: 'Hotels', criteria: RUBRIC, rfpId: rfp.id })
    const rows = createSourcingFixtures(journey.scenario.world, journey.scenario.event)
    const recipients = []
    for (const name of SUPPLIERS) recipients.push({ supplierId: await rows.supplier(name) })
    await call('add_rfp_recipient', { rfpId: rfp.id, recipients })
    expect((await callConfirmed('distribute_rfp', { rfpId: rfp.id, message: 'We look forward to your offer.' })).queued).toBe(4)
    for (const name of SUPPLIERS) {
      const [email] = await mailbox.read(addressOf(name), /^Subject: Request for proposal/m)
      expect(listAttachments(email!)).toEqual([`${rfp.number}.pdf`])
      expect(readEmailPart(email!, 'application/pdf')!.subarray(0, 5).toString()).toBe('%PDF-')
      expect(readEmailText(email!)).toContain('We look forward to your offer.')
      homes[name] = await readLink(name, /Request for proposal/)
      // A mail scanner fetches the link without cookies.
      expect((await visitor(journey.served).get(homes[name])).status).toBe(200)
    }
    expect(await listStatuses()).toEqual({ Alpha: 'sent', Beta: 'sent', Gamma: 'sent', Delta: 'sent' })
  })

  it("shares the answer to a supplier's question with all suppliers, without naming the supplier", async () => {
    const page = await browsers.Alpha.get(homes.Alpha)
    expect(page.text).toContain('250 room nights and 2 meals')
    await browsers.Alpha.get(`${homes.Alpha}/offer`)
    expect((await listStatuses())['Alpha']).toBe('opened')
    await browsers.Alpha.post(`${homes.Alpha}/acknowledge`, {}, { from: homes.Alpha })
    await browsers.Alpha.post(`${homes.Alpha}/ask`, { ask: 'Is a rebate expected?' }, { from: homes.Alpha })
    const { questions } = (await call('list_rfps', { rfpId: ids.rfp })).rfp
    await call('post_rfp_question', { rfpId: ids.rfp, answerTo: questions[0].id, body: 'Yes, per room night.' })
    for (const name of SUPPLIERS) {
      const [email] = await mailbox.read(addressOf(name), /a question was answered/)
      expect(readEmailText(email!)).toContain('Answer: Yes, per room night.')
      const answer = await visitor(journey.served).get(await readLink(name, /a question was answered/))
      expect(answer.text).toContain('Yes, per room night.')
      if (name !== 'Alpha') expect(`${readEmailText(email!)} ${answer.text}`).not.toContain('Alpha')
    }
  })

  it('keeps offers sealed during two bidding rounds, and reminds only suppliers who have not responded', async () => {
    await sendOffer('Alpha', SUPPLIER_A_FIRST_OFFER_FORM)
    const turnedDown = { why: 'other', message: 'We are full in June' }
    await browsers.Gamma.post(`${homes.Gamma}/turn-down`, turnedDown, { from: homes.Gamma })
    expect(await journey.assistant.refused('compare_responses', { rfpId: ids.rfp })).toContain('sealed')
    await callConfirmed('distribute_rfp', { rfpId: ids.rfp })
    await sendOffer('Alpha', SUPPLIER_A_OFFER_FORM)
    await sendOffer('Beta', SUPPLIER_B_OFFER_FORM)
    const { responses } = await call('list_rfp_responses', { rfpId: ids.rfp })
    for (const one of responses) expect(Object.keys(one).toSorted()).toEqual(['status', 'supplier'])
    for (const [day, reminders] of [
      ['2026-05-05T15:00:00Z', 1],
      ['2026-05-07T15:00:00Z', 2],
    ] as const) {
      await journey.moveTo(day)
      await runRecurringTask(journey.scenario.world, processRfpDeadlines)
      expect(await mailbox.read(addressOf('Delta'), /^Subject: Reminder/m)).toHaveLength(reminders)
      expect((await visitor(journey.served).get(await readLink('Delta', /^Subject: Reminder/m))).status).toBe(200)
    }
    for (const name of ['Alpha', 'Beta', 'Gamma'] as const) expect(await mailbox.read(addressOf(name), /^Subject: Reminder/m)).toEqual([])
  })

  it('opens the sealed offers at the due time with the totals and scores of the specification', async () => {
    await journey.moveTo('2026-05-08T15:01:00Z')
    await runRecurringTask(journey.scenario.world, processRfpDeadlines)
    expect(await listStatuses()).toEqual({ Alpha: 'submitted', Beta: 'submitted', Gamma: 'turnedDown', Delta: 'noResponse' })
    const compared = await call('compare_responses', { rfpId: ids.rfp })
    expect(compared.totals.map(({ net }: { net: object }) => net)).toEqual([euro('97655.40'), euro('101644.00')])
    const responses = await listResponses()
    const score = (responseId: string, criterion: string, value: number) => ({ responseId, criterion, score: value })
    const [a, b] = [responses['Alpha']!, responses['Beta']!]
    await call('record_manual_scores', {
      rfpId: ids.rfp,
      scores: [score(a, 'location', 4), score(a, 'space', 4), score(b, 'location', 3), score(b, 'space', 5)],
    })
    await colleague.call('record_manual_scores', { rfpId: ids.rfp, scores: [score(a, 'location', 5)] })
    const { scores } = await call('list_scoring_rubrics', { rfpId: ids.rfp })
    expect(Object.fromEntries(scores.map((one: any) => [one.responseId, one.total]))).toEqual({ [a]: 89.43, [b]: 88 })
  })

  const listResponses = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await call('list_rfp_responses', { rfpId: ids.rfp })).responses.map((one: any) => [one.supplier.name, one.id]))

  it('requires a second person to approve an award above the approval limit on the comparison page', async () => {
    const { scenario, served } = journey
    const { award, overLimit } = await call('propose_award', {
      rfpId: ids.rfp,
      lines: [{ responseId: (await listResponses())['Alpha'] }],
      rationale: 'Best score and nearest to the venue',
    })
    ids.award = award.id
    expect(overLimit).toBe(true)
    expect(await journey.assistant.refused('execute_award', { awardId: award.id, dryRun: true })).toMatch(/another|proposed/)
    const compare = `/console/events/${scenario.event.clientCode}/${scenario.event.eventCode}/rfps/${ids.rfp}/compare`
    const proposer = await new ConsoleBrowser(served).enter(scenario.world, scenario.olga)
    expect((await proposer.get(compare)).html).not.toContain(`${compare}/award`)
    const approver = await new ConsoleBrowser(served).enter(scenario.world, marta)
    const page = await approver.get(compare)
    for (const text of ['Best score and nearest to the venue', '101,644.00', '108,144.00', 'Award 108,144.00 EUR'])
      expect(page.text).toContain(text)
    const executed = await approver.submit(compare, `${compare}/award`, { award: award.id, reason: 'Alpha is nearer.' })
    expect(executed.location).toContain('done=')
    const [won] = await mailbox.read(addressOf('Alpha'), /^Subject: Your offer for .* was chosen/m)
    expect(readEmailText(won!)).toContain('250 room nights are awarded to you.')
    const [declined] = await mailbox.read(addressOf('Beta'), /^Subject: Decision on/m)
    expect(readEmailText(declined!)).toContain('Alpha is nearer.')
    expect(await mailbox.read(addressOf('Gamma'), /^Subject: (Decision|Your response)/m)).toEqual([])
    expect((await browsers.Alpha.get(homes.Alpha)).text).toContain('Awarded to you')
    expect((await browsers.Beta.get(homes.Beta)).text).toContain('Not selected')
  })

  it('adds 250 tentative room nights of the awarded hotel, which participants cannot book yet', async () => {
    const { hotels, roomNights } = await call('publish_award_to_block', { awardId: ids.award })
    ids.hotel = hotels[0].hotelId
    expect(roomNights).toBe(250)
    expect(await readRoomContract()).toEqual({ status: 'tentative', commit: '80' })
    await journey.assistant.refused('add_participant', book())
  })

  it("negotiates the contract on the supplier's page: 90 percent is asked for, 85 is offered and accepted", async () => {
    const { contract, missingVars } = await call('create_contract_from_award', { awardId: ids.award })
    ids.contract = contract.id
    expect(missingVars).toEqual([])
    expect((await call('list_contracts', { contractId: ids.contract })).clauses).toHaveLength(22)
    await call('submit_contract_to_supplier', { contractId: ids.contract, message: 'Please check.' })
    const [sent] = await mailbox.read(addressOf('Alpha'), new RegExp(`^Subject:.*${contract.number}`, 'm'))
    expect(listAttachments(sent!)).toEqual([`${contract.number}-version-1.pdf`])
    const home = mailbox.listPaths(sent!)[0]!
    const page = await browsers.Alpha.get(home)
    expect(page.html.match(/href="#clause-/g)).toHaveLength(page.html.match(/id="clause-/g)!.length)
    const text = readFieldValue(page.html, 'text-attrition')!
    const version = readFieldValue(page.html, 'version')!
    const changed = { version, 'text-attrition': text.replace('80 percent', '90 percent'), note: 'Demand is high in June' }
    expect((await browsers.Alpha.post(`${home}/redlines`, changed, { from: home })).location).toContain('done=sent')
    const [redlined] = (await call('list_contracts', { contractId: ids.contract })).contracts
    expect(redlined).toMatchObject({ status: 'redlinesReceived', openClauses: 1, highRisk: 1 })
    const { counter } = await call('propose_contract_counter', { contractId: ids.contract })
    expect(counter.items).toMatchObject([{ key: 'attrition', vars: { commitPercent: 85 } }])
    await call('apply_contract_counter', { contractId: ids.contract, counterId: counter.id })
    await call('send_contract_counter', { contractId: ids.contract })
    const [answer] = (await mailbox.read(addressOf('Alpha'), new RegExp(`^Subject:.*${contract.number}`, 'm'))).slice(1)
    const next = mailbox.listPaths(answer!)[0]!
    const countered = await browsers.Alpha.get(next)
    expect(countered.html.match(/class="clause"/g)).toHaveLength(1)
    expect(countered.html).not.toContain('href="#clause-')
    expect(countered.html).toMatch(/<del>90<\/del>\s*<ins>85<\/ins>|85/)
    const accepted = await browsers.Alpha.post(`${next}/accept`, { version: readFieldValue(countered.html, 'version')! }, { from: next })
    expect(accepted.location).toContain('done=accepted')
    await call('mark_contract_ready_for_signature', { contractId: ids.contract })
  })

  it('collects the signatures of both parties with emailed codes, and emails the signed contract as a file that can be verified', async () => {
    await callConfirmed('send_contract_for_signature', { contractId: ids.contract, signers: TWO_SIGNERS, message: 'Thank you!' })
    const [, second] = TWO_SIGNERS
    expect(await mailbox.read(second.email, /^Subject: Please sign/m)).toEqual([])
    for (const { email, name } of TWO_SIGNERS) {
      const [request] = await mailbox.read(email, /^Subject: Please sign/m)
      const [home] = mailbox.listPaths(request!)
      const browser = visitor(journey.served)
      await browser.post(`${home}/send-code`, {}, { from: home! })
      const [message] = await mailbox.read(email, /^Subject: Your code for contract/m)
      const code = /\b\d{6}\b/.exec(readEmailText(message!))![0]
      await browser.post(`${home}/code`, { code }, { from: home! })
      expect((await browser.get(home!)).text).toContain('85 percent of the room block')
      expect((await browser.post(`${home}/sign`, { how: 'type', name, consent: 'on' }, { from: home! })).status).toBe(303)
    }
    await sealCompletedEnvelopes(journey.scenario.world)
    for (const { email } of TWO_SIGNERS) {
      const [copy] = await mailbox.read(email, /^Subject: Contract .* is signed/m)
      expect(listAttachments(copy!)).toHaveLength(2)
      const file = readEmailPart(copy!, 'application/pdf')!
      const upload = (content: Buffer) => ({
        files: { pdf: new File([new Uint8Array(content)], 'signed.pdf', { type: 'application/pdf' }) },
      })
      expect((await visitor(journey.served).post('/verify', {}, upload(file))).text).toContain('Valid and unchanged')
      file[file.length - 20]! ^= 1
      expect((await visitor(journey.served).post('/verify', {}, upload(file))).text).toContain('Changed after signing')
    }
  })

  it('creates a definite room block, contract milestones and savings, after which participants can book rooms', async () => {
    expect(await readRoomContract()).toEqual({ status: 'definite', commit: '85' })
    const [contract] = (await call('list_contracts', { contractId: ids.contract })).contracts
    expect(contract).toMatchObject({ status: 'executed', openClauses: 0 })
    const { milestones } = await call('list_milestones', { contractId: ids.contract })
    expect(milestones.find(({ code }: { code: string }) => code === 'cutoff')).toMatchObject({ dueOn: '2027-05-11' })
    const savings = await call('get_sourcing_savings')
    expect(savings.totals).toMatchObject({ savings: euro('17349.00'), percent: 13.8, avoidance: euro('6500.00') })
    const summary = await call('get_sourcing_summary')
    expect(summary.responses).toEqual({ expected: 4, received: 2, turnedDown: 1 })
    expect([summary.contracted, summary.signed]).toEqual([euro('108144.00'), euro('108144.00')])
    await call('amend_contract', { hotelId: ids.hotel, sellStatus: 'open', reason: 'Signed by both sides' })
    expect((await call('add_participant', book())).participant ?? {}).toBeTruthy()
    const [night] = await journey.rows('select booked, contracted from room_nights where hotel_id = $1 order by night', [ids.hotel])
    expect(night).toEqual({ booked: 1, contracted: 100 })
    expect(await journey.listViolations()).toEqual([])
  })

  it('sends only emails whose links open a page', async () => {
    await mailbox.deliver()
    const paths = [...new Set(mailbox.sink.receivedEmails.flatMap(mailbox.listPaths))].filter((path) => !path.includes('/registration'))
    expect(paths.filter((path) => path.startsWith('/supplier/')).length).toBeGreaterThan(10)
    expect(paths.filter((path) => path.startsWith('/sign/'))).toHaveLength(2)
    const failed = []
    for (const path of paths) {
      const { status } = await visitor(journey.served).get(path)
      if (status !== 200) failed.push(`${status} ${path}`)
    }
    expect(failed).toEqual([])
    expect(await journey.rows(`select email_code, status from messages where status <> 'sent'`)).toEqual([])
  })

  it('compares the contracted room commitment with the final pickup, and completes the pickup milestone', async () => {
    const readReport = async () =>
      (await call('list_milestones', { contractId: ids.contract })).milestones.find(({ code }: { code: string }) => code === 'pickupReport')
    await journey.moveTo('2027-06-14T10:00:00Z')
    expect((await readReport()).status).not.toBe('done')
    const finalPickup = [70, 90, 30].map((pickup, index) => ({ night: `2027-06-1${index}`, pickup }))
    const settled = await call('amend_contract', { hotelId: ids.hotel, kind: 'finalPickup', finalPickup, reason: 'Counted by the hotel' })
    // 85 percent of 250 room nights are 212, of which 190 were used.
    expect(settled.attrition.after).toMatchObject({ short: 22 })
    expect((await readReport()).status).toBe('done')
    expect(await journey.listViolations()).toEqual([])
  })
})
