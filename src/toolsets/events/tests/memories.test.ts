import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { storeInstructions, storeMemory } from '../../../../test/support/memories.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type ClientHandle, type World } from '../../../../test/support/world.ts'
import { soakRounds } from '../../../../test/support/soak.ts'

let world: World
let acme: ClientHandle
let summit: EventHandle
let other: EventHandle
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld()
  acme = await world.client({ code: 'acme', name: 'Acme Events' })
  summit = await world.event({ code: 'summit', name: 'Summit', at: acme })
  other = await world.event({ code: 'roadshow', at: acme })
  olga = await world.organizer({ at: acme, name: 'Olga Organizer' })
})
afterAll(() => world.end())
beforeEach(() => world.database.pool.query('delete from memories'))

const at = { eventCode: 'summit' }
const search = async (query: string, more: object = {}, who = olga) =>
  (await who.call('search_memories', { ...at, query, ...more })).memories
const titles = (memories: { title: string }[]) => memories.map(({ title }) => title)
const note = (title: string, more: Partial<Parameters<typeof storeMemory>[1]> = {}) =>
  storeMemory(world, { at: summit, by: olga, title, ...more })

describe('search_memories', () => {
  it('finds the memory "Parking is at gate C" by the misspelt search "parkng gate", and nothing without either word', async () => {
    const id = await note('Parking is at gate C', { text: 'Opens at 6:30. Lorries use gate F.', tags: ['venue'] })
    await note('Coffee is in hall 2', { text: 'The baristas arrive late.' })
    expect(await search('parkng gate')).toEqual([
      {
        id,
        scope: 'event',
        title: 'Parking is at gate C',
        excerpt: 'Opens at 6:30. Lorries use gate F.',
        tags: ['venue'],
        pinned: false,
        source: 'organizer',
        updatedAt: expect.stringMatching(/Z$/),
        score: Number((2 / 61).toFixed(6)),
      },
    ])
    expect(titles(await search('parkng'))).toEqual(['Parking is at gate C'])
    expect(await search('zeppelin')).toEqual([])
    expect(await search('!!! ???')).toEqual([])
  })

  it('never finds an assistant memory of another client or event', async () => {
    const beta = await world.client({ code: 'beta' })
    const fair = await world.event({ code: 'fair', at: beta })
    const ben = await world.organizer({ at: beta })
    const abroad = await world.event({ at: await world.client({ tenant: 'elsewhere' }), code: 'summit' })
    const eve = await world.organizer({ at: abroad })
    for (const [place, by] of [
      [beta, ben],
      [fair, ben],
      [abroad, eve],
      [other, olga],
    ] as const)
      await storeMemory(world, { at: place, by, title: 'Parking is at gate C' })
    expect(await search('parking gate')).toEqual([])
    // Control: each memory is found at its own client or event.
    expect(await search('parking', { eventCode: 'fair' }, ben)).toHaveLength(2)
    expect(await search('parking', { eventCode: 'roadshow' })).toHaveLength(1)
    expect(await search('parking', {}, eve)).toHaveLength(1)
  })

  it('ranks assistant memories by word and similarity rank (reciprocal rank fusion), and pinned ones a tenth higher', async () => {
    await note('Shuttle buses', { text: 'Shuttle from the station.' })
    await note('Hotel', { text: 'The shutle stops there, too.' })
    const [first, second] = await search('shuttle')
    expect([first.title, first.score]).toEqual(['Shuttle buses', Number((2 / 61).toFixed(6))])
    expect([second.title, second.score]).toEqual(['Hotel', Number((1 / 62).toFixed(6))])
    await world.database.pool.query(`update memories set pinned = true where title = 'Hotel'`)
    expect((await search('shuttle'))[1].score).toBe(Number((1.1 / 62).toFixed(6)))
  })

  it('ranks assistant memories with rare query words before those with common ones', async () => {
    await note('Trams', { text: 'Tram 4 stops outside.' })
    for (const what of ['stage', 'sound', 'light', 'bar']) await note(what, { text: 'Where is the thing, and the other? '.repeat(10) })
    expect((await search('where is the tram'))[0].title).toBe('Trams')
  })

  it('omits expired assistant memories, and filters them by scope and by all of the given tags', async () => {
    await note('Parking today', { expiresInDays: -1 })
    await note('Parking soon over', { expiresInDays: 1, tags: ['venue', 'cars'] })
    await note('Parking of the client', { at: acme, tags: ['venue'] })
    expect(titles(await search('parking')).toSorted()).toEqual(['Parking of the client', 'Parking soon over'])
    expect(titles(await search('parking', { scope: 'client' }))).toEqual(['Parking of the client'])
    expect(titles(await search('parking', { scope: 'event' }))).toEqual(['Parking soon over'])
    expect(titles(await search('parking', { tags: ['Venue', 'cars'] }))).toEqual(['Parking soon over'])
    expect(await search('parking', { limit: 1 })).toHaveLength(1)
  })

  it('shows event staff only the assistant memories of their event', async () => {
    await note('Parking at the event')
    await note('Parking of the client', { at: acme })
    const sam = await world.organizer({ staffOf: summit, staffRole: 'registrar' })
    expect(titles(await search('parking', {}, sam))).toEqual(['Parking at the event'])
    expect(await search('parking', { scope: 'client' }, sam)).toEqual([])
    // Client memories require permission to read all its events, which the role onsite does not have.
    const onsite = await world.organizer({ at: acme, role: 'onsite', staffOf: summit, staffRole: 'registrar' })
    expect(titles(await search('parking', {}, onsite))).toEqual(['Parking at the event'])
    expect(await search('parking')).toHaveLength(2)
  })

  it('treats any text in a search for assistant memories as plain words', async () => {
    await note('Parking', { text: "It's at gate C: https://acme.example/a?b=c&d 50% off_peak, a\\b 'quoted' | & ! <-> :* (x)" })
    const signs = fc.string({ unit: fc.constantFrom(...`'"\\|&!():*<->%_/?=.,@#~ abc1-é漢😀\n`), minLength: 1, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(
        signs.filter((query) => query.trim() !== ''),
        async (query) => {
          await search(query)
        },
      ),
      { numRuns: soakRounds(300) },
    )
    expect(titles(await search(`gate' | !x & (C`))).toEqual(['Parking'])
  })

  it('rejects an empty search for assistant memories', async () => {
    expect(await olga.refused('search_memories', { ...at, query: '  ' })).toMatchObject({ code: 'invalid_arguments' })
    expect((await olga.refused('search_memories', at)).fields).toEqual([{ path: 'query', message: 'is required: a text' }])
  })
})

describe('retrieve_memories', () => {
  const read = (more: object = {}, who = olga) => who.call('retrieve_memories', { ...at, ...more })

  it("returns 2 assistant memories and 1 missing id for 2 valid ids and the id of another client's memory", async () => {
    const beta = await world.client()
    const foreign = await storeMemory(world, { at: beta, by: await world.organizer({ at: beta }), title: 'Theirs' })
    const [one, two] = [await note('One', { text: 'first\nsecond' }), await note('Two', { at: acme, pinned: true })]
    const { memories, missing, nextCursor } = await read({ ids: [one, foreign, two] })
    expect([titles(memories), missing, nextCursor]).toEqual([['Two', 'One'], [foreign], null])
    expect(memories[1]).toEqual({
      id: one,
      scope: 'event',
      title: 'One',
      text: 'first\nsecond',
      tags: [],
      pinned: false,
      source: 'organizer',
      createdBy: 'Olga Organizer',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      revision: 1,
    })
    expect(await read({ ids: [foreign] })).toMatchObject({ memories: [], missing: [foreign] })
  })

  it('lists assistant memories with pinned ones first, then the newest, without expired ones', async () => {
    for (const title of ['a', 'b', 'c']) await note(title)
    await note('pinned', { pinned: true, tags: ['vip'] })
    const over = await note('over', { expiresInDays: -1 })
    await note('client', { at: acme })
    expect(titles((await read()).memories)).toEqual(['pinned', 'client', 'c', 'b', 'a'])
    expect(titles((await read({ scope: 'client' })).memories)).toEqual(['client'])
    expect(titles((await read({ pinnedOnly: true })).memories)).toEqual(['pinned'])
    expect(titles((await read({ tags: ['vip'] })).memories)).toEqual(['pinned'])
    expect(titles((await read({ since: '2999-01-01T00:00:00Z' })).memories)).toEqual([])
    expect((await read({ ids: [over] })).missing).toEqual([over])
  })

  it('truncates long lists of assistant memories, and continues the list at the cursor', async () => {
    const ids: string[] = []
    for (let i = 0; i < 20; i++) ids.push(await note(`Note ${i}`, { text: 'x'.repeat(7000) }))
    const first = await read({ ids })
    expect(first).toMatchObject({ truncated: true, missing: [] })
    expect(JSON.stringify(first).length).toBeLessThan(25_000)
    const found: string[] = titles(first.memories)
    for (let page = first; page.nextCursor !== null; found.push(...titles(page.memories)))
      page = await read({ ids, cursor: page.nextCursor })
    expect([found.length, new Set(found).size]).toEqual([20, 20])
  })

  it('rejects ids of assistant memories together with a scope or another filter', async () => {
    const id = await note('One')
    expect((await olga.refused('retrieve_memories', { ...at, ids: [id], scope: 'all' })).fields).toEqual([
      { path: 'scope', message: 'cannot be combined with ids: leave one of them out' },
    ])
    expect(await olga.refused('retrieve_memories', { ...at, ids: [] })).toMatchObject({ code: 'invalid_arguments' })
  })
})

describe('get_custom_instructions', () => {
  it('returns the custom instructions of client and event, those of the event taking precedence, and null if unset', async () => {
    expect(await olga.call('get_custom_instructions', at)).toEqual({ client: null, event: null, combined: '' })
    await storeInstructions(world, { at: acme, by: olga, text: 'Write in British English.' })
    const one = await olga.call('get_custom_instructions', at)
    expect(one).toMatchObject({ client: { text: 'Write in British English.', updatedBy: 'Olga Organizer', revision: 1 }, event: null })
    expect(one.combined).toBe('Write in British English.')
    await storeInstructions(world, { at: summit, by: olga, text: 'Write in Portuguese.' })
    const { event, combined } = await olga.call('get_custom_instructions', at)
    expect(event.text).toBe('Write in Portuguese.')
    expect(combined.indexOf('British')).toBeLessThan(combined.indexOf('Portuguese'))
    expect((await olga.call('get_custom_instructions', { eventCode: 'roadshow' })).event).toBeNull()
    await storeInstructions(world, { at: acme, by: olga, text: '' })
    expect(await olga.call('get_custom_instructions', at)).toMatchObject({ client: null, combined: 'Write in Portuguese.' })
  })
})
