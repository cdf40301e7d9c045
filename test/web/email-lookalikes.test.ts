import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foldEmailCase } from '../../src/kernel/email-address.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { createRestClient, type RestClient } from '../support/rest.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { assistantAt, readLatestCode, type SignInCalls } from '../support/sign-in-codes.ts'
import { visitor } from '../support/visitor.ts'

const [attendee] = WORKED_EXAMPLE.flows
const SECTIONS = { ...WORKED_EXAMPLE, flows: [attendee!, { ...attendee!, slug: 'board', name: 'Board', inviteOnly: true }] }

let scenario: SalesScenario
let served: Served
let assistant: SignInCalls
let rest: RestClient
const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows

beforeAll(async () => {
  scenario = await openSalesScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  assistant = await assistantAt(scenario.world, scenario.event)
  rest = await createRestClient(scenario.world, served, scenario.event.tenantId, { clients: [scenario.event], sensitiveData: true })
})
afterAll(() => scenario.world.end())

/** A mailbox, and the address of another mailbox that Unicode lower-casing, case folding or NFKC would turn into it. */
const LOOKALIKES = [
  ['kelvin sign', 'kenta', '\u212Aenta'],
  ['I with dot above', 'i\u0307nes', '\u0130nes'],
  ['angstrom sign', '\u00E5sa', '\u212Bsa'],
  ['long s', 'sara', '\u017Fara'],
  ['fullwidth k', 'kim', '\uFF4Bim'],
  ['fullwidth K', 'karl', '\uFF2Barl'],
  ['combining acute', 'r\u00E9mi', 're\u0301mi'],
  ['sharp s', 'weiss', 'wei\u00DF'],
] as const

/** Both addresses of a pair, under a host that no other test uses. */
let hosts = 0
const pairOf = (own: string, other: string) => {
  const host = `host-${++hosts}.example`
  return { own: `${own}@${host}`, other: `${other}@${host}` }
}
const registerAs = (email: string, more: object = {}) => scenario.register({}, { data: { '@participant.email': email, ...more } })

