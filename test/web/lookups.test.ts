import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deriveKeys } from '../../src/kernel/secrets.ts'
import { type DirectoryScenario, openDirectoryScenario } from '../support/directory-scenario.ts'
import { readLatestCode } from '../support/sign-in-codes.ts'
import { buildEventPath, openFormAs } from '../support/registration-form.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

let stage: DirectoryScenario
let served: Served

const TAGS = [
  { code: 'member', name: 'Member' },
  { code: 'directory-unverified', name: 'Not looked up' },
]
const BINDINGS = [
  { from: '$.LastName', to: '@participant.lastName', mode: 'prefill' },
  { from: '$.MembershipLevel.Name', to: '@participant.company', mode: 'prefill' },
]
const RULES = [{ when: { from: '$.Status', op: 'equals', value: 'Active' }, tag: 'member' }]

const product = {
  code: 'adm',
  name: 'Admission',
  category: 'admission',
  prices: [{ amount: '450.00' }, { amount: '300.00', tags: ['member'] }],
}
const end = { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] }
const you = (widgets: object[]) => ({
  code: 'you',
  title: 'You',
  widgets: [
    { id: 'email', type: 'field', binding: '@participant.email', required: true },
    ...widgets,
    { id: 'name', type: 'name' },
    { id: 'company', type: 'field', binding: '@participant.company' },
  ],
})
const tickets = {
  code: 'tickets',
  title: 'Tickets',
  widgets: [
    { id: 'adm', type: 'products', products: ['adm'], selection: 'single', min: 1 },
    { id: 'pay', type: 'payment', methods: ['bank'] },
  ],
}

const flows = new Map<string, object>()

/** Publishes this form and removes the previous ones. */
async function publish(flow: { slug: string; name: string; pages: object[] }) {
  for (const [slug, one] of flows) flows.set(slug, { ...one, retired: true })
  flows.set(flow.slug, flow)
  const values = { '/details/contactEmail': 'team@example.org', '/tags': TAGS, '/products': [product], '/flows': [...flows.values()] }
  const operations = Object.entries(values).map(([path, value]) => ({ op: 'set', path, valueJson: JSON.stringify(value) }))
  await stage.call('config_set', { operations })
  await stage.call('publish_event', { acceptWarnings: true })
}

const connections = new Map<string, string>()

/** A connection to the member directory without response caching. */
async function connection({ onFailure }: { onFailure: string }): Promise<string> {
  const known = connections.get(onFailure)
  if (known) return known
  const code = await stage.connect()
  await stage.call('configure_directory_connection', { connection: code, bindings: BINDINGS, tagRules: RULES, cacheMinutes: 0, onFailure })
  await stage.call('test_directory_connection', { connection: code, inputs: { email: 'ada@example.org' }, expect: 'found' })
  connections.set(onFailure, code)
  return code
}

beforeAll(async () => {
  stage = await openDirectoryScenario({ baseUrl: await chooseFreeBaseUrl() })
  // Pages must decrypt what tools encrypted, so both use the same key.
  const master = randomBytes(32)
  stage.world.services.keys = deriveKeys(master)
  served = await serve(stage.world, {
    env: { LANYARD_SECRET_KEY: master.toString('base64') },
    extras: { fetcher: stage.directory.fetcher },
  })
  await stage.configure({ tags: TAGS })
})
afterEach(() => {
  stage.directory.answer = null
})
afterAll(() => stage.end())

const rowOf = async (email: string) =>
  (await stage.world.database.pool.query<any>('select * from participants where email_norm = $1 order by created_at desc', [email])).rows[0]
const NAMES = { '@participant.firstName': 'Ada', '@participant.lastName': 'Byron' }
const isOut = () => {
  stage.directory.answer = (_request, response) => void response.writeHead(503).end()
}

