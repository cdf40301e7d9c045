import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/kernel/ids.ts'
import { createRegistrationAt } from '../support/participants.ts'
import { type RestClient, createRestClient } from '../support/rest.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let event: EventHandle
let other: EventHandle
let api: RestClient
let person: string
let sessionId: string

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world)
  event = await world.event()
  other = await world.event({ at: event })
  api = await createRestClient(world, served, event.tenantId, { clients: [event] })
  person = await createRegistrationAt(world, event, { email: 'ana@example.org' })
  sessionId = newId()
  await rows(
    `insert into sessions (tenant_id, event_id, id, code, title, track_code, format_code) values ($1, $2, $3, 'opening', 'Opening', 'build', 'talk')`,
    event.tenantId,
    event.eventId,
    sessionId,
  )
})
afterAll(() => world.end())

const rows = async (text: string, ...values: unknown[]) => (await world.database.pool.query<any>(text, values)).rows
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const SCAN = { scope: 'event', direction: 'in', at: '2026-11-02T08:12:00Z', method: 'scan', result: 'accepted' }

/** Inserts a scan directly, because no product code records attendance yet. */
async function scan(columns: Record<string, unknown> = {}, at: EventHandle = event): Promise<string> {
  const id = newId()
  const row = { tenantId: at.tenantId, eventId: at.eventId, id, participantId: person, ...SCAN, ...columns }
  const names = Object.keys(row)
  await rows(
    `insert into attendance_scans (${names.map(snake).join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    ...Object.values(row),
  )
  return id
}
const ids = async (query = '', client = api) => (await client.all(`/v1/attendance${query}`)).map(({ id }) => id as string)
const refused = (columns: Record<string, unknown>) => expect(scan(columns)).rejects.toMatchObject({ code: expect.stringMatching(/^23/) })

describe('attendance', () => {
  it('returns participant, session, time and result of each scan', async () => {
    const id = await scan({ scope: 'gate', gateCode: 'north', result: 'refused', reason: 'unpaid', deviceName: 'Door 2', nonce: 'n-1' })
    const { json } = await api.get(`/v1/attendance/${id}`)
    expect(json).toEqual({
      id,
      tenantCode: 'demo',
      clientCode: event.clientCode,
      eventCode: event.eventCode,
      createdAt: json.createdAt,
      updatedAt: json.updatedAt,
      revision: 1,
      participantId: person,
      scope: 'gate',
      gateCode: 'north',
      sessionId: null,
      direction: 'in',
      at: '2026-11-02T08:12:00.000Z',
      method: 'scan',
      deviceName: 'Door 2',
      result: 'refused',
      reason: 'unpaid',
      flag: null,
    })
    const unknown = await scan({ participantId: null, result: 'refused', reason: 'unknown_badge' })
    expect((await api.get(`/v1/attendance/${unknown}`)).json.participantId).toBeNull()
  })

  it('filters attendance by session and participant ids', async () => {
    const second = await createRegistrationAt(world, event, { email: 'bo@example.org' })
    const [mine, theirs] = [
      await scan({ scope: 'session', sessionId }),
      await scan({ scope: 'session', sessionId, participantId: second, direction: 'out' }),
    ]
    expect((await ids(`?sessionId=${sessionId}`)).toSorted()).toEqual([mine, theirs].toSorted())
    expect(await ids(`?participantId=${second}`)).toEqual([theirs])
    expect(await ids(`?sessionId=${sessionId}&participantId=${person}`)).toEqual([mine])
    expect((await api.get('/v1/attendance?sessionId=opening')).status).toBe(400)
  })

  it('returns attendance only to accounts that cover its event', async () => {
    const id = await scan()
    const table: [object, boolean][] = [
      [{ clients: [event] }, true],
      [{ events: [event] }, true],
      [{ events: [other] }, false],
      [{ clients: [await world.event()] }, false],
      [{}, false],
    ]
    for (const [covering, may] of table) {
      const client = await createRestClient(world, served, event.tenantId, covering)
      expect([covering, (await ids('', client)).includes(id), (await client.get(`/v1/attendance/${id}`)).status]).toEqual([
        covering,
        may,
        may ? 200 : 404,
      ])
    }
  })

  it('includes attendance of test participants only with includeTestData', async () => {
    const tess = await createRegistrationAt(world, event, { email: 'tess@example.org', isTestData: true })
    const id = await scan({ participantId: tess, isTestData: true })
    expect([(await ids()).includes(id), (await ids('?includeTestData=true')).includes(id)]).toEqual([false, true])
    expect((await api.get(`/v1/attendance/${id}`)).status).toBe(404)
    expect((await api.get(`/v1/attendance/${id}?includeTestData=true`)).json.isTestData).toBe(true)
    await refused({ isTestData: true })
    await refused({ participantId: tess })
  })

  it('supports paging and ETags for attendance, which is deleted with the participant', async () => {
    const gone = await createRegistrationAt(world, event, { email: 'gone@example.org' })
    const some = [
      await scan({ participantId: gone }),
      await scan({ participantId: gone, direction: 'out' }),
      await scan({ participantId: gone }),
    ]
    const path = `/v1/attendance?participantId=${gone}&limit=2`
    const page = await api.get(path)
    expect([page.json.data.length, page.json.pageInfo.hasMore]).toEqual([2, true])
    expect(await api.all(`/v1/attendance?participantId=${gone}`, { limit: 1 })).toHaveLength(3)
    const again = () => api.get(path, { 'if-none-match': page.headers['etag']! })
    expect((await again()).status).toBe(304)
    await rows(`update attendance_scans set flag = 'second_entry', duplicate_of = $2 where id = $1`, some[1], some[0])
    const flagged = (await again()).json
    expect(flagged.data.map(({ flag }: { flag: string }) => flag)).not.toContain('second_entry')
    expect((await api.get(`/v1/attendance/${some[1]}`)).json).toMatchObject({ flag: 'second_entry', revision: 2 })
    await rows('delete from participants where id = $1', gone)
    expect(await ids(`?participantId=${gone}`)).toEqual([])
    const deleted = (await api.all('/v1/deletions')).filter(({ entity }) => entity === 'attendance').map(({ id }): string => id)
    expect(deleted.toSorted()).toEqual(some.toSorted())
  })
})

describe('stored scan', () => {
  it('never changes a stored attendance scan, except to add a flag later', async () => {
    const id = await scan()
    for (const change of [`result = 'refused', reason = 'unpaid'`, `at = lanyard_now()`, `direction = 'out'`, `participant_id = null`])
      await expect(rows(`update attendance_scans set ${change} where id = $1`, id)).rejects.toThrow('attendance_scans are never changed')
    await rows(`update attendance_scans set flag = 'missed_out' where id = $1`, id)
  })

  it('stores no scan without location, no refused scan without reason, and no scan number of a scanner twice', async () => {
    await refused({ scope: 'gate' })
    await refused({ scope: 'event', gateCode: 'north' })
    await refused({ scope: 'session' })
    await refused({ scope: 'gate', gateCode: 'north', sessionId })
    await refused({ result: 'refused' })
    await refused({ participantId: null })
    await refused({ direction: 'through' })
    await refused({ participantId: newId() })
    await scan({ deviceName: 'Door 1', nonce: '7' })
    await refused({ deviceName: 'Door 1', nonce: '7' })
    await scan({ deviceName: 'Door 3', nonce: '7' })
    await scan({ nonce: '7' })
    await refused({ nonce: '7' })
    const elsewhere = await createRegistrationAt(world, other, { email: 'ana@example.org' })
    await scan({ participantId: elsewhere, deviceName: 'Door 1', nonce: '7' }, other)
  })
})
