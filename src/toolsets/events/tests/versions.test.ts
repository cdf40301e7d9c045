import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

let world: World
let event: EventHandle
let olga: OrganizerHandle
let at: { eventCode: string }

beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.end())

beforeEach(async () => {
  event = await world.event({ status: 'draft', name: 'Summit' })
  olga = await world.organizer({ at: event, name: 'Olga Organizer', app: 'Claude' })
  at = { eventCode: event.eventCode }
  await set({ op: 'set', path: '/details/contactEmail', value: 'team@example.org' })
})

interface Operation {
  op: string
  path: string
  value?: unknown
  before?: string
}

const set = (...operations: Operation[]) =>
  olga.call('config_set', {
    ...at,
    operations: operations.map(({ value, ...rest }) => (value === undefined ? rest : { ...rest, valueJson: JSON.stringify(value) })),
  })
const publish = (note?: string) => olga.call('publish_event', { ...at, ...(note ? { note } : {}) })
const diff = (more: object = {}) => olga.call('diff_versions', { ...at, ...more })
const formatChanges = ({ changes }: { changes: { kind: string; path: string }[] }) => changes.map(({ kind, path }) => `${kind} ${path}`)

const tag = (code: string): Operation => ({ op: 'insert', path: `/tags/${code}`, value: { name: `Tag ${code}` } })
const admission: Operation = {
  op: 'insert',
  path: '/products/adm',
  value: { name: 'Admission', category: 'admission', prices: [{ amount: '450.00' }] },
}
const pages = ['one', 'two', 'three', 'four', 'five'].map((code) => ({
  code,
  title: `Page ${code}`,
  widgets: [{ id: `w-${code}`, type: 'heading', text: code }],
}))
/** The flow is not open yet, so it may be published unfinished. */
const flow: Operation = { op: 'insert', path: '/flows/attendee', value: { name: 'Attendee', opensAt: '2027-03-01T09:00:00.000Z', pages } }

const publishThree = async () => {
  await publish('first')
  await set(tag('vip'))
  await publish()
  await set(tag('press'))
  await publish('third')
}

describe('list_versions', () => {
  it('numbers three versions of an event 3, 2 and 1, exactly one of which is live', async () => {
    await publishThree()
    const { versions, nextCursor } = await olga.call('list_versions', at)
    expect(versions.map(({ number, live }: any) => [number, live])).toEqual([
      [3, true],
      [2, false],
      [1, false],
    ])
    expect(nextCursor).toBeNull()
    expect(versions[0]).toEqual({
      number: 3,
      versionId: expect.stringMatching(/^[0-9a-f]{24}$/),
      publishedAt: expect.stringMatching(/Z$/),
      publishedBy: 'Olga Organizer',
      app: 'Claude',
      note: 'third',
      basedOnVersion: 2,
      restoredFrom: null,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      counts: expect.objectContaining({ flows: 0, products: 0 }),
      live: true,
    })
    expect(versions[2]).toMatchObject({ note: 'first', basedOnVersion: null })
  })

  it('lists the versions of an event in pages, newest first', async () => {
    await publishThree()
    const first = await olga.call('list_versions', { ...at, limit: 2 })
    const second = await olga.call('list_versions', { ...at, limit: 2, cursor: first.nextCursor })
    expect([...first.versions, ...second.versions].map(({ number }) => number)).toEqual([3, 2, 1])
    expect(second.nextCursor).toBeNull()
  })

  it('reports how many changes of the draft are unpublished', async () => {
    expect(await olga.call('list_versions', at)).toMatchObject({ versions: [], draft: { basedOnVersion: null, changesSincePublish: 1 } })
    await publish()
    const { draft } = await olga.call('list_versions', at)
    expect(draft).toMatchObject({ basedOnVersion: 1, changesSincePublish: 0 })
    await set(tag('vip'), admission)
    expect((await olga.call('list_versions', at)).draft).toEqual({
      revision: draft.revision + 1,
      basedOnVersion: 1,
      changesSincePublish: 2,
      updatedAt: expect.stringMatching(/Z$/),
      updatedBy: 'Olga Organizer',
    })
  })

  it('keeps versions immutable: the database rejects updates and deletions', async () => {
    await publish()
    const here = [event.tenantId, event.eventId]
    const { pool } = world.database
    await expect(pool.query(`update config_versions set note = 'other' where tenant_id = $1 and event_id = $2`, here)).rejects.toThrow(
      'a published version cannot be changed',
    )
    await expect(pool.query(`delete from config_versions where tenant_id = $1 and event_id = $2`, here)).rejects.toThrow(
      'a published version cannot be changed',
    )
    expect((await olga.call('list_versions', at)).versions).toHaveLength(1)
  })
})

