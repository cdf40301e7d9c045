import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, WALKED_LOOKS, openSignedIn } from '../support/browser.ts'
import { createNegotiationFixtures } from '../support/negotiations.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { EXAMPLE_NEED, createSourcingFixtures } from '../support/sourcing.ts'
import { type OrganizerHandle, newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let olga: OrganizerHandle
let paths: Record<string, string>

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const acme = await world.client({ code: 'acme', name: 'Acme Events' })
  const summit = await world.event({ code: 'summit-2027', name: 'Acme Summit 2027', at: acme })
  olga = await world.organizer({ at: acme, email: 'olga@acme.example' })
  const at = createSourcingFixtures(world, summit)
  const briefId = await at.brief()
  const open = await olga.call('start_or_advance_brief', {
    eventCode: 'summit-2027',
    title: 'Summit 2028',
    answers: { ...EXAMPLE_NEED, attendees: null },
  })
  const supplierId = await at.supplier('Atlantico Palace', {
    sleeping_rooms: 210,
    meeting_rooms: JSON.stringify([{ name: 'Hall', areaSqm: 510, capacity: { theater: 560, classroom: 300 } }]),
    sources: JSON.stringify([{ kind: 'page', ref: 'https://palace.example', at: '2026-01-01T00:00:00.000Z' }]),
    amenities: ['wifi', 'parking'],
  })
  await at.supplier('Ribeira Center', { kind: 'venue', status: 'unverified' })
  served = await serve(world)
  const negotiations = createNegotiationFixtures(world, summit, (tool, args) => olga.call(tool, { eventCode: 'summit-2027', ...args }))
  const { rfp } = await negotiations.proposal()
  const { rfp: undecided } = await negotiations.rfp()
  const contractId = await negotiations.contract('redlined')
  const agreed = await negotiations.contract('submitted')
  const archived = await at.brief(EXAMPLE_NEED, 'Summit 2026')
  await world.database.pool.query(`update briefs set status = 'archived' where id = $1`, [archived])
  const [event, client] = ['/console/events/acme/summit-2027', '/console/clients/acme']
  paths = {
    briefs: `${event}/briefs`,
    'locked-brief': `${event}/briefs/${briefId}`,
    'archived-brief': `${event}/briefs/${archived}`,
    compare: `${event}/rfps/${rfp}/compare`,
    propose: `${event}/rfps/${undecided}/compare/propose`,
    contract: `${event}/contracts/${contractId}`,
    signers: `${event}/contracts/${agreed}/sign`,
    void: `${event}/contracts/${agreed}/void`,
    'agreed-contract': `${event}/contracts/${agreed}`,
    'open-brief': `${event}/briefs/${open.briefId}`,
    suppliers: `${client}/suppliers`,
    'new-supplier': `${client}/suppliers/new`,
    supplier: `${client}/suppliers/${supplierId}`,
    settings: `${client}/settings`,
  }
})
afterAll(() => world.end())

describe('sourcing pages of the console', () => {
  it('opens a contract clause from the list and records the decision about it by keyboard', async () => {
    const page = await openSignedIn(served, olga, WALKED_LOOKS[0])
    await page.goto(served.url(paths['contract']!))
    const link = page.locator('nav[aria-label="Clauses to agree"] a').first()
    await link.focus()
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).toBe('#attrition')
    const focused: string[] = []
    for (let presses = 0; presses < 3; presses++) {
      await page.keyboard.press('Tab')
      focused.push(await page.evaluate('document.activeElement.textContent.trim()'))
    }
    expect(focused).toEqual(['Use our counter', 'Accept their text', 'Keep our text'])
    await page.goto(served.url(paths['compare']!))
    await page.locator('a[href="#award"]').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.name')).toBe('reason')
  })

  it('shows sourcing pages without serious accessibility problems at any size', async () => {
    for (const look of WALKED_LOOKS) {
      const page = await openSignedIn(served, olga, look)
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(served.url(path))
        expect(await findProblemsInLooks(page, [look], `${name} at ${look.width}`)).toEqual([])
      }
    }
  })
})
