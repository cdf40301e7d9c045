import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUpDeletionRecords } from '../../src/domains/entities/deletions.ts'
import { recordLeadCapture } from '../../src/domains/exhibitors/leads.ts'
import { newId } from '../../src/kernel/ids.ts'
import { createExhibitorFixtures, buildRectangle } from '../support/companies.ts'
import { createHotelAt, buildRoomAnswers, buildRoomSections, inEventTransaction } from '../support/hotels.ts'
import { createSessionAt, createSpeakerAt, programSections } from '../support/programs.ts'
import { type RestClient, createRestClient } from '../support/rest.ts'
import { openSalesScenario, type SalesScenario, newAttendee } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'

let scenario: SalesScenario
let api: RestClient

beforeAll(async () => {
  scenario = await openSalesScenario(buildRoomSections(), { baseUrl: await chooseFreeBaseUrl() })
  api = await createRestClient(scenario.world, await serve(scenario.world), scenario.event.tenantId, { clients: [scenario.event] })
})
afterAll(() => scenario.world.end())

const run = (text: string, ...values: unknown[]) => scenario.world.database.pool.query<any>(text, values)
const read = async (path: string) => (await api.get(path)).json

/** Whether a change updated the record's revision and instant (last-changed time). Either both must change or neither. */
async function hasMoved(path: string, change: () => Promise<unknown>): Promise<boolean> {
  const before = await read(path)
  await change()
  const after = await read(path)
  const later = after.updatedAt > before.updatedAt
  expect(after.revision > before.revision).toBe(later)
  const { updatedAt: _at, revision: _revision, ...content } = after
  const same = JSON.stringify({ ...before, ...content }) === JSON.stringify(before)
  if (!later) expect(same).toBe(true)
  return later && !same
}

const registerParticipant = async (products: Record<string, number> = {}, data: Record<string, unknown> = {}): Promise<string> =>
  (await scenario.register(products, { data })).participant.id
/** Inserts a participant with only the required columns. */
async function insertParticipant(): Promise<string> {
  const id = newId()
  const row = `insert into participants (tenant_id, event_id, id, first_name, last_name, email) values ($1, $2, $3, 'Absent', $3, $3 || '@example.org')`
  await run(row, scenario.event.tenantId, scenario.event.eventId, id)
  return id
}
const orderOf = async (participantId: string) => (await read(`/v1/participants/${participantId}`)).orderId
const pay = async (orderId: string, amount: string) =>
  scenario.call('record_manual_payment', {
    kind: 'payment',
    amount: { amount, currency: 'EUR' },
    orderNumber: (await read(`/v1/orders/${orderId}`)).number,
    method: 'bank',
    reference: `transfer ${amount}`,
  })

