import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MultiEventScenario, openMultiEventScenario } from '../support/multi-event-scenario.ts'
import { startReceiver, type Receiver } from '../support/receivers.ts'
import { createRestClient } from '../support/rest.ts'
import { deliverDueMessages, createWebhookSubscription, allowLoopbackReceivers } from '../support/webhooks.ts'
import type { EventHandle } from '../support/world.ts'

const UNKNOWN_ID = 'f'.repeat(24)
const JSON_TYPE = { 'content-type': 'application/json' }

let scenario: MultiEventScenario
let autumn: EventHandle
let receiver: Receiver

beforeAll(async () => {
  scenario = await openMultiEventScenario()
  autumn = await scenario.addEvent('2026-11-03')
  receiver = await startReceiver()
  allowLoopbackReceivers(scenario.world)
})
afterAll(async () => {
  receiver.end()
  await scenario.world.end()
})

const merge = (survivor: string, loserId: string, headers: Record<string, string> = {}) =>
  scenario.api.request('POST', `/v1/contacts/${survivor}/merge`, { ...JSON_TYPE, ...headers }, JSON.stringify({ loserId }))
const read = async (id: string) => (await scenario.api.get(`/v1/contacts/${id}`)).json
const contactIdOf = async (participantId: string): Promise<string> => (await scenario.participant(participantId)).contactId
const set = (id: string, columns: string) => scenario.rows(`update contacts set ${columns} where id = $1`, id)

let number = 0
/** Creates two contacts of the same person: Katherine at this event, Kate in autumn with another email address. */
async function createPair(katherine: Record<string, string> = {}, kate: Record<string, string> = {}) {
  const n = ++number
  const [here, there] = [
    await scenario.registerPerson({ firstName: 'Katherine', lastName: 'Müller', email: `k.${n}@acme.example`, ...katherine }),
    await scenario.registerPerson({ firstName: 'Kate', lastName: 'Mueller', email: `kate.${n}@home.example`, ...kate }, autumn),
  ]
  return { n, here, there, survivor: await contactIdOf(here), loser: await contactIdOf(there) }
}

