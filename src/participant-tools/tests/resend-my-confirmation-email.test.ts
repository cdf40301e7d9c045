import { describe, expect, it } from 'vitest'
import { WORKED_EXAMPLE } from '../../../test/support/sales-scenario.ts'
import { congressStory, newEmail } from './congress.ts'

const mail = (code: string, trigger: string) => ({
  code,
  name: code,
  trigger,
  subject: `${code} for {{participant.firstName}}`,
  blocks: [{ id: 'text', type: 'text', markdown: 'Hello' }],
})
const scenario = congressStory({ ...WORKED_EXAMPLE, emails: [mail('welcome', 'registration.completed'), mail('parking', 'none')] })

const TOOL = 'resend_my_confirmation_email'
const query = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows
const mailbox = () => scenario.queryNumber('select count(*)::int as figure from messages')
const arrive = (status = 'sent') =>
  query(`update messages set status = $1, sent_at = queued_at where status = 'queued' and category = 'transactional'`, [status])

/** A participant to whom the organizer sent these emails. */
async function mailed(codes: readonly (string | undefined)[], more: object = {}) {
  const email = newEmail()
  const { participant } = await scenario.register({}, { data: { '@participant.email': email }, ...more })
  for (const emailCode of codes)
    await scenario.call('resend_participant_confirmation', {
      participantId: participant.id,
      ...(emailCode === undefined ? {} : { emailCode }),
    })
  await arrive()
  // Moves the emails to more than a day ago.
  await query(`update messages set queued_at = queued_at - interval '2 days' where source_id = $1`, [participant.id])
  const person = await scenario.signIn(email)
  return { ...person, id: participant.id as string, list: async () => (await person.call(TOOL)).emails as any[] }
}

