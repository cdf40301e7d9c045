import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertParticipant } from '../../src/domains/registration/participant-rows.ts'
import { inEventTransaction } from '../support/hotels.ts'
import { type MultiEventScenario, openMultiEventScenario } from '../support/multi-event-scenario.ts'
import { createRestClient } from '../support/rest.ts'
import type { EventHandle } from '../support/world.ts'

const NOW = '2026-04-10T10:00:00.000Z'
const UNKNOWN_ID = 'f'.repeat(24)

let scenario: MultiEventScenario
let spring: EventHandle
let autumn: EventHandle
const at = (place: EventHandle, covering: object) => createRestClient(scenario.world, scenario.served, place.tenantId, covering)
const edit = (participantId: string, data: object) => scenario.call('edit_participant', { participantId, data })

beforeAll(async () => {
  scenario = await openMultiEventScenario()
  spring = await scenario.addEvent('2026-05-01')
  autumn = await scenario.addEvent('2026-11-03')
})
afterAll(() => scenario.world.end())

describe('contact', () => {
  it("combines one person's registrations at three events with all answers into one contact", async () => {
    const email = 'Kate@Example.org'
    const first = await scenario.registerPerson({ firstName: 'Katherine', lastName: 'Müller', email, company: 'Acme' })
    const { contactId } = await scenario.participant(first)
    expect((await scenario.contactOf(first)).eventsCount).toBe(1)
    const others = [
      await scenario.registerPerson({ firstName: 'Kate', lastName: 'Mueller', email: 'kate@example.ORG', country: 'DE' }, autumn),
      await scenario.registerPerson({ firstName: 'K.', lastName: 'Müller', email, jobTitle: 'CTO' }, spring),
    ]
    for (const id of others) expect((await scenario.participant(id)).contactId).toBe(contactId)
    const json = await scenario.contactOf(first)
    expect(json).toEqual({
      id: contactId,
      tenantCode: 'demo',
      clientCode: scenario.event.clientCode,
      createdAt: NOW,
      updatedAt: json.updatedAt,
      revision: json.revision,
      firstName: 'K.',
      lastName: 'Müller',
      emails: [{ address: email, primary: true, verifiedAt: null, bounced: false }],
      company: 'Acme',
      jobTitle: 'CTO',
      country: 'DE',
      language: null,
      marketingConsent: 'unknown',
      tags: [],
      eventsCount: 3,
      lastEventOn: '2026-11-03',
      mergedInto: null,
    })
    expect((await scenario.api.all('/v1/contacts?email=KATE@example.org')).map(({ id }) => id)).toEqual([contactId])
    expect(await scenario.api.all('/v1/contacts?email=kat@example.org')).toEqual([])
  })

  it("counts only complete registrations of a contact, and increases the contact's revision when the count changes", async () => {
    const person = { firstName: 'Ines', email: 'ines@example.org' }
    const [here, there] = [await scenario.registerPerson(person), await scenario.registerPerson(person, autumn)]
    const before = await scenario.contactOf(here)
    expect([before.eventsCount, before.lastEventOn]).toEqual([2, '2026-11-03'])
    await scenario.olga.call('edit_participant', { eventCode: autumn.eventCode, participantId: there, status: 'cancelled' })
    const after = await scenario.contactOf(here)
    expect([after.eventsCount, after.lastEventOn]).toEqual([1, '2026-09-01'])
    expect([after.revision > before.revision, after.updatedAt > before.updatedAt]).toEqual([true, true])
    await edit(here, { '@participant.dietary': 'vegan' })
    expect((await scenario.contactOf(here)).revision).toBe(after.revision)
  })

  it('creates another contact if a person registers with a known email address and another first name, and lists both as duplicates', async () => {
    const email = 'smith@gmail.com'
    const [john, mary] = [
      await scenario.registerPerson({ firstName: 'John', lastName: 'Smith', email }),
      await scenario.registerPerson({ firstName: 'Mary', lastName: 'Smith', email }, autumn),
    ]
    const ids: string[] = [(await scenario.participant(john)).contactId, (await scenario.participant(mary)).contactId]
    expect(ids[0]).not.toBe(ids[1])
    const pairs = await scenario.rows(
      'select a, b, weight::float8 as weight, score::float8 as score, suggested_survivor, status from contact_pairs',
    )
    const [a, b] = ids.toSorted()
    expect(pairs).toEqual([{ a, b, weight: 9, score: 0.667, suggested_survivor: ids[0], status: 'open' }])
    expect((await scenario.api.all(`/v1/contacts?email=${email}`)).map(({ id }): string => id).toSorted()).toEqual([a, b])
    // Each contact is found again by its own name.
    const again = await scenario.registerPerson({ firstName: 'Mary', lastName: 'Smith', email }, spring)
    expect((await scenario.participant(again)).contactId).toBe(ids[1])
    // With one common event the score is 6, below the threshold of a pair.
    const wood = 'wood@gmail.com'
    await scenario.registerPerson({ firstName: 'Ann', lastName: 'Wood', email: wood })
    await scenario.registerPerson({ firstName: 'Bob', lastName: 'Wood', email: wood })
    expect(await scenario.api.all(`/v1/contacts?email=${wood}`)).toHaveLength(2)
    expect(await scenario.rows('select id from contact_pairs')).toHaveLength(1)
  })

  it('keeps separate contacts for each client', async () => {
    const [person] = [{ firstName: 'Olaf', email: 'olaf@example.org' }]
    const here = await scenario.registerPerson(person)
    const elsewhere = await scenario.world.event()
    const id = (
      await scenario.rows(
        `insert into participants (tenant_id, event_id, id, first_name, email, contact_id)
       values ($1, $2, lanyard_new_id(), 'Olaf', 'olaf@example.org', contact_of_person($1, $2, 'olaf@example.org', '{"first_name":"Olaf"}', '{}', 'person', null, false))
       returning contact_id`,
        elsewhere.tenantId,
        elsewhere.eventId,
      )
    )[0].contact_id
    expect(id).not.toBe((await scenario.participant(here)).contactId)
    expect((await scenario.api.get(`/v1/contacts/${id}`)).status).toBe(404)
  })

  it('gives a contact a changed email address, creates another contact for another name, and deletes an unused contact', async () => {
    const id = await scenario.registerPerson({ firstName: 'Nina', email: 'nina@exmaple.org' })
    const typo = await scenario.contactOf(id)
    await edit(id, { '@participant.email': 'nina@example.org' })
    const corrected = await scenario.contactOf(id)
    expect([corrected.id, corrected.emails.map(({ address }: any) => address)]).toEqual([typo.id, ['nina@example.org']])
    const there = await scenario.registerPerson({ firstName: 'Nina', email: 'nina@example.org' }, autumn)
    await edit(id, { '@participant.email': 'nina@home.example' })
    expect((await scenario.contactOf(id)).emails).toMatchObject([
      { address: 'nina@home.example', primary: true },
      { address: 'nina@example.org', primary: false },
    ])
    await edit(id, { '@participant.firstName': 'Paul', '@participant.email': 'paul@home.example' })
    const paul = await scenario.contactOf(id)
    expect([paul.id === typo.id, paul.firstName]).toEqual([false, 'Paul'])
    expect((await scenario.contactOf(there)).emails).toMatchObject([{ address: 'nina@example.org', primary: true }])
    // Paul's registration gets Nina's name again, so Paul's contact has no registration left.
    await edit(id, { '@participant.firstName': 'Nina', '@participant.lastName': 'Lima', '@participant.email': 'nina@example.org' })
    expect((await scenario.contactOf(id)).id).toBe(typo.id)
    expect((await scenario.api.get(`/v1/contacts/${paul.id}`)).status).toBe(404)
    const gone = (await scenario.api.all('/v1/deletions')).find((one) => one.id === paul.id)
    expect(gone).toMatchObject({ entity: 'contact', clientCode: scenario.event.clientCode, eventCode: null })
  })

  it('deletes a contact with its last registration, and its email address with the last registration that uses it', async () => {
    const begins = async (place: EventHandle, first_name: string) =>
      (
        await inEventTransaction(scenario.world, place, (ctx) =>
          insertParticipant(ctx, { first_name, last_name: 'Lund', email: 'tom@example.org', flow_slug: 'attendee' }),
        )
      ).id
    const [here, there] = [await begins(scenario.event, 'Tom'), await begins(autumn, 'Thomas')]
    const erased = (id: string) => scenario.rows(`delete from participants where id = $1`, id)
    await edit(here, { '@participant.email': 'tom@home.example' })
    const { id, emails } = await scenario.contactOf(there)
    expect(emails).toHaveLength(2)
    await erased(here)
    expect((await scenario.contactOf(there)).emails).toMatchObject([{ address: 'tom@example.org', primary: true }])
    await erased(there)
    expect((await scenario.api.get(`/v1/contacts/${id}`)).status).toBe(404)
    expect((await scenario.api.all('/v1/deletions')).filter((one) => one.id === id)).toHaveLength(1)
    const single = await at(scenario.event, { events: [scenario.event, autumn] })
    const deleted = (await single.all('/v1/deletions')).map(({ id: one }) => one)
    expect([deleted.includes(here), deleted.includes(id)]).toEqual([true, false])
  })

  it('creates no contact for test data and guests without an email address, and a separate contact for a replacement participant', async () => {
    const known = await scenario.rows('select count(*)::int as n from contacts')
    await scenario.call('update_event', { testMode: true })
    const test = await scenario.registerPerson({ firstName: 'Tess', email: 'tess@example.org' })
    await scenario.call('update_event', { testMode: false })
    expect((await scenario.api.get(`/v1/participants/${test}?includeTestData=true`)).json.contactId).toBeNull()
    expect(await scenario.rows('select count(*)::int as n from contacts')).toEqual(known)
    const leaving = await scenario.registerPerson({ firstName: 'Lars', email: 'lars@example.org' })
    const replacement = { '@participant.firstName': 'Mona', '@participant.lastName': 'Lund', '@participant.email': 'mona@example.org' }
    const { to } = await scenario.call('substitute_participant', { participantId: leaving, replacement })
    const [old, coming] = [await scenario.contactOf(leaving), await scenario.contactOf(to.id)]
    expect([old.firstName, old.eventsCount, coming.firstName, coming.eventsCount]).toEqual(['Lars', 0, 'Mona', 1])
  })

  it('keeps the values of a contact that come from a more trusted source', async () => {
    const id = await scenario.registerPerson({ firstName: 'Rosa', email: 'rosa@example.org', company: 'Acme' })
    const { id: contactId } = await scenario.contactOf(id)
    await scenario.rows(
      `update contacts set provenance = provenance || '{"company": {"source": "person", "at": "2026-01-01T00:00:00.000Z"}}' where id = $1`,
      contactId,
    )
    await edit(id, { '@participant.company': 'Borealis', '@participant.jobTitle': 'CEO' })
    expect(await scenario.contactOf(id)).toMatchObject({ company: 'Acme', jobTitle: 'CEO' })
    await scenario.rows(
      `update contacts set provenance = provenance || '{"company": {"source": "import", "at": "2026-01-01T00:00:00.000Z"}}' where id = $1`,
      contactId,
    )
    await edit(id, { '@participant.company': 'Cirrus' })
    expect((await scenario.contactOf(id)).company).toBe('Cirrus')
    expect(await scenario.rows(`select provenance -> 'company' ->> 'source' as source from contacts where id = $1`, contactId)).toEqual([
      { source: 'organizer' },
    ])
  })
})

