import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import type { OrganizerHandle } from '../support/world.ts'
import { ConsoleBrowser } from './console-browser.ts'

const PATH = '/console/audit'
const ARABIC = 'أمل عبد الرحمن'
const LONG = 'The Sixty-Second International Congress on Rivers and Cities'
const TEXT = `We meet in the old port. ${'Come by train, the station is near. '.repeat(30)}Lunch is at noon.`

let scenario: SalesScenario
let served: Served
let analyst: OrganizerHandle
let olga: ConsoleBrowser
let base: string

const set = (path: string, value: unknown) =>
  scenario.call('config_set', { operations: [{ op: 'set', path, valueJson: JSON.stringify(value) }] })

/** Reads the newest audit log entries as plain text. */
async function log(query = '', guest = olga) {
  const page = await guest.get(`${PATH}${query}`)
  expect(page.status).toBe(200)
  const entries = [...page.html.matchAll(/<li><span class="avatar[\s\S]*?<\/li>/g)].map(([html]) => html)
  const text = (html = '') =>
    html
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .replaceAll('&quot;', '"')
  return { page, entries, said: entries.map((html) => text(/<p class="what">([\s\S]*?)<\/p>/.exec(html)?.[1]).trim()), text }
}

beforeAll(async () => {
  scenario = await openSalesScenario(WORKED_EXAMPLE, { baseUrl: await chooseFreeBaseUrl(), timezone: 'Pacific/Auckland' })
  const { world, event } = scenario
  served = await serve(world)
  analyst = await world.organizer({ at: event, role: 'analyst', name: 'Ann Analyst' })
  olga = await new ConsoleBrowser(served).enter(world, scenario.olga)
  base = `/console/events/${event.clientCode}/${event.eventCode}`
})
afterAll(() => scenario.world.end())

describe('audit entries of tool calls', () => {
  it('shows a price change in the audit log with the product name, old and new value', async () => {
    await set('/products/pass/prices/1/amount', '790.00')
    const { said, entries, text } = await log()
    expect(said[0]).toMatch(/^Olga Organizer changed price( 2)? of "Pass" in the draft of .+ through Test app$/)
    expect(entries[0]).toContain(`href="${base}"`)
    expect(text(entries[0])).toMatch(/→ became 790\.00/)
  })

  it('shows the changed words of a text, even if the text is too long for the audit log', async () => {
    await set('/details/description', TEXT)
    await set('/details/description', TEXT.replace('at noon', 'at one'))
    const { entries, text } = await log()
    expect(text(entries[0])).toMatch(/Lunch is at removed: noon added: one \./)
    // The stored text is truncated before the words that differ.
    const { rows } = await scenario.world.database.pool.query(`select targets::text as kept from audit_entries order by id desc limit 1`)
    expect((rows[0] as { kept: string }).kept).not.toContain('at noon')
  })

  it('names the participant of a changed registration and links to their page, for any characters in the name', async () => {
    const { participant } = await scenario.register(
      { pass: 1 },
      { data: { '@participant.firstName': ARABIC, '@participant.lastName': '<b>Bold</b>' } },
    )
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.company': LONG } })
    const { said, entries, page } = await log(`?record=${participant.id}`)
    expect(said).toEqual([
      `Olga Organizer changed the registration of ${ARABIC} &lt;b&gt;Bold&lt;/b&gt; at ${await eventName()} through Test app`,
      `Olga Organizer registered ${ARABIC} &lt;b&gt;Bold&lt;/b&gt; at ${await eventName()} through Test app`,
    ])
    expect(entries[0]).toContain(`href="${base}/participants/${participant.id}"`)
    expect(entries[0]).toContain(LONG)
    expect(page.html).not.toContain('<b>Bold')
    await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled' })
    expect((await log(`?record=${participant.id}`)).said[0]).toContain(`cancelled the registration of ${ARABIC}`)
  })

  it('shows the version of a publication, and the user and role of a role assignment', async () => {
    await scenario.call('publish_event', { acceptWarnings: true })
    expect((await log()).said[0]).toMatch(/^Olga Organizer published .+ as version 2 through Test app$/)
    const temp = await scenario.world.organizer({ at: scenario.event, role: 'onsite', name: 'Tim Temp' })
    await scenario.call('assign_event_staff', { email: temp.email, role: 'registrar' })
    expect((await log('?group=people')).said[0]).toBe(
      `Olga Organizer gave Tim Temp the role registrar at ${await eventName()} through Test app`,
    )
  })

  it('writes no audit entries for dry runs and refused tool calls', async () => {
    const before = (await log()).said
    await scenario.call('config_set', { operations: [{ op: 'set', path: '/details/name', valueJson: '"Other"' }], dryRun: true })
    await scenario.refused('config_set', { operations: [{ op: 'set', path: '/nowhere', valueJson: '1' }] })
    expect((await log()).said).toEqual(before)
  })

  it("starts an event's audit log with the creation of the event", async () => {
    const { clientCode } = scenario.event
    const { event } = await scenario.olga.call('create_event', {
      clientCode,
      code: 'harbour',
      name: LONG,
      startsOn: '2027-03-01',
      endsOn: '2027-03-02',
    })
    const { said, entries } = await log(`?event=${event.code}`)
    expect(said.at(-1)).toBe(`Olga Organizer created ${LONG} through Test app`)
    expect(entries.at(-1)).toContain(`href="/console/events/${clientCode}/harbour"`)
    const { text, html } = await olga.get(`/console/events/${clientCode}/harbour`)
    expect(text).toContain(`Olga Organizer created ${LONG} through Test app`)
    expect(html).toContain(`href="${PATH}?client=${clientCode}&amp;event=harbour"`)
  })
})

const eventName = async () =>
  (await scenario.world.database.pool.query<{ name: string }>('select name from events where id = $1', [scenario.event.eventId])).rows[0]!
    .name

describe('deleted records in the audit log', () => {
  it('shows a deleted record with the name that the audit log recorded before the deletion', async () => {
    const group = { code: 'crew', name: `Crew of ${LONG}`, kind: 'company', payBy: 'members', flowSlug: 'attendee' }
    const { group: made } = await scenario.call('create_managed_group', group)
    expect((await log(`?record=${made.id}`)).said[0]).toContain(`created the group ${group.name}`)
    await scenario.call('delete_managed_group', { groupCode: 'crew' })
    await scenario.world.database.pool.query('delete from managed_groups where id = $1', [made.id])
    expect((await log(`?record=${made.id}`)).said[0]).toContain(`deleted the group ${group.name}`)
  })
})

describe('day filter of the audit log', () => {
  it('uses the time zone of the chosen event or client for days of the audit log, and displays the name of the time zone', async () => {
    await scenario.world.clock.stopAt('2026-04-20T13:30:00Z')
    await scenario.world.renewTokens()
    olga = await new ConsoleBrowser(served).enter(scenario.world, scenario.olga)
    await set('/details/name', 'A new name')
    const { eventCode } = scenario.event
    const ofEvent = await log(`?event=${eventCode}`)
    expect(ofEvent.page.text).toContain('Times in Pacific/Auckland, the time zone of')
    expect(ofEvent.page.text).toContain('Today Tuesday 21 April 2026')
    expect(ofEvent.entries[0]).toMatch(/>\s*01:30\s*<\/time>/)
    const ofClient = await log()
    expect(ofClient.page.text).toContain('Times in UTC, the time zone of')
    expect(ofClient.page.text).toContain('Today Monday 20 April 2026')
    const found = async (day: string, place = '') => (await log(`?from=${day}&until=${day}${place}`)).entries.length
    expect(await found('2026-04-21', `&event=${eventCode}`)).toBe(1)
    expect(await found('2026-04-20', `&event=${eventCode}`)).toBe(0)
    expect([await found('2026-04-20'), await found('2026-04-21')]).toEqual([1, 0])
  })
})

describe('personal data in the audit log', () => {
  it('hides personal data in the audit log from users without personal.read, in differences and in raw records', async () => {
    const { participant } = await scenario.register({ pass: 1 }, { data: { '@participant.mobilePhone': '+33611223344' } })
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.mobilePhone': '+33655667788' } })
    const ann = await new ConsoleBrowser(served).enter(scenario.world, analyst)
    const [mine, hers] = [await log(`?record=${participant.id}`), await log(`?record=${participant.id}`, ann)]
    expect(mine.page.html).toContain('+33655667788')
    expect(hers.said).toEqual(mine.said)
    expect(hers.page.html).not.toContain('+336')
    expect(hers.text(hers.entries[0])).toMatch(/\*\*\* → became \*\*\*/)
    const [, id] = /\?entry=([0-9a-f]{24})/.exec(hers.page.html)!
    expect((await ann.get(`${PATH}?entry=${id}`)).html).not.toContain('+336')
  })
})

describe('audit log export', () => {
  const download = (guest: ConsoleBrowser, filter: Record<string, string>) => guest.submit(PATH, `${PATH}/export`, filter)

  it('exports the filtered audit entries with escaped spreadsheet formulas, and logs the export', async () => {
    const { participant } = await scenario.register(
      { pass: 1 },
      { data: { '@participant.firstName': '=HYPERLINK("http://x")', '@participant.lastName': 'Eve' } },
    )
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.company': '=1+1' } })
    const { said } = await log(`?record=${participant.id}`)
    const answer = await download(olga, { record: participant.id })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    const lines = answer.html.trim().split('\n')
    expect(lines).toHaveLength(1 + said.length)
    expect(lines[0]).toBe('Time (UTC),User,App,Description,Client,Event,Changes,Action,Id')
    expect(answer.html).toContain('changed the registration of =HYPERLINK(""http://x"") Eve')
    expect(answer.html).toContain('Company: empty → =1+1')
    expect(answer.html).not.toMatch(/(^|,)"?[=+@]/m)
    const { said: after, text, entries } = await log()
    expect(after[0]).toBe('Olga Organizer downloaded the audit log in the console')
    expect(text(entries[0])).toContain(participant.id)
  })

  it('logs the export of an event’s audit log at that event, and exports the entries of all pages', async () => {
    const { rows } = await scenario.world.database.pool.query<{ n: number }>(
      `insert into audit_entries (tenant_id, id, client_id, event_id, actor_kind, actor_id, actor_name, app_name, tool, targets)
       select $1, lpad(to_hex(i), 24, '0'), $2, $3, 'job', 'x', '@Lanyard', 'job', 'run-imports', '[{"kind":"event","id":"x","fields":{}}]'
       from generate_series(1, 1200) i returning 1 as n`,
      [scenario.event.tenantId, scenario.event.clientId, scenario.event.eventId],
    )
    const answer = await download(olga, { event: scenario.event.eventCode, tool: 'run-imports' })
    expect(answer.html.trim().split('\n')).toHaveLength(1 + rows.length)
    expect(answer.html).toContain(",'@Lanyard,")
    expect((await log(`?event=${scenario.event.eventCode}`)).said[0]).toContain('downloaded the audit log')
  })

  it('exports personal names and values of the audit log only for users with the export permission', async () => {
    const { participant } = await scenario.register({ pass: 1 }, { data: { '@participant.lastName': 'Zebrowski' } })
    const ann = await new ConsoleBrowser(served).enter(scenario.world, analyst)
    const [mine, hers] = [await download(olga, { record: participant.id }), await download(ann, { record: participant.id })]
    expect(mine.html).toContain('Zebrowski')
    expect(hers.status).toBe(200)
    expect(hers.html).toContain('registered a participant')
    expect(hers.html).not.toContain('Zebrowski')
  })

  it('requires clients.read and a CSRF token to export the audit log, and explains an invalid filter', async () => {
    const registrar = await scenario.world.organizer({ at: scenario.event, role: 'registrar' })
    const guest = await new ConsoleBrowser(served).enter(scenario.world, registrar)
    const page = await olga.get(PATH)
    const csrf = /name="_csrf" value="([^"]+)"/.exec(page.html)![1]!
    expect((await guest.submit('/console', `${PATH}/export`, {})).status).toBe(403)
    expect((await guest.forge(`${PATH}/export`, {}, { csrf })).status).toBe(400)
    expect((await download(olga, { from: '2026-02-30' })).status).toBe(400)
  })
})

describe('steps of anonymous visitors in the audit log', () => {
  it('groups the steps of a visitor into one expandable row of the audit log', async () => {
    const { pool } = scenario.world.database
    const people = [
      await scenario.register({}, { data: { '@participant.firstName': 'Vera' } }),
      await scenario.register({}),
      await scenario.register({}),
    ]
    const [vera, tom, sam] = people.map(({ participant }) => participant.id as string)
    // Visitors who have not signed in share one actor; Sam has signed in.
    const steps = [vera, tom, vera, sam, vera, tom, sam].map((id, n) => ({ id, n, actor: id === sam ? sam : 'visitor' }))
    const last = await pool.query<{ id: string }>('select id from audit_entries order by id desc limit 1')
    const prefix = last.rows[0]!.id.slice(0, 20)
    for (const { id, n, actor } of steps)
      await pool.query(
        `insert into audit_entries (tenant_id, id, client_id, event_id, actor_kind, actor_id, actor_name, app_name, tool, targets)
         values ($1, $2, $3, $4, 'participant', $5, $5, 'web', 'edit own registration', $6)`,
        [
          scenario.event.tenantId,
          `${prefix}fff${n}`,
          scenario.event.clientId,
          scenario.event.eventId,
          actor,
          JSON.stringify([{ kind: 'participant', id, fields: { company: { before: null, after: `Step ${n}` } } }]),
        ],
      )
    const { page } = await log(`?event=${scenario.event.eventCode}&app=web`)
    expect(page.text.match(/made \d steps/g)).toEqual(['made 2 steps', 'made 2 steps', 'made 3 steps'])
    expect(page.text).toContain('Vera')
    expect(page.html.match(/<details class="more"><summary>[^<]*steps<\/summary>/g)).toHaveLength(3)
    for (const { n } of steps) expect(page.text).toContain(`Step ${n}`)
    // The steps of organizers are never grouped into one row.
    await set('/details/description', 'One')
    await set('/details/description', 'Two')
    expect((await log(`?event=${scenario.event.eventCode}&app=Test app`)).page.text).not.toContain('steps')
  })
})

describe('secrets in the audit log', () => {
  it('shows no secrets on the audit log page', async () => {
    const at = `/console/clients/${scenario.event.clientCode}`
    const made = await olga.submit('/console', `${at}/accounts`, { name: 'CRM', purpose: 'rest', rateLimitPerMinute: '60' })
    expect(made.status).toBe(303)
    const account = /accounts\/([0-9a-f]{24})/.exec(made.location!)![1]!
    await olga.submit('/console', `${at}/accounts/${account}/tokens`, { lifetime: '' })
    const { html: once } = await olga.get(`${at}/accounts/${account}`)
    const [token] = /l[a-z]{2}_[A-Za-z0-9_-]{20,}/.exec(once)!
    const { said, entries, page } = await log('?group=programs')
    expect(said[0]).toBe('Olga Organizer issued a token of the API account CRM in the console')
    expect(entries[0]).toContain(`href="${at}/accounts/${account}"`)
    expect(page.html).toContain(token.slice(-4))
    expect(page.html).not.toContain(token)
  })
})