describe('revision and change time of a record', () => {
  it('increases the revision of a participant when their order, their group or its tags change', async () => {
    const id = await insertParticipant()
    const path = `/v1/participants/${id}`
    const order = `insert into orders (tenant_id, event_id, id, number, participant_id, currency) values ($1, $2, $3, 'X-1', $4, 'EUR')`
    expect(await hasMoved(path, () => run(order, scenario.event.tenantId, scenario.event.eventId, newId(), id))).toBe(true)
    const { group } = await scenario.call('create_managed_group', {
      name: 'Tagged',
      kind: 'company',
      payBy: 'members',
      flowSlug: 'attendee',
    })
    const join = () => scenario.call('update_managed_group_members', { groupCode: group.code, add: [{ participantId: id }] })
    expect(await hasMoved(path, join)).toBe(true)
    expect(await hasMoved(path, () => scenario.call('update_managed_group', { groupCode: group.code, tags: ['vip'] }))).toBe(true)
    expect((await read(path)).tags).toEqual(['vip'])
  })

  it('increases the revision of an order when its lines, invoices, payments or owner change', async () => {
    const id = await registerParticipant({ pass: 1 })
    const orderId = await orderOf(id)
    const path = `/v1/orders/${orderId}`
    expect(await hasMoved(path, () => pay(orderId, '100.00'))).toBe(true)
    expect(await hasMoved(path, () => scenario.call('edit_participant', { participantId: id, data: { '@product.dinner': 1 } }))).toBe(true)
    const substitute = () => scenario.call('substitute_participant', { participantId: id, replacement: newAttendee() })
    expect(await hasMoved(path, substitute)).toBe(true)
    expect((await read(path)).participantId).not.toBe(id)
  })

  it('increases the revision of a group when its members or leaders change', async () => {
    const { group } = await scenario.call('create_managed_group', {
      name: 'Moving',
      kind: 'company',
      payBy: 'members',
      flowSlug: 'attendee',
    })
    const path = `/v1/groups/${(await api.all('/v1/groups')).find(({ code }) => code === group.code).id}`
    const [first, second] = [await registerParticipant(), await registerParticipant()]
    const members = (change: object) => () => scenario.call('update_managed_group_members', { groupCode: group.code, ...change })
    expect(await hasMoved(path, members({ add: [{ participantId: first }, { participantId: second }] }))).toBe(true)
    expect(await hasMoved(path, () => scenario.call('update_managed_group_leaders', { groupCode: group.code, add: [first] }))).toBe(true)
    expect(await hasMoved(path, () => scenario.call('update_managed_group_leaders', { groupCode: group.code, remove: [first] }))).toBe(true)
    expect(await hasMoved(path, members({ remove: [{ participantId: second }] }))).toBe(true)
    expect((await read(path)).memberIds).toEqual([first])
  })

  it("increases the revision of a lead when the participant's sharing changes, and of a company when its booths change", async () => {
    const exhibitors = createExhibitorFixtures(scenario.world, scenario.event)
    await exhibitors.plan({ code: 'hall' }, [{ number: '7', polygon: buildRectangle(1, 1, 3, 3) }] as never)
    const { id: companyId } = await exhibitors.company()
    const company = `/v1/companies/${companyId}`
    expect(await hasMoved(company, () => exhibitors.assign('7', companyId))).toBe(true)
    expect(await hasMoved(company, () => run(`update booths set number = '7a' where number = '7'`))).toBe(true)
    expect(await hasMoved(company, () => run(`update floor_plans set code = 'hall-2' where code = 'hall'`))).toBe(true)
    expect(await hasMoved(company, () => run(`update booths set note = 'by the door'`))).toBe(false)

    const participantId = await registerParticipant()
    const scan = () =>
      inEventTransaction(scenario.world, scenario.event, (ctx) =>
        recordLeadCapture(ctx, { companyId, participantId, isTestData: false, type: 'sdk', at: new Date('2026-04-10T10:00:00Z') }),
      )
    const path = `/v1/leads/${await scan()}`
    expect(await hasMoved(path, scan)).toBe(true)
    const person = (columns: string) => run(`update participants set ${columns} where id = $1`, participantId)
    expect(await hasMoved(path, () => person(`email = 'other@example.org'`))).toBe(true)
    expect(await hasMoved(path, () => person(`sharing = '{"email":"restrict"}'`))).toBe(true)
    expect(await hasMoved(path, () => person(`badge_id = '00000000000000aa'`))).toBe(true)
    expect(await hasMoved(path, () => person(`dietary = 'none'`))).toBe(false)
  })

  it("increases the revision of a reservation when its hotel or the guest's group changes", async () => {
    const hotelId = await createHotelAt(scenario.world, scenario.event)
    const id = await registerParticipant({}, buildRoomAnswers(hotelId, '2026-09-01', '2026-09-02'))
    const path = `/v1/reservations/${(await api.all(`/v1/reservations?hotelId=${hotelId}`))[0].id}`
    expect(await hasMoved(path, () => run(`update event_hotels set name = 'Grander' where id = $1`, hotelId))).toBe(true)
    const { group } = await scenario.call('create_managed_group', {
      name: 'Sleepers',
      kind: 'company',
      payBy: 'members',
      flowSlug: 'attendee',
    })
    const join = () => scenario.call('update_managed_group_members', { groupCode: group.code, add: [{ participantId: id }] })
    expect(await hasMoved(path, join)).toBe(true)
  })

  it('increases the revision of a session when its speakers or attendance change', async () => {
    await scenario.publish({ ...buildRoomSections(), sessions: programSections().sessions })
    const speakerId = await createSpeakerAt(scenario.world, scenario.event)
    const id = await createSessionAt(scenario.world, scenario.event, { title: 'Opening', capacity: 40 })
    const path = `/v1/sessions/${id}`
    expect(await read(path)).toMatchObject({
      code: 'opening',
      title: 'Opening',
      abstract: null,
      trackCode: 'build',
      formatCode: 'talk',
      roomCode: null,
      startsAt: '2026-09-01T08:00:00.000Z',
      endsAt: '2026-09-01T08:40:00.000Z',
      capacity: 40,
      enrolled: 0,
      speakers: [],
    })
    const { tenantId, eventId } = scenario.event
    const speak = `insert into session_speakers (tenant_id, event_id, session_id, speaker_id, position) values ($1, $2, $3, $4, 1)`
    expect(await hasMoved(path, () => run(speak, tenantId, eventId, id, speakerId))).toBe(true)
    expect(await hasMoved(path, () => run(`update speakers set last_name = 'Reis' where id = $1`, speakerId))).toBe(true)
    expect((await read(path)).speakers).toEqual([{ id: speakerId, name: 'Marta Reis', role: 'speaker' }])
    const enrol = `insert into session_enrolments (tenant_id, event_id, session_id, participant_id, is_test_data, status) values ($1, $2, $3, $4, false, 'enrolled')`
    const participantId = await registerParticipant()
    expect(await hasMoved(path, () => run(enrol, tenantId, eventId, id, participantId))).toBe(true)
    expect((await read(path)).enrolled).toBe(1)
  })

  it('increases the revision of an event when its published version changes', async () => {
    const path = `/v1/events/${scenario.event.eventId}`
    const publish = () =>
      scenario.publish({ ...buildRoomSections(), tags: [...buildRoomSections().tags, { code: 'press', name: 'Press' }] })
    expect(await hasMoved(path, publish)).toBe(true)
  })

  it('leaves the revision of a record unchanged if an edit repeats the stored values', async () => {
    const id = await registerParticipant({ pass: 1 }, { '@participant.company': 'Acme' })
    const edit = (data: object) => () => scenario.call('edit_participant', { participantId: id, data })
    const repeatEdit = edit({ '@participant.company': 'Acme', '@product.pass': 1 })
    const { group } = await scenario.call('create_managed_group', {
      name: 'Still',
      kind: 'company',
      payBy: 'members',
      flowSlug: 'attendee',
      tags: ['vip'],
      billTo: { company: 'Still Ltd', country: 'DE' },
    })
    const [members, groupCode] = [{ add: [{ participantId: id }] }, group.code]
    await scenario.call('update_managed_group_members', { groupCode, ...members })
    await scenario.call('update_managed_group_leaders', { groupCode, add: [id] })
    const repeated: Record<string, (() => Promise<unknown>)[]> = {
      [`/v1/participants/${id}`]: [
        repeatEdit,
        () => scenario.call('update_managed_group_members', { groupCode, ...members }),
        () => run(`update participants set company = company, tags = tags where id = $1`, id),
      ],
      [`/v1/orders/${await orderOf(id)}`]: [repeatEdit, () => run(`update orders set bill_to = bill_to where participant_id = $1`, id)],
      [`/v1/groups/${group.id}`]: [
        () => scenario.call('update_managed_group', { groupCode, name: 'Still', tags: ['vip'], billTo: { country: 'DE' } }),
        () => scenario.call('update_managed_group_leaders', { groupCode, add: [id] }),
        () => scenario.call('set_managed_group_admins', { groupCode, admins: [] }),
      ],
      [`/v1/events/${scenario.event.eventId}`]: [() => scenario.call('update_event', { currency: 'EUR', testMode: false })],
    }
    for (const [path, edits] of Object.entries(repeated)) {
      const tag = (await api.get(path)).headers['etag']!
      for (const repeat of edits) {
        expect(await hasMoved(path, repeat)).toBe(false)
        expect((await api.get(path, { 'if-none-match': tag })).status).toBe(304)
      }
    }
    // The same edits with another value are changes.
    expect(await hasMoved(`/v1/participants/${id}`, edit({ '@participant.company': 'Other' }))).toBe(true)
    expect(await hasMoved(`/v1/groups/${group.id}`, () => scenario.call('update_managed_group', { groupCode, name: 'Moved' }))).toBe(true)
    const revisionOf = async () => (await read(`/v1/participants/${id}`)).revision
    const revision = await revisionOf()
    await edit({ '@product.dinner': 1 })()
    expect(await revisionOf()).toBe(revision + 1)
    const { groups } = await scenario.call('list_managed_groups', { groupCode })
    await scenario.call('set_managed_group_admins', { groupCode, admins: [{ email: 'ada@still.example', name: 'Ada' }] })
    expect((await scenario.call('list_managed_groups', { groupCode })).groups[0].revision).toBe(groups[0].revision + 1)
  })

  it('sells a product once if concurrent edits of a registration set the same quantity', async () => {
    const id = await registerParticipant({ pass: 1 })
    const edits = [1, 1, 1, 1].map((dinners) =>
      scenario.call('edit_participant', { participantId: id, data: { '@product.dinner': dinners } }),
    )
    const changed = (await Promise.all(edits)).map((edited) => edited.changed as string[])
    expect(changed.filter((fields) => fields.includes('products'))).toHaveLength(1)
    const { rows } = await run(
      `select sum(quantity)::int as dinners from order_lines where participant_id = $1 and product_code = 'dinner'`,
      id,
    )
    expect(rows).toEqual([{ dinners: 1 }])
  })

  it('leaves revisions unchanged in every table if an SQL update writes the same values', async () => {
    const { rows: tables } = await run(`
      select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
      where p.proname in ('lanyard_touch', 'lanyard_touch_entity') order by 1`)
    const stamps = async (table: string) =>
      (await run(`select revision, updated_at from ${table} order by 1, 2`)).rows.map((row) => Object.values(row).join(' '))
    const filled: string[] = []
    for (const { name: table } of tables) {
      const before = await stamps(table)
      const { rows: columns } = await run(
        `select string_agg(format('%1$I = %1$I', attname), ', ') as same from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
        table,
      )
      await run(`update ${table} set ${columns[0].same}`)
      expect(await stamps(table)).toEqual(before)
      if (before.length > 0) filled.push(table)
    }
    expect(filled).toEqual(expect.arrayContaining(['clients', 'companies', 'contacts', 'event_hotels', 'events', 'leads', 'users']))
  })

  it('ignores exactly the generated columns when it decides whether a record changed', async () => {
    const { rows } = await run(`
      select t.tgname as trigger, encode(t.tgargs, 'escape') as named,
        (select coalesce(string_agg(a.attname || '\\000', '' order by a.attname), '') from pg_attribute a
          where a.attrelid = t.tgrelid and a.attgenerated <> '' and not a.attisdropped) as generated
      from pg_trigger t join pg_proc p on p.oid = t.tgfoid where p.proname = 'lanyard_touch'`)
    expect(rows.length).toBeGreaterThan(20)
    for (const { trigger, named, generated } of rows) expect([trigger, named]).toEqual([trigger, generated])
  })

  it('increases the change time of a record by at least a millisecond, even if the clock stands still', async () => {
    const id = await registerParticipant()
    const instants: string[] = []
    for (let n = 0; n < 3; n++) {
      await run('update participants set company = $2 where id = $1', id, `Company ${n}`)
      instants.push((await read(`/v1/participants/${id}`)).updatedAt)
    }
    expect(instants.map((at) => Date.parse(at) - Date.parse(instants[0]!))).toEqual([0, 1, 2])
  })
})

describe('list of deleted records', () => {
  it('lists deleted records with their identifiers, but not cancelled records', async () => {
    const [gone, cancelled] = [await insertParticipant(), await registerParticipant()]
    const { tenantCode, clientCode, eventCode, updatedAt } = await read(`/v1/participants/${gone}`)
    await run('delete from participants where id = $1', gone)
    await scenario.call('edit_participant', { participantId: cancelled, status: 'cancelled', reason: 'ill' })
    expect((await read(`/v1/participants/${cancelled}`)).status).toBe('cancelled')
    const [deletion, ...rest] = await api.all('/v1/deletions')
    expect(rest).toEqual([])
    expect(deletion).toEqual({
      id: gone,
      entity: 'participant',
      tenantCode,
      clientCode,
      eventCode,
      deletedAt: deletion.deletedAt,
      updatedAt: deletion.deletedAt,
    })
    expect(deletion.deletedAt > updatedAt).toBe(true)
  })

  it('lists deleted groups and leads as deleted until they are restored', async () => {
    const { group } = await scenario.call('create_managed_group', {
      name: 'Short',
      kind: 'company',
      payBy: 'members',
      flowSlug: 'attendee',
    })
    const { id: groupId } = (await api.all('/v1/groups')).find(({ code }) => code === group.code)
    await scenario.callConfirmed('delete_managed_group', { groupCode: group.code })
    expect((await api.get(`/v1/groups/${groupId}`)).status).toBe(404)
    const { id: companyId } = await createExhibitorFixtures(scenario.world, scenario.event).company()
    const participantId = await registerParticipant()
    const scan = () =>
      inEventTransaction(scenario.world, scenario.event, (ctx) =>
        recordLeadCapture(ctx, { companyId, participantId, isTestData: false, type: 'sdk', at: new Date('2026-04-10T10:00:00Z') }),
      )
    const leadId = await scan()
    const gone = async () => (await api.all('/v1/deletions')).map(({ entity, id }) => `${entity} ${id}`)
    await run(`update leads set status = 'deleted' where id = $1`, leadId)
    expect(await gone()).toEqual(expect.arrayContaining([`group ${groupId}`, `lead ${leadId}`]))
    expect((await api.get(`/v1/leads/${leadId}`)).status).toBe(404)
    await scan()
    expect(await gone()).not.toContain(`lead ${leadId}`)
    expect((await api.get(`/v1/leads/${leadId}`)).status).toBe(200)
  })

  it('lists deleted test records only with includeTestData', async () => {
    await run(
      `insert into participants (tenant_id, event_id, id, is_test_data) values ($1, $2, 'abcdefabcdefabcdefabcde0', true)`,
      scenario.event.tenantId,
      scenario.event.eventId,
    )
    await run(`delete from participants where id = 'abcdefabcdefabcdefabcde0'`)
    const ids = async (query: string) => (await api.all(`/v1/deletions${query}`)).map(({ id }) => id)
    expect(await ids('')).not.toContain('abcdefabcdefabcdefabcde0')
    expect(await ids('?includeTestData=true')).toContain('abcdefabcdefabcdefabcde0')
  })

  it('lists deleted records for 90 days after the deletion', async () => {
    const before = (await api.all('/v1/deletions')).length
    expect(before).toBeGreaterThan(0)
    await run(`update deletions set deleted_at = lanyard_now() - interval '89 days 23 hours'`)
    await cleanUpDeletionRecords(scenario.world.database.write)
    expect(await api.all('/v1/deletions')).toHaveLength(before)
    await run(`update deletions set deleted_at = lanyard_now() - interval '90 days 1 hour'`)
    await cleanUpDeletionRecords(scenario.world.database.write)
    expect(await api.all('/v1/deletions')).toEqual([])
  })
})
