import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { hiddenFieldsIn, openFormAs } from '../support/registration-form.ts'
import { newAttendee, openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type VisitedPage, type Visitor, visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served
let home: string
/** Statements that changes have executed since the last call. */
let takeStatements: () => string[]

const [attendee] = WORKED_EXAMPLE.flows

beforeAll(async () => {
  const flows = [attendee!, { ...attendee!, slug: 'board', name: 'Board', inviteOnly: true }]
  scenario = await openSalesScenario({ ...WORKED_EXAMPLE, flows }, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  home = eventHomePath(scenario.event)
  takeStatements = recordStatements()
})
afterAll(() => scenario.world.end())

const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows

function recordStatements(): () => string[] {
  const { pool } = scenario.world.database
  const connect = pool.connect.bind(pool)
  let texts: string[] = []
  pool.connect = async () => {
    const connection = await connect()
    const query = connection.query.bind(connection) as (text: unknown, values?: unknown) => Promise<any>
    const recorded = (text: unknown, values?: unknown) => {
      texts.push(String(typeof text === 'string' ? text : (text as { text: string }).text))
      return query(text, values)
    }
    return new Proxy(connection, { get: (target, name) => (name === 'query' ? recorded : Reflect.get(target, name, target)) })
  }
  return () => texts.splice(0)
}

const blank = (email: string, { status, location, text }: VisitedPage) =>
  [status, location, text].map((one) => String(one).replaceAll(email, 'x').replaceAll(encodeURIComponent(email), 'x'))

/** The page without the badge, its numbers and signed links, which are different for each registration. */
const withoutNumbers = (page: VisitedPage): VisitedPage => ({
  ...page,
  text: page.text.replaceAll(/\b[2-9A-HJ-NP-Z]{10}\b|\bINV-\S+/g, '#'),
})

let made = 0
/** An address with a registration of this status, or without any. */
async function addressWith(state: 'unknown' | 'complete' | 'incomplete' | 'cancelled' | 'listed'): Promise<string> {
  const email = `disclosed-${++made}@example.org`
  if (state === 'listed') await scenario.call('add_invite_list_participants', { flowSlug: 'board', rows: [{ email }] })
  else if (state !== 'unknown') {
    const data = newAttendee({ '@participant.firstName': 'Dee', '@participant.lastName': 'Known', '@participant.email': email })
    const status = state === 'incomplete' ? 'incomplete' : 'complete'
    const { participant } = await scenario.call('add_participant', { flowSlug: 'attendee', data, status })
    if (state === 'cancelled') await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled' })
  }
  return email
}

describe('public registration pages', () => {
  const STATES = ['unknown', 'complete', 'incomplete', 'cancelled'] as const

  /** The pages that a visitor sees with the address, and the statements that they cause. */
  async function visit(email: string, steps: (who: Visitor) => Promise<VisitedPage[]>) {
    const who = visitor(served)
    takeStatements()
    const pages = await steps(who)
    return { pages: pages.map((page) => blank(email, page)), statements: takeStatements() }
  }

  it('shows the same registration pages after the same SQL statements, whether or not the person is registered', async () => {
    const seen = []
    for (const state of STATES) {
      const email = await addressWith(state)
      seen.push(
        await visit(email, async (who) => {
          const form = openFormAs(who, scenario.event)
          const started = await form.begin(email)
          const contact = await form.open('contact')
          const named = await form.fill('contact', { '@participant.firstName': 'Dee', '@participant.lastName': 'Known' })
          const chosen = [await form.open('choices'), await form.fill('choices', { '@product.pass': '1' })]
          const finished = await form.fill('summary', {}, { press: 'finish' })
          return [started, contact, named, ...chosen, finished, withoutNumbers(await form.open('done'))]
        }),
      )
    }
    for (const other of seen.slice(1)) {
      expect(other.pages).toEqual(seen[0]!.pages)
      expect(other.statements).toEqual(seen[0]!.statements)
    }
    // Control: the recorder sees the statements of the change.
    expect(seen[0]!.statements.some((text) => text.includes('insert into "participants"'))).toBe(true)
    expect(seen[0]!.statements.some((text) => text.includes('insert into messages'))).toBe(true)
    expect(seen[0]!.pages.at(-2)![1]).toMatch(/\/done$/)
  })

  it('shows the same pages of invite-only forms after the same SQL statements, whether or not the person is registered', async () => {
    const seen = []
    for (const state of [...STATES, 'listed'] as const) {
      const email = await addressWith(state)
      seen.push(
        await visit(email, async (who) => {
          const sent = await who.post(`${home}/register/board`, { email })
          const page = await who.get(sent.location!)
          return [sent, page, await who.post(`${home}/register/board/invited`, { email, code: '000000' }, { from: sent.location! })]
        }),
      )
    }
    for (const other of seen.slice(1)) {
      expect(other.pages).toEqual(seen[0]!.pages)
      expect(other.statements).toEqual(seen[0]!.statements)
    }
    const codes = await rows(`select to_address from messages where email_code = 'invite.code'`)
    expect(codes.map(({ to_address }) => to_address)).toEqual([`disclosed-${made}@example.org`])
  })

  it('shows the same sign-in pages after the same SQL statements, whether or not the person is registered', async () => {
    const seen = []
    for (const state of STATES) {
      const email = await addressWith(state)
      seen.push(
        await visit(email, async (who) => {
          const path = `${home}/registration/sign-in`
          const sent = await who.post(path, { email })
          return [sent, await who.get(sent.location!), await who.post(`${path}/code`, { email, code: '12345x' }, { from: sent.location! })]
        }),
      )
    }
    for (const other of seen.slice(1)) expect(other).toEqual(seen[0])
  })
})

describe('refused requests on event pages', () => {
  it('answers a form of more than 256 KB with 413 on every public page', async () => {
    const form = openFormAs(visitor(served), scenario.event)
    await form.begin(await addressWith('unknown'))
    const large = 'x'.repeat(300 * 1024)
    const own = await signInVisitor(scenario.world, served, scenario.event, (await scenario.register()).participant.email)
    for (const [who, path] of [
      [form.who, `${home}/register/attendee`],
      [form.who, `${home}/register/attendee/contact`],
      [form.who, `${home}/register/board/invited`],
      [form.who, `${home}/registration/sign-in`],
      [form.who, `${home}/registration/sign-in/code`],
      [own, `${home}/registration/cancel`],
      [own, `${home}/registration/edit/contact`],
    ] as const) {
      const refused = await who.post(path, { email: large }, { csrf: null })
      expect([path, refused.status]).toEqual([path, 413])
      expect(refused.text).toContain('The form was too large.')
    }
    const german = await visitor(served, { 'accept-language': 'de' }).post(`${home}/register/attendee`, { email: large }, { csrf: null })
    expect([german.status, german.text.includes('Das Formular war zu groß.') || german.text.includes('The form was too large.')]).toEqual([
      413,
      true,
    ])
  })

  it('cancels a registration once when several requests cancel it concurrently', async () => {
    for (let round = 0; round < 3; round++) {
      const { participant } = await scenario.register({ pass: 1 })
      const who = await signInVisitor(scenario.world, served, scenario.event, participant.email)
      const page = await who.get(`${home}/registration/cancel`)
      const cancel = () => who.post(`${home}/registration/cancel`, { ...hiddenFieldsIn(page.html), agree: 'on' }, { csrf: null })
      const answers = await Promise.all([cancel(), cancel(), cancel(), cancel()])
      expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303])
      expect(await rows(`select status from participants where id = $1`, [participant.id])).toEqual([{ status: 'cancelled' }])
      expect(
        await rows(`select 1 from messages where source_id = $1 and recipient_key like 'registration.cancelled%'`, [participant.id]),
      ).toHaveLength(1)
    }
  })

  it('restarts a registration in progress if the event has left or entered test mode in the meantime', async () => {
    const testMode = (on: boolean) => scenario.call('update_event', { testMode: on })
    for (const isTest of [true, false]) {
      await testMode(isTest)
      const form = openFormAs(visitor(served), scenario.event)
      await form.begin(await addressWith('unknown'))
      const contact = await form.open('contact')
      expect(contact.status).toBe(200)
      await testMode(!isTest)
      const base = `${home}/register/attendee`
      const names = { '@participant.firstName': 'Tess', '@participant.lastName': 'Mode' }
      const sent = await form.who.post(`${base}/contact`, { ...hiddenFieldsIn(contact.html), do: 'next', ...names }, { csrf: null })
      expect([isTest, sent.status, sent.location?.split('?')[0]]).toEqual([isTest, 303, base])
      for (const page of ['contact', 'summary', 'pay', 'done', 'pay/return', 'calendar.ics'])
        expect([isTest, page, (await form.open(page)).status]).toEqual([isTest, page, 303])
      expect((await form.open('')).status).toBe(200)
      for (const path of ['', '/cancel', '/edit']) expect((await form.who.get(`${home}/registration${path}`)).status).toBeLessThan(500)
    }
    await testMode(false)
  })
})
