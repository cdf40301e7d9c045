import { afterAll, beforeAll, expect, it } from 'vitest'
import { issueParticipantSession } from '../../src/domains/access/participant-sessions.ts'
import { scanBadge } from '../../src/domains/exhibitors/scan.ts'
import { Secret } from '../../src/kernel/secrets.ts'
import { createApiAccountAt, personHandle } from '../support/participants.ts'
import { ANA_BADGE, openShowFloor, type ShowFloor } from '../support/lead-requests.ts'
import { createWebhookSubscription } from '../support/webhooks.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let floor: ShowFloor

const listMessages = async () =>
  (await world.database.pool.query<{ body: string }>('select body from webhook_messages order by id')).rows.map(({ body }) =>
    JSON.parse(body),
  )
const scan = (company: { code: string }, badge = ANA_BADGE) => {
  const { activationCode, badgeId, ...place } = floor.leadRequest(company, badge)
  return scanBadge(world.services, { ...place, activationCode: new Secret(activationCode), badge: badgeId, address: '10.0.0.1' })
}

async function bookAppointmentAsAna(companyId: string): Promise<void> {
  const account = await createApiAccountAt(world, floor.event)
  const at = { tenantId: floor.event.tenantId, accountId: account.accountId, eventId: floor.event.eventId, email: 'ana@example.org' }
  const { token } = await issueParticipantSession(world.database.write, at)
  const ana = personHandle(world, { ...account, email: at.email, participantIds: [floor.ana], session: token.reveal() })
  const [slot] = await floor.exhibitors.slots(companyId)
  await ana.call('book_exhibitor_appointment', { slotId: slot!.id })
}

beforeAll(async () => {
  world = await newWorld()
  await world.clock.stopAt('2027-02-20T09:00:00Z')
  floor = await openShowFloor(world, {
    exhibitorConfig: {
      leadVisibleFields: ['firstName', 'lastName', 'email', 'jobTitle', 'cf:topics'],
      meetingHours: [{ day: '2027-03-01', from: '10:00', until: '12:00' }],
    } as never,
  })
})
afterAll(() => world.end())

it('sends a webhook message for each of four scans and an appointment, with the data that the attendee shares at that moment', async () => {
  const company = await floor.exhibitors.company({ appointmentsEnabled: true })
  await floor.license(company.id)
  // No webhook endpoint exists yet, so the scan sends no message.
  expect((await scan(company)).kind).toBe('lead')
  expect(await listMessages()).toEqual([])
  await world.database.pool.query('delete from lead_captures')
  await world.database.pool.query('delete from leads')

  await createWebhookSubscription(world, floor.event, { url: 'https://crm.example/hook', kinds: ['lead.captured'] })
  for (let i = 0; i < 3; i++) await scan(company)
  await world.database.pool.query(`update participants set sharing = '{"email": "restrict", "mobilePhone": "share"}' where id = $1`, [
    floor.ana,
  ])
  const fourth = await scan(company)
  await scan(company, '0')
  await scan(company, 'absent')
  await bookAppointmentAsAna(company.id)

  const messages = await listMessages()
  expect(messages.map(({ type, data }) => [type, data.object.captures])).toEqual(
    [1, 2, 3, 4, 4].map((captures) => ['lead.captured', captures]),
  )
  expect(messages.map(({ data }) => 'email' in data.object.fields)).toEqual([true, true, true, false, false])
  expect(messages[3].data).toMatchObject({
    id: fourth.kind === 'lead' && fourth.lead.leadId,
    eventCode: floor.event.eventCode,
    object: { fields: { mobilePhone: '+4930123456' }, participantId: floor.ana, companyId: company.id },
  })
  expect(JSON.stringify(messages)).not.toContain('vegan')
})

it('counts a lead scan once, whether or not a webhook message is sent for it', async () => {
  const company = await floor.createLicensedCompany()
  const scans = await Promise.all(Array.from({ length: 10 }, () => scan(company)))
  expect(scans.map((one) => one.kind === 'lead' && one.lead.captures).toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 10 }, (_, i) => i + 1),
  )
  const { rows } = await world.database.pool.query(
    `select (select count(*)::int from lead_captures where company_id = $1) as captures,
       (select count(*)::int from webhook_messages where body like '%' || $1 || '%') as messages`,
    [company.id],
  )
  expect(rows).toEqual([{ captures: 10, messages: 10 }])
})
