import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createListPageCache } from '../../src/surfaces/rest/page-memory.ts'
import { createRegistrationAt } from '../support/participants.ts'
import { type RestClient, createRestClient } from '../support/rest.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let client: EventHandle
let api: RestClient

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world)
  client = await world.event()
  api = await createRestClient(world, served, client.tenantId, { clients: [client] })
})
afterAll(() => world.end())

let made = 0

/** Creates a list of participants that no other test changes. */
async function createList(count: number) {
  const place = await world.event({ at: client })
  const add = async () => {
    const id = await createRegistrationAt(world, place, { email: `m${++made}@example.org`, firstName: `M${made}` })
    await update(id, `company = 'Acme'`)
    return id
  }
  const ids: string[] = []
  while (ids.length < count) ids.push(await add())
  return { ids, place, add, path: `/v1/participants?eventCode=${place.eventCode}` }
}

const update = (id: string, set: string) => world.database.pool.query(`update participants set ${set} where id = $1`, [id])

/** Changes a row without its triggers, so that its revision does not change: only a statement that reads the row would show the change. */
async function changeUnnoticed(id: string): Promise<void> {
  await world.database.pool.query('alter table participants disable trigger user')
  await update(id, `company = 'Unnoticed'`)
  await world.database.pool.query('alter table participants enable trigger user')
}

const companiesAt = async (path: string, reader = api) => (await reader.get(path)).json.data.map(({ company }: any) => company)

describe('repeated reads of a REST list', () => {
  it('reads no record again from the database while the page is unchanged', async () => {
    const { ids, path } = await createList(3)
    const first = await api.get(path)
    await changeUnnoticed(ids[1]!)
    const again = await api.get(path)
    expect([again.status, again.text, again.headers['etag']]).toEqual([200, first.text, first.headers['etag']])
    // Control: a request for another page size reads the records.
    expect(await companiesAt(`${path}&limit=10`)).toEqual(['Acme', 'Unnoticed', 'Acme'])
  })

  it('updates a cached page when a record is changed, added or removed, or when its related rows change', async () => {
    const { ids, path, add } = await createList(2)
    expect(await companiesAt(path)).toEqual(['Acme', 'Acme'])
    await update(ids[0]!, `company = 'Other'`)
    expect(await companiesAt(path)).toEqual(['Acme', 'Other'])
    await add()
    expect(await companiesAt(path)).toEqual(['Acme', 'Other', 'Acme'])
    await update(ids[1]!, `tags = '{vip}'`)
    const tagsAt = async () => (await api.get(path)).json.data.map(({ tags }: any) => tags)
    expect(await tagsAt()).toEqual([[], [], ['vip']])
    await world.database.pool.query('delete from participants where id = $1', [ids[0]])
    expect(await tagsAt()).toEqual([[], ['vip']])
  })

  it('shows a cached last page with a next cursor once records for a next page exist', async () => {
    const { path, add } = await createList(4)
    const walk = () => api.all(path, { limit: 2 })
    const first = await walk()
    expect(first).toHaveLength(4)
    expect(await walk()).toEqual(first)
    await add()
    expect(await walk()).toHaveLength(5)
    expect((await walk()).slice(0, 4)).toEqual(first)
  })

  it('caches pages separately for each API account, and returns none to an account that may not read their records', async () => {
    const { ids, path, place } = await createList(1)
    const single = await createRestClient(world, served, client.tenantId, { events: [place] })
    await api.get(path)
    await changeUnnoticed(ids[0]!)
    // An account reads the records itself, although another account has read the same page.
    expect(await companiesAt(path, single)).toEqual(['Unnoticed'])
    expect(await companiesAt(path)).toEqual(['Acme'])
    await world.database.pool.query(`update api_accounts set allowed_events = '[]' where id = $1`, [single.accountId])
    expect((await single.get(path)).status).toBe(404)
    const other = await world.event({ code: place.eventCode })
    const foreign = await createRestClient(world, served, other.tenantId, { clients: [other] })
    expect(await companiesAt(path, foreign)).toEqual([])
  })

  it('reads a cached page again once the API account may see sensitive answers', async () => {
    const { ids, path } = await createList(1)
    const reader = await createRestClient(world, served, client.tenantId, { clients: [client] })
    await reader.get(path)
    await changeUnnoticed(ids[0]!)
    expect(await companiesAt(path, reader)).toEqual(['Acme'])
    await world.database.pool.query('update api_accounts set sensitive_data = true where id = $1', [reader.accountId])
    expect(await companiesAt(path, reader)).toEqual(['Unnoticed'])
  })
})

describe('createListPageCache (cache of REST pages)', () => {
  const page = (json: string) => ({ etag: 'e', json })

  it('returns the most recently cached page of a REST request', () => {
    const memory = createListPageCache()
    expect(memory.find('a')).toBeNull()
    memory.remember('a', page('old'))
    memory.remember('a', page('new'))
    expect(memory.find('a')?.json).toBe('new')
    expect(memory.bytes()).toBe(2 * 'aenew'.length)
  })

  it('forgets the least recently used pages when the size limit is exceeded', () => {
    const memory = createListPageCache(30)
    for (const request of ['a', 'b', 'c']) memory.remember(request, page('123'))
    expect(memory.bytes()).toBe(30)
    memory.find('a')
    memory.remember('d', page('123'))
    expect(['a', 'b', 'c', 'd'].map((request) => memory.find(request) !== null)).toEqual([true, false, true, true])
    memory.remember('e', page('1'.repeat(20)))
    expect(memory.find('e')).toBeNull()
    expect(memory.bytes()).toBe(30)
  })

  it('forgets the stored page of a request if the new page is too large to store', () => {
    const memory = createListPageCache(30)
    memory.remember('a', page('123'))
    memory.remember('a', page('1'.repeat(20)))
    expect([memory.find('a'), memory.bytes()]).toEqual([null, 0])
  })
})
