import { sendDueRegistrationEmails } from '../../src/domains/registration/due-emails.ts'
import { createRecurringTaskContext } from '../../src/surfaces/worker/run-recurring.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { retryFollowUpTaskJob } from '../../src/domains/checkout/paid-follow-ups.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { createExhibitorFixtures } from '../support/companies.ts'
import { openPaymentScenario, type PaymentScenario } from '../support/payment-scenario.ts'
import { openFormAs } from '../support/registration-form.ts'
import { WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

const [attendee] = WORKED_EXAMPLE.flows
const [pass, workshop] = WORKED_EXAMPLE.products
const SECTIONS = {
  ...WORKED_EXAMPLE,
  products: [pass!, { ...workshop!, capacity: 1, waitlist: true }, ...WORKED_EXAMPLE.products.slice(2)],
  exhibitorConfig: { boothSizes: [{ code: 'small', name: '3 × 3 m', width: 3, depth: 3 }] },
  flows: [
    ...WORKED_EXAMPLE.flows,
    {
      ...attendee!,
      slug: 'exhibitor',
      name: 'Exhibitors',
      kind: 'exhibitor',
      pages: [
        attendee!.pages[0]!,
        { code: 'booth', title: 'Your booth', widgets: [{ id: 'booth', type: 'boothRequest', sizes: ['small'] }] },
        {
          ...attendee!.pages[1]!,
          widgets: attendee!.pages[1]!.widgets.map((widget) => (widget.type === 'payment' ? { ...widget, methods: ['card'] } : widget)),
        },
        attendee!.pages[2]!,
      ],
    },
  ],
}
const AT = Date.parse('2026-04-10T10:00:00Z')

let checkout: PaymentScenario
let served: Served
beforeAll(async () => {
  checkout = await openPaymentScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(checkout.sales.world, { extras: { cards: checkout.sales.world.services.cards } })
})
afterAll(() => checkout.end())
beforeEach(() => checkout.sales.world.clock.stopAt(new Date(AT).toISOString()))

let made = 0
/** An exhibitor who applied for a booth and is on the payment page. */
async function startExhibitorPayment({ company, waits = false }: { company: string; waits?: boolean }) {
  const email = `exhibitor-${++made}@example.org`
  const at = openFormAs(visitor(served), checkout.sales.event, 'exhibitor')
  await at.begin(email)
  await at.fill('contact', { '@participant.firstName': 'Eva', '@participant.lastName': `Nr ${made}`, '@participant.company': company })
  await at.fill('booth', { 'booth.size.1': 'small', 'booth.other': 'true' })
  await at.fill('choices', { '@product.pass': '1', ...(waits ? { '@product.workshop': '1' } : {}), _method: 'card' })
  const left = await at.fill('summary', {}, { press: 'finish' })
  expect(left.location).toMatch(/^https:\/\/checkout\.example\//)
  const [charge] = await checkout.rows(
    `select c.id, c.participant_id from charges c join participants p on p.id = c.participant_id where p.email = $1`,
    [email],
  )
  return { chargeId: charge.id as string, participantId: charge.participant_id as string }
}

async function pay({ chargeId, participantId }: { chargeId: string; participantId: string }) {
  checkout.stripe.pay(chargeId)
  await checkout.returnFromPayment(chargeId)
  await checkout.mustAddUp()
  const [charge] = await checkout.rows('select status, flag from charges where id = $1', [chargeId])
  return { ...(charge as { status: string; flag: string | null }), registration: await checkout.statusOf(participantId) }
}
const flagOf = async (chargeId: string) => (await checkout.rows('select flag from charges where id = $1', [chargeId]))[0].flag as string
const applicationsOf = (participantId: string) =>
  checkout.rows(`select c.name, c.code from booth_applications a join companies c on c.id = a.company_id where a.participant_id = $1`, [
    participantId,
  ])
/** Runs the retries that are due, as the worker does. Returns the states of all retries of the participant. */
async function runRetries(participantId: string): Promise<string[]> {
  const { services } = checkout.sales.world
  const run = createJobRunner({ ...services, queue: { send: () => Promise.resolve() } })
  const due = await checkout.rows(
    `select tenant_id as "tenantId", id as "jobId" from jobs
     where name = 'retry_follow_up' and status = 'queued' and due_at <= lanyard_now() and input->>'participantId' = $1`,
    [participantId],
  )
  for (const job of due) await run(retryFollowUpTaskJob as unknown as Job, job)
  return (
    await checkout.rows(`select status from jobs where name = 'retry_follow_up' and input->>'participantId' = $1`, [participantId])
  ).map(({ status }) => status as string)
}
const SUCCEEDED = { status: 'succeeded', flag: null, registration: 'complete' }

describe('paid registration with a booth request', () => {
  it('completes a paid booth request with a numbered code for the new company if another company has its code', async () => {
    await createExhibitorFixtures(checkout.sales.world, checkout.sales.event).company({ name: 'Acme Robots', code: 'acme-robots' })
    const first = await startExhibitorPayment({ company: 'Acme-Robots!' })
    expect(await pay(first)).toEqual(SUCCEEDED)
    expect(await applicationsOf(first.participantId)).toEqual([{ name: 'Acme-Robots!', code: 'acme-robots-2' }])
    // A cancelled company keeps its code.
    await createExhibitorFixtures(checkout.sales.world, checkout.sales.event).company({ name: 'Gone', code: 'gone', status: 'cancelled' })
    const second = await startExhibitorPayment({ company: 'Gone' })
    expect(await pay(second)).toEqual(SUCCEEDED)
    expect(await applicationsOf(second.participantId)).toEqual([{ name: 'Gone', code: 'gone-2' }])
  })

  it('completes a paid registration if its booth application fails, flags the charge and retries the application', async () => {
    const paid = await startExhibitorPayment({ company: 'Unlucky' })
    await checkout.rows('alter table booth_applications add constraint refused check (false) not valid')
    expect(await pay(paid)).toEqual({
      status: 'succeeded',
      registration: 'complete',
      flag: 'The registration is complete, but the booth application could not be saved (internal error) and is retried',
    })
    expect(await checkout.mails(paid.participantId)).toEqual(['registration.completed'])
    expect(checkout.sales.world.logged.some((line) => line.includes('needs manual review') && line.includes('booth application'))).toBe(
      true,
    )
    expect(await checkout.rows(`select 1 from companies where name = 'Unlucky'`), 'nothing half done').toEqual([])
    expect(await runRetries(paid.participantId)).toEqual(['queued'])
    await checkout.rows('alter table booth_applications drop constraint refused')
    expect(await runRetries(paid.participantId), 'not before a minute has passed').toEqual(['queued'])
    await checkout.sales.world.clock.stopAt(new Date(AT + 61_000).toISOString())
    expect(await runRetries(paid.participantId)).toEqual(['done'])
    expect(await applicationsOf(paid.participantId)).toEqual([{ name: 'Unlucky', code: 'unlucky' }])
    expect(await flagOf(paid.chargeId)).toBeNull()
    expect(await checkout.mails(paid.participantId), 'no second confirmation').toEqual(['registration.completed'])
  })

  it('stops retrying a follow-up step of a paid registration after two weeks, or once the registration was cancelled', async () => {
    const [late, cancelled] = [await startExhibitorPayment({ company: 'Late' }), await startExhibitorPayment({ company: 'Cancelled' })]
    await checkout.rows('alter table booth_applications add constraint refused check (false) not valid')
    await pay(late)
    await pay(cancelled)
    await checkout.sales.call('edit_participant', { participantId: cancelled.participantId, status: 'cancelled' })
    expect(await runRetries(cancelled.participantId)).toEqual(['done'])
    expect(await flagOf(cancelled.chargeId)).toBeNull()
    await checkout.sales.world.clock.stopAt(new Date(AT + 15 * 24 * 3_600_000).toISOString())
    expect(await runRetries(late.participantId)).toEqual(['done'])
    expect(await flagOf(late.chargeId)).toMatch(/could not be saved \(internal error\)$/)
    await checkout.rows('alter table booth_applications drop constraint refused')
  })
})

describe('other follow-up steps of a paid registration', () => {
  it('completes a paid registration if email, visit or waiting list entry cannot be saved, and retries only the failed step', async () => {
    await checkout.sales.register({ workshop: 1 })
    const paid = await startExhibitorPayment({ company: 'Three', waits: true })
    const guarded = [
      ['messages', `email_code <> 'registration.completed'`],
      ['flow_visits', 'outcome is null'],
      ['waitlist_entries', 'false'],
    ]
    for (const [table, rule] of guarded) await checkout.rows(`alter table ${table} add constraint refused check (${rule}) not valid`)
    const { flag, ...rest } = await pay(paid)
    expect(rest).toEqual({ status: 'succeeded', registration: 'complete' })
    expect(flag!.split('; ').map((problem) => /but the (.+) could/.exec(problem)?.[1])).toEqual(['visit', 'waiting list'])
    expect(await checkout.mails(paid.participantId)).toEqual([])
    expect(await applicationsOf(paid.participantId), 'the others are done').toHaveLength(1)
    for (const [table] of guarded) await checkout.rows(`alter table ${table} drop constraint refused`)
    expect(await runRetries(paid.participantId)).toEqual(['done', 'done'])
    await checkout.sales.world.clock.stopAt(new Date(AT + 61_000).toISOString())
    await sendDueRegistrationEmails.run(
      createRecurringTaskContext(checkout.sales.world.services, sendDueRegistrationEmails.name, new Date()),
    )
    expect([await flagOf(paid.chargeId), await checkout.mails(paid.participantId)]).toEqual([null, ['registration.completed']])
    expect(await checkout.rows(`select target from waitlist_entries where participant_id = $1`, [paid.participantId])).toEqual([
      { target: 'product:workshop' },
    ])
  })
})
