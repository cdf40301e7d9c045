import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enrolInSession, leaveSessions } from '../../src/domains/sessions/enrol.ts'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import { within } from '../support/hotels.ts'
import { peopleOf, sessionAt, withProgram } from '../support/programs.ts'
import { registrationsAt } from '../support/registrations.ts'
import { openSelling, type Selling } from '../support/selling.ts'
import { serversOf } from '../support/two-servers.ts'
import type { World } from '../support/world.ts'

const postgres = process.env['TEST_DATABASE_URL'] !== undefined
const [PEOPLE, PLACES] = postgres ? [100, 10] : [30, 5]

describe('concurrent session enrolments', () => {
  let story: Selling
  /** Each with its own connections, as two servers have. */
  const servers: World[] = []
  const people: string[] = []

  beforeAll(async () => {
    story = await openSelling(withProgram())
    servers.push(...(await serversOf(story.world)))
    const at = registrationsAt(story.world, story.event)
    for (let i = 0; i < PEOPLE; i++) people.push(await at.person())
    // The participants were inserted without the form that counts them.
    await story.world.database.pool.query(`update inventory set sold = $1 where key = 'event'`, [PEOPLE])
  })
  afterAll(() => story.world.end())

  const attendee = (id: string) => ({ id, is_test_data: false })
  /** All participants concurrently, half of them through each server. */
  const all = <T>(run: (ctx: Parameters<Parameters<typeof within>[2]>[0], id: string) => Promise<T>) =>
    Promise.all(people.map((id, i) => within(servers[i % servers.length]!, story.event, (ctx) => run(ctx, id))))
  const session = (capacity: number) => sessionAt(story.world, story.event, { capacity })
  /** In order of insertion. */
  const inOrder = async (id: string) =>
    (
      await story.world.database.pool.query<{ position: number }>(
        `select position::int from session_enrolments where session_id = $1 and status = 'waitlisted' order by position`,
        [id],
      )
    ).rows.map(({ position }) => position)
  const faults = async () =>
    (await checkIntegrity(story.world.database.write, story.event.tenantId, story.event.eventId)).filter(({ ok }) => !ok)

  it(`enrols ${PLACES} of ${PEOPLE} participants and puts ${PEOPLE - PLACES} on the waiting list, each at a different position`, async () => {
    const id = await session(PLACES)
    const told = await all((ctx, person) => enrolInSession(ctx, attendee(person), id))
    const { enrolled, waiting, sold } = await peopleOf(story.world, id)
    expect([enrolled.length, waiting.length, sold]).toEqual([PLACES, PEOPLE - PLACES, PLACES])
    expect(told.filter((one) => one === 'enrolled')).toHaveLength(PLACES)
    expect(await inOrder(id)).toEqual(Array.from({ length: PEOPLE - PLACES }, (_, i) => i + 1))
    // All enrolled participants leave concurrently: the first on the waiting list move up and are notified once each.
    const first = waiting.slice(0, PLACES)
    await Promise.all(
      enrolled.map((person, i) => within(servers[i % servers.length]!, story.event, (ctx) => leaveSessions(ctx, attendee(person), [id]))),
    )
    const after = await peopleOf(story.world, id)
    expect(after).toEqual({ enrolled: first.toSorted(), waiting: waiting.slice(PLACES), sold: PLACES })
    const mails = await story.figure(`select count(*)::int as figure from messages where source_id = '${id}'`)
    expect(mails).toBe(PLACES)
    expect(await faults()).toEqual([])
  })

  it('leaves no seat free while participants are on the waiting list', async () => {
    const id = await session(PLACES)
    await all(async (ctx, person) => {
      await enrolInSession(ctx, attendee(person), id)
    })
    await Promise.all([
      all(async (ctx, person) => {
        if (people.indexOf(person) % 2 === 0) await leaveSessions(ctx, attendee(person), [id])
      }),
      all(async (ctx, person) => {
        if (people.indexOf(person) % 2 === 1) await enrolInSession(ctx, attendee(person), id)
      }),
    ])
    const { enrolled, waiting, sold } = await peopleOf(story.world, id)
    expect(sold).toBe(enrolled.length)
    expect([enrolled.length, enrolled.length + waiting.length]).toEqual([PLACES, Math.floor(PEOPLE / 2)])
    expect(await faults()).toEqual([])
  })

  it.runIf(postgres)('control: exceed the capacity without the counter', async () => {
    const id = await session(PLACES)
    await story.world.database.pool.query('alter table inventory drop constraint inventory_not_oversold')
    await all(async (ctx, person) => {
      const { sold } = await ctx.db.selectFrom('inventory').select('sold').where('key', '=', `session:${id}`).executeTakeFirstOrThrow()
      if (sold >= PLACES) return
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
    expect((await peopleOf(story.world, id)).enrolled.length).toBeGreaterThan(PLACES)
    expect((await faults()).map((one) => one.id)).toContain('X9')
  })
})
