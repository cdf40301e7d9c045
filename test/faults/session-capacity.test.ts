import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enrolInSession, cancelSessionEnrolments } from '../../src/domains/sessions/enrol.ts'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import { inEventTransaction } from '../support/hotels.ts'
import { listSessionPeople, createSessionAt, programSections } from '../support/programs.ts'
import { createRegistrationFixtures } from '../support/registrations.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { openTwoServers } from '../support/two-servers.ts'
import type { World } from '../support/world.ts'

const postgres = process.env['TEST_DATABASE_URL'] !== undefined
const [PEOPLE, SEATS] = postgres ? [100, 10] : [30, 5]

describe('concurrent session enrolments', () => {
  let scenario: SalesScenario
  /** Two servers over one database, each with its own connections. */
  const servers: World[] = []
  const people: string[] = []

  beforeAll(async () => {
    scenario = await openSalesScenario(programSections())
    servers.push(...(await openTwoServers(scenario.world)))
    const at = createRegistrationFixtures(scenario.world, scenario.event)
    for (let i = 0; i < PEOPLE; i++) people.push(await at.person())
    // The participants were inserted directly, so the event's counter is set to their number.
    await scenario.world.database.pool.query(`update inventory set sold = $1 where key = 'event'`, [PEOPLE])
  })
  afterAll(() => scenario.world.end())

  const attendee = (id: string) => ({ id, is_test_data: false })
  /** All participants concurrently, half of them through each server. */
  const all = <T>(run: (ctx: Parameters<Parameters<typeof inEventTransaction>[2]>[0], id: string) => Promise<T>) =>
    Promise.all(people.map((id, i) => inEventTransaction(servers[i % servers.length]!, scenario.event, (ctx) => run(ctx, id))))
  const session = (capacity: number) => createSessionAt(scenario.world, scenario.event, { capacity })
  /** The positions of a session's waiting list in ascending order. */
  const inOrder = async (id: string) =>
    (
      await scenario.world.database.pool.query<{ position: number }>(
        `select position::int from session_enrolments where session_id = $1 and status = 'waitlisted' order by position`,
        [id],
      )
    ).rows.map(({ position }) => position)
  const problems = async () =>
    (await checkIntegrity(scenario.world.database.write, scenario.event.tenantId, scenario.event.eventId)).filter(({ ok }) => !ok)

  it(`enrols ${SEATS} of ${PEOPLE} participants in a session and puts ${PEOPLE - SEATS} on the waiting list, each at a different position`, async () => {
    const id = await session(SEATS)
    const outcomes = await all((ctx, person) => enrolInSession(ctx, attendee(person), id))
    const { enrolled, waiting, sold } = await listSessionPeople(scenario.world, id)
    expect([enrolled.length, waiting.length, sold]).toEqual([SEATS, PEOPLE - SEATS, SEATS])
    expect(outcomes.filter((one) => one === 'enrolled')).toHaveLength(SEATS)
    expect(await inOrder(id)).toEqual(Array.from({ length: PEOPLE - SEATS }, (_, i) => i + 1))
    // All enrolled participants leave concurrently: the first on the waiting list move up and are notified once each.
    const first = waiting.slice(0, SEATS)
    await Promise.all(
      enrolled.map((person, i) =>
        inEventTransaction(servers[i % servers.length]!, scenario.event, (ctx) => cancelSessionEnrolments(ctx, attendee(person), [id])),
      ),
    )
    const after = await listSessionPeople(scenario.world, id)
    expect(after).toEqual({ enrolled: first.toSorted(), waiting: waiting.slice(SEATS), sold: SEATS })
    const emails = await scenario.queryNumber(`select count(*)::int as figure from messages where source_id = '${id}'`)
    expect(emails).toBe(SEATS)
    expect(await problems()).toEqual([])
  })

  it('leaves no session seat free while participants are on its waiting list', async () => {
    const id = await session(SEATS)
    await all(async (ctx, person) => {
      await enrolInSession(ctx, attendee(person), id)
    })
    await Promise.all([
      all(async (ctx, person) => {
        if (people.indexOf(person) % 2 === 0) await cancelSessionEnrolments(ctx, attendee(person), [id])
      }),
      all(async (ctx, person) => {
        if (people.indexOf(person) % 2 === 1) await enrolInSession(ctx, attendee(person), id)
      }),
    ])
    const { enrolled, waiting, sold } = await listSessionPeople(scenario.world, id)
    expect(sold).toBe(enrolled.length)
    expect([enrolled.length, enrolled.length + waiting.length]).toEqual([SEATS, Math.floor(PEOPLE / 2)])
    expect(await problems()).toEqual([])
  })

  it.runIf(postgres)('control: exceeds the session capacity if enrolments do not update the counter of taken seats', async () => {
    const id = await session(SEATS)
    await scenario.world.database.pool.query('alter table inventory drop constraint inventory_not_oversold')
    await all(async (ctx, person) => {
      const { sold } = await ctx.db.selectFrom('inventory').select('sold').where('key', '=', `session:${id}`).executeTakeFirstOrThrow()
      if (sold >= SEATS) return
      await ctx.db
        .insertInto('session_enrolments')
        .values({
          tenant_id: ctx.tenantId,
          event_id: ctx.event.id,
          session_id: id,
          participant_id: person,
          is_test_data: false,
          status: 'enrolled',
          position: null,
        })
        .execute()
    })
    expect((await listSessionPeople(scenario.world, id)).enrolled.length).toBeGreaterThan(SEATS)
    expect((await problems()).map((one) => one.id)).toContain('X9')
  })
})
