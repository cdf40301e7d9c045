import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/kernel/ids.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'
import { ConsoleBrowser } from './console-browser.ts'

const PATH = '/console/audit'
let world: World
let served: Served
let acme: ClientHandle
let summit: EventHandle
let people: Record<'admin' | 'analyst' | 'registrar' | 'neighbour' | 'staff' | 'foreigner', OrganizerHandle>

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme' })
  const other = await world.client({ code: 'other' })
  const foreign = await world.client({ tenant: 'elsewhere', code: 'acme' })
  summit = await world.event({ code: 'summit', at: acme })
  people = {
    admin: await world.organizer({ at: acme, name: 'Ada Admin' }),
    analyst: await world.organizer({ at: acme, role: 'analyst', name: 'Ann Analyst' }),
    registrar: await world.organizer({ at: acme, role: 'registrar' }),
    neighbour: await world.organizer({ at: other, role: 'manager' }),
    staff: await world.organizer({ staffOf: summit, staffRole: 'analyst' }),
    foreigner: await world.organizer({ at: foreign }),
  }
  served = await serve(world)
})
afterAll(() => world.end())

interface NewEntry {
  at?: ClientHandle | EventHandle | null
  by?: OrganizerHandle
  name?: string
  tool?: string
  day?: string
  fields?: Record<string, { before?: unknown; after?: unknown }>
}

async function entry({
  at = acme,
  by = people.admin,
  name = 'Ada Admin',
  tool = 'update_client',
  day,
  fields = {},
}: NewEntry): Promise<string> {
  const id = newId()
  await world.database.pool.query(
    `insert into audit_entries (tenant_id, id, at, client_id, event_id, actor_kind, actor_id, actor_name, app_name, tool, targets)
     values ((select tenant_id from users where id = $5), $1, coalesce($2::timestamptz, lanyard_now()), $3, $4, 'organizer', $5, $6, 'Claude', $7, $8)`,
    [
      id,
      day ? `${day}T12:00:00Z` : null,
      at?.clientId ?? null,
      at && 'eventId' in at ? at.eventId : null,
      by.userId,
      name,
      tool,
      JSON.stringify([{ kind: 'thing', id, fields }]),
    ],
  )
  return id
}

const as = (who: keyof typeof people) => new ConsoleBrowser(served).enter(world, people[who])

async function readersOf(id: string) {
  const found: string[] = []
  for (const who of Object.keys(people) as (keyof typeof people)[]) {
    const page = await (await as(who)).get(PATH)
    if (page.html.includes(id)) found.push(who)
  }
  return found
}