describe('access to contacts', () => {
  it('requires coverage of the whole client to read contacts, not of a single event or another client', async () => {
    const { id } = await scenario.contactOf(await scenario.registerPerson({ firstName: 'Vera', email: 'vera@example.org' }))
    const elsewhere = await scenario.world.event()
    const table: [object, boolean][] = [
      [{ clients: [scenario.event] }, true],
      [{ clients: [scenario.event], tenants: ['demo'] }, true],
      [{ clients: [scenario.event], tenants: ['other'] }, false],
      [{ clients: [scenario.event], events: [autumn] }, true],
      [{ events: [scenario.event] }, false],
      [{ events: [scenario.event, autumn, spring] }, false],
      [{ clients: [elsewhere] }, false],
      [{}, false],
    ]
    for (const [covering, may] of table) {
      const client = await at(scenario.event, covering)
      const listed = (await client.all('/v1/contacts')).some((one) => one.id === id)
      const { status } = await client.get(`/v1/contacts/${id}`)
      expect([covering, listed, status]).toEqual([covering, may, may ? 200 : 404])
      const merged = await client.request(
        'POST',
        `/v1/contacts/${id}/merge`,
        { 'content-type': 'application/json' },
        JSON.stringify({ loserId: UNKNOWN_ID }),
      )
      expect([merged.status, merged.json.detail.includes(may ? UNKNOWN_ID : id)]).toEqual([404, true])
    }
    const event = await at(scenario.event, { events: [scenario.event] })
    expect((await event.get(`/v1/contacts?clientCode=${scenario.event.clientCode}`)).json.data).toEqual([])
    const named = await scenario.api.get(`/v1/contacts?eventCode=${scenario.event.eventCode}`)
    expect([named.status, named.json.errors[0].parameter]).toEqual([400, 'eventCode'])
  })

  it('supports paging of contacts and returns 304 if nothing changed', async () => {
    const clientId = (await scenario.world.client({ code: 'crowded' })).clientId
    await scenario.rows(
      `insert into contacts (tenant_id, client_id, id, first_name) select $1, $2, lpad(to_hex(n), 24, '0'), 'N' || n from generate_series(1, 251) n`,
      scenario.event.tenantId,
      clientId,
    )
    const crowd = await at(scenario.event, { clients: [{ ...scenario.event, clientCode: 'crowded' }] })
    expect((await crowd.get('/v1/contacts')).json.data).toHaveLength(50)
    expect((await crowd.all('/v1/contacts', { limit: 100 })).map(({ id }) => id)).toEqual(
      Array.from({ length: 251 }, (_, n) => (n + 1).toString(16).padStart(24, '0')),
    )
    const page = await crowd.get('/v1/contacts?limit=7')
    const unchanged = () => crowd.get('/v1/contacts?limit=7', { 'if-none-match': page.headers['etag']! })
    expect((await unchanged()).status).toBe(304)
    await scenario.rows(`delete from contacts where client_id = $1 and id = lpad('1', 24, '0')`, clientId)
    expect((await unchanged()).status).toBe(200)
    const newest = page.json.data.at(-1).updatedAt
    await scenario.rows(`update contacts set company = 'Acme' where client_id = $1 and id = lpad('5', 24, '0')`, clientId)
    await scenario.world.clock.stopAt('2026-04-10T10:00:05Z')
    expect((await crowd.all(`/v1/contacts?updatedSince=${newest}`)).map(({ company }) => company)).toEqual(['Acme'])
  })

  it('changes the ETag of a contact when one of its events is rescheduled', async () => {
    const { id } = await scenario.contactOf(await scenario.registerPerson({ firstName: 'Ugo', email: 'ugo@example.org' }, spring))
    const read = (headers = {}) => scenario.api.get(`/v1/contacts/${id}`, headers)
    const first = await read()
    expect((await read({ 'if-none-match': first.headers['etag']! })).status).toBe(304)
    await scenario.rows(`update events set starts_on = '2026-05-02', ends_on = '2026-05-02' where id = $1`, spring.eventId)
    const second = await read({ 'if-none-match': first.headers['etag']! })
    expect([second.status, first.json.lastEventOn, second.json?.lastEventOn]).toEqual([200, '2026-05-01', '2026-05-02'])
  })
})
