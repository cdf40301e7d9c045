import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiAccount } from '../../src/domains/access/api-accounts.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type FormFields, type Visitor, signedInVisitor, visitor } from '../support/visitor.ts'
import { newWorld, type World } from '../support/world.ts'

const BASE = '/console/clients/acme'
/** Wording of the validation library that users must never see. */
const LIBRARY_WORDING = /Invalid input|expected|received|NaN|undefined|Too (small|big)|Unrecognized|Invalid option/

let world: World
let served: Served
let admin: Visitor
let accountId: string

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const acme = await world.client({ code: 'acme', name: 'Acme Events' })
  await world.event({ code: 'summit', at: acme })
  accountId = await createApiAccount(world.database.write, {
    tenantId: acme.tenantId,
    name: 'Badge printer',
    canActAsParticipantAgent: false,
    restAccess: true,
    allowedClients: [{ tenantCode: 'demo', clientCode: 'acme' }],
    allowedEvents: [],
  })
  served = await serve(world)
  admin = await signedInVisitor(world, served, await world.organizer({ at: acme }))
})
afterAll(() => world.end())

/** Every changing form of a page, with its field names. */
function formsOf(html: string): { action: string; names: string[] }[] {
  const forms = [...html.matchAll(/<form method="post" action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/g)]
  return forms.map(([, action, inner]) => ({
    action: action!,
    names: [...inner!.matchAll(/<(?:input|textarea|select|button)\b[^>]* name="([^"]+)"/g)]
      .map((m) => m[1]!)
      .filter((name) => name !== '_csrf'),
  }))
}

const SENT: Record<string, (name: string) => string> = {
  empty: () => '',
  spaces: () => '   ',
  'of another kind': () => 'some words',
  'too long': () => 'x'.repeat(12_000),
  'a number beyond all': () => '-99999999999999999999.5',
}

describe.each([
  '/console/events/new',
  '/console/events/acme/summit/draft',
  `${BASE}/settings`,
  `${BASE}/users`,
  `${BASE}/accounts/new`,
  `${BASE}/memory/new`,
  `${BASE}/memory/instructions/client`,
  '/console/account',
  '/console/account/second-factor',
  '/console/feedback',
])('error messages of the forms of %s', (page) => {
  it.each(Object.keys(SENT))('rejects a form in which every field is %s with plain error messages', async (kind) => {
    const { html } = await admin.get(page)
    const forms = formsOf(html).filter(({ action }) => action !== '/console/sign-out')
    for (const { action, names } of forms) {
      const fields: FormFields = Object.fromEntries(names.map((name) => [name, SENT[kind]!(name)]))
      const answer = await admin.post(action, fields, { from: page })
      const errors = [...answer.html.matchAll(/class="error"[^>]*>([^<]*)|role="alert"[\s\S]*?<\/div>/g)].map(([found]) => found).join('\n')
      expect([action, answer.status < 500, LIBRARY_WORDING.exec(errors)?.[0]]).toEqual([action, true, undefined])
    }
  })
})

it('shows the limits of number fields, and plain messages for empty texts and unknown choices', async () => {
  const sent = async (path: string, fields: FormFields, from: string) => (await admin.post(path, fields, { from })).text
  for (const rate of ['', 'many', '0', '6001', '1.5']) {
    const said = await sent(
      `${BASE}/accounts/${accountId}`,
      { name: 'Badge printer', rateLimitPerMinute: rate },
      `${BASE}/accounts/${accountId}`,
    )
    expect([rate, said.includes('Requests per minute: must be a whole number from 1 to 6000')]).toEqual([rate, true])
  }
  const said = await sent(`${BASE}/accounts`, { rateLimitPerMinute: '60' }, `${BASE}/accounts/new`)
  expect(said).toContain('Name: must not be empty')
  expect(said).toContain('Purpose: choose one of the options')
  expect(await sent('/docs/feedback', { kind: 'gossip', text: '' }, '/docs/feedback')).toContain(
    'Type of feedback: choose one of the options',
  )
})

it('shows plain error messages in the setup form', async () => {
  const empty = await newWorld()
  const port = Number(new URL(await chooseFreeBaseUrl()).port)
  const fresh = await serve(empty, { port, env: { LANYARD_BASE_URL: 'https://events.example.org' } })
  const who = visitor({ ...fresh, baseUrl: 'https://events.example.org' })
  for (const of of Object.values(SENT)) {
    const { html } = await who.get('/console/setup')
    const answer = await who.post('/console/setup', Object.fromEntries(formsOf(html)[0]!.names.map((name) => [name, of(name)])))
    expect([answer.status, LIBRARY_WORDING.exec(answer.text)?.[0]]).toEqual([400, undefined])
  }
  await fresh.stop()
  await empty.end()
})