describe('diff_versions', () => {
  it('lists the one price, with its configuration path, that publishing the draft would change', async () => {
    await set(admission)
    await publish()
    await set({ op: 'set', path: '/products/adm/prices/0/amount', value: '475.00' })
    expect(await diff()).toEqual({
      from: '1',
      to: 'draft',
      changes: [
        {
          kind: 'changed',
          path: '/products/adm/prices/0/amount',
          title: 'Price of "Admission"',
          beforeJson: '"450.00"',
          afterJson: '"475.00"',
        },
      ],
      summary: { total: 1, bySection: { products: { added: 0, removed: 0, changed: 1, moved: 0, renamed: 0 } } },
      nextCursor: null,
    })
  })

  it('reports one move if the last of five pages of a flow is moved to the front', async () => {
    await set(flow)
    expect(formatChanges(await diff({ path: '/flows' }))).toEqual(['added /flows/attendee'])
    await publish()
    await set({ op: 'move', path: '/flows/attendee/pages/five', before: 'one' })
    const { changes } = await diff()
    expect(formatChanges({ changes })).toEqual(['moved /flows/attendee/pages/five'])
    expect(changes[0]).toMatchObject({ from: 'four', to: null, title: 'Page "Page five" of flow "Attendee"' })
  })

  it('finds no difference between a version and itself', async () => {
    await publishThree()
    expect(await diff({ from: '2', to: '2' })).toEqual({
      from: '2',
      to: '2',
      changes: [],
      summary: { bySection: {}, total: 0 },
      nextCursor: null,
    })
    expect((await diff({ from: 'live', to: '3' })).changes).toEqual([])
  })

  it('compares any two versions of an event in either direction, or only one part of them', async () => {
    await publishThree()
    expect(formatChanges(await diff({ from: '1', to: '3' }))).toEqual(['added /tags/vip', 'added /tags/press'])
    expect(formatChanges(await diff({ from: '3', to: '1' }))).toEqual(['removed /tags/vip', 'removed /tags/press'])
    expect(formatChanges(await diff({ from: '1', to: '3', path: '/tags/press' }))).toEqual(['added /tags/press'])
    expect(formatChanges(await diff({ from: '3', to: '1', path: '/tags/press' }))).toEqual(['removed /tags/press'])
    expect(formatChanges(await diff({ from: '1', to: '3', path: '/products' }))).toEqual([])
  })

  it('returns the differences between versions as sentences if the format is text', async () => {
    await set(admission)
    await publish()
    await set({ op: 'set', path: '/products/adm/prices/0/amount', value: '475.00' }, tag('vip'))
    const { text, changes } = await diff({ format: 'text' })
    expect(text).toBe(`Tags
- Added tag "Tag vip", at the front (/tags/vip)

Products
- Changed the price of "Admission" (/products/adm/prices/0/amount): 450.00 → 475.00`)
    expect(changes[1]).toEqual({ kind: 'changed', path: '/products/adm/prices/0/amount', title: 'Price of "Admission"' })
    await set({ op: 'insert', path: '/products/adm/prices/1', value: { amount: '530.00', from: '2027-04-01', tags: ['vip'] } })
    expect((await diff({ format: 'text' })).text).toContain(
      'Added price 2 to "Admission" (/products/adm/prices/1): 530.00 from 1 Apr 2027 for vip',
    )
    expect((await diff({ from: '1', to: '1', format: 'text' })).text).toBe('No differences.')
  })

  it('truncates long values in a version comparison and marks the words that changed', async () => {
    const words = 'Everybody is welcome in the hall. '.repeat(60)
    await set({ op: 'set', path: '/details/description', value: `<p>${words}Doors open at nine.</p>` })
    await publish()
    await set({ op: 'set', path: '/details/description', value: `<p>${words}Doors open at ten.</p>` })
    const { changes } = await diff()
    expect(changes).toHaveLength(1)
    expect([changes[0].beforeJson.length, changes[0].afterJson.length, changes[0].cut]).toEqual([500, 500, true])
    expect(changes[0].wordDiff).toContain('Doors open at [-nine-]{+ten+}.')
  })

  it('compares the draft with a blank configuration if nothing is published, and notes it', async () => {
    const { from, changes, note } = await diff()
    expect(formatChanges({ changes })).toEqual(['added /details/contactEmail'])
    expect([from, note]).toEqual(['live', 'Nothing is published yet, so live is compared as a blank configuration.'])
  })

  it('counts the participants whom a configuration change affects', async () => {
    await set({ op: 'insert', path: '/customFields/diet', value: { name: 'Diet', responseType: 'text' } }, tag('vip'))
    await publish()
    for (const [i, answers] of [{ diet: 'vegan' }, { diet: 'none' }, {}].entries()) {
      await world.database.pool.query(
        `insert into participants (tenant_id, event_id, id, status, custom_field_responses, completed_at, confirmation_number)
         values ($1, $2, $3, 'complete', $4, lanyard_now(), $3)`,
        [event.tenantId, event.eventId, i.toString(16).padStart(24, 'b'), JSON.stringify(answers)],
      )
    }
    await set(
      { op: 'set', path: '/customFields/diet/responseType', value: 'longText' },
      { op: 'set', path: '/tags/vip/name', value: 'Patron' },
    )
    const { changes } = await diff()
    expect(changes).toMatchObject([
      { path: '/tags/vip/name' },
      { path: '/customFields/diet/responseType', impact: { participants: 2, note: '2 participants answered diet' } },
    ])
    expect(changes[0].impact).toBeUndefined()
  })

  it('limits the size of the result for thousands of changes, and explains how to request fewer', async () => {
    const value = {
      name: 'A name that is neither short nor long, as names of products are',
      category: 'meal',
      prices: [{ amount: '10.00' }],
    }
    for (let part = 0; part < 6; part++) {
      await set(...Array.from({ length: 100 }, (_, i) => ({ op: 'insert', path: `/products/p-${part}-${i}`, value })))
    }
    const result = await diff()
    expect(result.truncated).toBe(true)
    expect(result.summary.total).toBe(601)
    expect(result.note).toContain(`Shown up to change ${result.changes.length} of 601. Pass nextCursor as cursor for the rest`)
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(25_000)
    const inWords = await diff({ format: 'text' })
    expect(inWords.truncated).toBe(true)
    expect(Buffer.byteLength(JSON.stringify(inWords))).toBeLessThanOrEqual(25_000)
    expect((await diff({ path: '/products/p-5-99' })).changes).toHaveLength(1)
  })

  it('rejects an unknown version and lists the known ones, and rejects a path that exists in neither version', async () => {
    expect(await olga.refused('diff_versions', { ...at, from: '1' })).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('the event was never published'),
    })
    await publishThree()
    expect(await olga.refused('diff_versions', { ...at, from: '4' })).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('versions 1 to 3'),
    })
    expect(await olga.refused('diff_versions', { ...at, to: 'newest' })).toMatchObject({
      code: 'invalid_arguments',
      fields: [{ path: 'to' }],
    })
    expect(await olga.refused('diff_versions', { ...at, path: '/product' })).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('did you mean /products?'),
    })
  })
})
