import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createPasswordLink } from '../../src/domains/sign-in/passwords.ts'
import { createBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import { ROLES } from '../../src/kernel/permissions.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { describeChanges, recordRowChanges } from '../contract/row-changes.ts'
import { assignPassword, TEST_USER_PASSWORD } from '../support/browser.ts'
import { type Receiver, startReceiver } from '../support/receivers.ts'
import { listWebRoutes } from '../support/route-walk.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type FormFields, type VisitedPage, readFieldValue, type Visitor, visitor } from '../support/visitor.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { type FormContext, FORMS } from './routes/forms.ts'
import { populateClient, type PopulatedClient, type RouteValues } from './routes/populated-client.ts'
import { ROUTE_CALLERS, SESSIONLESS_ROUTES, type AccessRow, ROUTE_ACCESS, type RouteCaller } from './routes/access-table.ts'

interface Person {
  who: Visitor
  userId: string
  /** The CSRF token of the user's session. */
  csrf: string
}

let world: World
let served: Served
let receiver: Receiver
let passwordHash: string
/** The client under test; another client of the same tenant; and one of another tenant. */
let home: PopulatedClient
let neighbour: PopulatedClient
let foreign: PopulatedClient
/** A separate administrator, because the password form disconnects the apps of its user. */
let administrator: OrganizerHandle
let people: Record<RouteCaller, Person>

async function enter(userId: string): Promise<Person> {
  const who = visitor(served)
  const token = await createBrowserSession(world.database.write, { userId, totpPending: false, userAgent: 'test' })
  who.cookies.set('lanyard-organizer', token.reveal())
  await setInitialPassword(userId)
  return { who, userId, csrf: readFieldValue((await who.get('/console/account')).html, '_csrf')! }
}

const setInitialPassword = (userId: string) =>
  world.database.pool.query('update users set password_hash = $2 where id = $1', [userId, passwordHash])

beforeAll(async () => {
  receiver = await startReceiver()
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world, { extras: { fetcher: createFetcher({ allowedHosts: ['127.0.0.1'] }) } })
  const at = { receiver: receiver.url }
  home = await populateClient(world, { ...at, tenant: 'demo', client: 'acme', event: 'summit' })
  neighbour = await populateClient(world, { ...at, tenant: 'demo', client: 'rival', event: 'fair' })
  foreign = await populateClient(world, { ...at, tenant: 'other', client: 'faraway', event: 'secret' })
  administrator = await world.organizer({ at: home.place, app: 'App acme' })
  await assignPassword(world, administrator)
  const { rows } = await world.database.pool.query<{ hash: string }>('select password_hash as hash from users where id = $1', [
    administrator.userId,
  ])
  passwordHash = rows[0]!.hash
  const entered = new Map<RouteCaller, Person>([
    ['visitor', { who: visitor(served), userId: '', csrf: '' }],
    ['stranger', await enter(neighbour.owner.userId)],
    ['admin', await enter(administrator.userId)],
  ])
  for (const role of ROLES.filter((one) => one !== 'admin'))
    entered.set(role, await enter((await world.organizer({ at: home.place, role, app: 'App acme' })).userId))
  people = Object.fromEntries(entered) as Record<RouteCaller, Person>
})
afterAll(async () => {
  receiver.end()
  await world.end()
})

/** Some forms deactivate the client or turn its assistants off; the next test needs both active. */
afterEach(() => world.database.pool.query('update clients set active = true, ai_assistants_allowed = true'))

const withoutPatterns = (path: string) => path.replaceAll(/\{(?:[^{}]|\{[^{}]*\})*\}/g, '')

/** The path parameter `id` names an email in the mailbox, and a participant elsewhere. */
const idOf = (path: string, name: string) => (name === 'id' && path.startsWith('/console/mailbox') ? 'mail' : name)
const addressOf = (path: string, ids: RouteValues) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(ids[idOf(path, name)]!))

const deskOf = ({ who, userId }: Person, at = home): FormContext => ({ world, at, who, userId, receiver: receiver.url, passwordHash })

interface Submission {
  ids: RouteValues
  fields: FormFields
  files?: Record<string, File>
}

/** Prepares a valid form submission for the route. */
async function prepareSubmission(route: string, desk: FormContext): Promise<Submission> {
  const { fields = {}, ids = {}, ...rest } = await FORMS[route]!.fill(desk)
  return { fields, ids: { ...desk.at.ids, ...ids }, ...rest }
}

type Proof = { csrf: string | null; origin?: string | null }

const send = (
  { path }: Pick<AccessRow, 'path'>,
  { who }: Pick<Person, 'who'>,
  { ids, fields, ...files }: Submission,
  proof: Proof,
): Promise<VisitedPage> => who.post(addressOf(path, ids), fields, { ...files, ...proof })

/** Returns the rows that `run` changed, except last-seen times. */
async function changesOf<T>(run: () => Promise<T>): Promise<{ answer: T; changed: string }> {
  const { answer, changes } = await recordRowChanges(world.database.pool, run)
  return { answer, changed: describeChanges(changes.filter(({ table, kind }) => table !== 'browser_sessions' || kind !== 'changed')) }
}

