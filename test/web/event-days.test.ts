import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleBrowser } from '../console/console-browser.ts'
import { memberEntries } from '../support/group-scenario.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { readPdfText } from '../support/pdf-text.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readLatestCode } from '../support/sign-in-codes.ts'
import { visitor } from '../support/visitor.ts'

/** Pages and documents show the day at the event, which is another day than in UTC. */
const PLACES = [
  { timezone: 'Pacific/Auckland', at: '2026-04-10T20:00:00Z', issued: '11 April 2026', expires: '11 May 2026' },
  { timezone: 'Pacific/Honolulu', at: '2026-04-10T05:00:00Z', issued: '9 April 2026', expires: '9 May 2026' },
]

describe.each(PLACES)('displayed days of an event in the time zone $timezone', ({ timezone, at, issued, expires }) => {
  let scenario: SalesScenario
  let served: Served
  let home: string

  beforeAll(async () => {
    scenario = await openSalesScenario(WORKED_EXAMPLE, { at, timezone, baseUrl: await chooseFreeBaseUrl() })
    served = await serve(scenario.world)
    home = eventHomePath(scenario.event)
  })
  afterAll(() => scenario.world.end())

  it('shows the same day of issue on the page of a registration and on the invoice', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    const who = await signInVisitor(scenario.world, served, scenario.event, participant.email)
    const page = await who.get(`${home}/registration`)
    expect(page.text).toContain(`(PDF) ${issued}`)
    const link = /href="([^"]*\/invoices\/[^"]+\.pdf)"/.exec(page.html)![1]!
    const pdf = await fetch(served.url(link), {
      headers: { cookie: [...who.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    expect(readPdfText(Buffer.from(await pdf.arrayBuffer()))).toContain(issued)
  })

  it('shows days of invoices and invitations on the group page and in the console', async () => {
    const email = 'ada@acme.example'
    const { group } = await scenario.call('create_managed_group', {
      name: 'Acme',
      kind: 'company',
      payBy: 'group',
      flowSlug: 'attendee',
      admins: [{ email, name: 'Ada' }],
    })
    await scenario.call('update_managed_group_members', { groupCode: group.code, add: memberEntries(1) })
    await scenario.callConfirmed('send_group_invite', { groupCode: group.code, emails: [{ email: 'ben@acme.example' }] })
    const who = visitor(served)
    const signIn = `${home}/group/${group.code}/sign-in`
    await who.post(signIn, { email }, { from: `${signIn}?email=` })
    const code = await readLatestCode(scenario.world, email)
    await who.post(`${signIn}/code`, { email, code }, { from: `${signIn}/code?email=${encodeURIComponent(email)}` })
    const { text } = await who.get(`${home}/group/${group.code}`)
    expect(text).toContain(`(PDF) ${issued}`)
    expect(text).toContain(`valid until ${expires}`)

    const olga = await new ConsoleBrowser(served).enter(scenario.world, scenario.olga)
    const here = `/console/events/${scenario.event.clientCode}/${scenario.event.eventCode}/groups/${group.code}`
    const preview = await olga.submit(here, `${here}/invites`, { emails: 'cleo@acme.example' })
    expect(preview.text).toContain(`valid until ${expires}`)
  })
})
