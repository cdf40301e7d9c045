import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIrreversibleEffectCounter } from '../../src/kernel/effects.ts'
import { defineEmail, type EmailCategory, sendEmail } from '../../src/kernel/email.ts'
import { newId } from '../../src/kernel/ids.ts'
import type { Attachment } from '../../src/kernel/email-attachments.ts'
import { newToken } from '../../src/kernel/secrets.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'
import { ConsoleBrowser } from './console-browser.ts'

const PATH = '/console/mailbox'
const FRAME_POLICY = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'"

let world: World
let served: Served
let acme: ClientHandle
let other: ClientHandle
let foreign: ClientHandle
let summit: EventHandle
let people: Record<'admin' | 'manager' | 'marketer' | 'housing' | 'neighbour' | 'staff' | 'foreigner', OrganizerHandle>

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme' })
  other = await world.client({ code: 'other' })
  foreign = await world.client({ tenant: 'elsewhere', code: 'acme' })
  summit = await world.event({ code: 'summit', at: acme })
  people = {
    admin: await world.organizer({ at: acme }),
    manager: await world.organizer({ at: acme, role: 'manager' }),
    marketer: await world.organizer({ at: acme, role: 'marketer' }),
    housing: await world.organizer({ at: acme, role: 'housing' }),
    neighbour: await world.organizer({ at: other, role: 'manager' }),
    staff: await world.organizer({ staffOf: summit, staffRole: 'registrar' }),
    foreigner: await world.organizer({ at: foreign }),
  }
  served = await serve(world)
})
afterAll(() => world.end())

interface NewMail {
  at?: ClientHandle | EventHandle
  /** Whether the email is sent in the name of the client, like an invitation. */
  ofClient?: boolean
  to?: string
  subject: string
  text?: string
  html?: string
  category?: EmailCategory
  attachments?: Attachment[]
}

async function createEmail({
  at = summit,
  ofClient = false,
  to = 'guest@example.org',
  subject,
  text = 'Hello.',
  html,
  category = 'transactional',
  attachments = [],
}: NewMail): Promise<string> {
  const email = defineEmail<null>({ code: 'test-mail', category, render: () => ({ subject, text, ...(html ? { html } : {}) }) })
  const source = { kind: 'test', id: newId(), recipientKey: to }
  const ctx = {
    tenantId: at.tenantId,
    db: world.database.write,
    effects: createIrreversibleEffectCounter(),
    baseUrl: world.services.baseUrl,
    ...(ofClient ? { client: { id: at.clientId } } : {}),
  }
  await sendEmail(ctx, email, {
    to: { address: to, name: 'Gina Guest' },
    content: null,
    source,
    attachments,
    ...('eventId' in at ? { eventId: at.eventId } : {}),
  })
  const { rows } = await world.database.pool.query<{ id: string }>('select id from messages where source_id = $1', [source.id])
  return rows[0]!.id
}

const as = (who: keyof typeof people) => new ConsoleBrowser(served).enter(world, people[who])
/** Returns who sees the email in their list, after checking that exactly those users can open it. */
async function readersOf(id: string, subject: string) {
  const found: string[] = []
  for (const who of Object.keys(people) as (keyof typeof people)[]) {
    const guest = await as(who)
    const listed = (await guest.get(`${PATH}?search=${encodeURIComponent(subject)}`)).html.includes(id)
    const [page, frame] = [await guest.get(`${PATH}/${id}`), await guest.get(`${PATH}/${id}/html`)]
    expect([who, page.status]).toEqual([who, listed ? 200 : 404])
    if (!listed) expect([frame.status, page.text.includes(subject)]).toEqual([404, false])
    if (listed) found.push(who)
  }
  return found
}

