import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DOOR_EVENT, type DoorFixtures, createDoorFixtures } from '../support/door.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { signedInVisitor, type Visitor, visitor } from '../support/visitor.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let home: EventHandle
let olga: OrganizerHandle
let door: DoorFixtures

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  await world.clock.advance(`${Date.now() - (await world.clock.now()).getTime()} milliseconds`)
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  home = await world.event({ ...DOOR_EVENT, startsOn: inDays(-1), endsOn: inDays(1) })
  await world.database.pool.query(`update events set locale = 'de', locales = '{fr}' where id = $1`, [home.eventId])
  olga = await world.organizer({ role: 'manager', at: home })
  door = createDoorFixtures(world, home, olga)
  await door.rules({ gates: [{ code: 'main', name: 'Haupttor' }], reentry: false, duplicateSeconds: 0, unpaid: 'refuse' })
  served = await serve(world)
})
afterAll(() => world.end())

const languageOf = ({ html }: { html: string }) => /<html lang="([^"]*)"/.exec(html)?.[1]

/** Starts scanning at the event, and returns a browser that only has the cookie of the device. */
async function openDevice(sends: Record<string, string>): Promise<Visitor> {
  const organizer = await signedInVisitor(world, served, olga)
  await organizer.post('/door/start', { event: `${home.clientCode}/${home.eventCode}` }, { from: '/door' })
  const who = visitor(served, sends)
  for (const [name, value] of organizer.cookies) who.cookies.set(name, value)
  return who
}

describe('door page without scripts', () => {
  it.each([
    ['fr-FR', 'fr', 'Scannez un badge', 'Ne pas laisser entrer', 'Aucun participant de cet événement n’a ce badge.'],
    ['de-AT', 'de', 'Badge scannen', 'Nicht einlassen', 'Keine Person dieser Veranstaltung hat diesen Badge.'],
    ['it', 'de', 'Badge scannen', 'Nicht einlassen', 'Keine Person dieser Veranstaltung hat diesen Badge.'],
  ])(
    'shows door page, decision and reason to a browser that accepts %s in the language %s',
    async (accepted, language, ready, refused, reason) => {
      const who = await openDevice({ 'accept-language': accepted })
      const page = await who.get('/door')
      expect([languageOf(page), page.text.includes(ready)]).toEqual([language, true])
      const shown = await who.post('/door', { badge: 'nobody', direction: 'in' })
      for (const text of [refused, reason]) expect(shown.text).toContain(text)
      expect(shown.text).not.toMatch(/Scan a badge|Do not let in|No participant/)
    },
  )

  it('stores the reason of a door override in English, whichever language it was chosen in', async () => {
    const { id, badge } = await door.person({ first_name: 'Hanna', status: 'incomplete' })
    const who = await openDevice({ 'accept-language': 'fr' })
    const refused = await who.post('/door', { badge, direction: 'in' })
    expect(refused.text).toContain('Cette inscription n’est pas complète.')
    expect(refused.html).toContain('value="Paid at the desk"')
    expect(refused.text).toContain('Payé à l’accueil')
    await door.rows(
      `update participants set status = 'complete', completed_at = lanyard_now(), confirmation_number = 'HANNA1' where id = $1`,
      id,
    )
    const first = (await who.post('/door', { badge, direction: 'in' })).text
    expect(first).toContain('Laisser entrer')
    expect(first).not.toContain('Entrée accordée quand même')
    const again = (await who.post('/door', { badge, direction: 'in', reason: 'Known to the team' })).text
    expect(again).toMatch(/Laisser entrer .*Entrée accordée quand même\. Cette personne est déjà à l’intérieur\./)
    const stored = await door.rows(`select override from attendance_scans where participant_id = $1 and override is not null`, id)
    expect(stored).toMatchObject([{ override: { reason: 'Known to the team' } }])
  })

  it('shows the start page of the door in the language of the browser', async () => {
    const page = await visitor(served, { 'accept-language': 'nl' }).get('/door')
    expect([languageOf(page), page.text.includes('Inloggen als organisator')]).toEqual(['nl', true])
  })

  it('translates every text that the script of the door page shows into the language of the page', async () => {
    const words = async (language: string) =>
      JSON.parse(
        (/data-words="([^"]*)"/.exec((await (await openDevice({ 'accept-language': language })).get('/door')).html)?.[1] ?? '').replaceAll(
          '&quot;',
          '"',
        ),
      ) as Record<string, string>
    const [german, french] = [await words('de'), await words('fr')]
    expect([german['unpaid'], french['waiting']]).toEqual([
      'Bei dieser Anmeldung ist noch ein Betrag offen.',
      'Scans en attente\u202f: {count}',
    ])
    expect(Object.keys(german).filter((key) => german[key] === french[key])).toEqual([])
  })
})
