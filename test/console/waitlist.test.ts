import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toCardProcessors } from '../../src/platform/card-processors.ts'
import { openEventLedger } from '../support/event-ledger.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { runDueExternalCalls, saveScriptedCard, ScriptedCards } from '../support/scripted-cards.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue } from '../support/visitor.ts'
import { ConsoleBrowser } from './console-browser.ts'

const [pass, workshop, dinner] = WORKED_EXAMPLE.products
const SECTIONS = {
  ...WORKED_EXAMPLE,
  products: [
    pass!,
    { ...workshop!, capacity: 3, waitlist: true },
    { ...dinner!, prices: [{ amount: '0.00' }], capacity: 1, waitlist: true },
  ],
}

let scenario: SalesScenario
let served: Served
let olga: ConsoleBrowser
let here: string
const cards = new ScriptedCards()

const enter = (person: { userId: string }) => new ConsoleBrowser(served).enter(scenario.world, person)
const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows
const buy = async (name: string, products: Record<string, number> = { workshop: 1 }, more: object = {}) =>
  (
    await scenario.register(products, {
      joinWaitlist: true,
      data: { '@participant.firstName': name, '@participant.lastName': 'Line' },
      ...more,
    })
  ).participant.id as string
const cancel = (participantId: string) => scenario.call('edit_participant', { participantId, status: 'cancelled' })
const statuses = async () =>
  Object.fromEntries(
    (
      await rows(`select p.first_name as name, w.status from waitlist_entries w join participants p on p.id = w.participant_id
        where w.target = 'product:workshop' order by w.position`)
    ).map(({ name, status }) => [name, status]),
  )
const entryOf = async (name: string) =>
  (await rows(`select w.id from waitlist_entries w join participants p on p.id = w.participant_id where p.first_name = $1`, [name]))[0].id
const emails = async () =>
  (await rows(`select email_code as code from messages where email_code like 'waitlist%' order by id`)).map(({ code }) => code)
const list = (query = '') => olga.get(`${here}?target=product:workshop${query}`)
const send = (fields: Record<string, string>, who = olga) => who.submit(here, here, { target: 'product:workshop', ...fields })
/** Sends the form, and then again with the token of the dry run that the page shows. */
async function sendConfirmed(fields: Record<string, string>) {
  const preview = await send(fields)
  return { preview, done: await send({ ...fields, confirmToken: readFieldValue(preview.html, 'confirmToken')! }) }
}

beforeAll(async () => {
  scenario = await openSalesScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl(), cards })
  served = await serve(scenario.world, { extras: { cards: toCardProcessors(cards) } })
  olga = await enter(scenario.olga)
  here = `/console/events/${scenario.event.clientCode}/${scenario.event.eventCode}/waitlist`
})
afterAll(async () => {
  await openEventLedger(scenario.world, scenario.event).assertInvariants()
  await scenario.world.end()
})