const isForm = ({ method }: AccessRow) => method === 'POST'
const WITH_FORM = ROUTE_ACCESS.filter(isForm)

describe('console route table', () => {
  it('lists in the access table exactly the routes of the console', () => {
    const inRouter = listWebRoutes(world)
      .filter(({ path }) => path === '/console' || path.startsWith('/console/'))
      .map(({ method, path }) => `${method} ${withoutPatterns(path)}`)
    const inTable = [...ROUTE_ACCESS, ...SESSIONLESS_ROUTES].map(({ route }) => route)
    expect(inTable.toSorted()).toEqual([...new Set(inRouter)].toSorted())
  })

  it('has every role in the access table, and a valid submission for every form', () => {
    expect(ROUTE_CALLERS.toSorted()).toEqual(['visitor', 'stranger', ...ROLES].toSorted())
    expect(Object.keys(FORMS).toSorted()).toEqual(WITH_FORM.map(({ route }) => route).toSorted())
  })
})

describe('console access by role', () => {
  it.each(ROUTE_CALLERS)('responds to %s with the HTTP statuses of the access table', async (column) => {
    const met: Record<string, number> = {}
    for (const { route, path, method } of ROUTE_ACCESS)
      if (method === 'GET') met[route] = (await people[column].who.get(addressOf(path, home.ids))).status
    expect(met).toEqual(Object.fromEntries(ROUTE_ACCESS.filter((row) => !isForm(row)).map((row) => [row.route, row.answers[column]])))
  })

  it('redirects visitors to the sign-in page and back, and names the missing permission in a refusal', async () => {
    const { location } = await people.visitor.who.get('/console/audit')
    expect(location).toBe('/console/sign-in?next=%2Fconsole%2Faudit')
    for (const { route, path, answers } of ROUTE_ACCESS.filter((row) => !isForm(row) && row.answers.onsite === 403)) {
      const { text } = await people.onsite.who.get(addressOf(path, home.ids))
      expect([route, answers.onsite, /needs the \w+\.\w+ permission at/.test(text)]).toEqual([route, 403, true])
    }
  })
})

const pick = <K extends string, V>(from: Record<K, V>, names: readonly K[]) => Object.fromEntries(names.map((name) => [name, from[name]]))

describe.each(WITH_FORM)('console form at $route', (row) => {
  /** A valid submission that several tests send, because a refused one changes nothing. */
  let shared: Submission
  const REFUSED = ROUTE_CALLERS.filter((one) => one === 'visitor' || row.answers[one] >= 400)
  const OTHERS = ROUTE_CALLERS.filter((one) => one !== 'admin' && !REFUSED.includes(one))

  it('changes nothing when a user without permission submits a console form', async () => {
    shared = await prepareSubmission(row.route, deskOf(people.admin))
    const { answer, changed } = await changesOf(async () => {
      const met: Partial<Record<RouteCaller, number>> = {}
      for (const column of REFUSED) met[column] = (await send(row, people[column], shared, { csrf: people[column].csrf })).status
      return met
    })
    expect([changed, answer]).toEqual(['', pick(row.answers, REFUSED)])
  })

  it('refuses a form of an administrator without a valid CSRF token and origin, and accepts it with both', async () => {
    const { admin } = people
    const forged: Proof[] = [
      { csrf: null },
      { csrf: '' },
      { csrf: people.manager.csrf },
      { csrf: people.stranger.csrf },
      { csrf: admin.csrf, origin: 'https://evil.example' },
      { csrf: admin.csrf, origin: `${served.baseUrl}.evil.example` },
    ]
    const { answer: refusals, changed } = await changesOf(async () => {
      const statuses = []
      for (const proof of forged) statuses.push((await send(row, admin, shared, proof)).status)
      return statuses
    })
    expect([refusals, changed]).toEqual([forged.map(() => 400), ''])
    const done = await changesOf(() => send(row, admin, shared, { csrf: admin.csrf }))
    expect([done.answer.status, done.changed === '']).toEqual([row.answers.admin, false])
  })

  it.runIf(OTHERS.length > 0)('accepts a console form from every permitted user who is no administrator', async () => {
    const met: Partial<Record<RouteCaller, number>> = {}
    for (const column of OTHERS) {
      const person = people[column]
      met[column] = (await send(row, person, await prepareSubmission(row.route, deskOf(person)), { csrf: person.csrf })).status
    }
    expect(met).toEqual(pick(row.answers, OTHERS))
  })
})

/** Parameter values that must not be found: one of another client, one of another tenant, and one that never existed. */
const foreignValues = (name: string) => [
  neighbour.ids[name]!,
  foreign.ids[name]!,
  home.ids[name]!.replace(ID, ({ length }) => 'f'.repeat(length)).replace(CODE, 'nowhere'),
]
const ID = /^[0-9a-f]{24,}$/
const CODE = /^(?!f+$)[\w-]+(?=$|\.)/

