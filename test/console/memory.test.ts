import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Role } from '../../src/kernel/permissions.ts'
import { storeMemory } from '../support/memories.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue, type Visitor, visitor, signedInVisitor } from '../support/visitor.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'

const MEMORY = '/console/clients/acme/memory'
const INSTRUCTIONS = `${MEMORY}/instructions`

let world: World
let served: Served
let acme: ClientHandle
let summit: EventHandle
let olga: OrganizerHandle
/** Another organizer, whose assistant reads the memories that Olga writes. */
let anna: OrganizerHandle
let manager: Visitor

const rows = async (text: string, values: unknown[] = []) => (await world.database.pool.query<any>(text, values)).rows
const lastAudit = async () => (await rows(`select * from audit_entries order by id desc limit 1`))[0]
const countAudit = async () => (await rows(`select count(*)::int as n from audit_entries`))[0].n
const idOf = async (title: string) => (await rows('select id from memories where title = $1', [title]))[0]?.id as string

const visitorAs = async (role: Role) => signedInVisitor(world, served, await world.organizer({ at: acme, role }))

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme', name: 'Acme Events' })
  summit = await world.event({ code: 'summit', name: 'Acme Summit', at: acme, timezone: 'Europe/Lisbon' })
  olga = await world.organizer({ at: acme, role: 'manager', name: 'Olga Organizer' })
  anna = await world.organizer({ at: acme, role: 'analyst' })
  served = await serve(world)
  manager = await signedInVisitor(world, served, olga)
})
afterAll(() => world.end())

const write = (fields: Record<string, string>, who = manager) =>
  who.post(MEMORY, { place: '', text: 'Something', tags: '', expiresOn: '', ...fields }, { from: `${MEMORY}/new` })