describe.each(LOOKALIKES)('email address with the %s', (_, ...pair) => {
  it('sends an assistant’s sign-in code for a lookalike email address only to the mailbox of that address', async () => {
    const { own, other } = pairOf(...pair)
    await registerAs(own)
    const code = await assistant.requestCode(other)
    expect(await assistant.verify(own, code)).toEqual({ verified: false, reason: 'expired_or_missing' })
    expect(await assistant.verify(other, code)).toMatchObject({ verified: true, participantExists: false })
    expect(await rows('select email_norm from one_time_codes where email_norm like $1', [`%${own.split('@')[1]}`])).toEqual([
      { email_norm: other },
    ])
  })

  it("sends a sign-in code requested on an event page for a lookalike address only to that address's mailbox", async () => {
    const { own, other } = pairOf(...pair)
    const { participant } = await registerAs(own)
    const [who, path] = [visitor(served), `${eventHomePath(scenario.event)}/registration/sign-in`]
    const enter = (email: string, code: string) =>
      who.post(`${path}/code`, { email, code }, { from: `${path}/code?email=${encodeURIComponent(email)}` })
    await who.post(path, { email: other })
    const code = await readLatestCode(scenario.world, other)
    expect((await enter(own, code)).text).toContain('That code is no longer valid.')
    expect((await enter(other, code)).status).toBe(303)
    expect(await rows('select email, participant_ids from person_sessions where email = any($1)', [[own, other]])).toEqual([
      { email: other, participant_ids: [] },
    ])
    expect(participant.email).toBe(own)
  })

  it('does not give an email address access to the group of a lookalike address', async () => {
    const { own, other } = pairOf(...pair)
    const { group } = await scenario.call('create_managed_group', {
      name: `Group of ${own}`,
      kind: 'company',
      payBy: 'group',
      flowSlug: 'attendee',
      admins: [
        { email: own, name: 'Own' },
        { email: other, name: 'Other' },
      ],
    })
    const administrators = () => rows('select email from group_admins where email = any($1) order by email', [[own, other]])
    expect(await administrators()).toHaveLength(2)
    const invites = { groupCode: group.code, emails: [{ email: own }, { email: other }] }
    expect(await scenario.call('send_group_invite', invites)).toMatchObject({ queued: 2 })
    await scenario.call('set_managed_group_admins', { groupCode: group.code, admins: [{ email: own, name: 'Own' }] })
    expect(await administrators()).toEqual([{ email: own }])
    const [who, path] = [visitor(served), `${eventHomePath(scenario.event)}/group/${group.code}`]
    await who.post(`${path}/sign-in`, { email: other })
    const code = await readLatestCode(scenario.world, other)
    for (const email of [own, other])
      await who.post(`${path}/sign-in/code`, { email, code }, { from: `${path}/sign-in/code?email=${encodeURIComponent(email)}` })
    expect((await who.get(path)).text).not.toContain('0 members')
  })

  it('treats a lookalike address as a separate person in registrations, contacts, invitations, invite lists, staff and filters', async () => {
    const { own, other } = pairOf(...pair)
    const name = { '@participant.firstName': 'Same', '@participant.lastName': `Name ${hosts}` }
    const first = await registerAs(own, name)
    const second = await registerAs(other, name)
    expect(second.participant.id).not.toBe(first.participant.id)
    const contactOf = async (id: string) => (await rows('select contact_id from participants where id = $1', [id]))[0].contact_id
    expect(await contactOf(second.participant.id)).not.toBe(await contactOf(first.participant.id))

    for (const email of [own, other]) {
      const { id } = (email === own ? first : second).participant
      const found = await scenario.call('get_participant', { participantId: email })
      expect(found.participant.id).toBe(id)
      const at = `clientCode=${scenario.event.clientCode}&email=${encodeURIComponent(email)}`
      expect((await rest.all(`/v1/participants?${at}`)).map((one) => one.id)).toEqual([id])
      expect(await rest.all(`/v1/contacts?${at}`)).toMatchObject([{ id: await contactOf(id) }])
    }

    const invited = { flowSlug: 'board', rows: [{ email: own }, { email: other }] }
    expect(await scenario.call('add_invite_list_participants', invited)).toMatchObject({ added: 2, alreadyListed: 0 })
    await scenario.call('assign_event_staff', { email: own, name: 'Own', role: 'analyst', sendInvite: false })
    await scenario.call('assign_event_staff', { email: other, name: 'Other', role: 'analyst', sendInvite: false })
    expect(await rows('select name from users where email = any($1) order by name', [[own, other]])).toEqual([
      { name: 'Other' },
      { name: 'Own' },
    ])
  })

  it('starts a separate registration for a lookalike address, and sends the owner of the other address no email', async () => {
    const { own, other } = pairOf(...pair)
    await registerAs(own)
    const sent = () => rows('select to_address from messages where to_address = $1', [own])
    const before = (await sent()).length
    await visitor(served).post(`${eventHomePath(scenario.event)}/register/attendee`, { email: other })
    expect(await sent()).toHaveLength(before)
    expect(await rows(`select status, email_norm from participants where email = $1`, [other])).toEqual([
      { status: 'incomplete', email_norm: other },
    ])
  })
})

