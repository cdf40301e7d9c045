import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/kernel/ids.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventPlace, newWorld, type OrganizerHandle, type Place, type World } from '../support/world.ts'
import { Guest } from './guest.ts'

const PATH = '/console/audit'
let world: World
let served: Served
let acme: Place
let summit: EventPlace
let people: Record<'admin' | 'analyst' | 'registrar' | 'neighbour' | 'staff' | 'foreigner', OrganizerHandle>

beforeAll(async () => {
  world = await newWorld({ baseUrl: await freeBaseUrl() })
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
  at?: Place | EventPlace | null
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

const as = (who: keyof typeof people) => new Guest(served).enter(world, people[who])

async function readersOf(id: string) {
  const found: string[] = []
  for (const who of Object.keys(people) as (keyof typeof people)[]) {
    const page = await (await as(who)).get(PATH)
    if (page.html.includes(id)) found.push(who)
  }
  return found
}

describe('the audit log', () => {
  it('asks for clients.read and says so', async () => {
    for (const path of [PATH, '/console/jobs']) {
      const page = await (await as('registrar')).get(path)
      expect([page.status, page.text.includes('clients.read')]).toEqual([403, true])
    }
  })

  it("shows a client's changes to those who may see its settings, an event's to its staff too, and never another tenant's", async () => {
    expect(await readersOf(await entry({ at: acme }))).toEqual(['admin', 'analyst'])
    expect(await readersOf(await entry({ at: summit }))).toEqual(['admin', 'analyst', 'staff'])
    expect(await readersOf(await entry({ at: null, by: people.foreigner }))).toEqual(['foreigner'])
  })

  it('shows what belongs to no client to whoever did it and to the administrators of their client', async () => {
    expect(await readersOf(await entry({ at: null, by: people.analyst }))).toEqual(['admin', 'analyst'])
    expect(await readersOf(await entry({ at: null, by: people.staff }))).toEqual(['admin', 'staff'])
    expect(await readersOf(await entry({ at: null, by: people.neighbour }))).toEqual(['neighbour'])
  })

  it('is filtered by client, event, tool, person and days', async () => {
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

  it('says what is wrong with a day, and keeps what was typed', async () => {
    const admin = await as('admin')
    const page = await admin.get(`${PATH}?from=2027-02-30&tool=config_set`)
    expect([page.status, page.text.includes('no such day: February 2027 has 28 days')]).toEqual([400, true])
    expect(page.html).toContain('value="config_set"')
    expect((await admin.get(`${PATH}?from=2027-03-02&until=2027-03-01`)).text).toContain('2027-03-02 is after 2027-03-01.')
    expect((await admin.get(`${PATH}?cursor=stolen`)).status).toBe(400)
  })

  it('shows what changed and nothing that did not, as text', async () => {
    const fields = {
      name: { before: 'Old <b>name</b>', after: 'New name' },
      brand: { before: { color: '#000', website: 'same.example' }, after: { color: '#fff', website: 'same.example' } },
      city: { before: null, after: 'Lisbon' },
    }
    const id = await entry({ fields, tool: 'diff_shown' })
    const { html, text } = await (await as('admin')).get(`${PATH}?tool=diff_shown`)
    expect(html).toContain(id)
    expect(html).toContain('<del>Old &lt;b&gt;name&lt;/b&gt;</del>')
    expect(html).toContain('<ins>New name</ins>')
    expect(text).toContain('brand.color')
    expect(text).not.toContain('same.example')
    expect(text).toMatch(/city empty → became Lisbon/)
  })

  it('pages without losing or repeating any', async () => {
    const ids = new Set<string>()
    for (let i = 0; i < 60; i++) ids.add(await entry({ tool: 'paged_tool' }))
    const admin = await as('admin')
    const seen: string[] = []
    let next: string | null = `${PATH}?tool=paged_tool`
    while (next) {
      const { html }: { html: string } = await admin.get(next)
      seen.push(...[...html.matchAll(/thing <code>([0-9a-f]{24})/g)].map(([, id]) => id!))
      next = /href="([^"]+)">Next page/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? null
    }
    expect(seen).toHaveLength(60)
    expect(new Set(seen)).toEqual(ids)
  })

  it('has what a tool changed through an assistant', async () => {
    await people.admin.call('update_client', { clientCode: 'acme', name: 'Acme Renamed' })
    const { text } = await (await as('admin')).get(`${PATH}?client=acme&person=ada`)
    expect(text).toContain('Ada Admin update_client through Test app, at acme')
    expect(text).toContain('became Acme Renamed')
  })
})

describe('jobs', () => {
  async function job(
    at: EventPlace | null,
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
    return `job-${id}`
  }

  it('show progress and errors to those of the client, and not what they were given', async () => {
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