describe('memories page', () => {
  it('suggests a prompt on the page of assistant memories if none exist, and links the page in the navigation', async () => {
    const page = await manager.get(MEMORY)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Ask your assistant: What do you know about parking at Acme Summit?')
    expect((await manager.get('/console')).html).toContain(`href="${MEMORY}"`)
  })

  it('creates assistant memories that an assistant finds with its next tool call', async () => {
    const answer = await write({
      place: 'summit',
      title: 'Parking  is at gate C',
      text: 'Opens at 6:30.\r\nLorries: gate F.\u202e',
      tags: 'Venue, cars,venue',
      pinned: 'on',
    })
    expect([answer.status, answer.location]).toEqual([303, `${MEMORY}?done=saved`])
    expect((await manager.get(MEMORY)).text).toMatch(/Parking is at gate C Acme Summit venue, cars Pinned Olga Organizer/)
    const id = await idOf('Parking is at gate C')
    const { memories } = await anna.call('retrieve_memories', { eventCode: 'summit', ids: [id] })
    expect(memories).toMatchObject([
      { scope: 'event', text: 'Opens at 6:30.\nLorries: gate F.', tags: ['venue', 'cars'], pinned: true, source: 'organizer', revision: 1 },
    ])
    expect((await anna.call('search_memories', { eventCode: 'summit', query: 'parkng gate' })).memories[0].id).toBe(id)
    expect(await lastAudit()).toMatchObject({
      tool: 'write_memory',
      app_name: 'console',
      actor_id: olga.userId,
      client_id: acme.clientId,
      event_id: summit.eventId,
      targets: [{ kind: 'memory', id, fields: { title: { after: 'Parking is at gate C' } } }],
    })
  })

  it('edits assistant memories, sets their expiry and deletes them, each with one audit row', async () => {
    const id = await idOf('Parking is at gate C')
    const here = `${MEMORY}/${id}`
    const { html } = await manager.get(here)
    expect(readFieldValue(html, 'tags')).toBe('venue, cars')
    const fields = { place: 'summit', title: 'Parking is at gate D', text: readFieldValue(html, 'text')!, tags: 'cars', revision: '1' }
    const before = await countAudit()
    expect((await manager.post(here, { ...fields, expiresOn: '2027-05-11' })).status).toBe(303)
    expect(await countAudit()).toBe(before + 1)
    const [row] = await rows('select * from memories where id = $1', [id])
    // The day ends at midnight in Lisbon, which is UTC+1 in May.
    expect(row).toMatchObject({ title: 'Parking is at gate D', revision: 2, pinned: false, expires_at: new Date('2027-05-11T23:00:00Z') })
    expect(readFieldValue((await manager.get(here)).html, 'expiresOn')).toBe('2027-05-11')
    expect((await manager.post(here, { ...fields, expiresOn: '2020-01-01', revision: '2' })).status).toBe(303)
    expect((await manager.get(MEMORY)).text).toMatch(/gate D Acme Summit cars Expired/)
    expect((await anna.call('search_memories', { eventCode: 'summit', query: 'parking' })).memories).toEqual([])
    // Saving without a change writes nothing.
    const audited = await countAudit()
    await manager.post(here, { ...fields, expiresOn: '2020-01-01', revision: '3' })
    expect(await countAudit()).toBe(audited)
    const gone = await manager.post(`${here}/delete`, { sure: 'yes' }, { from: here })
    expect([gone.status, gone.location]).toEqual([303, `${MEMORY}?done=deleted`])
    expect(await lastAudit()).toMatchObject({
      tool: 'delete_memory',
      targets: [{ id, fields: { title: { before: 'Parking is at gate D' } } }],
    })
    expect((await manager.get(here)).status).toBe(404)
  })

  it('reports a concurrent edit of an assistant memory, keeps the input, and then lets the user overwrite the edit', async () => {
    await write({ title: 'Catering', text: 'Lunch at noon.' })
    const id = await idOf('Catering')
    const here = `${MEMORY}/${id}`
    const stale = { place: '', title: 'Catering', tags: '', expiresOn: '', revision: '1' }
    await manager.post(here, { ...stale, text: 'Lunch at one.' })
    const late = await manager.post(here, { ...stale, text: 'Lunch at two.' })
    expect(late.status).toBe(400)
    expect(late.text).toContain('Another user saved changes while you were editing')
    expect([readFieldValue(late.html, 'text'), readFieldValue(late.html, 'revision')]).toEqual(['Lunch at two.', '2'])
    expect((await rows('select body from memories where id = $1', [id]))[0].body).toBe('Lunch at one.')
    expect((await manager.post(here, { ...stale, text: 'Lunch at two.', revision: '2' })).status).toBe(303)
  })

  it('rejects invalid fields of an assistant memory with plain messages and keeps the input', async () => {
    const answer = await write({
      title: '',
      text: 'x'.repeat(8001),
      tags: `ok, ${'y'.repeat(41)}`,
      expiresOn: '2027-02-30',
      place: 'summit',
    })
    expect(answer.status).toBe(400)
    for (const sentence of [
      'Title: must not be empty',
      'Text: at most 8000 characters',
      'Tags: at most 40 characters',
      'Expires after: no such day: February 2027 has 28 days',
    ])
      expect(answer.text).toContain(sentence)
    expect(readFieldValue(answer.html, 'text')).toHaveLength(8001)
    expect((await write({ title: 'x', place: 'nowhere' })).status).toBe(404)
  })

  it('searches assistant memories, filters them by scope and shows them in pages', async () => {
    for (let i = 0; i < 51; i++) await storeMemory(world, { at: summit, by: olga, title: `Paged ${i}`, tags: ['many'] })
    const first = await manager.get(`${MEMORY}?search=many&place=summit`)
    expect(first.text).toContain('Next page')
    const next = /href="([^"]*cursor=[^"]*)"/.exec(first.html)![1]!.replaceAll('&amp;', '&')
    expect((await manager.get(next)).text).toMatch(/Paged 0 /)
    expect((await manager.get(`${MEMORY}?place=-`)).text).toContain('Catering')
    expect((await manager.get(`${MEMORY}?place=-`)).text).not.toContain('Paged')
    await rows(`delete from memories where title like 'Paged%'`)
  })

  it('does not find assistant memories and events of another client', async () => {
    const beta = await world.client({ code: 'beta' })
    await world.event({ code: 'fair', at: beta })
    const theirs = await storeMemory(world, { at: beta, by: await world.organizer({ at: beta }), title: 'Theirs' })
    const before = await countAudit()
    for (const answer of [
      await manager.get(`${MEMORY}/${theirs}`),
      await manager.post(`${MEMORY}/${theirs}`, { title: 'Mine', text: 'x', place: '' }, { from: MEMORY }),
      await manager.post(`${MEMORY}/${theirs}/delete`, { sure: 'yes' }, { from: MEMORY }),
      await write({ title: 'x', place: 'fair' }),
      await manager.get(`${INSTRUCTIONS}/events/fair`),
    ])
      expect(answer.status).toBe(404)
    expect((await rows('select title from memories where id = $1', [theirs]))[0].title).toBe('Theirs')
    expect(await countAudit()).toBe(before)
  })
})