describe('comparison of email addresses', () => {
  it('imports lookalike addresses as different people', async () => {
    const pairs = LOOKALIKES.map(([, own, other]) => pairOf(own, other))
    const lines = pairs.flatMap(({ own, other }, n) => [`Ada,Import ${n},${own}`, `Ada,Import ${n},${other}`])
    const text = ['First name,Last name,Email', ...lines, ''].join('\n')
    const { setupId } = await scenario.call('setup_import_flow', { text, sourceSystem: 'lookalikes', save: true })
    const counted = { rows: lines.length, created: lines.length, duplicates: 0, errors: 0 }
    expect(await scenario.call('import_event', { setupId, mode: 'test', dryRun: true })).toMatchObject(counted)
    expect(await scenario.callConfirmed('import_event', { setupId, mode: 'test' })).toMatchObject(counted)
  })

  it('matches email addresses regardless of the case of A to Z', async () => {
    const email = 'Case.Test@Example.org'
    const { participant } = await registerAs(email)
    expect(participant.email).toBe(email)
    await assistant.request('CASE.TEST@EXAMPLE.ORG')
    const code = await readLatestCode(scenario.world, 'CASE.TEST@EXAMPLE.ORG')
    expect(await assistant.verify('case.test@example.org', code)).toMatchObject({ verified: true, participantExists: true })
    expect(await rest.all(`/v1/participants?email=CASE.test@example.ORG`)).toMatchObject([{ id: participant.id }])
  })

  it('stores one form of an internationalised domain at every entry point', async () => {
    const forms = ['jo@münchen.example', 'jo@MÜNCHEN.example', 'jo@xn--mnchen-3ya.example', 'jo@mu\u0308nchen.example']
    const { participant } = await registerAs(forms[2]!)
    expect(participant.email).toBe(forms[0])
    for (const form of forms) {
      expect((await scenario.call('get_participant', { participantId: form })).participant.id).toBe(participant.id)
      expect(await rest.all(`/v1/participants?email=${encodeURIComponent(form)}`)).toMatchObject([{ id: participant.id }])
    }
    await assistant.request(forms[1]!)
    const code = await readLatestCode(scenario.world, forms[0]!)
    expect(await assistant.verify(forms[3]!, code)).toMatchObject({ verified: true, participantExists: true })
    const listed = { flowSlug: 'board', rows: forms.map((email) => ({ email })) }
    expect(await scenario.call('add_invite_list_participants', listed)).toMatchObject({ added: 1, alreadyListed: 3 })
  })

  it('control: Unicode case folding turns both addresses of every lookalike pair into the same address', () => {
    const fold = (email: string) => email.normalize('NFKC').toUpperCase().toLowerCase()
    for (const [, own, other] of LOOKALIKES) {
      expect(fold(other)).toBe(fold(own))
      expect(foldEmailCase(other)).not.toBe(foldEmailCase(own))
    }
  })

  // The result of lower() depends on the engine and on the locale of the database.
  it('normalizes email addresses identically in the database and in the server', async () => {
    const locals = [...LOOKALIKES.flatMap(([, own, other]): string[] => [own, other]), 'ABC.xyz', 'ÄÖÜ', 'ΣΑΣ']
    const written = locals.map((local) => `${local}@Example.ORG`)
    const [{ folded }] = await rows('select array(select lanyard_fold_email(w) from unnest($1::text[]) w) as folded', [written])
    expect(folded).toEqual(written.map(foldEmailCase))
  })

  it('normalizes email addresses in the database schema only with lanyard_fold_email', async () => {
    const columns = await rows(`select c.relname || '.' || a.attname as name, pg_get_expr(d.adbin, d.adrelid) as expression
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where a.attgenerated <> '' and a.attname in ('email_norm', 'address_norm') and c.relnamespace = 'public'::regnamespace`)
    expect(columns).toHaveLength(8)
    for (const { expression } of columns) expect(expression).toMatch(/^lanyard_fold_email\(/)
    const indexes = await rows(`select indexdef from pg_indexes where indexdef ~* 'lower\\([^)]*(email|address)'`)
    expect(indexes).toEqual([])
    const functions = await rows(`select proname from pg_proc where pronamespace = 'public'::regnamespace
      and prosrc ~* 'lower\\((given|email|address|x|y)\\)' and proname ~ 'email|of_person'`)
    expect(functions).toEqual([])
  })
})
