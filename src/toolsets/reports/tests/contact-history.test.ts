import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/ids.ts'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import type { EventHandle } from '../../../../test/support/world.ts'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario({ startsOn: '2027-03-02' })
const query = (args: object) => desk.call('query_data', args)

let earlier: EventHandle
let contacts: Record<'anna' | 'bela' | 'cleo' | 'only', string>
let annaHere: string

const insertContact = async (): Promise<string> => {
  const id = newId()
  await desk.world.database.write
    .insertInto('contacts')
    .values({ tenant_id: desk.event.tenantId, client_id: desk.event.clientId, id })
    .execute()
  return id
}

const readAsReports = (statement: string) =>
  desk.world.database.snapshot(
    { tenantId: desk.event.tenantId, eventId: desk.event.eventId, timeoutMs: 5000, within: desk.world.database.read },
    async (db) => (await sql.raw<Record<string, unknown>>(statement).execute(db)).rows,
  )

beforeEach(async () => {
  contacts = { anna: await insertContact(), bela: await insertContact(), cleo: await insertContact(), only: await insertContact() }
  earlier = await desk.world.event({ at: desk.event, code: `edition-${newId().slice(18)}`, startsOn: '2025-03-04' })
  const later = await desk.world.event({ at: desk.event, code: `edition-${newId().slice(18)}`, startsOn: '2028-03-07' })
  const before = createRegistrationFixtures(desk.world, earlier)
  const annaBefore = await before.person({ contact_id: contacts.anna })
  await before.buys(annaBefore, [{ net: 10_000, tax: 2_000 }])
  await before.person({ contact_id: contacts.cleo, status: 'cancelled' })
  await before.person({ contact_id: contacts.only })
  await createRegistrationFixtures(desk.world, later).person({ contact_id: contacts.bela })
  annaHere = await desk.person({ first_name: 'Anna', contact_id: contacts.anna })
  await desk.buys(annaHere, [{ net: 5_000, tax: 1_000 }])
  await desk.person({ first_name: 'Bela', contact_id: contacts.bela })
  await desk.person({ first_name: 'Cleo', contact_id: contacts.cleo })
  await desk.person({ first_name: 'Dora' })
})

describe('history of contacts in a query about one event', () => {
  it('reports which participants attend an event of the client for the first time', async () => {
    const { rows } = await query({ entity: 'participant', fields: ['firstName', 'isFirstTime'], orderBy: ['firstName'] })
    expect(rows.map(({ firstName, isFirstTime }: any) => [firstName, isFirstTime])).toEqual([
      ['Anna', false],
      ['Bela', true],
      ['Cleo', true],
      ['Dora', true],
    ])
    expect((await query({ metrics: ['registrations.firstTimers', 'registrations.complete'] })).rows).toEqual([
      { 'registrations.firstTimers': 3, 'registrations.complete': 4 },
    ])
    const across = await desk.olga.call('query_across_events', { metrics: ['registrations.firstTimers'], groupBy: ['event.code as event'] })
    expect(across.rows.find(({ event }: any) => event === desk.event.eventCode)['registrations.firstTimers']).toBe(3)
  })

  it('returns statistics of contacts across all events of the client', async () => {
    const fields = ['contact.eventsCount', 'contact.attendedCount', 'contact.firstEventOn', 'contact.lastEventOn', 'contact.spend']
    const { rows } = await query({ entity: 'participant', fields: ['firstName', ...fields], orderBy: ['firstName'] })
    const shown = rows.map((row: any) => [row.firstName, ...fields.map((field) => row[field])])
    expect(shown).toEqual([
      ['Anna', 2, 0, '2025-03-04', '2027-03-02', { amount: '180.00', currency: 'EUR' }],
      ['Bela', 2, 0, '2027-03-02', '2028-03-07', { amount: '0.00', currency: 'EUR' }],
      ['Cleo', 1, 0, '2027-03-02', '2027-03-02', { amount: '0.00', currency: 'EUR' }],
      ['Dora', null, null, null, null, null],
    ])
    const { rows: groups } = await query({ entity: 'participant', groupBy: ['contact.eventsCount as events'] })
    expect(groups).toEqual([
      { events: 1, count: 1 },
      { events: 2, count: 2 },
      { events: null, count: 1 },
    ])
  })

  it('refuses contact as the entity of a query about one event, because contacts belong to no single event', async () => {
    for (const args of [{ entity: 'contact' }, { entity: 'contact', fields: ['name'] }, { entity: 'contact', explain: true }]) {
      const refusal = await desk.refused('query_data', args)
      expect(refusal).toMatchObject({ code: 'invalid_arguments', fields: [{ path: 'entity' }] })
      expect(refusal.message).toContain('use query_across_events')
    }
    expect(await desk.refused('plot_data', { entity: 'contact', groupBy: ['country'], chart: 'bar' })).toMatchObject({
      code: 'invalid_arguments',
    })
    const { rows } = await desk.olga.call('query_across_events', { entity: 'contact', aggregates: ['countDistinct(id) as people'] })
    expect(rows[0].people).toBeGreaterThanOrEqual(4)
  })

  it('hides people of other events from the database role of reports', async () => {
    expect(await readAsReports('select * from lanyard_came_before() as c(id)')).toEqual([{ id: annaHere }])
    const eventsOf = (contact: string) => readAsReports(`select (lanyard_contact_history('${contact}', 'EUR')).events`)
    expect(await eventsOf(contacts.only)).toEqual([{ events: 0 }])
    expect(await eventsOf(contacts.anna)).toEqual([{ events: 2 }])
    expect(await readAsReports(`select id from participants where contact_id = '${contacts.anna}'`)).toEqual([{ id: annaHere }])
  })
})

describe('speakers of conference sessions in query_data', () => {
  it('finds the speakers of a conference session, and the conference sessions of a speaker', async () => {
    const { pool } = desk.world.database
    const at = [desk.event.tenantId, desk.event.eventId]
    const [talk, panel, ada, bob] = [newId(), newId(), newId(), newId()]
    await pool.query(
      `insert into sessions (tenant_id, event_id, id, code, title, track_code, format_code) select $1, $2, unnest($3::text[]), unnest($4::text[]), 'T', 'main', 'talk'`,
      [...at, [talk, panel], ['talk', 'panel']],
    )
    await pool.query(
      `insert into speakers (tenant_id, event_id, id, first_name, last_name, email, status) select $1, $2, unnest($3::text[]), unnest($4::text[]), 'S', unnest($4::text[]) || '@example.org', 'confirmed'`,
      [...at, [ada, bob], ['ada', 'bob']],
    )
    await pool.query(`insert into session_speakers (tenant_id, event_id, session_id, speaker_id, position) values ($1, $2, $3, $4, 1)`, [
      ...at,
      talk,
      ada,
    ])
    const codes = async (filter: object) => (await query({ entity: 'session', fields: ['code'], filter })).rows.map(({ code }: any) => code)
    expect(await codes({ field: 'speakers.name', op: 'contains', value: 'ADA' })).toEqual(['talk'])
    expect(await codes({ relation: 'speakers', has: 'none' })).toEqual(['panel'])
    const idle = await query({ entity: 'speaker', fields: ['name'], filter: { relation: 'sessions', has: 'none' } })
    expect(idle.rows.map(({ name }: any) => name)).toEqual(['bob S'])
  })
})