describe('custom instructions for assistants', () => {
  const instructions = () => anna.call('get_custom_instructions', { eventCode: 'summit' })
  const save = (at: string, text: string, revision?: string) =>
    (async () => manager.post(at, { text, revision: revision ?? readFieldValue((await manager.get(at)).html, 'revision')! }))()

  it("applies custom instructions of client and event to the assistant's next call, and increases the revision with each edit", async () => {
    expect((await manager.get(INSTRUCTIONS)).text).toContain('Write instructions for Acme Summit')
    const saved = await save(`${INSTRUCTIONS}/client`, 'Be brief.')
    expect([saved.status, saved.location]).toEqual([303, `${INSTRUCTIONS}?done=saved`])
    expect(await instructions()).toMatchObject({ client: { text: 'Be brief.', revision: 1, updatedBy: 'Olga Organizer' }, event: null })
    await save(`${INSTRUCTIONS}/client`, 'Be brief and kind.')
    await save(`${INSTRUCTIONS}/events/summit`, 'Write in Portuguese.')
    const read = await instructions()
    expect(read.client).toMatchObject({ text: 'Be brief and kind.', revision: 2 })
    expect(read.event).toMatchObject({ text: 'Write in Portuguese.', revision: 1 })
    expect(await lastAudit()).toMatchObject({
      tool: 'write_instructions',
      app_name: 'console',
      client_id: acme.clientId,
      event_id: summit.eventId,
      targets: [{ kind: 'customInstructions', fields: { text: { before: '', after: 'Write in Portuguese.' } } }],
    })
    expect((await manager.get(INSTRUCTIONS)).text).toMatch(/All of Acme Events Written .* Acme Summit Written/)
  })

  it('rejects custom instructions that are too long or based on an old revision, and shows the current text', async () => {
    const at = `${INSTRUCTIONS}/client`
    const late = await save(at, 'Be rude.', '1')
    expect(late.status).toBe(400)
    expect(late.text).toContain('Another user saved changes while you were editing')
    expect(late.text).toContain('Current version Be brief and kind.')
    expect(readFieldValue(late.html, 'text')).toBe('Be rude.')
    // The form was opened before the first instructions were saved, so it has no revision and is refused.
    expect((await save(at, 'Be first.', '0')).status).toBe(400)
    expect((await save(at, 'x'.repeat(20_001))).text).toContain('at most 20,000 characters')
    expect((await instructions()).client).toMatchObject({ text: 'Be brief and kind.', revision: 2 })
  })

  it('deletes custom instructions when an empty text is saved', async () => {
    await save(`${INSTRUCTIONS}/events/summit`, ' ')
    expect(await instructions()).toMatchObject({ event: null, combined: 'Be brief and kind.' })
    expect((await manager.get(INSTRUCTIONS)).text).toMatch(/Acme Summit None/)
  })
})

describe('permissions for memories', () => {
  it('shows a registrar assistant memories without a form, and names the missing permission on a change', async () => {
    const registrar = await visitorAs('registrar')
    const id = await idOf('Catering')
    const pages = [MEMORY, `${MEMORY}/${id}`, INSTRUCTIONS, `${INSTRUCTIONS}/client`]
    for (const path of pages) {
      const page = await registrar.get(path)
      expect(page.status).toBe(200)
      expect(page.text).toContain('your role does not let you make changes')
      expect(page.html).not.toContain(`method="post" action="${MEMORY}`)
    }
    expect((await registrar.get(`${MEMORY}/${id}`)).text).toContain('Lunch at two.')
    expect((await registrar.get(`${INSTRUCTIONS}/client`)).text).toContain('Be brief and kind.')
    expect((await registrar.get('/console')).html).toContain(`href="${MEMORY}"`)
    const csrf = readFieldValue((await registrar.get(MEMORY)).html, '_csrf')!
    for (const path of [MEMORY, `${MEMORY}/${id}`, `${MEMORY}/${id}/delete`, `${INSTRUCTIONS}/client`, `${INSTRUCTIONS}/events/summit`]) {
      const answer = await registrar.post(path, { title: 'x', text: 'x', place: '' }, { csrf })
      expect([answer.status, answer.text.includes('needs the events.write permission')]).toEqual([403, true])
    }
    expect((await registrar.get(`${MEMORY}/new`)).status).toBe(403)
  })

  it('denies assistant memories to onsite staff and other clients, and rejects forms from other sites', async () => {
    const onsite = await visitorAs('onsite')
    expect((await onsite.get(MEMORY)).status).toBe(403)
    expect((await onsite.get('/console')).html).not.toContain(`href="${MEMORY}"`)
    expect((await visitor(served).get(MEMORY)).location).toBe(`/console/sign-in?next=${encodeURIComponent(MEMORY)}`)
    const before = await countAudit()
    for (const options of [{ csrf: null }, { origin: 'https://evil.example' }])
      expect((await manager.post(MEMORY, { title: 'Planted', text: 'x', place: '' }, { from: `${MEMORY}/new`, ...options })).status).toBe(
        400,
      )
    expect(await countAudit()).toBe(before)
  })
})