describe('audit log page', () => {
  it('requires clients.read for the audit log and names that permission in the refusal', async () => {
    for (const path of [PATH, '/console/jobs']) {
      const page = await (await as('registrar')).get(path)
      expect([page.status, page.text.includes('clients.read')]).toEqual([403, true])
    }
  })

  it('shows changes of a client to users who may see its settings, changes of an event also to event staff, and nothing of other tenants', async () => {
    expect(await readersOf(await entry({ at: acme }))).toEqual(['admin', 'analyst'])
    expect(await readersOf(await entry({ at: summit }))).toEqual(['admin', 'analyst', 'staff'])
    expect(await readersOf(await entry({ at: null, by: people.foreigner }))).toEqual(['foreigner'])
  })

  it("shows changes without a client to their actor and to administrators of the actor's client", async () => {
    expect(await readersOf(await entry({ at: null, by: people.analyst }))).toEqual(['admin', 'analyst'])
    expect(await readersOf(await entry({ at: null, by: people.staff }))).toEqual(['admin', 'staff'])
    expect(await readersOf(await entry({ at: null, by: people.neighbour }))).toEqual(['neighbour'])
  })

  it('filters the audit log by client, event, tool, user and days', async () => {
    const ids = [
      await entry({ at: summit, tool: 'config_set', day: '2027-03-01' }),
      await entry({ at: acme, tool: 'update_client', day: '2027-03-02', by: people.analyst, name: 'Ann Analyst' }),
      await entry({ at: null, tool: 'change_own_name', day: '2027-03-03' }),
    ]
    const admin = await as('admin')
    const shown = async (query: string) => {
      const page = await admin.get(`${PATH}?from=2027-03-01&until=2027-03-03&${query}`)
      return ids.map((id) => page.html.includes(id))
    }
    expect(await shown('')).toEqual([true, true, true])
    expect(await shown('client=acme')).toEqual([true, true, false])
    expect(await shown('client=other')).toEqual([false, false, false])
    expect(await shown('event=summit')).toEqual([true, false, false])
    expect(await shown('tool=change_own_name')).toEqual([false, false, true])
    expect(await shown('person=ann')).toEqual([false, true, false])
    expect(await shown(`person=${encodeURIComponent(people.analyst.email)}`)).toEqual([false, true, false])
    const span = async (from: string, until: string) => {
      const page = await admin.get(`${PATH}?from=${from}&until=${until}`)
      return ids.map((id) => page.html.includes(id))
    }
    expect(await span('2027-03-02', '2027-03-02')).toEqual([false, true, false])
    expect(await span('2027-03-02', '')).toEqual([false, true, true])
    expect(await span('', '2027-03-01')).toEqual([true, false, false])
  })

  it('explains an invalid day in the filter and keeps the input', async () => {
    const admin = await as('admin')
    const page = await admin.get(`${PATH}?from=2027-02-30&tool=config_set`)
    expect([page.status, page.text.includes('no such day: February 2027 has 28 days')]).toEqual([400, true])
    expect(page.html).toContain('value="config_set"')
    expect((await admin.get(`${PATH}?from=2027-03-02&until=2027-03-01`)).text).toContain('2027-03-02 is after 2027-03-01.')
    expect((await admin.get(`${PATH}?cursor=stolen`)).status).toBe(400)
  })

  it('counts the changes by kind of action and the changes made through apps, with a link to each list', async () => {
    const days = 'from=2028-05-01&until=2028-05-02'
    for (const tool of ['config_set', 'publish_event', 'add_participant']) await entry({ at: summit, tool, day: '2028-05-01' })
    const inConsole = await entry({ at: summit, tool: 'add_participant', day: '2028-05-02' })
    await world.database.pool.query(`update audit_entries set app_name = 'console' where id = $1`, [inConsole])
    // Neither of these may be counted: another client, and a day outside of the filter.
    await entry({ at: null, by: people.foreigner, tool: 'config_set', day: '2028-05-01' })
    await entry({ at: summit, tool: 'config_set', day: '2028-05-03' })
    const admin = await as('admin')
    const links = async (query: string) => {
      const { html } = await admin.get(`${PATH}?${query}`)
      const [, nav] = /aria-label="Kinds of change">([\s\S]*?)<\/nav>/.exec(html) ?? []
      const found = [...(nav ?? '').matchAll(/href="([^"]*)"( aria-current="page")?>([^<]*)<span>([^<]*)</g)]
      return found.map(([, href, current, label, count]) => ({
        href: href!.replaceAll('&amp;', '&'),
        text: `${label!.trim()} ${count}${current ? ' *' : ''}`,
      }))
    }
    const all = ['All 4 *', 'Through an assistant or app 3', 'Events and drafts 2', 'Registrations 2']
    const first = await links(days)
    expect(first.map(({ text }) => text)).toEqual(all)
    const shown = await Promise.all(
      first.map(async ({ href }) => (await admin.get(href)).html.match(/<li><span class="avatar/g)?.length ?? 0),
    )
    expect(shown).toEqual([4, 3, 2, 2])
    expect((await links(`${days}&via=app`)).map(({ text }) => text)).toEqual([
      'All 4',
      'Through an assistant or app 3 *',
      'Events and drafts 2',
      'Registrations 2',
    ])
    expect(await (await as('neighbour')).get(`${PATH}?${days}`).then(({ text }) => text)).not.toContain('Through an assistant or app')
  })

  it('shows only the changed values of an audit entry, escaped as text', async () => {
    const fields = {
      name: { before: 'Old <b>one</b>', after: 'Newer' },
      brand: { before: { color: '#000', website: 'same.example' }, after: { color: '#fff', website: 'same.example' } },
      city: { before: null, after: 'Lisbon' },
      footer: { before: 'Bring your ticket along', after: 'Bring your <i>phone</i> along' },
    }
    const id = await entry({ fields, tool: 'diff_shown' })
    const admin = await as('admin')
    const { html, text } = await admin.get(`${PATH}?tool=diff_shown`)
    expect(html).toContain(id)
    expect(html).toContain('<del dir="auto">Old &lt;b&gt;one&lt;/b&gt;</del>')
    expect(html).toContain('<ins dir="auto">Newer</ins>')
    expect(text).toContain('Brand, color #000 → became #fff')
    expect(html).not.toContain('same.example')
    const alone = (await admin.get(`${PATH}?entry=${id}`)).html
    expect(/<details class="raw">[\s\S]*?<\/details>/.exec(alone)![0]).toContain('same.example')
    expect(text).toMatch(/City empty → became Lisbon/)
    expect(text).toContain('Bring your removed: ticket added: <i>phone</i> along')
    expect(html).not.toContain('<i>phone')
  })

  it('shows every audit entry once when paging forward and back, also while new entries arrive', async () => {
    const made: string[] = []
    for (let i = 0; i < 60; i++) made.push(await entry({ tool: 'paged_tool' }))
    const admin = await as('admin')
    const shown = (html: string) => [...html.matchAll(/\?entry=([0-9a-f]{24})"/g)].map(([, id]) => id!)
    const link = (html: string, name: string) => new RegExp(`href="([^"]+)">\\s*${name}`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? null
    const pages: string[][] = []
    let next: string | null = `${PATH}?tool=paged_tool`
    let last = ''
    while (next) {
      last = next
      const { html }: { html: string } = await admin.get(next)
      pages.push(shown(html))
      next = link(html, 'Older')
    }
    expect(pages.map(({ length }) => length)).toEqual([20, 20, 20])
    expect(pages.flat()).toEqual(made.toReversed())
    // A new entry arrives: paging back must not lose entries, and shows the new one first.
    const late = await entry({ tool: 'paged_tool' })
    const { html: third } = await admin.get(last)
    const { html: second } = await admin.get(link(third, 'Newer')!)
    expect(shown(second)).toEqual(pages[1])
    const { html: first } = await admin.get(link(second, 'Newer')!)
    expect(shown(first)).toEqual(pages[0])
    const { html: newest } = await admin.get(link(first, 'Newer')!)
    expect(shown(newest)).toEqual([late, ...pages[0]!.slice(0, 19)])
    expect(link(newest, 'Newer')).toBeNull()
  })

  it('lists changes that an assistant made with a tool', async () => {
    await people.admin.call('update_client', { clientCode: 'acme', name: 'Acme Renamed' })
    const page = await (await as('admin')).get(`${PATH}?client=acme&person=ada`)
    expect(page.text).toContain('Ada Admin changed the settings of Acme Renamed through Test app')
    expect(page.html).toContain('href="/console/clients/acme/settings"')
    expect(page.text).toContain('became Acme Renamed')
  })

  it('shows each active filter of the audit log with a link that removes it', async () => {
    const admin = await as('admin')
    const { html, text } = await admin.get(`${PATH}?tool=config_set&person=absent&group=money`)
    expect(text).toContain('Remove filter: By “absent”')
    expect(html).toContain(`class="chip" href="${PATH}?group=money&amp;tool=config_set"`)
    expect(text).toContain('Remove a filter or choose a longer period.')
    expect((await admin.get(`${PATH}?group=constructor`)).status).toBe(200)
  })

  it('filters the audit log by actor, app, action group and record', async () => {
    const [mine, other] = [await entry({ tool: 'narrowed' }), await entry({ tool: 'narrowed', by: people.analyst, name: 'Ann Analyst' })]
    const admin = await as('admin')
    const shown = async (query: string) => {
      const { html } = await admin.get(`${PATH}?tool=narrowed&${query}`)
      return [mine, other].map((id) => html.includes(id))
    }
    expect(await shown(`by=${people.analyst.userId}`)).toEqual([false, true])
    expect(await shown('app=CLAUDE')).toEqual([true, true])
    expect(await shown('app=console')).toEqual([false, false])
    expect(await shown('kind=thing')).toEqual([true, true])
    expect(await shown('kind=participant')).toEqual([false, false])
    expect(await shown(`record=${mine}`)).toEqual([true, false])
  })

  it('shows the page of a single audit entry only to users who may see that entry', async () => {
    const [seen, foreign] = [await entry({ at: acme }), await entry({ at: null, by: people.foreigner })]
    const admin = await as('admin')
    expect((await admin.get(`${PATH}?entry=${seen}`)).text).toContain('Change · Lanyard')
    for (const id of [foreign, 'f'.repeat(24), "'"]) expect((await admin.get(`${PATH}?entry=${encodeURIComponent(id)}`)).status).toBe(404)
    expect((await (await as('registrar')).get(`${PATH}?entry=${seen}`)).status).toBe(403)
  })
})

describe('background jobs page', () => {
  async function job(
    at: EventHandle | null,
    values: { by: OrganizerHandle; status?: string; error?: string; done?: number; total?: number },
  ) {
    const id = newId()
    await world.database.pool.query(
      `insert into jobs (tenant_id, id, client_id, event_id, name, status, input, progress_done, progress_total, error, created_by)
       values ((select tenant_id from users where id = $7), $1, $2, $3, $4, $5, '{"secret":"canary"}', $8, $9, $6, $7)`,
      [
        id,
        at?.clientId ?? null,
        at?.eventId ?? null,
        `job-${id}`,
        values.status ?? 'running',
        values.error ?? null,
        values.by.userId,
        values.done ?? 0,
        values.total ?? null,
      ],
    )
    return `Job ${id}`
  }

  it("shows a job's progress and errors to users of the client, without the job's input", async () => {
    const running = await job(summit, { by: people.admin, done: 30, total: 120 })
    const failed = await job(summit, { by: people.admin, status: 'failed', error: 'Row 7 has no email' })
    const foreign = await job(null, { by: people.foreigner })
    const page = await (await as('analyst')).get('/console/jobs')
    expect(page.text).toContain(running)
    expect(page.text).toContain('30 of 120')
    expect(page.text).toContain('Row 7 has no email')
    expect([page.html.includes('canary'), page.html.includes(foreign)]).toEqual([false, false])
    const filtered = await (await as('analyst')).get('/console/jobs?status=failed')
    expect([filtered.html.includes(failed), filtered.html.includes(running)]).toEqual([true, false])
    expect((await (await as('neighbour')).get('/console/jobs')).html).not.toContain(running)
  })
})