/** The page text without the value that the user sent. */
const textWithout = ({ text }: VisitedPage, sent: string) => text.replaceAll(sent, '…')

describe('records of other clients in the console', () => {
  /**
   * Version numbers, versions of rooming lists, orders, invoices, attachments, built-in emails, proposals, applications, surveys, reports and flow slugs repeat across events, so the parameter before them in the path decides access.
   */
  const OWN = new Set([
    'number',
    'list',
    'slug',
    'position',
    'file',
    'order',
    'bill',
    'email',
    'proposal',
    'application',
    'survey',
    'report',
  ])
  const parametersOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!).filter((name) => !OWN.has(name))

  const cases = ROUTE_ACCESS.flatMap((row) => parametersOf(row.path).map((name) => ({ ...row, name })))

  it.each(cases)('shows the same not-found page at $route for a :$name of another client as for an unknown one', async (row) => {
    const { admin } = people
    const key = idOf(row.path, row.name)
    const form = isForm(row) ? await prepareSubmission(row.route, deskOf(admin)) : null
    const { answer: pages, changed } = await changesOf(async () => {
      const opened: [string, VisitedPage][] = []
      for (const id of foreignValues(key)) {
        const ids = { ...(form?.ids ?? home.ids), [key]: id }
        opened.push([
          id,
          form ? await send(row, admin, { ...form, ids }, { csrf: admin.csrf }) : await admin.who.get(addressOf(row.path, ids)),
        ])
      }
      return opened
    })
    expect(pages.map(([, { status }]) => status)).toEqual([404, 404, 404])
    expect(new Set(pages.map(([id, page]) => textWithout(page, id))).size).toBe(1)
    expect(changed).toBe('')
  })

  const fields = WITH_FORM.flatMap((row) =>
    Object.entries(FORMS[row.route]?.names ?? {}).map(([field, named]) => ({ ...row, field, ...named })),
  )

  it.each(fields)("refuses the id of another client's record in the field $field at $route", async (row) => {
    const { admin } = people
    const form = await prepareSubmission(row.route, deskOf(admin))
    const { answer: pages, changed } = await changesOf(async () => {
      const sent: [string, VisitedPage][] = []
      for (const id of foreignValues(row.id))
        sent.push([id, await send(row, admin, { ...form, fields: { ...form.fields, [row.field]: id } }, { csrf: admin.csrf })])
      return sent
    })
    expect(pages.map(([, { status }]) => status)).toEqual([row.answer, row.answer, row.answer])
    expect(new Set(pages.map(([id, page]) => textWithout(page, id))).size).toBe(1)
    expect(changed).toBe('')
  })
})

describe('console routes that need no sign-in', () => {
  const stranger = async (): Promise<Person> => {
    const who = visitor(served)
    return { who, userId: '', csrf: readFieldValue((await who.get('/console/forgot')).html, '_csrf')! }
  }
  const fresh = { visitor: stranger, signedIn: () => enter(administrator.userId) }
  const rightFields: Record<string, () => Promise<FormFields>> = {
    'POST /console/setup': async () => ({}),
    'POST /console/sign-in': async () => {
      await setInitialPassword(administrator.userId)
      return { email: administrator.email, password: TEST_USER_PASSWORD }
    },
    'POST /console/sign-in/totp': async () => ({ code: '123456' }),
    'POST /console/forgot': async () => ({ email: administrator.email }),
    'POST /console/password': async () => ({
      token: (await createPasswordLink(world.database.write, administrator.userId, 'reset')).reveal(),
      password: TEST_USER_PASSWORD,
    }),
    'POST /console/sign-out': async () => ({}),
  }

  it.each(SESSIONLESS_ROUTES)('returns the HTTP statuses of the access table at $route', async ({ route, path, method, answers }) => {
    for (const column of ['visitor', 'signedIn'] as const) {
      const { who, csrf } = await fresh[column]()
      const answer = method === 'GET' ? await who.get(path) : await who.post(path, await rightFields[route]!(), { csrf })
      expect([column, answer.status]).toEqual([column, answers[column]])
    }
  })

  it.each(SESSIONLESS_ROUTES.filter(({ method }) => method === 'POST'))(
    'changes nothing at $route without a CSRF token',
    async ({ route, path }) => {
      const { csrf: ofAnother } = await stranger()
      for (const column of ['visitor', 'signedIn'] as const) {
        const { who, csrf } = await fresh[column]()
        const fields = await rightFields[route]!()
        const session = who.cookies.get('lanyard-organizer')
        const { changed } = await changesOf(async () => {
          for (const proof of [{ csrf: null }, { csrf: ofAnother }, { csrf, origin: 'https://evil.example' }]) {
            await who.post(path, fields, proof)
            expect([column, who.cookies.get('lanyard-organizer')]).toEqual([column, session])
          }
        })
        expect([column, changed]).toEqual([column, ''])
      }
    },
  )
})
