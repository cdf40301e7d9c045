import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import { type OfferScenario, openOfferScenario } from '../../../../test/support/booth-offers.ts'
import { BOOTH_SECTIONS } from '../../../../test/support/booths.ts'
import { createSessionAt, createSpeakerAt, programSections } from '../../../../test/support/programs.ts'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import type { Db } from '../../../kernel/columns.ts'
import { newId } from '../../../kernel/ids.ts'
import { bookSlot } from '../../exhibitors/book-slot.ts'
import { getCompany } from '../../exhibitors/companies.ts'
import { recordLeadCapture } from '../../exhibitors/leads.ts'
import { lockFreePasses } from '../../exhibitors/staff/allotment.ts'
import { enrolInSession } from '../../sessions/enrol.ts'
import { checkIntegrity } from '../integrity/check.ts'
import { RULE_VIOLATIONS } from './floor-breaks.ts'

let floor: OfferScenario
/** Ids by name, which replace `{name}` in the SQL statements of the tests. */
const ids: Record<string, string> = {}

const at = (time: string) => `2026-09-01T${time}:00Z`
const OPEN = { startsAt: at('09:00'), endsAt: at('09:30') }

/**
 * Creates one record of each kind that rules X1 to X11 are about: booths, an offer, leads, devices, passes, slots, badges, scans, sessions
 * and reviews.
 */
beforeAll(async () => {
  floor = await openOfferScenario()
  const { scenario, exhibitors } = floor
  const { world, event } = scenario
  await scenario.publish({ ...BOOTH_SECTIONS, sessions: programSections().sessions })
  const people = createRegistrationFixtures(world, event)
  const { companyId, number } = await floor.offer('Offered', ['105'])
  ids['application'] = number
  ids['offered'] = companyId
  ids['company'] = (await exhibitors.company()).id
  ids['other'] = (await exhibitors.company()).id
  await exhibitors.assign('101', ids['company'])
  await exhibitors.device(ids['company'])
  await inEventTransaction(world, event, async (ctx) => {
    const common = {
      tenant_id: event.tenantId,
      event_id: event.eventId,
      company_id: ids['company']!,
      is_test_data: false,
      role: 'staff' as const,
    }
    for (const name of ['sam', 'sue'])
      await ctx.db
        .insertInto('exhibitor_staff')
        .values({ ...common, id: (ids[name] = newId()), name, email: `${name}@example.org` })
        .execute()
    await lockFreePasses(ctx, await getCompany(ctx, ids['company']!))
  })
  for (const name of ['ada', 'ben']) ids[name] = await people.person({ badge_id: `badge-${name}` })
  ids['tester'] = await people.person({ is_test_data: true, badge_id: 'badge-tester' })
  // The participants were inserted directly, so the event's counter is set to their number.
  await world.database.pool.query(`update inventory set sold = 2 where key = 'event'`)
  const host = { companyId: ids['company'] }
  ids['slot'] = await exhibitors.offerSlot(host, { ...OPEN, capacity: 2, staffId: ids['sam']! })
  ids['later'] = await exhibitors.offerSlot(host, { startsAt: at('10:00'), endsAt: at('10:30'), staffId: ids['sam']! })
  ids['elsewhere'] = await exhibitors.offerSlot({ companyId: ids['other'] }, { ...OPEN, startsAt: at('09:30'), endsAt: at('10:00') })
  const speaker = await createSpeakerAt(world, event)
  const speakers = [{ speakerId: speaker }]
  ids['speaker'] = speaker
  ids['talk'] = await createSessionAt(world, event, { code: 'talk', from: '2026-09-01T10:00', roomCode: 'hall', speakers, capacity: 1 })
  ids['next'] = await createSessionAt(world, event, { code: 'next', from: '2026-09-01T12:00', roomCode: 'hall', speakers })
  await inEventTransaction(world, event, async (ctx) => {
    for (const slotId of ['slot', 'later', 'elsewhere']) await bookSlot(ctx, { participantId: ids['ada']!, slotId: ids[slotId]! })
    for (const participantId of [ids['ada']!, ids['ben']!])
      await recordLeadCapture(ctx, { companyId: ids['company']!, participantId, isTestData: false, type: 'sdk', at: new Date(at('08:00')) })
    await enrolInSession(ctx, { id: ids['ada']!, is_test_data: false }, ids['talk']!)
  })
  await scenario.call('manage_company', { action: 'set_competitors', companyId: ids['company'], competitorIds: [ids['other']] })
  await world.database.pool.query(`update events set starts_on = '2026-04-01' where id = $1`, [event.eventId])
  const scan = (more: object) => ({ badge: 'badge-ada', deviceName: 'door', ...more })
  await scenario.call('record_attendance', {
    scans: [
      scan({ direction: 'in', nonce: 'n1', at: '2026-04-10T09:00:00Z' }),
      scan({ direction: 'out', nonce: 'n2', at: '2026-04-10T09:30:00Z' }),
    ],
  })
  const reviewed = { tenant_id: event.tenantId, event_id: event.eventId }
  ids['submission'] = newId()
  await world.database.write
    .insertInto('submissions')
    .values({ ...reviewed, id: ids['submission'], number: 'S-000001', title: 'One', track_code: 'build', format_code: 'talk' })
    .execute()
  const reviewer = { ...reviewed, submission_id: ids['submission'], reviewer_id: ids['ada']! }
  await world.database.write.insertInto('submission_reviewers').values(reviewer).execute()
  await world.database.write
    .insertInto('submission_reviews')
    .values({ ...reviewer, reviewer_name: 'Rita' })
    .execute()
})
afterAll(() => floor.scenario.world.end())

