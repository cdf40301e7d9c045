import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processRfpDeadlines } from '../../../domains/rfps/task.ts'
import { createRecurringTaskContext } from '../../../surfaces/worker/run-recurring.ts'
import { postSupplierQuestion, listQuestionsForSupplier } from '../../../domains/rfps/questions.ts'
import { getRecipient } from '../../../domains/rfps/rfps.ts'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import { readPdfText } from '../../../../test/support/pdf-text.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'
import { EXAMPLE_NEED, createSourcingFixtures } from '../../../../test/support/sourcing.ts'
import { createUploadFixtures } from '../../../../test/support/uploads.ts'
import type { FileOwner } from '../../../domains/files/files.ts'
import type { FilePurpose } from '../../../domains/files/purposes.ts'

let sales: SalesScenario
beforeAll(async () => {
  sales = await openSalesScenario()
})
afterAll(() => sales.world.end())

const rows = () => createSourcingFixtures(sales.world, sales.event)
const query = async <T = any>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await sales.world.database.pool.query(text, values)).rows as T[]
const countEmails = async (rfpId: string) =>
  (
    await query<{ n: number }>(
      `select count(*)::int as n from messages m join rfp_recipients r on r.id = m.source_id where m.source_kind = 'rfpRecipient' and r.rfp_id = $1`,
      [rfpId],
    )
  )[0]!.n
const runTask = () => processRfpDeadlines.run(createRecurringTaskContext(sales.world.services, processRfpDeadlines.name, new Date()))
const moveTo = async (instant: string) => {
  await sales.world.clock.stopAt(instant)
  await sales.world.renewTokens()
}

let made = 0
const TIMES = { responseDueAt: '2026-05-08T15:00:00Z', decisionOn: '2026-05-20' }
const createRfp = async (more: object = {}) =>
  (await sales.call('create_rfp', { briefId: await rows().brief(), ...TIMES, ...more })).rfp as {
    id: string
    number: string
    attachments: string[]
  }
const suppliers = (count: number) => Promise.all(Array.from({ length: count }, () => rows().supplier(`Hotel ${++made}`)))
const addAll = (rfpId: string, ids: readonly string[]) =>
  sales.call('add_rfp_recipient', { rfpId, recipients: ids.map((supplierId) => ({ supplierId })) })