describe('merge of two contacts', () => {
  it('combines events, addresses and tags of both merged contacts', async () => {
    const { n, here, there, survivor, loser } = await createPair({ company: 'Acme' }, { jobTitle: 'CTO', mobilePhone: '+49 30 123456' })
    await set(survivor, `tags = '{vip}', topics_off = '{offers}'`)
    await set(loser, `tags = '{vip,press}', topics_off = '{news}'`)
    const before = await read(survivor)
    const { status, json, headers } = await merge(survivor, loser)
    expect([status, headers['etag']?.startsWith('W/"'), headers['cache-control']]).toEqual([200, true, 'no-store'])
    expect(json).toEqual(await read(survivor))
    expect(json).toMatchObject({
      id: survivor,
      company: 'Acme',
      jobTitle: 'CTO',
      tags: ['vip', 'press'],
      emails: [
        { address: `k.${n}@acme.example`, primary: true },
        { address: `kate.${n}@home.example`, primary: false },
      ],
      eventsCount: 2,
      lastEventOn: '2026-11-03',
      mergedInto: null,
    })
    expect(json.revision > before.revision).toBe(true)
    expect(await read(loser)).toMatchObject({ mergedInto: survivor, emails: [], eventsCount: 0, lastEventOn: null })
    expect([await contactIdOf(here), await contactIdOf(there)]).toEqual([survivor, survivor])
    expect(await scenario.rows('select topics_off, phones from contacts where id = $1', survivor)).toEqual([
      { topics_off: ['offers', 'news'], phones: ['+4930123456'] },
    ])
    // A registration with either address belongs to the merged contact after the merge.
    const third = await scenario.addEvent('2026-12-01')
    const again = await scenario.registerPerson({ firstName: 'Kate', lastName: 'Mueller', email: `kate.${n}@home.example` }, third)
    expect(await contactIdOf(again)).toBe(survivor)
    expect((await read(survivor)).eventsCount).toBe(3)
    expect((await scenario.api.all(`/v1/contacts?email=kate.${n}@home.example`)).map(({ id }) => id)).toEqual([survivor])
    // The merge is stored with the previous state, so that it can be undone.
    const [kept] = await scenario.rows('select before, relinked, merged_by, undone_at from contact_merges where survivor_id = $1', survivor)
    expect(kept).toMatchObject({
      before: {
        survivor: { company: 'Acme', tags: ['vip'], emails: [{ address: `k.${n}@acme.example`, is_primary: true }] },
        loser: { job_title: 'CTO', tags: ['vip', 'press'], emails: [{ address: `kate.${n}@home.example`, is_primary: true }] },
      },
      relinked: [{ kind: 'participant', eventId: autumn.eventId, id: there }],
      merged_by: scenario.api.accountId,
      undone_at: null,
    })
  })

  it.each([
    ['person', '2026-01-01', 'import', '2026-02-01', false],
    ['import', '2026-02-01', 'person', '2026-01-01', true],
    ['organizer', '2026-01-01', 'directory', '2026-01-01', true],
    ['lead', '2026-02-01', 'import', '2026-01-01', true],
    ['organizer', '2026-01-01', 'organizer', '2026-01-02', true],
    ['organizer', '2026-01-02', 'organizer', '2026-01-01', false],
    ['organizer', '2026-01-01', 'organizer', '2026-01-01', false],
  ])(
    "decides by source and date whether a merged contact's value wins: own %s of %s, merged %s of %s, wins: %s",
    async (own, ownAt, others, othersAt, taken) => {
      const { survivor, loser } = await createPair({ company: 'Own' }, { company: 'Others' })
      const said = (source: string, day: string) => `provenance = '{"company": {"source": "${source}", "at": "${day}T00:00:00.000Z"}}'`
      await set(survivor, said(own, ownAt))
      await set(loser, said(others, othersAt))
      expect((await merge(survivor, loser)).json.company).toBe(taken ? 'Others' : 'Own')
    },
  )

  it('keeps values rather than empty ones and the stricter of two consents when contacts are merged', async () => {
    const { survivor, loser } = await createPair({ company: 'Own' })
    await set(loser, `provenance = '{"company": {"source": "person", "at": "2030-01-01T00:00:00.000Z"}}', marketing_consent = 'withdrawn'`)
    await set(survivor, `marketing_consent = 'given'`)
    expect((await merge(survivor, loser)).json).toMatchObject({ company: 'Own', marketingConsent: 'withdrawn' })
    for (const [own, others, kept] of [
      ['given', 'given', 'given'],
      ['given', 'unknown', 'unknown'],
      ['unknown', 'given', 'unknown'],
      ['withdrawn', 'given', 'withdrawn'],
    ]) {
      const pair = await createPair()
      await set(pair.survivor, `marketing_consent = '${own}'`)
      await set(pair.loser, `marketing_consent = '${others}'`)
      expect([own, others, (await merge(pair.survivor, pair.loser)).json.marketingConsent]).toEqual([own, others, kept])
    }
  })

  it('resolves the duplicate pair of merged contacts, and compares other pairs with the surviving contact', async () => {
    const email = `family.${++number}@home.example`
    const people = ['Ann', 'Bob', 'Cleo'].map((firstName) => ({ firstName, lastName: 'Wood', email }))
    const third = await scenario.addEvent('2026-12-02')
    const [ann, bob, cleo] = [
      await contactIdOf(await scenario.registerPerson(people[0]!)),
      await contactIdOf(await scenario.registerPerson(people[1]!, autumn)),
      await contactIdOf(await scenario.registerPerson(people[2]!, third)),
    ]
    const pairs = () =>
      scenario.rows(`select array[a, b] as of, status from contact_pairs where a = any($1) order by status, a, b`, [ann, bob, cleo])
    expect(await pairs()).toHaveLength(3)
    expect((await merge(ann!, bob!)).status).toBe(200)
    expect(await pairs()).toEqual([
      { of: [ann, bob].toSorted(), status: 'merged' },
      { of: [ann, cleo].toSorted(), status: 'open' },
    ])
  })

  it('refuses to merge invalid pairs of contacts, without changing anything', async () => {
    const [one, other, gone] = [await createPair(), await createPair(), await createPair()]
    await merge(gone.survivor, gone.loser)
    const elsewhere = await scenario.world.event()
    const [{ id: foreign }] = await scenario.rows(
      `insert into contacts (tenant_id, client_id, id) values ($1, $2, lanyard_new_id()) returning id`,
      elsewhere.tenantId,
      elsewhere.clientId,
    )
    await set(one.survivor, `external_ids = '{"crm": "1", "erp": "7"}'`)
    await set(other.survivor, `external_ids = '{"crm": "2", "erp": "7"}'`)
    const everything = () => scenario.rows('select id, revision, merged_into from contacts order by id')
    const before = await everything()
    const refused: [survivor: string, loser: unknown, status: number, detail: string][] = [
      [one.survivor, one.survivor, 400, 'is the contact itself'],
      [one.survivor, 'x', 400, 'must be an id of 24 hexadecimal characters'],
      [one.survivor, undefined, 400, 'loserId: is missing'],
      [one.survivor, UNKNOWN_ID, 404, `No contact ${UNKNOWN_ID}`],
      [one.survivor, foreign, 404, `No contact ${foreign}`],
      [UNKNOWN_ID, one.survivor, 404, `No contact ${UNKNOWN_ID}`],
      [foreign, one.survivor, 404, `No contact ${foreign}`],
      [one.survivor, gone.loser, 409, `${gone.loser} was merged into ${gone.survivor}`],
      [gone.loser, one.survivor, 409, `${gone.loser} was merged into ${gone.survivor}`],
      [one.survivor, other.survivor, 409, 'different ids at crm'],
    ]
    for (const [survivor, loser, status, detail] of refused) {
      const answer = await merge(survivor, loser as string)
      expect([detail, answer.status, answer.json.detail.includes(detail)]).toEqual([detail, status, true])
    }
    const wrong = (body: string, type = 'application/json') =>
      scenario.api.request('POST', `/v1/contacts/${one.survivor}/merge`, { 'content-type': type }, body)
    expect((await wrong(`{"loserId":"${UNKNOWN_ID}"}`, 'text/plain')).status).toBe(415)
    expect((await wrong(`{"loserID":"${UNKNOWN_ID}"}`)).json.errors).toContainEqual({
      parameter: 'loserID',
      message: 'is an unknown field — did you mean loserId?',
    })
    expect((await scenario.api.get(`/v1/contacts/${one.survivor}/merge`)).status).toBe(405)
    expect(await everything()).toEqual(before)
    // Equal external ids in one system, and external ids in different systems, do not conflict.
    await set(other.survivor, `external_ids = '{"erp": "7", "shop": "9"}'`)
    expect((await merge(one.survivor, other.survivor)).status).toBe(200)
    expect(await scenario.rows('select external_ids from contacts where id = $1', one.survivor)).toEqual([
      { external_ids: { crm: '1', erp: '7', shop: '9' } },
    ])
  })

  it('merges contacts once when the request is repeated with the same idempotency key', async () => {
    const { survivor, loser } = await createPair()
    const key = { 'idempotency-key': 'merge-1' }
    const [first, second] = [await merge(survivor, loser, key), await merge(survivor, loser, key)]
    expect([first.status, second.status, second.json.revision]).toEqual([200, 200, first.json.revision])
    expect((await merge(survivor, UNKNOWN_ID, key)).status).toBe(409)
  })

  it('redirects every old contact id to the last surviving contact after several merges', async () => {
    const [one, other] = [await createPair(), await createPair()]
    await merge(one.survivor, one.loser)
    await merge(other.survivor, one.survivor)
    expect([(await read(one.loser)).mergedInto, (await read(one.survivor)).mergedInto]).toEqual([other.survivor, other.survivor])
    const [{ relinked }] = await scenario.rows('select relinked from contact_merges where loser_id = $1', one.survivor)
    expect(relinked.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(['contact', 'participant', 'participant'])
  })

  it("sends a webhook message about a contact merge to accounts that cover the client, and audits the merge with the contact's name", async () => {
    const whole = await createWebhookSubscription(scenario.world, scenario.event, {
      url: `${receiver.url}/whole`,
      kinds: ['contact.merged', 'participant.updated'],
    })
    await createWebhookSubscription(scenario.world, scenario.event, {
      url: `${receiver.url}/event`,
      onlyEvents: [scenario.event, autumn],
      kinds: ['contact.merged'],
    })
    await createWebhookSubscription(scenario.world, scenario.event, {
      url: `${receiver.url}/narrowed`,
      clientCode: scenario.event.clientCode,
      eventCode: autumn.eventCode,
      kinds: ['contact.merged'],
    })
    const { survivor, loser, there } = await createPair()
    await scenario.rows('delete from webhook_messages')
    await merge(survivor, loser)
    await deliverDueMessages(scenario.world)
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook/whole', '/hook/whole'])
    const messages = receiver.parsedMessages().toSorted((a, b) => a.type.localeCompare(b.type))
    expect(messages[0]).toMatchObject({
      type: 'contact.merged',
      data: {
        entity: 'contact',
        id: survivor,
        tenantCode: 'demo',
        clientCode: scenario.event.clientCode,
        eventCode: null,
        survivor,
        loser,
        object: await read(survivor),
      },
    })
    expect(messages[0].data.changed).toContain('emails')
    expect(messages[1]).toMatchObject({
      type: 'participant.updated',
      data: { id: there, changed: ['contactId'], object: { contactId: survivor } },
    })
    const [entry] = await scenario.rows(
      `select tool, client_id, actor_kind, targets from audit_entries where tool = 'merge_contacts' order by id desc`,
    )
    expect(entry).toMatchObject({ client_id: scenario.event.clientId, actor_kind: 'apiAccount' })
    expect(entry.targets.map(({ id }: { id: string }) => id)).toEqual([survivor, loser])
    // A queued message to an account that no longer covers the client is dropped.
    const next = await createPair()
    await scenario.rows('delete from webhook_messages')
    await merge(next.survivor, next.loser)
    await scenario.rows(`update api_accounts set allowed_clients = '[]' where id = $1`, whole.accountId)
    await deliverDueMessages(scenario.world)
    expect(receiver.received).toHaveLength(2)
    const single = await createRestClient(scenario.world, scenario.served, scenario.event.tenantId, { events: [scenario.event] })
    expect(
      (await single.request('POST', `/v1/contacts/${survivor}/merge`, JSON_TYPE, JSON.stringify({ loserId: UNKNOWN_ID }))).status,
    ).toBe(404)
  })
})