describe('mailbox page of the console', () => {
  it('shows event emails only to users with email.read at that event', async () => {
    const id = await createEmail({ subject: 'Canary of the summit', html: '<p>Canary</p>' })
    expect(await readersOf(id, 'Canary of the summit')).toEqual(['admin', 'manager', 'marketer', 'staff'])
  })

  it('shows one-time codes of an event only to administrators of its client', async () => {
    const id = await createEmail({ subject: 'Code canary', category: 'signin.code' })
    expect(await readersOf(id, 'Code canary')).toEqual(['admin'])
  })

  it("shows emails without event and client to their recipient and to administrators of the recipient's client", async () => {
    const id = await createEmail({ at: acme, subject: 'Private canary', to: people.housing.email.toUpperCase() })
    expect(await readersOf(id, 'Private canary')).toEqual(['admin', 'housing'])
    const ofStaff = await createEmail({ at: acme, subject: 'Staff canary', to: people.staff.email })
    expect(await readersOf(ofStaff, 'Staff canary')).toEqual(['admin', 'staff'])
    const ofNeighbour = await createEmail({ at: acme, subject: 'Neighbour canary', to: people.neighbour.email })
    expect(await readersOf(ofNeighbour, 'Neighbour canary')).toEqual(['neighbour'])
    const elsewhere = await createEmail({ at: foreign, subject: 'Foreign canary', to: people.foreigner.email })
    expect(await readersOf(elsewhere, 'Foreign canary')).toEqual(['foreigner'])
    const toNobody = await createEmail({ at: acme, subject: 'Lost canary', to: 'absent@example.org' })
    expect(await readersOf(toNobody, 'Lost canary')).toEqual([])
  })

  it('shows client emails to administrators and to their recipient', async () => {
    const id = await createEmail({ at: acme, ofClient: true, subject: 'Client canary', to: 'secret.hire@example.org' })
    expect(await readersOf(id, 'Client canary')).toEqual(['admin'])
    const toNeighbour = await createEmail({ at: acme, ofClient: true, subject: 'Added canary', to: people.neighbour.email })
    expect(await readersOf(toNeighbour, 'Added canary')).toEqual(['admin', 'neighbour'])
  })

  it('searches the mailbox by address and subject, and filters it by status and event', async () => {
    const id = await createEmail({ subject: 'Your badge', to: 'zoe@badges.example' })
    const failed = await createEmail({ subject: 'Your other badge', to: 'zoe@badges.example' })
    await world.database.pool.query(
      `update messages set status = 'failed', attempts = 8, last_error = '{"text":"550 no such user"}' where id = $1`,
      [failed],
    )
    const admin = await as('admin')
    const shown = async (query: string) => {
      const { html } = await admin.get(`${PATH}?${query}`)
      return [html.includes(id), html.includes(failed)]
    }
    expect(await shown('search=zoe%40badges')).toEqual([true, true])
    expect(await shown('search=other+badge')).toEqual([false, true])
    expect(await shown('search=badge&status=failed')).toEqual([false, true])
    expect(await shown('search=badge&event=summit')).toEqual([true, true])
    expect(await shown('search=badge&event=nowhere')).toEqual([false, false])
    expect((await admin.get(`${PATH}?search=%00%25_`)).status).toBe(200)
    const page = await admin.get(`${PATH}/${failed}`)
    expect(page.text).toContain('550 no such user')
    expect(page.text).toContain('Attempts 8')
  })

  it('returns every email of the mailbox once across pages', async () => {
    const ids = new Set<string>()
    for (let i = 0; i < 120; i++) ids.add(await createEmail({ subject: `Paged mail ${i}` }))
    const admin = await as('admin')
    const seen: string[] = []
    let next: string | null = `${PATH}?search=paged`
    while (next) {
      const { html }: { html: string } = await admin.get(next)
      seen.push(...[...html.matchAll(/href="\/console\/mailbox\/([0-9a-f]{24})"/g)].map(([, id]) => id!))
      next = /href="([^"]+)">Next page/.exec(html.replaceAll(/\s*Next page/g, 'Next page'))?.[1]?.replaceAll('&amp;', '&') ?? null
    }
    expect(seen).toHaveLength(120)
    expect(new Set(seen)).toEqual(ids)
    const cursor = /cursor=([^"&]+)/.exec((await admin.get(`${PATH}?search=paged`)).html)![1]!
    expect((await (await as('manager')).get(`${PATH}?search=paged&cursor=${cursor}`)).status).toBe(400)
  })
})

