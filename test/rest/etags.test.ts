import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createRegistrationAt } from '../support/participants.ts'
import { type RestClient, createRestClient } from '../support/rest.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let event: EventHandle
let api: RestClient

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world)
  event = await world.event()
  api = await createRestClient(world, served, event.tenantId, { clients: [event] })
})
afterEach(() => world.clock.reset())
afterAll(() => world.end())

let made = 0
const person = (more: object = {}, at = event) =>
  createRegistrationAt(world, at, { email: `p${++made}@example.org`, firstName: `P${made}`, ...more })
const change = (id: string) => world.database.pool.query(`update participants set company = $2 where id = $1`, [id, `Company ${++made}`])
const tagOf = async (path: string, client = api) => (await client.get(path)).headers['etag']!
const unlessIs = async (tag: string, path: string, client = api) => {
  const { status, headers, text } = await client.get(path, { 'if-none-match': tag })
  return [status, headers['etag'], text === '']
}

/** Creates a list of participants that no other test changes. */
async function ownList(count: number) {
  const place = await world.event({ at: event })
  const ids: string[] = []
  while (ids.length < count) ids.push(await person({}, place))
  return { ids, place, path: `/v1/participants?eventCode=${place.eventCode}` }
}

describe('ETag of a record', () => {
  it('returns a weak ETag with the revision of a record, and 304 without a body while the record is unchanged', async () => {
    const id = await person()
    const path = `/v1/participants/${id}`
    const { headers, json } = await api.get(path)
    expect(headers['etag']).toMatch(new RegExp(`^W/"${json.revision}-[0-9a-f]{8}"$`))
    expect(headers['cache-control']).toBe('private, max-age=0, must-revalidate')
    expect(headers['vary']).toContain('Authorization')
    const tag = headers['etag']!
    expect(await unlessIs(tag, path)).toEqual([304, tag, true])
    expect(await unlessIs(`W/"1-00000000", ${tag} , "x"`, path)).toEqual([304, tag, true])
    expect(await unlessIs(tag.slice(2), path)).toEqual([304, tag, true])
    expect(await unlessIs('*', path)).toEqual([304, tag, true])
    expect((await api.get(path, { 'if-none-match': 'W/"1-00000000", "x"' })).status).toBe(200)
    await change(id)
    expect((await api.get(path, { 'if-none-match': tag })).status).toBe(200)
  })

  it('returns different ETags for two changes of a record in the same millisecond', async () => {
    const id = await person()
    await world.clock.stopAt('2026-11-02T09:30:00.000Z')
    const tags = [await tagOf(`/v1/participants/${id}`)]
    for (let n = 0; n < 2; n++) {
      await change(id)
      tags.push(await tagOf(`/v1/participants/${id}`))
    }
    expect(new Set(tags).size).toBe(3)
  })

  it('returns another ETag with includeTestData, and for accounts with another access to sensitive answers', async () => {
    const path = `/v1/participants/${await person()}`
    const withSensitiveData = await createRestClient(world, served, event.tenantId, { clients: [event], sensitiveData: true })
    const tags = [await tagOf(path), await tagOf(`${path}?includeTestData=true`), await tagOf(path, withSensitiveData)]
    expect(new Set(tags).size).toBe(3)
  })
})

describe('ETag of a page', () => {
  it('returns a page ETag of 32 digits, and 304 while no record of the page changed', async () => {
    const { ids, path } = await ownList(3)
    const tag = await tagOf(path)
    expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/)
    expect(await unlessIs(tag, path)).toEqual([304, tag, true])
    await change(ids[0]!)
    const { status, headers } = await api.get(path, { 'if-none-match': tag })
    expect(status).toBe(200)
    expect(headers['etag']).not.toBe(tag)
  })

  it('changes the ETag of a REST page when its oldest record is removed', async () => {
    const { ids, path } = await ownList(3)
    const before = await api.get(path)
    await world.database.pool.query('delete from participants where id = $1', [ids[0]])
    const after = await api.get(path, { 'if-none-match': before.headers['etag']! })
    expect(after.status).toBe(200)
    expect(after.json.data.at(-1).updatedAt).toBe(before.json.data.at(-1).updatedAt)
    expect(after.headers['etag']).not.toBe(before.headers['etag'])
  })

  it('changes the page ETag when records are added on a next page', async () => {
    const { place, path } = await ownList(2)
    const tag = await tagOf(`${path}&limit=2`)
    await person({}, place)
    const page = await api.get(`${path}&limit=2`, { 'if-none-match': tag })
    expect([page.status, page.json.pageInfo.hasMore]).toEqual([200, true])
  })

  it('returns an ETag for an empty page, which depends on filter, page size and position', async () => {
    const { path } = await ownList(4)
    const empty = await tagOf(`${path}&status=cancelled`)
    expect(await unlessIs(empty, `${path}&status=cancelled`)).toEqual([304, empty, true])
    const { nextCursor } = (await api.get(`${path}&limit=2`)).json.pageInfo
    const tags = [
      empty,
      await tagOf(path),
      await tagOf(`${path}&limit=4`),
      await tagOf(`${path}&limit=2`),
      await tagOf(`${path}&limit=2&cursor=${nextCursor}`),
      await tagOf(`${path}&status=complete`),
      await tagOf(`${path}&includeTestData=true`),
      await tagOf(`${path}&updatedSince=2020-01-01T00:00:00Z`),
    ]
    expect(new Set(tags).size).toBe(tags.length)
  })

  it('returns the same page ETag if the cursor is only encrypted differently', async () => {
    const { path } = await ownList(4)
    const next = async () => (await api.get(`${path}&limit=2`)).json.pageInfo.nextCursor
    const tags = [await tagOf(`${path}&limit=2&cursor=${await next()}`), await tagOf(`${path}&limit=2&cursor=${await next()}`)]
    expect(tags[0]).toBe(tags[1])
  })
})

describe('ETag of another caller', () => {
  it('never returns 304 without a valid token, coverage and an existing record', async () => {
    const id = await person()
    const path = `/v1/participants/${id}`
    const tag = await tagOf(path)
    const other = await world.event()
    const stranger = await createRestClient(world, served, event.tenantId, { clients: [other] })
    for (const known of [tag, '*']) {
      expect((await stranger.get(path, { 'if-none-match': known })).status).toBe(404)
      expect((await fetch(served.url(path), { headers: { 'if-none-match': known } })).status).toBe(401)
    }
    const list = `/v1/participants?eventCode=${event.eventCode}`
    expect((await stranger.get(list, { 'if-none-match': await tagOf(list) })).status).toBe(404)
    await world.database.pool.query('delete from participants where id = $1', [id])
    expect((await api.get(path, { 'if-none-match': tag })).status).toBe(404)
  })

  it('never returns 304 for the ETag of a test record if includeTestData is missing', async () => {
    const path = `/v1/participants/${await person({ isTestData: true })}`
    const tag = await tagOf(`${path}?includeTestData=true`)
    expect((await api.get(path, { 'if-none-match': tag })).status).toBe(404)
  })
})
