import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordStatements } from '../../bench/servers/statements.ts'
import { sendDueRegistrationEmails } from '../../src/domains/registration/due-emails.ts'
import { createRecurringTaskContext } from '../../src/surfaces/worker/run-recurring.ts'
import { FESTIVAL } from '../support/festival.ts'
import { verifyMailbox } from '../support/own-pages.ts'
import { buildEventPath, hiddenFieldsIn, openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

let selling: SalesScenario
let served: Served

beforeAll(async () => {
  selling = await openSalesScenario(FESTIVAL, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(selling.world)
})
afterAll(() => selling.world.end())

let made = 0
async function openLastPage() {
  const email = `person-${++made}@example.org`
  const who = openFormAs(visitor(served), selling.event)
  await who.begin(email)
  await verifyMailbox(selling.world, who.who, selling.event, email)
  const you = {
    '@participant.firstName': 'Jo',
    '@participant.lastName': `Nr ${made}`,
    '@custom.diet': 'all',
    '@custom.first': 'true',
    '@participant.country': 'AT',
  }
  await who.fill('you', you)
  await who.fill('tickets', { 'one.ticket': 'full' })
  await who.fill('consent', { '@policy.terms': 'Jo Person', _method: 'bank' })
  const html = (await who.open('summary')).html
  const path = `${buildEventPath(selling.event)}/register/attendee/summary`
  return { email, finish: () => who.who.post(path, { ...hiddenFieldsIn(html), do: 'finish' }, { csrf: null }) }
}

const query = async (text: string, values: unknown[] = []) => (await selling.world.database.pool.query<any>(text, values)).rows
const sweep = () =>
  sendDueRegistrationEmails.run(createRecurringTaskContext(selling.world.services, sendDueRegistrationEmails.name, new Date()))
const countEmails = async (email: string) =>
  (await query(`select count(*)::int as n from messages where to_address = $1 and email_code = 'registration.completed'`, [email]))[0].n

describe('confirmation email', () => {
  /** The state after a process stopped between the commit of the registration and its email. */
  async function stopBeforeEmail(ago: string) {
    const { email, finish } = await openLastPage()
    expect((await finish()).location).toMatch(/\/done$/)
    expect(await countEmails(email)).toBe(1)
    await query(`delete from messages where to_address = $1`, [email])
    const due = `insert into due_registration_emails (tenant_id, event_id, participant_id, kind, is_test_data, due_at)
      select tenant_id, event_id, id, 'confirmation', is_test_data, lanyard_now() - $2::interval from participants where email = $1`
    await query(due, [email, ago])
    return email
  }

  it('sends the confirmation email once by a recurring task if the process stopped before the email was written', async () => {
    const email = await stopBeforeEmail('2 minutes')
    await sweep()
    expect(await countEmails(email)).toBe(1)
    await sweep()
    expect(await countEmails(email)).toBe(1)
  })

  it('leaves the confirmation email for one minute to the process that saved the registration, before a recurring task sends it', async () => {
    const email = await stopBeforeEmail('30 seconds')
    await sweep()
    expect(await countEmails(email)).toBe(0)
  })

  it('retries after ten minutes a confirmation email that could not be written, and sends the other emails', async () => {
    const [broken, other] = [await stopBeforeEmail('3 minutes'), await stopBeforeEmail('2 minutes')]
    await query(`update participants set email = null where email = $1`, [broken])
    await sweep()
    expect(await countEmails(other)).toBe(1)
    const due = `select count(*)::int as n from due_registration_emails where due_at > lanyard_now()`
    expect(await query(due)).toEqual([{ n: 1 }])
  })
})

// The embedded database has one session and no round trips to count.
describe.skipIf(process.env['TEST_DATABASE_URL'] === undefined)('last page of a flow on PostgreSQL', () => {
  it('completes a registration with seven round trips to PostgreSQL, and writes the email and the invoice after that', async () => {
    for (let i = 0; i < 2; i++) await (await openLastPage()).finish()
    const { finish } = await openLastPage()
    const recorder = recordStatements(pg.Client)
    recorder.record()
    expect((await finish()).location).toMatch(/\/done$/)
    const { statements } = recorder.recorded()
    const texts = statements.map(({ text }) => text.trim())
    const commit = texts.indexOf('commit')
    expect(statements[commit]!.roundTrip).toBe(7)
    const sale = texts.findIndex((text) => text.includes('sale_record('))
    expect(statements.slice(sale + 1, commit).filter(({ text }) => /\bmessages\b|inventory_take/.test(text))).toEqual([])
    expect(texts.slice(commit).filter((text) => text.startsWith('insert into messages'))).toHaveLength(1)
  })
})
