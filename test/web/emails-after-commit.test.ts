import { beforeAll, describe, expect, it } from 'vitest'
import { sendRegistrationStatusEmail } from '../../src/domains/registration/confirmation.ts'
import { sendDueRegistrationEmails } from '../../src/domains/registration/due-emails.ts'
import { commitChange } from '../../src/kernel/commit-change.ts'
import { recordChange } from '../../src/kernel/audit.ts'
import { createRecurringTaskContext } from '../../src/surfaces/worker/run-recurring.ts'
import { createEventContextAt } from '../support/at-event.ts'
import { memberEntries, useGroupScenario } from '../support/group-scenario.ts'
import { createHotelAt, buildRoomAnswers } from '../support/hotels.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { hiddenFieldsIn, openFormAs } from '../support/registration-form.ts'
import { newAttendee, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readLatestCode } from '../support/sign-in-codes.ts'
import { visitor } from '../support/visitor.ts'

const [flow] = WORKED_EXAMPLE.flows
const [contact, choices, done] = flow!.pages
const scenario = useGroupScenario(
  {
    ...WORKED_EXAMPLE,
    housing: { enabled: true, seeAvailability: 'exact' },
    flows: [
      { ...flow!, pages: [contact!, { code: 'rooms', title: 'Rooms', widgets: [{ id: 'room', type: 'housing' }] }, choices!, done!] },
    ],
  },
  { baseUrl: await chooseFreeBaseUrl() },
)
let served: Served
let hotelId: string
let home: string

beforeAll(async () => {
  served = await serve(scenario.world)
  hotelId = await createHotelAt(scenario.world, scenario.event)
  home = eventHomePath(scenario.event)
})

const rows = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows
const signIn = (email: string) => signInVisitor(scenario.world, served, scenario.event, email)
const register = async (more: Record<string, unknown> = {}) => (await scenario.register({ pass: 1 }, more)).participant
const resetMailboxLimits = () => rows(`delete from rate_windows where key like 'mailbox:%'`)

/** Emails that were written by a transaction that also wrote an audit entry, and so held the locks of a change. */
const listEmailsInsideChanges = () =>
  rows(`select distinct m.email_code from messages m join audit_entries a on a.xmin = m.xmin where m.source_kind = 'registration'`)
const listEmailsTo = async (email: string) =>
  (await rows(`select email_code from messages where to_address = $1 and source_kind = 'registration' order by id`, [email])).map(
    ({ email_code }) => email_code,
  )
const listDue = () => rows(`select kind from due_registration_emails`)