describe('create_rfp', () => {
  it('attaches documents of the organizer to an RFP, but never files of participants or of other events', async () => {
    await moveTo('2026-04-10T10:00:00Z')
    const { world, event } = sales
    const home = { clientId: event.clientId, eventId: event.eventId }
    const other = await world.event({ at: event })
    const uploads = createUploadFixtures(world, event)
    const file = async (purpose: FilePurpose, at: FileOwner = home) =>
      (await uploads.file(Buffer.from('%PDF-1.7 program'), { name: 'program.pdf', purpose }, at)).id
    const allowed = [await file('library'), await file('library', { clientId: event.clientId }), await file('contract')]
    const rfp = await createRfp({ attachments: allowed })
    expect(rfp.attachments).toEqual(allowed)
    // The email names the files, which are on the page of each supplier.
    await addAll(rfp.id, await suppliers(1))
    const { html } = await sales.call('distribute_rfp', { rfpId: rfp.id, dryRun: true })
    expect(html).toContain('Files on your page: program.pdf, program.pdf, program.pdf.')
    const plain = await createRfp()
    await addAll(plain.id, await suppliers(1))
    expect((await sales.call('distribute_rfp', { rfpId: plain.id, dryRun: true })).html).not.toContain('Files on your page')
    const answer = await file('answer')
    for (const fileId of [
      answer,
      await file('library', { ...home, eventId: other.eventId }),
      await file('answer', { ...home, eventId: null }),
    ])
      expect(
        await sales.refused('create_rfp', { briefId: await rows().brief(), ...TIMES, attachments: [allowed[0], fileId] }),
      ).toMatchObject({ code: 'not_found', message: expect.stringContaining(`No file ${fileId}`) })
  })

  it('copies the locked brief into the RFP, so that later edits of the brief do not change the RFP', async () => {
    await moveTo('2026-04-10T10:00:00Z')
    const briefId = await rows().brief()
    const { rfp, warnings } = await sales.call('create_rfp', { briefId, ...TIMES })
    expect(rfp).toMatchObject({
      number: expect.stringMatching(/^RFP-\d{4}$/),
      status: 'draft',
      title: 'Annual meeting',
      sealed: true,
      round: 0,
      questionsDueAt: '2026-05-05T15:00:00.000Z',
      dateOptions: [{ arrival: '2027-06-10', departure: '2027-06-13' }],
      requirements: EXAMPLE_NEED,
      rubricLockedAt: '2026-05-08T15:00:00.000Z',
    })
    expect(warnings).toEqual([])
    await query(`update briefs set answers = '{}', status = 'open' where id = $1`, [briefId])
    expect((await sales.call('list_rfps', { rfpId: rfp.id })).rfp.requirements).toEqual(EXAMPLE_NEED)
  })

  it('refuses an RFP with an unlocked brief, and with times in the wrong order', async () => {
    const briefId = await rows().brief()
    const refusedTimes = async (times: object) => {
      const { code, fields } = await sales.refused('create_rfp', { briefId, ...TIMES, ...times })
      return [code, ...fields.map(({ path }: { path: string }) => path)]
    }
    expect(await refusedTimes({ responseDueAt: '2026-04-10T09:00:00Z' })).toEqual(['invalid_arguments', 'responseDueAt'])
    expect(await refusedTimes({ questionsDueAt: '2026-05-08T15:00:01Z' })).toEqual(['invalid_arguments', 'questionsDueAt'])
    expect(await refusedTimes({ responseDueAt: '2026-04-12T10:00:00Z' })).toEqual(['invalid_arguments', 'questionsDueAt'])
    expect(await refusedTimes({ decisionOn: '2026-05-08' })).toEqual(['invalid_arguments', 'decisionOn'])
    expect(
      (await sales.call('create_rfp', { briefId, ...TIMES, questionsDueAt: TIMES.responseDueAt, decisionOn: '2026-05-09' })).rfp.status,
    ).toBe('draft')
    await query(`update briefs set status = 'open' where id = $1`, [briefId])
    expect(await sales.refused('create_rfp', { briefId, ...TIMES })).toMatchObject({ code: 'precondition_failed' })
  })

  it('warns if suppliers have fewer than 5 working days to respond', async () => {
    const briefId = await rows().brief()
    const warningsFor = async (responseDueAt: string) =>
      (await sales.call('create_rfp', { briefId, responseDueAt, questionsDueAt: responseDueAt, decisionOn: '2026-05-20' })).warnings
    // Friday 10 April to Friday 17 April: 5 working days.
    expect(await warningsFor('2026-04-17T15:00:00Z')).toEqual([])
    expect(await warningsFor('2026-04-16T15:00:00Z')).toEqual([expect.stringContaining('due in 4 working days')])
    expect(await warningsFor('2026-04-12T15:00:00Z')).toEqual([expect.stringContaining('due in 0 working days')])
  })

  it('shifts the nights of the RFP to the first of the given alternative dates', async () => {
    const { id } = await createRfp({ dateOptions: [{ arrival: '2027-06-17', departure: '2027-06-20' }] })
    const { requirements } = (await sales.call('list_rfps', { rfpId: id })).rfp
    expect(requirements.roomsByNight.map(({ night }: { night: string }) => night)).toEqual(['2027-06-17', '2027-06-18', '2027-06-19'])
  })

  it('refuses RFP questions with a repeated code, without choices, or with a value of another type', async () => {
    const briefId = await rows().brief()
    const question = { code: 'wifi', text: 'Is Wi-Fi free?', type: 'boolean' }
    const refusedPath = async (questions: object[]) =>
      (await sales.refused('create_rfp', { briefId, ...TIMES, questions })).fields.map(({ path }: { path: string }) => path)
    expect(await refusedPath([question, question])).toEqual(['questions/1/code'])
    expect(await refusedPath([{ ...question, type: 'choice' }])).toEqual(['questions/0/choices'])
    expect(await refusedPath([{ ...question, mustBe: 'yes' }])).toEqual(['questions/0/mustBe'])
  })
})

describe('add_rfp_recipient', () => {
  it('adds 3 of 5 suppliers to an RFP, and skips a repeated and a blocked one', async () => {
    const rfp = await createRfp()
    const [a, b, c] = await suppliers(3)
    const blocked = await rows().supplier(`Hotel ${++made}`, { status: 'blocked' })
    const silent = await rows().supplier(`Hotel ${++made}`, { contacts: '[]' })
    const result = await addAll(rfp.id, [a!, b!, c!, a!, blocked])
    expect(result).toMatchObject({
      added: 3,
      skipped: [
        { supplierId: a, reason: 'already' },
        { supplierId: blocked, reason: 'blocked' },
      ],
    })
    expect(await sales.refused('add_rfp_recipient', { rfpId: rfp.id, recipients: [{ supplierId: silent }] })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('no_email'),
    })
    const typed = await sales.call('add_rfp_recipient', {
      rfpId: rfp.id,
      recipients: [{ supplierId: silent, contactEmail: 'new@silent.example' }],
    })
    expect(typed.recipients.at(-1)).toMatchObject({ email: 'new@silent.example', status: 'notSent' })
    expect(await countEmails(rfp.id)).toBe(0)
  })
})

