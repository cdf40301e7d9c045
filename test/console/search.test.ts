import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHotelAt } from '../support/hotels.ts'
import { createSessionAt } from '../support/programs.ts'
import { newAttendee } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { WORKED_EXAMPLE } from '../support/worked-example.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { ConsoleBrowser } from './console-browser.ts'

let world: World
let served: Served
let olga: ConsoleBrowser
let summit: EventHandle

const PROGRAM = {
  tracks: [{ code: 'build', name: 'Build' }],
  formats: [{ code: 'talk', name: 'Talk', minutes: 40 }],
  rooms: [{ code: 'hall', name: 'Hall', capacity: 100 }],
}

/** Adds a participant, a group, a company, a session, a proposal and a hotel that all contain the word. */
async function addRecords(owner: OrganizerHandle, at: EventHandle, word: string): Promise<void> {
  const here = { clientCode: at.clientCode, eventCode: at.eventCode }
  const call = (tool: string, args: object) => owner.call(tool, { ...here, ...args })
  await call('configure_event', { sections: { ...WORKED_EXAMPLE, sessions: PROGRAM } })
  await call('publish_event', { acceptWarnings: true })
  await call('update_event', { testMode: false })
  await call('add_participant', { flowSlug: 'attendee', data: { ...newAttendee(), '@participant.lastName': word } })
  await call('create_managed_group', { name: `${word} delegation`, kind: 'delegation', payBy: 'members', flowSlug: 'attendee' })
  const contact = { name: 'Connie', email: 'contact@example.org' }
  await call('manage_company', { action: 'create', name: `${word} Robotics`, fields: { contact } })
  const person = { action: 'create', firstName: 'Sam', lastName: 'Speaker', email: 'sam@example.org' }
  const { speaker } = await call('manage_speaker', person)
  await call('manage_submission', {
    action: 'create',
    title: `Notes on ${word}`,
    trackCode: 'build',
    formatCode: 'talk',
    speakers: [{ speakerId: speaker.id }],
    status: 'submitted',
  })
  await createSessionAt(world, at, { title: `Workshop on ${word}` })
  await createHotelAt(world, at, { code: `${word.toLowerCase()}-palace`, name: `${word} Palace` })
}

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world)
  const at = await world.client({ code: 'acme' })
  summit = await world.event({ at, code: 'summit', name: 'Summit', status: 'draft' })
  const fair = await world.event({ at, code: 'fair', name: 'Fair', status: 'draft' })
  const owner = await world.organizer({ at })
  olga = await new ConsoleBrowser(served).enter(world, owner)
  await addRecords(owner, summit, 'Zephyr')
  await addRecords(owner, fair, 'Quince')
})
afterAll(() => world.end())

const pathOf = (search: string, event = 'summit') => `/console/events/acme/${event}/search?search=${encodeURIComponent(search)}`
const titlesOf = (html: string) => [...html.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, title]) => title)
const linksOf = (html: string) =>
  [...html.matchAll(/<ul class="found">(.*?)<\/ul>/gs)].flatMap(([, list]) =>
    [...list!.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!),
  )
const ALL_LISTS = ['Participants', 'Groups', 'Exhibitors', 'Sessions', 'Proposals', 'Hotels']

describe('search for records of an event in the console', () => {
  it('lists all records that contain the word, each with a link that opens', async () => {
    const page = await olga.get(pathOf('zephyr'))
    expect(titlesOf(page.html)).toEqual(ALL_LISTS)
    const links = linksOf(page.html)
    expect(links).toHaveLength(ALL_LISTS.length)
    for (const link of links) expect([link, (await olga.get(link)).status]).toEqual([link, 200])
  })

  it('finds records by the beginning of a word, without accents and in another case', async () => {
    for (const search of ['Zeph', 'ZÉPHYR', 'palace zephyr']) expect(titlesOf((await olga.get(pathOf(search))).html)).toContain('Hotels')
  })

  it('finds no records of another event, and states that nothing was found', async () => {
    const page = await olga.get(pathOf('quince'))
    expect([titlesOf(page.html), linksOf(page.html)]).toEqual([['Nothing found'], []])
    expect(titlesOf((await olga.get(pathOf('quince', 'fair'))).html)).toEqual(ALL_LISTS)
  })

  it('shows only the search field if no words were entered', async () => {
    const page = await olga.get(pathOf('  '))
    expect([page.status, titlesOf(page.html)]).toEqual([200, []])
    expect(page.html).toContain('id="search"')
  })

  it('escapes the search words on the page', async () => {
    const page = await olga.get(pathOf('"><script>alert(1)</script>'))
    expect([page.status, page.html.includes('<script>alert')]).toEqual([200, false])
  })

  it('searches only the lists of records that the role may see', async () => {
    const lists = async (role: 'housing' | 'sourcing' | 'analyst') => {
      const browser = await new ConsoleBrowser(served).enter(world, await world.organizer({ at: summit, role }))
      return titlesOf((await browser.get(pathOf('zephyr'))).html)
    }
    expect(await lists('housing')).toEqual(['Participants', 'Groups', 'Hotels'])
    expect(await lists('sourcing')).toEqual(['Hotels'])
    expect(await lists('analyst')).toEqual(ALL_LISTS)
  })

  it('finds cancelled participants too, and marks them as cancelled', async () => {
    const owner = await world.organizer({ at: summit })
    const data = { ...newAttendee(), '@participant.lastName': 'Leaver' }
    const { participant } = await owner.call('add_participant', { eventCode: 'summit', flowSlug: 'attendee', data })
    await owner.call('edit_participant', { eventCode: 'summit', participantId: participant.id, status: 'cancelled' })
    const page = await olga.get(pathOf('leaver'))
    expect(linksOf(page.html)).toEqual([`/console/events/acme/summit/participants/${participant.id}`])
    expect(page.text).toContain('cancelled')
  })

  it('shows five of many found records, and links to the list with the same search words', async () => {
    const owner = await world.organizer({ at: summit })
    for (let n = 0; n < 6; n++)
      await owner.call('add_participant', {
        eventCode: 'summit',
        flowSlug: 'attendee',
        data: { ...newAttendee(), '@participant.lastName': 'Manifold' },
      })
    const page = await olga.get(pathOf('manifold'))
    expect(linksOf(page.html)).toHaveLength(5)
    const more = '/console/events/acme/summit/participants?search=manifold'
    expect(page.html).toContain(`href="${more}"`)
    expect((await olga.get(more)).text).toContain('6 participants')
  })

  it('shows the search field in the navigation of event pages only', async () => {
    expect((await olga.get('/console/events/acme/summit')).html).toContain('action="/console/events/acme/summit/search"')
    expect((await olga.get('/console')).html).not.toContain('event-search')
  })
})
