import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblems, LOOKS, openSignedIn } from '../support/browser.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { NEED, sourcingAt } from '../support/sourcing.ts'
import { type OrganizerHandle, newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let olga: OrganizerHandle
let paths: Record<string, string>

beforeAll(async () => {
  world = await newWorld({ baseUrl: await freeBaseUrl() })
  const acme = await world.client({ code: 'acme', name: 'Acme Events' })
  const summit = await world.event({ code: 'summit-2027', name: 'Acme Summit 2027', at: acme })
  olga = await world.organizer({ at: acme, email: 'olga@acme.example' })
  const at = sourcingAt(world, summit)
  const briefId = await at.brief()
  const open = await olga.call('start_or_advance_brief', {
    eventCode: 'summit-2027',
    title: 'Summit 2028',
    answers: { ...NEED, attendees: null },
  })
  const supplierId = await at.supplier('Atlantico Palace', {
    sleeping_rooms: 210,
    meeting_rooms: JSON.stringify([{ name: 'Hall', areaSqm: 510, capacity: { theater: 560, classroom: 300 } }]),
    sources: JSON.stringify([{ kind: 'page', ref: 'https://palace.example', at: '2026-01-01T00:00:00.000Z' }]),
    amenities: ['wifi', 'parking'],
  })
  await at.supplier('Ribeira Center', { kind: 'venue', status: 'unverified' })
  served = await serve(world)
  const [event, client] = ['/console/events/acme/summit-2027', '/console/clients/acme']
  paths = {
    briefs: `${event}/briefs`,
    'locked-brief': `${event}/briefs/${briefId}`,
    'open-brief': `${event}/briefs/${open.briefId}`,
    suppliers: `${client}/suppliers`,
    'new-supplier': `${client}/suppliers/new`,
    supplier: `${client}/suppliers/${supplierId}`,
    settings: `${client}/settings`,
  }
})
afterAll(() => world.end())

describe('sourcing pages of the console', () => {
  it('have no serious problems at any size', async () => {
    for (const look of LOOKS) {
      const page = await openSignedIn(served, olga, look)
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(served.url(path))
        expect(await findProblems(page, [look], `${name} at ${look.width}`)).toEqual([])
      }
    }
  })
})