describe('distribute_rfp', () => {
  it('emails 6 suppliers of an RFP once in two calls, and in a third call only the supplier added since then', async () => {
    const rfp = await createRfp()
    const ids = await suppliers(6)
    expect(await sales.refused('distribute_rfp', { rfpId: rfp.id })).toMatchObject({ code: 'precondition_failed' })
    await addAll(rfp.id, ids)
    const preview = await sales.call('distribute_rfp', { rfpId: rfp.id, message: 'We look forward to it.', dryRun: true })
    expect(preview).toMatchObject({ queued: 6, dryRun: true, subject: expect.stringContaining(rfp.number), effects: { recipients: 6 } })
    expect(preview.html).toContain('We look forward to it.')
    expect(readPdfText(Buffer.from(preview.pdf.base64, 'base64'))).toContain('Request for proposal')
    expect([await countEmails(rfp.id), (await sales.call('list_rfps', { rfpId: rfp.id })).rfp.status]).toEqual([0, 'draft'])
    const first = await sales.callConfirmed('distribute_rfp', { rfpId: rfp.id })
    expect(first).toMatchObject({ queued: 6, skipped: [], status: 'distributed', round: 1 })
    expect(first.html).toBeUndefined()
    const second = await sales.callConfirmed('distribute_rfp', { rfpId: rfp.id })
    expect(second).toMatchObject({ queued: 0, round: 2 })
    expect(second.skipped).toHaveLength(6)
    expect(await countEmails(rfp.id)).toBe(6)
    await addAll(rfp.id, await suppliers(1))
    expect(await sales.callConfirmed('distribute_rfp', { rfpId: rfp.id })).toMatchObject({ queued: 1, round: 3 })
    expect(await countEmails(rfp.id)).toBe(7)
    const [attached] = await query<{ n: number }>(
      `select count(*)::int as n from message_attachments a join messages m on m.id = a.message_id where m.subject like $1`,
      [`%${rfp.number}%`],
    )
    expect(attached!.n).toBe(7)
    expect(await query(`select distinct rfps from suppliers where id = any($1)`, [ids])).toEqual([{ rfps: 1 }])
    const [listed] = (await sales.call('list_rfps', { rfpId: rfp.id })).rfps
    expect(listed.recipients).toEqual({ total: 7, notSent: 0, sent: 7, submitted: 0, turnedDown: 0, noResponse: 0 })
  })

  it('refuses to distribute an RFP after its due time', async () => {
    const rfp = await createRfp()
    await addAll(rfp.id, await suppliers(1))
    await moveTo('2026-05-08T15:00:00Z')
    expect(await sales.refused('distribute_rfp', { rfpId: rfp.id, dryRun: true })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('due time'),
    })
    await moveTo('2026-04-10T10:00:00Z')
  })
})

const distributed = async (count: number) => {
  const rfp = await createRfp()
  await addAll(rfp.id, await suppliers(count))
  await sales.callConfirmed('distribute_rfp', { rfpId: rfp.id })
  const { recipients } = (await sales.call('list_rfps', { rfpId: rfp.id })).rfp
  return { rfpId: rfp.id, recipients: recipients as { id: string; supplier: string; email: string }[] }
}
const inEvent = <T>(run: Parameters<typeof inEventTransaction<T>>[2]) => inEventTransaction(sales.world, sales.event, run)
const visibleTo = (recipientId: string) => inEvent(async (ctx) => listQuestionsForSupplier(ctx, await getRecipient(ctx, recipientId)))

