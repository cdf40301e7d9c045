import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventPath, registrantAt } from '../support/registering.ts'
import { openSelling, type Selling, WORKED_EXAMPLE } from '../support/selling.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
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

/** By invitation, the same with the code asked on its page, and one where a code only gives a better price. */
const SECTIONS = {
  ...WORKED_EXAMPLE,
  flows: [
    attendee!,
    flow('board', { inviteOnly: true }),
    flow('press', { inviteOnly: true }, [{ id: 'invite', type: 'inviteCode' }]),
    flow('friends', {}, [{ id: 'invite', type: 'inviteCode', required: false }]),
  ],
}

let story: Selling
let served: Served
const rows = async (query: string, values: unknown[] = []) => (await story.world.database.pool.query<any>(query, values)).rows

beforeAll(async () => {
  story = await openSelling(SECTIONS, { baseUrl: await freeBaseUrl() })
  served = await serve(story.world)
})
afterAll(() => story.world.end())

let made = 0
/** Somebody on a list, with a code as a campaign would mail it. */
async function listed(flowSlug: string, more: object = {}) {
  const [email, code] = [`listed-${++made}@example.org`, `lil_secret-${made}`]
  await story.call('add_invite_list_participants', { flowSlug, rows: [{ email, ...more }] })
  await rows(`update invite_list_entries set token_hash = $1 where email = $2`, [createHash('sha256').update(code).digest(), email])
  return { email, code }
}
const entryOf = async (email: string) => (await rows(`select * from invite_list_entries where email = $1`, [email]))[0]
const begin = (slug: string, fields: Record<string, string>) => {
  const base = `${eventPath(story.event)}/register/${slug}`
  return visitor(served).post(base, fields)
}
const NAMES = { '@participant.firstName': 'Ina', '@participant.lastName': 'Vited' }

describe('a form by invitation', () => {
  it('is entered with a code, whose person it is told about and whose tags they have', async () => {
    const { email, code } = await listed('board', { tags: ['member'], company: 'Board of Trade' })
    const base = `${eventPath(story.event)}/register/board`
    const who = visitor(served)
    expect((await who.get(base)).text).toContain('This registration is by invitation.')
    const begun = await who.post(base, { email, code })
    expect(begun.status).toBe(303)
    const ina = registrantAt(who, story.event, 'board')
    expect((await ina.open('contact')).html).toContain('value="Board of Trade"')
    expect(await entryOf(email)).toMatchObject({ status: 'opened' })
    await ina.fill('contact', NAMES)
    expect((await ina.open('choices')).text).toContain('€520.00')
    await ina.fill('choices', { '@product.pass': '1' })
    expect((await ina.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    expect(await entryOf(email)).toMatchObject({ status: 'registered' })
    // It was theirs: nobody else comes by it.
    const used = await begin('board', { email: 'thief@example.org', code })
    expect(used.status).toBe(400)
    expect(used.text).toContain('Somebody has registered with this invitation already.')
    expect(await rows(`select from participants where email = 'thief@example.org'`)).toEqual([])
  })

  it('is closed to a code that is none, of another form, or was taken off the list', async () => {
    const { email, code } = await listed('board')
    const wrong = await begin('board', { email, code: 'lil_made-up' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('There is no such invitation.')
    expect((await begin('press', { email, code })).status).toBe(400)
    await rows(`update invite_list_entries set status = 'removed' where email = $1`, [email])
    expect((await begin('board', { email, code })).status).toBe(400)
    expect(await rows(`select from participants where email = $1`, [email])).toEqual([])
  })

  it('answers every address alike; who is listed finds the way in their mailbox', async () => {
    const { email } = await listed('board')
    const [known, unknown] = [await begin('board', { email }), await begin('board', { email: 'nobody@example.org' })]
    expect([known.status, known.text.replaceAll(email, 'x')]).toEqual([unknown.status, unknown.text.replaceAll('nobody@example.org', 'x')])
    expect(known.text).toContain('Look into your mailbox')
    expect(known.headers.getSetCookie().filter((line) => line.startsWith('lanyard-person'))).toEqual([])
    const mails = await rows(`select text_body from messages where to_address = $1`, [email])
    expect(mails).toHaveLength(1)
    expect(await rows(`select from messages where to_address = 'nobody@example.org'`)).toEqual([])
    expect(await rows(`select from participants where email = 'nobody@example.org'`)).toEqual([])
    const link = new URL(/https?:\/\/\S+token=\S+/.exec(mails[0].text_body)![0])
    const who = visitor(served)
    expect((await who.get(`${link.pathname}${link.search}`)).status).toBe(303)
    const ina = registrantAt(who, story.event, 'board')
    expect((await ina.open('contact')).text).toContain(email)
  })

  it('that asks for the code on its page takes the one it was entered with, and keeps it nowhere', async () => {
    const { email, code } = await listed('press')
    const who = visitor(served)
    await who.post(`${eventPath(story.event)}/register/press`, { email, code })
    const ina = registrantAt(who, story.event, 'press')
    expect((await ina.open('contact')).text).toContain('Your invitation is known.')
    expect((await ina.fill('contact', NAMES)).location).toMatch(/\/choices$/)
    expect(JSON.stringify(await rows(`select * from participants where email = $1`, [email]))).not.toContain(code)
  })
})

describe('a code on a page', () => {
  const at = async (email: string) => {
    const who = registrantAt(visitor(served), story.event, 'friends')
    await who.begin(email)
    return who
  }

  it('gives what the list gives, from this page on', async () => {
    const { email, code } = await listed('friends', { tags: ['member'] })
    const ina = await at('another@example.org')
    const wrong = await ina.fill('contact', { ...NAMES, '@invite.code': 'nonsense' }, { press: 'update' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('There is no such invitation. Look at the code again.')
    // The word that stands for a good one opens nothing when it is typed.
    expect((await ina.fill('contact', { ...NAMES, '@invite.code': 'listed' })).status).toBe(400)
    expect((await ina.fill('contact', { ...NAMES, '@invite.code': code })).location).toMatch(/\/choices$/)
    expect((await ina.open('choices')).text).toContain('€520.00')
    expect((await ina.open('contact')).text).toContain('Your invitation is known.')
    const [row] = await rows(`select id, manual_tags, tags from participants where email = 'another@example.org'`)
    expect(row).toMatchObject({ manual_tags: ['member'], tags: ['member'] })
    expect(await entryOf(email)).toMatchObject({ status: 'opened', participant_id: row.id })
    await ina.fill('choices', { '@product.pass': '1' })
    await ina.fill('summary', {}, { press: 'finish' })
    const late = await at('late@example.org')
    expect((await late.fill('contact', { ...NAMES, '@invite.code': code })).text).toContain(
      'Somebody has registered with this invitation already.',
    )
  })

  it('may be left out where the form does not need it', async () => {
    const ina = await at('without@example.org')
    expect((await ina.fill('contact', NAMES)).location).toMatch(/\/choices$/)
    expect((await ina.open('choices')).text).toContain('€750.00')
  })
})