describe('waiting list page', () => {
  it('states on an empty waiting list page that no one is waiting', async () => {
    const page = await olga.get(here)
    expect([page.status, page.text.includes('No one is waiting')]).toEqual([200, true])
  })

  it('shows waiting list positions, free seats and the dry run of the next offers', async () => {
    const seated = [await buy('One'), await buy('Two'), await buy('Three')]
    for (const name of ['Ivo', 'Marie', 'Anders', 'Rania']) await buy(name)
    const full = await list()
    expect(full.text).toContain('No free seats, so no offers can be made')
    expect(full.html).not.toContain('Fill the')
    await cancel(seated[0]!)
    await cancel(seated[1]!)
    const page = await list()
    for (const words of [
      'Fill the 2 free seats',
      '2 free, 0 held by offers',
      '4th in line',
      'Ivo Line and Marie Line are emailed an offer',
      '179.99 EUR',
      '2 people keep waiting.',
    ])
      expect(page.text).toContain(words)
    expect(await statuses()).toEqual({ Ivo: 'waiting', Marie: 'waiting', Anders: 'waiting', Rania: 'waiting' })
    expect(await emails()).toEqual([])
  })

  it('offers seats to exactly the people that the dry run showed, once', async () => {
    const fields = { action: 'promote', count: '1', offerHours: '24', first: '' }
    const preview = await send(fields)
    expect([preview.status, preview.text.includes('Ivo Line is emailed an offer'), preview.text.includes('Offer 1 seat')]).toEqual([
      200,
      true,
      true,
    ])
    const confirmToken = readFieldValue(preview.html, 'confirmToken')!
    // The token is valid only for the values that the page showed.
    const other = await send({ ...fields, count: '2', confirmToken })
    expect([other.status, other.text.includes('What will happen has changed')]).toEqual([400, true])
    expect((await statuses())['Ivo']).toBe('waiting')
    const done = await send({ ...fields, confirmToken })
    expect([done.status, done.location]).toEqual([303, `${here}?target=product%3Aworkshop&offered=1`])
    const again = await send({ ...fields, confirmToken })
    expect([again.status, await emails()]).toEqual([400, ['waitlist.offered']])
    const page = await olga.get(done.location!)
    for (const words of ['1 seat offered', 'Offered, waiting for an answer', '1 free, 1 held by offers', 'until Sat 11 Apr, 12:00'])
      expect(page.text).toContain(words)
    const [audit] = await rows(`select tool, app_name from audit_entries where tool = 'promote_waitlist_entries' order by id desc limit 1`)
    expect(audit).toEqual({ tool: 'promote_waitlist_entries', app_name: 'console' })
  })

  it('offers seats to people with the chosen tag first', async () => {
    const [{ id }] = await rows(`select id from participants where first_name = 'Rania'`)
    await scenario.call('edit_participant', { participantId: id, addTags: ['vip'] })
    const page = await send({ action: 'promote', count: '1', offerHours: '48', first: 'vip', check: 'yes', confirmToken: 'x' })
    expect(page.text).toContain('Rania Line is emailed an offer')
  })

  it('offers a seat to one person, withdraws the offer and removes the person', async () => {
    const entryId = await entryOf('Anders')
    const offered = await sendConfirmed({ action: 'promote', entryId, offerHours: '72' })
    expect(offered.preview.text).toContain('Offer a seat to Anders Line')
    expect([offered.done.status, (await statuses())['Anders']]).toEqual([303, 'offered'])
    const full = await send({ action: 'promote', entryId: await entryOf('Marie'), offerHours: '72' })
    expect(full.text).toContain('Marie Line is skipped: there is no free seat.')
    expect(full.text).not.toContain('Offer the seat')
    const withdrawn = await sendConfirmed({ action: 'withdraw', entryId })
    expect(withdrawn.preview.text).toContain('The offer to Anders Line is withdrawn')
    expect([withdrawn.done.location!.endsWith('&withdrawn=1'), (await statuses())['Anders']]).toEqual([true, 'waiting'])
    const repeated = await send({ action: 'withdraw', entryId })
    expect(repeated.text).toContain('Anders Line is skipped: they have no open offer.')
    const removed = await sendConfirmed({ action: 'remove', entryId })
    expect([removed.done.location!.endsWith('&removed=1'), (await statuses())['Anders']]).toEqual([true, 'removed'])
  })

  it('promotes people from the waiting list without an offer if the product costs nothing', async () => {
    const seated = await buy('Dora', { dinner: 1 })
    await buy('Emil', { dinner: 1 })
    await cancel(seated)
    const fields = { target: 'product:dinner', action: 'promote', count: '1', offerHours: '48' }
    const { preview, done } = await sendConfirmed(fields)
    expect(preview.text).toContain('Emil Line gets a seat for Dinner now')
    expect(done.location).toBe(`${here}?target=product%3Adinner&promoted=1`)
    const page = await olga.get(done.location!)
    expect([page.text.includes('1 person got a seat.'), page.text.includes('No one is in line.')]).toEqual([true, true])
  })

  it('charges the saved card of a promoted person after the dry run showed the amount', async () => {
    const [{ id }] = await rows(`select id from participants where first_name = 'Marie'`)
    expect((await list()).text).not.toContain('Charge saved cards now')
    await saveScriptedCard(scenario, id, 'ok')
    expect((await list()).text).toContain('Charge saved cards now')
    const { preview, done } = await sendConfirmed({ action: 'promote', count: '1', offerHours: '48', charge: 'savedCard' })
    expect(preview.text).toContain('The saved card of Marie Line is charged 179.99 EUR now.')
    expect([cards.charged.size, done.location!.endsWith('&charging=1')]).toEqual([0, true])
    expect((await list()).text).toContain('Card is being charged')
    await runDueExternalCalls(scenario)
    expect([cards.charged.size, (await statuses())['Marie']]).toEqual([1, 'promoted'])
  })

  it('accepts an open waiting list offer on behalf of the person, at the offered price', async () => {
    const { preview, done } = await sendConfirmed({ action: 'accept', entryId: await entryOf('Ivo') })
    expect(preview.text).toContain('Accept the offer for Ivo Line')
    expect(preview.text).toContain('at 179.99 EUR on an invoice')
    expect([done.location!.endsWith('&promoted=1'), (await statuses())['Ivo']]).toEqual([true, 'promoted'])
    expect((await send({ action: 'accept', entryId: await entryOf('Ivo') })).text).toContain('Ivo Line is skipped')
  })

  it('rejects invalid values, unknown waiting list entries and forged forms without a change', async () => {
    const before = await statuses()
    for (const count of ['0', 'x', '1001', ''])
      expect([count, (await send({ action: 'promote', count, offerHours: '48' })).text.includes('How many')]).toEqual([count, true])
    expect((await send({ action: 'promote', entryId: 'a'.repeat(24) })).status).toBe(404)
    expect((await send({ action: 'destroy', count: '1' })).status).toBe(400)
    expect((await olga.forge(here, { action: 'promote', count: '1', target: 'product:workshop' }, { csrf: 'x' })).status).toBe(400)
    expect((await olga.get(`${here}?target=product:nothing`)).status).toBe(200)
    expect(await statuses()).toEqual(before)
  })
})