const fill = (statement: string) => statement.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `no ${name}`)

async function listViolations(db: Db): Promise<Record<string, string[]>> {
  const { tenantId, eventId } = floor.scenario.event
  const found = await checkIntegrity(db, tenantId, eventId)
  return Object.fromEntries(found.filter(({ ok }) => !ok).map(({ id, samples }) => [id, samples]))
}

class Undo extends Error {}

/** Runs statements in a transaction that is rolled back, and returns the result of `then` after them. */
async function trial<T>(statements: readonly string[], then: (db: Db) => Promise<T>): Promise<T> {
  let seen: T | undefined
  await floor.scenario.world.database
    .transact(async (db) => {
      for (const statement of statements) await sql.raw(fill(statement)).execute(db)
      seen = await then(db)
      throw new Undo()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error
    })
  return seen!
}

describe('integrity rules of the exhibition', () => {
  it('reports no integrity violation for records that tools have written', async () => {
    expect(await listViolations(floor.scenario.world.database.read)).toEqual({})
  })

  it.each(RULE_VIOLATIONS)('reports a violation of integrity rule $rule: $what', async ({ guard, change, shows }) => {
    const expected = Object.fromEntries(
      Object.entries(shows).map(([id, samples]) => [id, samples.map((one) => (typeof one === 'string' ? fill(one) : one))]),
    )
    expect(await trial([...(guard ? [guard.off] : []), ...change.split(';\n')], listViolations)).toEqual(expected)
  })

  it.each(RULE_VIOLATIONS.filter(({ guard }) => guard !== null))(
    'rejects a violation of integrity rule $rule in the database: $what',
    async ({ guard, change }) => {
      const write = trial([...change.split(';\n'), 'set constraints all immediate'], () => Promise.resolve(null))
      await expect(write).rejects.toMatchObject({ constraint: guard!.named })
    },
  )

  it('reports a lead with a wrong number of scans (integrity rule X4)', async () => {
    const lost = [`alter table lead_captures disable trigger all`, `delete from lead_captures where type = 'sdk'`]
    expect((await trial(lost, listViolations))['X4']).toHaveLength(2)
  })

  it('updates the captures and times of a lead when one of its captures becomes a scan at another time (integrity rule X4)', async () => {
    const changed = [
      `update lead_captures set type = 'device', at = '2026-09-01T07:00:00Z'
       where type = 'appointment' and company_id = '{company}' and id = (select min(id) from lead_captures where type = 'appointment')`,
    ]
    const read = async (db: Db) => {
      const { rows } =
        await sql<object>`select captures, first_captured_at, last_captured_at from leads where participant_id = ${ids['ada']}
        and company_id = ${ids['company']}`.execute(db)
      return [rows, await listViolations(db)]
    }
    expect(await trial(changed, read)).toEqual([
      [{ captures: 2, first_captured_at: new Date(at('07:00')), last_captured_at: new Date(at('08:00')) }],
      {},
    ])
  })

  it('reports an appointment slot whose booking counter is wrong (integrity rule X5)', async () => {
    const uncounted = [
      'alter table appointments disable trigger all',
      `update appointments set status = 'declined' where offering_id = '{slot}'`,
    ]
    const found = await trial(uncounted, listViolations)
    expect(found['X5']).toEqual([fill('slot {slot}')])
  })

  it('reports participants and staff who have overlapping appointments in different slots (integrity rule X6)', async () => {
    const moved = [
      'alter table appointments drop constraint appointments_staff_once',
      'alter table appointment_people drop constraint appointment_people_once',
      `update offerings set starts_at = '${OPEN.startsAt}', ends_at = '${OPEN.endsAt}', location = 'stage' where id = '{later}'`,
    ]
    const found = await trial(moved, listViolations)
    expect(found['X6']).toEqual([fill('participant {ada} at 2026-09-01T09:00Z'), fill('staff {sam} at 2026-09-01T09:00Z')])
    await expect(trial([moved[1]!, moved[2]!], () => Promise.resolve(null))).rejects.toMatchObject({
      constraint: 'appointments_staff_once',
    })
  })

  it('reports no violation after an appointment moves to another person and slot (integrity rule X6)', async () => {
    const moved = [`update appointments set participant_id = '{ben}', offering_id = offering_id where offering_id = '{later}'`]
    expect(await trial(moved, listViolations)).toEqual({})
    const elsewhere = [
      `update appointments set participant_id = '{ben}', company_id = '{other}', staff_id = null, seat = 2,
       offering_id = '{elsewhere}', starts_at = '2026-09-01T09:30:00Z', ends_at = '2026-09-01T10:00:00Z' where offering_id = '{later}'`,
    ]
    await expect(trial(elsewhere, listViolations)).rejects.toMatchObject({ constraint: 'offerings_not_overbooked' })
    expect(await trial([`update offerings set capacity = 2 where id = '{elsewhere}'`, ...elsewhere], listViolations)).toEqual({})
  })

  it('reports overlapping booths by integrity rule X2 in the result of audit_event', async () => {
    const { scenario } = floor
    const move = (by: number) =>
      scenario.world.database.pool.query(
        `update booths set polygon = (select jsonb_agg(jsonb_build_array((p -> 0)::int + $1::int, p -> 1)) from jsonb_array_elements(polygon) p)
         where number = '107'`,
        [by],
      )
    const check = async () => {
      const { integrity } = await scenario.call('audit_event', { check: true })
      return integrity.filter(({ ok }: { ok: boolean }) => !ok)
    }
    await move(-10_000)
    expect(await check()).toMatchObject([{ id: 'X2', violations: expect.any(Number) }])
    await move(10_000)
    expect(await check()).toEqual([])
  })
})
