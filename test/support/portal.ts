import { bookSlot } from '../../src/domains/exhibitors/book-slot.ts'
import { recordLeadCapture } from '../../src/domains/exhibitors/leads.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { createEventContextAt } from './at-event.ts'
import { type ExhibitorScenario, openExhibitorScenario } from './exhibitor-scenario.ts'
import { createRegistrationFixtures } from './registrations.ts'
import { serve, type Served } from './server.ts'
import { readLatestCode } from './sign-in-codes.ts'
import { type Visitor, visitor } from './visitor.ts'

/** An exhibitor with booth, staff, leads, a scanner, meetings and an invoice, on the second day of a fair. */
export interface PortalScenario extends ExhibitorScenario {
  served: Served
  companyId: string
  /** The path of the portal. */
  portal: string
  /** Ids of attendees whom the company captured as leads. */
  people: { ada: string; ben: string; yuki: string }
  signIn: (email: string, who?: Visitor) => Promise<Visitor>
  leadIds: () => Promise<Record<string, string>>
}

export const PORTAL_ADMIN = 'ingrid@nordlys.example'

export async function openPortalScenario(where: NonNullable<Parameters<typeof openExhibitorScenario>[0]> = {}): Promise<PortalScenario> {
  const fair = await openExhibitorScenario({ startsOn: '2026-09-01', ...where })
  const { scenario, exhibitors } = fair
  const { world, event } = scenario
  const served = await serve(world)
  const { id: companyId } = await exhibitors.company({
    name: 'Nordlys Sensors AS',
    contact: { name: 'Ingrid Solberg', email: PORTAL_ADMIN },
    appointmentsEnabled: true,
  })
  await exhibitors.assign('101', companyId)
  await exhibitors.assign('103', companyId)
  const colleague = (firstName: string, lastName: string, email: string, role: string) => ({ firstName, lastName, email, role })
  await fair.manage('manage_exhibitors', {
    action: 'add',
    companyId,
    register: true,
    people: [
      colleague('Ingrid', 'Solberg', PORTAL_ADMIN, 'admin'),
      colleague('Per', 'Aas', 'per@nordlys.example', 'staff'),
      colleague('Mia', 'Dahl', 'mia@nordlys.example', 'staff'),
    ],
  })
  const [jonas] = (
    await fair.manage('manage_exhibitors', {
      action: 'add',
      companyId,
      people: [colleague('Jonas', 'Vik', 'jonas@nordlys.example', 'staff')],
    })
  ).exhibitors
  await fair.manage('manage_exhibitors', { action: 'invite', staffIds: [jonas.staffId] })
  await fair.manage('manage_company', { action: 'grant_licence', companyId, productCode: 'lead-scanner', seats: 1, reason: 'Trial' })
  await exhibitors.device(companyId, { seats: 1, name: 'Scanner 1' })
  const registrations = createRegistrationFixtures(world, event)
  const visitorOf = (first_name: string, last_name: string, more: object) =>
    registrations.person({ first_name, last_name, email: `${first_name.toLowerCase()}@visitors.example`, ...more } as never)
  const ada = await visitorOf('Ada', 'Berger', {
    job_title: 'Head of networks',
    company: 'Stadtwerke Linden',
    work_phone: '+49 30 123456',
    badge_id: 'a1'.repeat(8),
  })
  const ben = await visitorOf('Ben', 'Mensah', {
    job_title: 'Operations director',
    company: 'Ghana Water',
    badge_id: 'b1'.repeat(8),
    sharing: JSON.stringify({ email: 'restrict' }),
  })
  const hidden = Object.fromEntries(['email', 'jobTitle', 'company', 'workPhone'].map((field) => [field, 'restrict']))
  const yuki = await visitorOf('Yuki', 'Tanaka', { badge_id: 'c1'.repeat(8), sharing: JSON.stringify(hidden) })
  await world.clock.stopAt('2026-09-01T07:30:00Z')
  await world.renewTokens()
  const change = <T>(run: (ctx: EventContext) => Promise<T>): Promise<T> =>
    world.database.transact(async (db) => run(await createEventContextAt(world, event, db)))
  const scan = (participantId: string, at: string) =>
    change((ctx) => recordLeadCapture(ctx, { companyId, participantId, isTestData: false, type: 'device', at: new Date(at) }))
  await scan(yuki, '2026-08-31T14:00:00Z')
  await scan(ben, '2026-08-31T15:05:00Z')
  const leadId = await scan(ada, '2026-08-31T16:20:00Z')
  await scan(ada, '2026-09-01T07:12:00Z')
  await fair.manage('manage_lead', { action: 'update', leadId, rating: 5, notes: 'Wants 40 level gauges. Send a quote.' })
  const slots = await exhibitors.slots(companyId)
  await change((ctx) => bookSlot(ctx, { participantId: ada, slotId: slots[1]!.id }))
  const asked = await exhibitors.offerSlot(
    { companyId },
    { startsAt: '2026-09-01T12:00:00Z', endsAt: '2026-09-01T12:30:00Z', approval: 'manual' },
  )
  await change((ctx) => bookSlot(ctx, { participantId: ben, slotId: asked, message: 'Can you bring the solar model?' }))
  const portal = `/tenant/${event.tenantCode}/client/${event.clientCode}/event/${event.eventCode}/exhibitor`
  return {
    ...fair,
    served,
    companyId,
    portal,
    people: { ada, ben, yuki },
    async signIn(email, who = visitor(served)) {
      await fair.rows(`delete from one_time_codes where email_norm = lower($1)`, [email])
      await fair.rows(`delete from rate_windows where key like 'mailbox:%' or key like 'web-code:%'`)
      await who.post(`${portal}/sign-in`, { email }, { from: `${portal}/sign-in?email=` })
      const code = await readLatestCode(world, email)
      await who.post(`${portal}/sign-in/code`, { email, code }, { from: `${portal}/sign-in/code?email=${encodeURIComponent(email)}` })
      return who
    },
    async leadIds() {
      const rows = await fair.rows(
        `select l.id, p.first_name from leads l join participants p on p.id = l.participant_id where l.company_id = $1`,
        [companyId],
      )
      return Object.fromEntries(rows.map(({ id, first_name }) => [first_name, id]))
    },
  }
}