describe('page of a single email in the mailbox', () => {
  it('shows the HTML of an email only in a sandboxed frame that loads nothing', async () => {
    const html = '<h1>Hi</h1><script>alert(1)</script><img src="https://tracker.example/x.png">'
    const id = await createEmail({ subject: 'With <script>alert(2)</script>', text: 'Hi & welcome', html })
    const admin = await as('admin')
    const page = await admin.get(`${PATH}/${id}`)
    expect(page.html).toMatch(new RegExp(`<iframe[^>]* sandbox=""[^>]* src="${PATH}/${id}/html"`))
    expect(page.html).not.toContain('<script>alert')
    expect(page.text).toContain('Hi & welcome')
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe-inline')
    const frame = await admin.get(`${PATH}/${id}/html`)
    expect(frame.html).toBe(html)
    expect(frame.headers.get('content-security-policy')).toBe(FRAME_POLICY)
    expect(frame.headers.get('x-content-type-options')).toBe('nosniff')
    expect(frame.headers.get('cache-control')).toBe('no-store')
    expect((await new ConsoleBrowser(served).get(`${PATH}/${id}/html`)).status).toBe(303)
  })

  it('offers attachments of an email as downloads and shows inline images, only to users who may read the email', async () => {
    const invoice = { name: 'Rechnung ü.html', mime: 'text/html', content: Buffer.from('<script>alert(1)</script>') }
    const badge = { name: 'badge.png', mime: 'image/png', content: Buffer.from([137, 80, 78, 71]), contentId: 'badge' }
    const vector = { name: 'x.svg', mime: 'image/svg+xml', content: Buffer.from('<svg/>'), contentId: 'vector' }
    const html = '<img src="cid:badge"><img src="cid:vector">'
    const id = await createEmail({ subject: 'With an invoice', html, attachments: [invoice, badge, vector] })
    const admin = await as('admin')
    const page = await admin.get(`${PATH}/${id}`)
    expect([page.text.includes('Rechnung ü.html text/html, 25 bytes'), page.text.includes('badge.png')]).toEqual([true, false])
    const saved = await admin.get(`${PATH}/${id}/attachments/0`)
    expect([saved.html, saved.headers.get('content-type')]).toEqual([invoice.content.toString(), 'application/octet-stream'])
    expect(saved.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''Rechnung%20%C3%BC.html")
    expect(saved.headers.get('content-security-policy')).toBe(FRAME_POLICY)
    expect((await admin.get(`${PATH}/${id}/html`)).html).toBe('<img src="data:image/png;base64,iVBORw=="><img src="cid:vector">')
    for (const position of ['3', '-1', '00', 'x']) expect((await admin.get(`${PATH}/${id}/attachments/${position}`)).status).toBe(404)
    for (const who of ['housing', 'neighbour', 'foreigner'] as const) {
      expect((await (await as(who)).get(`${PATH}/${id}/attachments/0`)).status).toBe(404)
    }
  })

  it("states that the email's body was deleted", async () => {
    const id = await createEmail({ subject: 'Long ago', html: '<p>Hi</p>' })
    await world.database.pool.query(`update messages set text_body = '', html_body = null where id = $1`, [id])
    const admin = await as('admin')
    const page = await admin.get(`${PATH}/${id}`)
    expect([page.status, page.text.includes('Long ago'), page.text.includes('deleted after 90 days')]).toEqual([200, true, true])
    expect((await admin.get(`${PATH}/${id}/html`)).status).toBe(404)
  })

  it('responds with 404 for an unknown email id', async () => {
    const admin = await as('admin')
    for (const id of [newId(), 'x', "1'--", '%00']) expect((await admin.get(`${PATH}/${id}`)).status).toBe(404)
  })
})

describe('codes and sign-in links in the mailbox', () => {
  const link = `https://lanyard.example/console/password?token=${newToken('lpw_')}`

  it('shows codes and sign-in links in the mailbox of a local installation without an SMTP server', async () => {
    const id = await createEmail({ at: acme, to: people.admin.email, subject: 'Set a new password', text: `Here: ${link}` })
    expect((await (await as('admin')).get(`${PATH}/${id}`)).text).toContain(link)
  })

  it('hides codes and sign-in links at a public address or with an SMTP server, from administrators and recipients alike', async () => {
    const { admin } = people
    const ids = [
      await createEmail({
        at: acme,
        to: admin.email,
        subject: 'Set a new password',
        text: `Here: ${link}`,
        html: `<a href="${link}">Set it</a>`,
      }),
      await createEmail({
        subject: '424242 is your code',
        text: 'Your code: 424242',
        category: 'signin.code',
        attachments: [{ name: 'code.txt', mime: 'text/plain', content: Buffer.from('424242') }],
      }),
    ]
    const plain = await createEmail({ subject: 'No secret', text: 'Doors open at nine.' })
    // The same server at a public address, and with an SMTP server.
    for (const env of [{ LANYARD_BASE_URL: 'https://events.example.org' }, { SMTP_URL: 'smtp://127.0.0.1:2525' }]) {
      const elsewhere = await serve(world, { port: Number(new URL(await chooseFreeBaseUrl()).port), env })
      try {
        const guest = await new ConsoleBrowser(elsewhere).enter(world, admin)
        for (const id of ids) {
          const page = await guest.get(`${PATH}/${id}`)
          expect(page.text).toContain('only its recipient can read it')
          const everything =
            page.html +
            (await guest.get(`${PATH}/${id}/html`)).html +
            (await guest.get(`${PATH}/${id}/attachments/0`)).html +
            (await guest.get(PATH)).html
          expect([everything.includes('424242'), everything.includes('lpw_')]).toEqual([false, false])
        }
        expect((await guest.get(`${PATH}?search=424242`)).html).not.toContain(ids[1])
        expect((await guest.get(`${PATH}/${plain}`)).text).toContain('Doors open at nine.')
      } finally {
        await elsewhere.stop()
      }
    }
  })
})
