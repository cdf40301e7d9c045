import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listCodeEmails, readLatestCode, chooseWrongCode } from '../support/sign-in-codes.ts'
import { verifyMailbox } from '../support/own-pages.ts'
import { buildEventPath, openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

const [attendee] = WORKED_EXAMPLE.flows
const [contact, ...others] = attendee!.pages
const flow = (slug: string, more: object, widgets: object[] = []) => ({
  ...attendee!,
  slug,
  name: slug,
  ...more,
  pages: [{ ...contact!, widgets: [...widgets, ...contact!.widgets] }, ...others],
})

/** An invite-only form, one that asks for the code on its page, and one where a code only lowers the price. */
const SECTIONS = {
  ...WORKED_EXAMPLE,
  flows: [
    attendee!,
    flow('board', { inviteOnly: true }),
    flow('press', { inviteOnly: true }, [{ id: 'invite', type: 'inviteCode' }]),
    flow('friends', {}, [{ id: 'invite', type: 'inviteCode', required: false }]),
  ],
}

let scenario: SalesScenario
let served: Served
const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows

beforeAll(async () => {
  scenario = await openSalesScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
})
afterAll(() => scenario.world.end())

let made = 0
/** A person on an invitation list, with a code as a campaign would send it. */
async function inviteTo(flowSlug: string, more: object = {}) {
  const [email, code] = [`listed-${++made}@example.org`, `lil_secret-${made}`]
  await scenario.call('add_invite_list_participants', { flowSlug, rows: [{ email, ...more }] })
  await rows(`update invite_list_entries set token_hash = $1 where email = $2`, [createHash('sha256').update(code).digest(), email])
  return { email, code }
}
const entryOf = async (email: string) => (await rows(`select * from invite_list_entries where email = $1`, [email]))[0]
const begin = (slug: string, fields: Record<string, string>) => {
  const base = `${buildEventPath(scenario.event)}/register/${slug}`
  return visitor(served).post(base, fields)
}
/** A visitor who enters only an email address, and the resulting page. */
async function requestAccess(email: string) {
  const base = `${buildEventPath(scenario.event)}/register/board`
  const who = visitor(served)
  const sent = await who.post(base, { email })
  const page = await who.get(sent.location!)
  const give = (code: string, as = email) => who.post(`${base}/invited`, { email: as, code }, { from: sent.location! })
  return { who, shown: `${sent.status} ${page.text}`, give }
}
const NAMES = { '@participant.firstName': 'Ina', '@participant.lastName': 'Vited' }

describe('invite-only form', () => {
  it('opens an invite-only form with an invitation code, prefills the person’s data and grants the tags', async () => {
    const { email, code } = await inviteTo('board', { tags: ['member'], company: 'Board of Trade' })
    const base = `${buildEventPath(scenario.event)}/register/board`
    const who = visitor(served)
    expect((await who.get(base)).text).toContain('Registration is by invitation only.')
    const started = await who.post(base, { email, code })
    expect(started.status).toBe(303)
    const ina = openFormAs(who, scenario.event, 'board')
    expect((await ina.open('contact')).html).toContain('value="Board of Trade"')
    expect(await entryOf(email)).toMatchObject({ status: 'opened' })
    await ina.fill('contact', NAMES)
    expect((await ina.open('choices')).text).toContain('€520.00')
    await ina.fill('choices', { '@product.pass': '1' })
    expect((await ina.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    expect(await entryOf(email)).toMatchObject({ status: 'registered' })
    // The invitation code was used by the first registration.
    const used = await begin('board', { email: 'thief@example.org', code })
    expect(used.status).toBe(400)
    expect(used.text).toContain('This invitation has already been used.')
    expect(await rows(`select from participants where email = 'thief@example.org'`)).toEqual([])
  })

  it('rejects an invalid invitation code, the code of another form and the code of a removed invitation', async () => {
    const { email, code } = await inviteTo('board')
    const wrong = await begin('board', { email, code: 'lil_made-up' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('This invitation code is not valid.')
    expect((await begin('press', { email, code })).status).toBe(400)
    await rows(`update invite_list_entries set status = 'removed' where email = $1`, [email])
    expect((await begin('board', { email, code })).status).toBe(400)
    expect(await rows(`select from participants where email = $1`, [email])).toEqual([])
  })

  it('asks a visitor who has verified a listed email address by a sign-in code for no further code', async () => {
    const base = `${buildEventPath(scenario.event)}/register/board`
    const signIn = `${buildEventPath(scenario.event)}/registration/sign-in`
    const verifiedVisitor = async (email: string) => {
      const who = visitor(served)
      const sent = await who.post(signIn, { email })
      const code = await readLatestCode(scenario.world, email)
      await who.post(`${signIn}/code`, { email, code }, { from: sent.location! })
      return who
    }
    const [{ email }, other] = [await inviteTo('board'), await inviteTo('board')]
    const who = await verifiedVisitor(email)
    expect((await who.get(base)).html).toContain(`value="${email}"`)
    // The proof is for one address only.
    expect((await who.post(base, { email: other.email })).location).toContain('/invited?')
    const started = await who.post(base, { email: email.toUpperCase() })
    expect([started.status, started.location]).toEqual([303, base])
    expect(await listCodeEmails(scenario.world, email), 'only the code of the sign-in').toHaveLength(1)
    expect(await rows('select status from participants where email = $1', [email])).toEqual([{ status: 'incomplete' }])
    expect((await who.get(base)).location).toBe(`${base}/contact`)
    // A verified address that is not on the list sees the page that everyone sees.
    const unlisted = await verifiedVisitor('unlisted@example.org')
    expect((await unlisted.post(base, { email: 'unlisted@example.org' })).location).toContain('/invited?')
    expect(await rows(`select from participants where email = 'unlisted@example.org'`)).toEqual([])
  })

  it('shows the same page of an invite-only form for every email address, and sends invited people a code', async () => {
    const { email } = await inviteTo('board')
    const [known, unknown] = [await requestAccess(email), await requestAccess('absent@example.org')]
    expect(known.shown.replaceAll(email, 'x')).toEqual(unknown.shown.replaceAll('absent@example.org', 'x'))
    expect(known.shown).toContain('Check your email')
    expect(known.who.cookies.has('lanyard-person')).toBe(false)
    expect(await listCodeEmails(scenario.world, email)).toHaveLength(1)
    expect(await rows(`select from messages where to_address = 'absent@example.org'`)).toEqual([])
    // Nothing is created before the email address is verified.
    expect(await rows(`select from participants where email = any($1)`, [[email, 'absent@example.org']])).toEqual([])
    const code = await readLatestCode(scenario.world, email)
    for (const guess of [chooseWrongCode(code), chooseWrongCode(code, 2), '12 34']) {
      const [received, other] = [await known.give(guess), await unknown.give(guess)]
      expect([received.status, received.text.replaceAll(email, 'x')]).toEqual([400, other.text.replaceAll('absent@example.org', 'x')])
    }
    const started = await known.give(` ${code.slice(0, 3)} ${code.slice(3)}`)
    expect([started.status, started.location]).toEqual([303, `${buildEventPath(scenario.event)}/register/board`])
    const ina = openFormAs(known.who, scenario.event, 'board')
    expect((await ina.open('contact')).text).toContain(email)
    expect(await entryOf(email)).toMatchObject({ status: 'opened' })
    // The code belongs to this email address and works once.
    expect((await (await requestAccess('other@example.org')).give(code, email)).status).toBe(400)
  })

  it('accepts the emailed access code of a form once, and rejects the code after three wrong attempts or when it is revoked', async () => {
    const { email } = await inviteTo('board')
    const { give } = await requestAccess(email)
    const code = await readLatestCode(scenario.world, email)
    const answers = await Promise.all([1, 2, 3, 4].map(() => give(code)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400, 400, 400])
    expect(await rows(`select status from participants where email = $1`, [email])).toEqual([{ status: 'incomplete' }])
    // After a registration has started, the email contains a link to it instead of a code.
    await requestAccess(email)
    expect(await listCodeEmails(scenario.world, email)).toHaveLength(1)
    expect(await rows(`select email_code from messages where to_address = $1 order by id desc limit 1`, [email])).toEqual([
      { email_code: 'registration-known' },
    ])

    const burned = await inviteTo('board')
    const guesser = await requestAccess(burned.email)
    const right = await readLatestCode(scenario.world, burned.email)
    for (const by of [1, 2, 3]) await guesser.give(chooseWrongCode(right, by))
    expect((await guesser.give(right)).status).toBe(400)
    // A new code can be requested and works.
    await requestAccess(burned.email)
    expect((await guesser.give(await readLatestCode(scenario.world, burned.email))).status).toBe(303)

    const removed = await inviteTo('board')
    const late = await requestAccess(removed.email)
    await rows(`update invite_list_entries set status = 'removed' where email = $1`, [removed.email])
    expect((await late.give(await readLatestCode(scenario.world, removed.email))).location).toMatch(/sign-in$/)
    expect(await rows(`select from participants where email = $1`, [removed.email])).toEqual([])
  })

  it('rejects sign-in codes as access codes of an invite-only form, and access codes of a form for sign-in', async () => {
    const { email } = await inviteTo('board')
    const { who, give } = await requestAccess(email)
    const signIn = `${buildEventPath(scenario.event)}/registration/sign-in`
    const code = await readLatestCode(scenario.world, email)
    expect((await who.post(`${signIn}/code`, { email, code }, { from: signIn })).status).toBe(400)
    await who.post(signIn, { email })
    expect((await give(await readLatestCode(scenario.world, email))).status).toBe(400)
    expect((await give(code)).status).toBe(303)
  })

  it('accepts on the code page the invitation code that opened the form, and does not store that code', async () => {
    const { email, code } = await inviteTo('press')
    const who = visitor(served)
    await who.post(`${buildEventPath(scenario.event)}/register/press`, { email, code })
    const ina = openFormAs(who, scenario.event, 'press')
    expect((await ina.open('contact')).text).toContain('You are on the invitation list.')
    expect((await ina.fill('contact', NAMES)).location).toMatch(/\/choices$/)
    expect(JSON.stringify(await rows(`select * from participants where email = $1`, [email]))).not.toContain(code)
  })
})

describe('invitation code question', () => {
  const at = async (email: string) => {
    const who = openFormAs(visitor(served), scenario.event, 'friends')
    await who.begin(email)
    return who
  }

  it('grants the tags and prices of the invitation list once the page with the code question is submitted', async () => {
    const { email, code } = await inviteTo('friends', { tags: ['member'] })
    const ina = await at('another@example.org')
    const wrong = await ina.fill('contact', { ...NAMES, '@invite.code': 'nonsense' }, { press: 'update' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('This invitation code is not valid. Check the code.')
    // `listed` marks an accepted code internally; typing it is rejected.
    expect((await ina.fill('contact', { ...NAMES, '@invite.code': 'listed' })).status).toBe(400)
    expect((await ina.fill('contact', { ...NAMES, '@invite.code': code })).location).toMatch(/\/choices$/)
    expect((await ina.open('choices')).text).toContain('€520.00')
    expect((await ina.open('contact')).text).toContain('You are on the invitation list.')
    const [row] = await rows(`select id, manual_tags, tags from participants where email = 'another@example.org'`)
    expect(row).toMatchObject({ manual_tags: ['member'], tags: ['member'] })
    expect(await entryOf(email)).toMatchObject({ status: 'opened', participant_id: row.id })
    await ina.fill('choices', { '@product.pass': '1' })
    await ina.fill('summary', {}, { press: 'finish' })
    const late = await at('late@example.org')
    expect((await late.fill('contact', { ...NAMES, '@invite.code': code })).text).toContain('This invitation has already been used.')
  })

  it('grants an invited person the tags without a code once the mailbox is verified, before or during the registration', async () => {
    for (const isVerifiedFirst of [true, false]) {
      const { email } = await inviteTo('friends', { tags: ['member'] })
      const who = visitor(served)
      const verify = () => verifyMailbox(scenario.world, who, scenario.event, email)
      const ina = openFormAs(who, scenario.event, 'friends')
      if (isVerifiedFirst) await verify()
      await ina.begin(email.toUpperCase())
      if (!isVerifiedFirst) {
        expect((await ina.open('contact')).text).not.toContain('You are on the invitation list.')
        await verify()
      }
      expect((await ina.open('contact')).text).toContain('You are on the invitation list.')
      await ina.fill('contact', NAMES)
      expect((await ina.open('choices')).text).toContain('€520.00')
      await ina.fill('choices', { '@product.pass': '1' })
      expect((await ina.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
      expect(await entryOf(email)).toMatchObject({ status: 'registered' })
    }
    // A verified person who is not on the list is asked for the code.
    const other = visitor(served)
    await verifyMailbox(scenario.world, other, scenario.event, 'unlisted@example.org')
    const form = openFormAs(other, scenario.event, 'friends')
    await form.begin('unlisted@example.org')
    expect((await form.open('contact')).text).not.toContain('You are on the invitation list.')
  })

  it('allows an empty invitation code if the form does not require it', async () => {
    const ina = await at('without@example.org')
    expect((await ina.fill('contact', NAMES)).location).toMatch(/\/choices$/)
    expect((await ina.open('choices')).text).toContain('€750.00')
  })

  it('does not offer an invite-only form on the event page, which states that registration is by invitation if there is no other form', async () => {
    const home = buildEventPath(scenario.event)
    const page = await visitor(served).get(home)
    for (const slug of ['attendee', 'friends']) expect(page.html).toContain(`href="${home}/register/${slug}"`)
    for (const slug of ['board', 'press']) expect(page.html).not.toContain(`/register/${slug}`)
    await scenario.publish({ ...SECTIONS, flows: SECTIONS.flows.map((one) => ({ ...one, inviteOnly: true })) })
    const closed = await visitor(served).get(home)
    expect(closed.html).not.toContain(`${home}/register/`)
    expect(closed.text).toContain('Registration is by invitation only.')
  })
})