describe('post_rfp_question', () => {
  it('shares question and answer with all suppliers, also with those added later, without naming who asked', async () => {
    const { rfpId, recipients } = await distributed(3)
    const [a, b] = recipients
    const questionId = await inEvent((ctx) => postSupplierQuestion(ctx, a!.id, 'Is a rebate expected?'))
    expect(await visibleTo(b!.id)).toEqual([])
    const before = await countEmails(rfpId)
    const answered = await sales.call('post_rfp_question', { rfpId, answerTo: questionId, body: 'Yes, 10 euro per room night.' })
    expect(answered).toMatchObject({ notified: 3, question: { from: 'supplier', supplier: a!.supplier, sharedWith: 'all' } })
    expect((await countEmails(rfpId)) - before).toBe(3)
    await addAll(rfpId, await suppliers(1))
    await sales.callConfirmed('distribute_rfp', { rfpId })
    const later = (await sales.call('list_rfps', { rfpId })).rfp.recipients.at(-1)
    for (const reader of [b!.id, later.id]) {
      const seen = await visibleTo(reader)
      expect(seen).toMatchObject([{ from: 'supplier', body: 'Is a rebate expected?', answers: [{ body: 'Yes, 10 euro per room night.' }] }])
      expect(JSON.stringify(seen)).not.toContain(a!.supplier)
      expect(JSON.stringify(seen)).not.toContain(a!.id)
    }
    const emails = await query<{ text: string }>(
      `select text_body as text from messages where source_id = $1 and subject like '%answered%'`,
      [b!.id],
    )
    expect(emails).toHaveLength(1)
    expect(emails[0]!.text).not.toContain(a!.supplier)
  })

  it('keeps a private answer private when another answer is shared later', async () => {
    const { rfpId, recipients } = await distributed(2)
    const [a, b] = recipients
    const questionId = await inEvent((ctx) => postSupplierQuestion(ctx, a!.id, 'May we offer two buildings?'))
    const private1 = await sales.call('post_rfp_question', { rfpId, answerTo: questionId, body: 'For you: yes.', shareWith: 'asker' })
    expect(private1.notified).toBe(1)
    expect(await visibleTo(b!.id)).toEqual([])
    await sales.call('post_rfp_question', { rfpId, answerTo: questionId, body: 'Yes, for everyone.' })
    expect((await visibleTo(b!.id))[0]!.answers.map(({ body }) => body)).toEqual(['Yes, for everyone.'])
    expect((await visibleTo(a!.id))[0]!.answers.map(({ body }) => body)).toEqual(['For you: yes.', 'Yes, for everyone.'])
  })

  it('sends a question to selected suppliers only, and refuses questions about a draft RFP', async () => {
    const { rfpId, recipients } = await distributed(2)
    const [a, b] = recipients
    expect(await sales.call('post_rfp_question', { rfpId, body: 'Can you hold 20 suites?', recipientIds: [a!.id] })).toMatchObject({
      notified: 1,
      question: { from: 'organizer', sharedWith: 'one' },
    })
    expect([(await visibleTo(a!.id)).length, (await visibleTo(b!.id)).length]).toEqual([1, 0])
    const draft = await createRfp()
    expect(await sales.refused('post_rfp_question', { rfpId: draft.id, body: 'Hello?' })).toMatchObject({ code: 'precondition_failed' })
  })
})

describe('deadlines of an RFP', () => {
  it('reminds suppliers once 3 days and once 1 day before the due time, and closes the RFP once at that time', async () => {
    await moveTo('2026-04-10T10:00:00Z')
    const { rfpId, recipients } = await distributed(3)
    await query(`update rfp_recipients set status = 'turnedDown' where id = $1`, [recipients[2]!.id])
    const sent = await countEmails(rfpId)
    const remindersAt = async (instant: string) => {
      await moveTo(instant)
      await runTask()
      await runTask()
      return (await countEmails(rfpId)) - sent
    }
    expect(await remindersAt('2026-05-05T14:59:00Z')).toBe(0)
    expect(await remindersAt('2026-05-05T15:00:00Z')).toBe(2)
    expect(await remindersAt('2026-05-07T15:00:00Z')).toBe(4)
    expect(await remindersAt('2026-05-08T14:59:59Z')).toBe(4)
    await query(`update rfp_recipients set status = 'submitted', submitted_at = lanyard_now() where id = $1`, [recipients[1]!.id])
    expect(await remindersAt('2026-05-08T15:00:00Z')).toBe(4)
    const { rfp, rfps } = await sales.call('list_rfps', { rfpId })
    expect(rfp.status).toBe('closed')
    expect(rfp.recipients.map(({ status }: { status: string }) => status)).toEqual(['noResponse', 'submitted', 'turnedDown'])
    expect(rfps[0].recipients).toEqual({ total: 3, notSent: 0, sent: 0, submitted: 1, turnedDown: 1, noResponse: 1 })
    await moveTo('2026-04-10T10:00:00Z')
  })

  it('sends no reminder that was due before the supplier received the RFP', async () => {
    await moveTo('2026-05-06T10:00:00Z')
    const briefId = await rows().brief()
    const { rfp } = await sales.call('create_rfp', { briefId, ...TIMES, questionsDueAt: '2026-05-08T10:00:00Z' })
    await addAll(rfp.id, await suppliers(1))
    await sales.callConfirmed('distribute_rfp', { rfpId: rfp.id })
    await runTask()
    expect(await countEmails(rfp.id)).toBe(1)
    await moveTo('2026-05-07T15:00:01Z')
    await runTask()
    expect(await countEmails(rfp.id)).toBe(2)
    await moveTo('2026-04-10T10:00:00Z')
  })
})