/** Every change that emails a registration. Returns the address and the expected emails. */
const CHANGES: Record<string, () => Promise<[email: string, codes: string[]]>> = {
  add_participant: async () => [(await register({ sendConfirmation: true })).email, ['registration.completed']],
  edit_participant: async () => {
    const { id, email } = await register()
    await scenario.call('edit_participant', { participantId: id, data: { '@product.dinner': 1 }, sendEmail: true })
    await scenario.call('edit_participant', { participantId: id, status: 'cancelled', sendEmail: true })
    return [email, ['registration.completed', 'registration.cancelled']]
  },
  substitute_participant: async () => {
    const { id, email } = await register()
    const replacement = newAttendee()
    await scenario.call('substitute_participant', { participantId: id, replacement })
    expect(await listEmailsTo(replacement['@participant.email'])).toEqual(['registration.substituted'])
    return [email, ['registration.cancelled']]
  },
  'own cancellation': async () => {
    const { email } = await register()
    await (await signIn(email)).post(`${home}/registration/cancel`, { agree: 'on' })
    return [email, ['registration.cancelled']]
  },
  'own change of products': async () => {
    const { email } = await register()
    const who = await signIn(email)
    const page = `${home}/registration/edit/choices`
    const fields = hiddenFieldsIn((await who.get(page)).html)
    const asked = await who.post(page, { ...fields, '@product.pass': '1', '@product.dinner': '1' })
    await who.post(page, { ...hiddenFieldsIn(asked.html), do: 'confirm' })
    return [email, ['registration.completed']]
  },
  'own cancellation of a room': async () => {
    const { id, email } = await register({ data: buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03') })
    const [stay] = await rows(`select id from reservations where participant_id = $1`, [id])
    const path = `${home}/housing/${stay.id}/cancel`
    const who = await signIn(email)
    await who.get(path)
    expect((await who.post(path, {})).location).toContain('done=roomGone')
    return [email, ['registration.completed']]
  },
  'cancellation by a group': async () => {
    const { code } = await scenario.group({ name: 'Acme', tags: [] })
    await scenario.update(code, { add: memberEntries(1) })
    const [{ participantId, email }] = (await scenario.getGroup(code)).members
    const [ada, admin] = [visitor(served), 'ada@acme.example']
    const at = (path: string) => `${home}/group/${code}${path}`
    await ada.post(at('/sign-in'), { email: admin }, { from: at('/sign-in?email=') })
    const form = { email: admin, code: await readLatestCode(scenario.world, admin) }
    await ada.post(at('/sign-in/code'), form, { from: at(`/sign-in/code?email=${encodeURIComponent(admin)}`) })
    await ada.post(at(`/members/${participantId}/cancel`), { agree: 'on' }, { from: at(`/members/${participantId}`) })
    return [email, ['registration.cancelled']]
  },
  'last page of a flow': async () => {
    const email = 'last-page@example.org'
    const form = openFormAs(visitor(served), scenario.event)
    await form.begin(email)
    await form.fill('contact', { '@participant.firstName': 'Rosa', '@participant.lastName': 'Rows' })
    await form.fill('rooms', {})
    await form.fill('choices', { '@product.pass': '1' })
    await form.fill('summary', {}, { press: 'finish' })
    return [email, ['registration.completed']]
  },
}

describe('email about a changed registration', () => {
  it.each(Object.entries(CHANGES))('writes the email of a change after its commit: %s', async (_, change) => {
    await resetMailboxLimits()
    const [email, codes] = await change()
    expect(await listEmailsTo(email)).toEqual(codes)
    expect([await listEmailsInsideChanges(), await listDue()]).toEqual([[], []])
  })

  it('returns recipient count and subject of an email in a dry run, and stores nothing', async () => {
    const { id, email } = await register()
    const asked = { participantId: id, status: 'cancelled', sendEmail: true, dryRun: true }
    const { effects } = await scenario.call('edit_participant', asked)
    expect(effects).toMatchObject({ recipients: 1, samples: [{ email, subject: expect.stringContaining('cancelled') }] })
    expect([await listEmailsTo(email), await listDue()]).toEqual([[], []])
  })

  it('refuses a change that must send an email if the participant has no address', async () => {
    const { id } = await register()
    await rows(`update participants set email = null where id = $1`, [id])
    const error = await scenario.refused('edit_participant', { participantId: id, status: 'cancelled', sendEmail: true })
    expect(error.message).toContain('has no email address')
    expect((await scenario.call('get_participant', { participantId: id })).participant.status).toBe('complete')
  })

  it('sends the email of a change by a recurring task if the process stopped before, unless the status has changed', async () => {
    const [kept, reinstated] = [await register(), await register()]
    await rows(
      `insert into due_registration_emails (tenant_id, event_id, participant_id, kind, is_test_data, due_at)
       select tenant_id, event_id, id, case id when $1 then 'passedOn' else 'cancellation' end, is_test_data, lanyard_now() - interval '2 minutes'
       from participants where id in ($1, $2)`,
      [kept.id, reinstated.id],
    )
    await rows(`update participants set status = 'cancelled', cancelled_at = lanyard_now() where id = $1`, [kept.id])
    const sweep = () =>
      sendDueRegistrationEmails.run(createRecurringTaskContext(scenario.world.services, sendDueRegistrationEmails.name, new Date()))
    for (let run = 0; run < 2; run++) {
      await sweep()
      expect([await listEmailsTo(kept.email), await listEmailsTo(reinstated.email)]).toEqual([['registration.cancelled'], []])
    }
    expect(await listDue()).toEqual([])
  })

  it('control: detects an email that is written inside the transaction of its change', async () => {
    const { id, email } = await register()
    const base = await createEventContextAt(scenario.world, scenario.event)
    const action = { name: 'edit_participant', clientId: scenario.event.clientId, eventId: scenario.event.eventId }
    const createContext = (db: typeof base.db) => ({ ...base, db })
    await commitChange(scenario.world.database, action, createContext, async (ctx) => {
      recordChange(ctx, { kind: 'participant', id, before: { tags: 1 }, after: { tags: 2 } })
      await sendRegistrationStatusEmail(ctx, id)
    })
    expect(await listEmailsTo(email)).toEqual(['registration.completed'])
    expect(await listEmailsInsideChanges()).toEqual([{ email_code: 'registration.completed' }])
    await rows(`delete from messages where to_address = $1`, [email])
  })
})