describe('resend_my_confirmation_email', () => {
  it('lists the newest email of each kind that can be resent if no id is given, and sends nothing', async () => {
    const person = await mailed(['welcome', 'parking', 'welcome'])
    const before = await mailbox()
    const emails = await person.list()
    expect(emails).toMatchObject([
      { emailCode: 'welcome', subject: 'welcome for Paula' },
      { emailCode: 'parking', subject: 'parking for Paula' },
    ])
    expect(Object.keys(emails[0])).toEqual(['emailId', 'emailCode', 'subject', 'sentAt'])
    expect(await person.list()).toEqual(emails)
    expect(await mailbox()).toBe(before)
  })

  it('sends the email with the given id, rendered again, only to the saved address', async () => {
    const person = await mailed(['parking'])
    await query(`update participants set first_name = 'Petra' where id = $1`, [person.id])
    const [{ emailId }] = await person.list()
    const before = await mailbox()
    expect(await person.call(TOOL, { emailId })).toEqual({
      queued: 1,
      emailId,
      subject: 'parking for Petra',
      to: `v***@example.org`,
    })
    expect(await mailbox()).toBe(before + 1)
    const [sent] = await query('select to_address, email_code, source_kind, status from messages order by id desc limit 1')
    expect(sent).toEqual({ to_address: person.email, email_code: 'parking', source_kind: 'resend', status: 'queued' })
  })

  it('resends an email repeatedly by its id, also after an earlier resent copy has arrived', async () => {
    const person = await mailed(['parking', 'welcome'])
    const emails = await person.list()
    const { emailId } = emails.find(({ emailCode }) => emailCode === 'parking')
    for (let i = 0; i < 2; i++) {
      expect(await person.call(TOOL, { emailId })).toMatchObject({ queued: 1, emailId, subject: 'parking for Paula' })
      await arrive()
    }
    // The list shows the newest email of each kind, whose id works as well.
    const [newest] = await person.list()
    expect(newest).toMatchObject({ emailCode: 'parking' })
    expect(newest.emailId).not.toBe(emailId)
    expect(await person.call(TOOL, { emailId: newest.emailId })).toMatchObject({ queued: 1 })
    // An id does not make an email fit a status that it was not written for.
    await query(`update participants set status = 'incomplete', confirmation_number = null, completed_at = null where id = $1`, [person.id])
    expect(await person.refused(TOOL, { emailId })).toMatchObject({ code: 'not_found' })
  })

  it('omits sign-in codes, receipts, unsent and outdated emails from the list', async () => {
    const person = await mailed([undefined], { status: 'incomplete' })
    expect((await person.list()).map((email: object) => 'emailCode' in email)).toEqual([false])
    await query(
      `insert into messages (tenant_id, id, event_id, source_kind, source_id, recipient_key, category, email_code, to_address, subject, text_body, status, message_id_header)
       select tenant_id, translate(id, '0123456789abcdef', '123456789abcdef0'), event_id, 'registration', source_id, k, c, e, to_address, 'Secret', 'x', 'sent', k
       from messages, (values ('a', 'signin.code', 'signin.code'), ('b', 'marketing', 'offer')) v(k, c, e) where source_id = $1 and k = 'a'`,
      [person.id],
    )
    expect(await person.list()).toHaveLength(1)
    await query(`update participants set status = 'complete', completed_at = now(), confirmation_number = 'ABCDEFGH99' where id = $1`, [
      person.id,
    ])
    expect(await person.list()).toEqual([])
    await scenario.call('resend_participant_confirmation', { participantId: person.id })
    expect(await person.list()).toEqual([])
    await arrive()
    expect(await person.list()).toMatchObject([{ emailCode: 'welcome' }])
  })

  it('does not resend emails of another person who shares the mailbox', async () => {
    const person = await mailed(['parking'])
    const { participant } = await scenario.register({}, { data: { '@participant.email': person.email, '@participant.firstName': 'Bernd' } })
    const both = await scenario.signIn(person.email)
    expect((await both.call(TOOL, { participantId: participant.id })).emails).toEqual([])
    const [{ emailId }] = (await both.call(TOOL, { participantId: person.id })).emails
    expect(await both.refused(TOOL, { participantId: participant.id, emailId })).toMatchObject({ code: 'not_found' })
    expect(await person.refused(TOOL, { emailId: 'f'.repeat(24) })).toMatchObject({ code: 'not_found' })
  })

  it('shares the limit of five emails a day with the organizer, and does not count a dry run', async () => {
    const person = await mailed(['parking'])
    const [{ emailId }] = await person.list()
    for (let i = 0; i < 3; i++) await scenario.call('resend_participant_confirmation', { participantId: person.id })
    await person.call(TOOL, { emailId })
    const before = await mailbox()
    expect(await person.call(TOOL, { emailId, dryRun: true })).toMatchObject({ dryRun: true, queued: 1, effects: { recipients: 1 } })
    expect(await mailbox()).toBe(before)
    await person.call(TOOL, { emailId })
    expect(await person.refused(TOOL, { emailId })).toMatchObject({ code: 'limit_exceeded', retryAfterSeconds: expect.any(Number) })
    expect((await scenario.refused('resend_participant_confirmation', { participantId: person.id })).code).toBe('limit_exceeded')
    // Listing the emails does not count against the limit.
    expect(await person.list()).toHaveLength(1)
  })

  it('rejects resending an email while emails to the address bounce', async () => {
    const person = await mailed(['parking'])
    await query(`update messages set status = 'bounced' where source_id = $1`, [person.id])
    const [{ emailId }] = await person.list()
    const refusal = await person.refused(TOOL, { emailId })
    expect(refusal).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining('bounces') })
    // The error must not suggest an organizer's tool to a participant.
    expect(refusal.text).not.toContain('edit_participant')
  })

  it('lists the emails of test data in test mode, but resends none of them', async () => {
    await scenario.call('update_event', { testMode: true })
    const email = newEmail()
    const { participant } = await scenario.register({}, { data: { '@participant.email': email } })
    await scenario.call('resend_participant_confirmation', { participantId: participant.id })
    const person = await scenario.signIn(email)
    const [{ emailId }] = (await person.call(TOOL)).emails
    expect(await person.call(TOOL, { emailId })).toMatchObject({ queued: 0, emailId })
    await scenario.call('update_event', { testMode: false })
  })

  it('rejects resending an email at an event that has ended', async () => {
    const person = await mailed(['parking'])
    await query(`update events set status = 'archived' where id = $1`, [scenario.event.eventId])
    expect((await person.refused(TOOL)).text).toBe('This event has ended')
  })
})