describe('directory lookup on a form page', () => {
  let look: string
  const lookingUp = async (more: object = {}, onFailure = 'allow') => {
    look = await connection({ onFailure })
    const widget = { id: 'look', type: 'membershipLookup', connection: look, inputs: ['email', 'memberNumber'], ...more }
    await publish({ slug: 'attendee', name: 'Attendee', pages: [you([widget]), tickets, end] })
    await stage.call('update_event', { testMode: false })
  }
  const at = async (email: string) => {
    const who = openFormAs(visitor(served), stage.event)
    await who.begin(email)
    return who
  }
  const press = { press: 'lookup:look' }

  it('fills in empty fields from the member directory, keeps typed answers and applies the member price', async () => {
    await lookingUp()
    const ada = await at('ada@example.org')
    expect((await ada.open('you')).text).toContain('Are you a member?')
    expect((await ada.fill('you', { ...NAMES, 'lookup.look.memberNumber': '1001' }, press)).status).toBe(303)
    const page = await ada.open('you')
    expect(page.text).toContain('We found your membership. Thank you for being a member.')
    expect(page.html).toContain('value="Byron"')
    expect(page.html).toContain('value="Gold"')
    expect(page.html).not.toContain('value="lookup:look"')
    await ada.fill('you', { ...NAMES, '@participant.company': 'Gold' })
    const sold = await ada.open('tickets')
    expect(sold.text).toContain('€300.00')
    expect(sold.text).not.toContain('€450.00')
    await ada.fill('tickets', { 'one.adm': 'adm' })
    expect((await ada.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    expect(await rowOf('ada@example.org')).toMatchObject({ status: 'complete', tags: ['member'], company: 'Gold' })
  })

  it('explains what to do when the directory has no match or several, and lets the participant continue at the full price', async () => {
    await lookingUp()
    const unmatched = await at('absent@example.org')
    await unmatched.fill('you', NAMES, press)
    expect((await unmatched.open('you')).text).toContain('We could not find you with these details. Please check them.')
    await unmatched.fill('you', NAMES)
    expect((await unmatched.open('tickets')).text).toContain('€450.00')
    const twin = await at('twin@example.org')
    await twin.fill('you', NAMES, press)
    expect((await twin.open('you')).text).toContain('These details match more than one person. Please add another detail.')
  })

  it('does not let a person without a directory match continue in a members-only form', async () => {
    await lookingUp({ required: true, onNotFound: 'block' })
    const unmatched = await at('nobody2@example.org')
    expect((await unmatched.fill('you', NAMES)).status).toBe(400)
    await unmatched.fill('you', NAMES, press)
    const refused = await unmatched.fill('you', NAMES)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('You can continue once we have found you in the member list')
    expect(refused.html).toContain('value="Byron"')
  })

  it('lets participants continue while the directory is unavailable, and tags them for a later check', async () => {
    await lookingUp()
    isOut()
    const cleo = await at('cleo@example.org')
    await cleo.fill('you', NAMES, press)
    expect((await cleo.open('you')).text).toContain(
      'The member list is not available at the moment. You can continue, and we will check your membership later.',
    )
    expect((await cleo.fill('you', NAMES)).location).toMatch(/\/tickets$/)
    expect((await rowOf('cleo@example.org')).directory_tags).toEqual(['directory-unverified'])
  })

  it('stops participants while a required directory is unavailable', async () => {
    await lookingUp({}, 'block')
    isOut()
    const ben = await at('ada@example.org')
    await ben.fill('you', { ...NAMES, '@participant.lastName': 'Block' }, press)
    expect((await ben.open('you')).text).toContain('Please try again in a few minutes. Your answers are saved.')
    const refused = await ben.fill('you', { ...NAMES, '@participant.lastName': 'Block' })
    expect(refused.status).toBe(400)
    stage.directory.answer = null
    await ben.fill('you', { ...NAMES, '@participant.lastName': 'Block' }, press)
    expect((await ben.fill('you', { ...NAMES, '@participant.lastName': 'Block' })).location).toMatch(/\/tickets$/)
  })

  it('limits directory searches per registration to the number that the form allows', async () => {
    await lookingUp({ allowRetry: 2 })
    const dan = await at('dan@example.org')
    for (let i = 0; i < 2; i++) await dan.fill('you', NAMES, press)
    const page = await dan.open('you')
    expect(page.text).toContain('You have reached the maximum number of searches. You can continue without the check')
    expect(page.html).not.toContain('value="lookup:look"')
    const asked = stage.directory.received.length
    await dan.fill('you', NAMES, press)
    expect(stage.directory.received.length).toBe(asked)
  })
})

describe('flow-level directory lookup', () => {
  const withDirectory = async (more: object = {}, onFailure = 'allow') => {
    const directory = await connection({ onFailure })
    await publish({ slug: 'members', name: 'Members', directory, pages: [you([]), tickets, end], ...more } as Parameters<typeof publish>[0])
    await stage.call('update_event', { testMode: false })
    return directory
  }
  const base = () => `${buildEventPath(stage.event)}/register/members`

  it('applies the member price to a member’s email address, and reveals no other data of the member', async () => {
    await withDirectory()
    const ada = openFormAs(visitor(served), stage.event, 'members')
    await ada.begin('ada@example.org')
    const page = await ada.open('you')
    expect(page.text).toContain('We found you in the member list')
    for (const hiddenText of ['Lovelace', 'Gold']) expect(page.html).not.toContain(hiddenText)
    await ada.fill('you', { ...NAMES, '@participant.lastName': 'Price' })
    expect((await ada.open('tickets')).text).toContain('€300.00')
    const unmatched = openFormAs(visitor(served), stage.event, 'members')
    await unmatched.begin('nobody3@example.org')
    expect((await unmatched.open('you')).text).not.toContain('member list')
    await unmatched.fill('you', NAMES)
    expect((await unmatched.open('tickets')).text).toContain('€450.00')
  })

  it('fills in the member’s data from the directory for a participant who verified the email address', async () => {
    await withDirectory({ inviteOnly: true })
    await stage.call('add_invite_list_participants', { flowSlug: 'members', rows: [{ email: 'ben@example.org' }] })
    const who = visitor(served)
    const asked = await who.post(base(), { email: 'ben@example.org' })
    const code = await readLatestCode(stage.world, 'ben@example.org')
    await who.post(`${base()}/invited`, { email: 'ben@example.org', code }, { from: asked.location! })
    const page = await openFormAs(who, stage.event, 'members').open('you')
    expect(page.html).toContain('value="Bernoulli"')
    expect(page.html).toContain('value="Basic"')
  })

  it('restricts the form to directory members if its visibility requires the member tag', async () => {
    await withDirectory({ visibleForTags: { type: 'all', required: ['member'] } })
    const ben = openFormAs(visitor(served), stage.event, 'members')
    await ben.begin('ben@example.org')
    const refused = await ben.open('you')
    expect([refused.status, refused.text.includes('You cannot use this registration form')]).toEqual([403, true])
    const ada = openFormAs(visitor(served), stage.event, 'members')
    await ada.begin('ada@example.org')
    expect((await ada.open('you')).status).toBe(200)
  })

  it('lets participants continue or asks them to try later while the directory is unavailable, as the connection is configured', async () => {
    await withDirectory()
    isOut()
    const cleo = openFormAs(visitor(served), stage.event, 'members')
    expect((await cleo.begin('cleo2@example.org')).status).toBe(303)
    expect((await cleo.open('you')).text).toContain('You can continue, and we will check your membership later.')
    stage.directory.answer = null
    await withDirectory({}, 'block')
    isOut()
    const dora = openFormAs(visitor(served), stage.event, 'members')
    const refused = await dora.begin('dora@example.org')
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('Please try again in a few minutes')
    expect(await rowOf('dora@example.org')).toBeUndefined()
  })
})
