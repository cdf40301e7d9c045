import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertParticipant } from '../../src/domains/registration/participant-rows.ts'
import { inEventTransaction } from '../support/hotels.ts'
import { openTwoServers } from '../support/two-servers.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

const postgres = process.env['TEST_DATABASE_URL'] !== undefined
const PEOPLE = postgres ? 50 : 10

let world: World
let servers: World[]
let events: EventHandle[]

beforeAll(async () => {
  world = await newWorld()
  servers = await openTwoServers(world)
  const client = await world.client()
  events = [await world.event({ at: client }), await world.event({ at: client })]
})
afterAll(() => world.end())

const rows = async (text: string, ...values: unknown[]) => (await world.database.pool.query<any>(text, values)).rows
/** Registers a person; half of the people register through each server and half at each event. */
const registerPerson = (number: number, person: { first_name: string; last_name: string; email: string }) =>
  inEventTransaction(servers[number % servers.length]!, events[number % 2]!, (ctx) =>
    insertParticipant(ctx, { ...person, status: 'incomplete' }),
  )

describe('concurrent registrations', () => {
  it(`creates one contact for one person who registers ${PEOPLE} times at two events`, async () => {
    // Different last names, because one person can register only once at an event.
    const made = await Promise.all(
      Array.from({ length: PEOPLE }, (_, n) =>
        registerPerson(n, { first_name: n % 3 ? 'Kate' : 'Katherine', last_name: `Lima ${n}`, email: 'kate@example.org' }),
      ),
    )
    expect(new Set(made.map(({ contact_id }) => contact_id)).size).toBe(1)
    expect(
      await rows(
        `select count(*)::int as n from contacts c join contact_emails m on m.contact_id = c.id where address_norm = 'kate@example.org'`,
      ),
    ).toEqual([{ n: 1 }])
    expect(await rows('select count(*)::int as n from contacts')).toEqual([{ n: 1 }])
  })

  it('creates two contacts for two people who share an email address', async () => {
    const names = ['John', 'Mary']
    const made = await Promise.all(
      Array.from({ length: PEOPLE }, (_, n) =>
        registerPerson(n, { first_name: names[(n >> 1) % 2]!, last_name: `Smith ${n}`, email: 'smith@example.org' }),
      ),
    )
    const byName = Map.groupBy(made, ({ first_name }) => first_name)
    const contacts = [...byName.values()].map((some) => new Set(some.map(({ contact_id }) => contact_id)))
    expect(contacts.map(({ size }) => size)).toEqual([1, 1])
    expect(
      await rows(`select array_agg(place order by place) as places from contact_emails where address_norm = 'smith@example.org'`),
    ).toEqual([{ places: [1, 2] }])
  })

  it('does not block registrations of other people while one registration is in progress', async () => {
    // The embedded database has one connection, so all statements wait for each other.
    if (!postgres) return
    const [written, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = inEventTransaction(servers[0]!, events[0]!, async (ctx) => {
      await insertParticipant(ctx, { first_name: 'Ann', last_name: 'Wood', email: 'ann@example.org', status: 'incomplete' })
      written.resolve()
      await done.promise
    })
    await written.promise
    const { contact_id } = await registerPerson(1, { first_name: 'Bob', last_name: 'Wood', email: 'bob@example.org' })
    expect(contact_id).toMatch(/^[0-9a-f]{24}$/)
    done.resolve()
    await slow
  })
})
