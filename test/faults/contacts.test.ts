import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  generateConfirmationAndBadgeIds,
  insertImportedParticipants,
  insertParticipant,
} from '../../src/domains/registration/participant-rows.ts'
import { newId } from '../../src/kernel/ids.ts'
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

describe('contacts of concurrent registrations', () => {
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

describe('contacts of imported people', () => {
  const completed = () => ({ status: 'complete' as const, completed_at: new Date(), ...generateConfirmationAndBadgeIds() })
  const importPeople = (server: World, event: EventHandle, people: readonly object[]) =>
    inEventTransaction(server, event, (ctx) =>
      insertImportedParticipants(
        ctx,
        people.map((one) => ({ ...completed(), id: newId(), source: 'import' as const, ...one })),
      ),
    )
  /** The participants of an event with everything that their contacts have learned, and the addresses of all contacts of the client. */
  const describeContacts = async ({ eventId, clientId }: EventHandle) => ({
    people: await rows(
      `select p.last_name, c.first_name, c.last_name as known_as, c.company, c.phones, (select count(*)::int from participants o where o.contact_id = c.id) as registrations,
        (select jsonb_object_agg(f.key, f.value ->> 'source') from jsonb_each(c.provenance) f) as sources
      from participants p left join contacts c on c.id = p.contact_id where p.event_id = $1 order by p.last_name`,
      eventId,
    ),
    addresses: await rows(
      `select c.last_name, m.address, m.place, m.is_primary from contact_emails m join contacts c on c.id = m.contact_id
      where m.client_id = $1 order by m.address_norm, m.place`,
      clientId,
    ),
  })
  const KNOWN = [
    { first_name: 'Katherine', last_name: 'Known', email: 'known@example.org' },
    { first_name: 'Mary', last_name: 'Other', email: 'taken@example.org' },
  ]
  const PEOPLE_OF_FILE = [
    {
      first_name: 'Ann',
      last_name: 'New',
      email: ' New@example.org',
      company: 'ACME',
      mobile_phone: '+4930901820',
      work_phone: '+4930901820',
    },
    { first_name: 'Bob', last_name: 'Shared', email: 'shared@example.org' },
    { first_name: 'Cat', last_name: 'Sharing', email: 'SHARED@example.org' },
    { first_name: 'Kate', last_name: 'Known Again', email: 'known@example.org', company: 'Learned Ltd' },
    { first_name: 'Paul', last_name: 'Stranger', email: 'taken@example.org' },
    { first_name: 'No', last_name: 'Address', email: null },
    {
      first_name: 'Incomplete',
      last_name: 'Yet',
      email: 'yet@example.org',
      status: 'incomplete' as const,
      completed_at: null,
      confirmation_number: null,
      badge_id: null,
    },
  ]

  it('gives imported people the same contacts as people who are registered one by one', async () => {
    const [bulk, single] = [await world.event({ at: await world.client() }), await world.event({ at: await world.client() })]
    for (const event of [bulk, single])
      for (const one of KNOWN) await inEventTransaction(world, event, (ctx) => insertParticipant(ctx, { ...completed(), ...one }))
    await importPeople(world, bulk, PEOPLE_OF_FILE)
    // In the sequence of the import, which is sorted by address.
    const byAddress = PEOPLE_OF_FILE.toSorted((a, b) =>
      (a.email ?? '').trim().toLowerCase() < (b.email ?? '').trim().toLowerCase() ? -1 : 1,
    )
    for (const one of byAddress)
      await inEventTransaction(world, single, (ctx) => insertParticipant(ctx, { ...completed(), source: 'import', ...one }))
    const found = await describeContacts(bulk)
    expect(found).toEqual(await describeContacts(single))
    expect(found.people.map(({ last_name, known_as }) => [last_name, known_as])).toEqual(
      expect.arrayContaining([
        ['Address', null],
        ['Known Again', 'Known'],
        ['Shared', 'Shared'],
        ['Sharing', 'Sharing'],
        ['Stranger', 'Stranger'],
      ]),
    )
    expect(found.addresses).toHaveLength(7)
  })

  it('creates one contact per person if two servers import the same people at two events of one client concurrently', async () => {
    const places = [await world.event({ at: await world.client() })]
    places.push(await world.event({ at: places[0]! }))
    const people = Array.from({ length: PEOPLE }, (_, n) => ({
      first_name: 'Ada',
      last_name: `Person ${n}`,
      email: `imported${n}@example.org`,
    }))
    await Promise.all([
      importPeople(servers[0]!, places[0]!, people),
      importPeople(servers.at(-1)!, places[1]!, people.toReversed()),
      importPeople(servers[0]!, places[0]!, [{ first_name: 'Eve', last_name: 'Else', email: 'imported0@example.org' }]),
    ])
    const { people: found, addresses } = await describeContacts(places[1]!)
    expect(found.map(({ registrations }) => registrations)).toEqual(people.map(() => 2))
    expect(addresses).toHaveLength(PEOPLE + 1)
  })
})
