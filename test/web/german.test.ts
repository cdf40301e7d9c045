import { beforeAll, describe, expect, it } from 'vitest'
import { listEnglishTexts, readVisibleText } from '../support/english-texts.ts'
import { readLatestCode, chooseWrongCode } from '../support/sign-in-codes.ts'
import { useGroupScenario } from '../support/group-scenario.ts'
import { GERMAN_EVENT } from '../support/german-event.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { openFormAs } from '../support/registration-form.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type VisitedPage, type Visitor, visitor } from '../support/visitor.ts'

const scenario = useGroupScenario(GERMAN_EVENT, { baseUrl: await chooseFreeBaseUrl(), timezone: 'Europe/Vienna', startsOn: '2026-09-16' })
let served: Served
let home: string

beforeAll(async () => {
  served = await serve(scenario.world)
  home = eventHomePath(scenario.event)
  await scenario.world.database.pool.query(`update events set locales = '{en,de}' where id = $1`, [scenario.event.eventId])
  await scenario.publish({})
})

const ENGLISH = listEnglishTexts('de')

/** Words that exist in English only. */
const ENGLISH_WORDS = /\b(?:the|and|your|you|are|please|with|this|have|from|choose|enter|page|actions|step|required|optional|email)\b/i

const seen: string[] = []

function german(name: string, page: VisitedPage, status = 200): VisitedPage {
  expect([name, page.status]).toEqual([name, status])
  expect([name, /<html lang="(\w+)/.exec(page.html)?.[1]]).toEqual([name, 'de'])
  const words = readVisibleText(page).replaceAll(/\S+@\S+|https?:\S+/g, '')
  expect([name, ENGLISH.filter((part) => words.includes(part))]).toEqual([name, []])
  expect([
    name,
    ENGLISH_WORDS.exec(words)?.[0] ?? null,
    words.slice(Math.max(0, (ENGLISH_WORDS.exec(words)?.index ?? 0) - 60), (ENGLISH_WORDS.exec(words)?.index ?? 0) + 60),
  ]).toEqual([name, null, expect.anything()])
  seen.push(name)
  return page
}

const PERSON = {
  '@participant.firstName': 'Hanna',
  '@participant.lastName': 'Berger',
  '@custom.essen': 'alles',
  '@participant.country': 'AT',
}

/** A visitor who chose German once keeps it for all later pages. */
async function germanVisitor(): Promise<Visitor> {
  const who = visitor(served, { accept: 'text/html', 'accept-language': 'en' })
  german('event', await who.get(`${home}?lang=de`))
  return who
}

async function registered(who: Visitor, email: string) {
  const hanna = openFormAs(who, scenario.event, 'anmeldung')
  await hanna.begin(email)
  await hanna.fill('person', PERSON)
  await hanna.fill('karten', { 'one.karte': 'voll', '@product.gala': '1' })
  await hanna.fill('zusagen', { '@policy.agb': 'Hanna Berger', _method: 'bank' })
  await hanna.fill('summary', {}, { press: 'finish' })
  return hanna
}

it('control: detects an English page that is marked as German', async () => {
  const page = await visitor(served, { 'accept-language': 'en' }).get(`${home}/registration/sign-in`)
  expect(() => german('english', { ...page, html: page.html.replace('lang="en"', 'lang="de"') })).toThrow()
  expect(ENGLISH.length).toBeGreaterThan(300)
})

describe('German pages without English text', () => {
  it('translates every registration page into German, including its validation errors', async () => {
    const who = await germanVisitor()
    const hanna = openFormAs(who, scenario.event, 'anmeldung')
    german('start', await hanna.open(''))
    german('start: no address', await hanna.begin('absent'), 400)
    await hanna.begin('hanna@linden.example')
    german('person', await hanna.open('person'))
    german('person: nothing', await hanna.fill('person', {}), 400)
    const wrongs = {
      ...PERSON,
      '@participant.mobilePhone': '12',
      '@custom.jahre': 'viele',
      '@custom.ankunft': 'morgen',
      '@invite.code': 'x',
      '@group.code': 'nirgends',
    }
    german('person: wrong', await hanna.fill('person', wrongs), 400)
    german('person: years', await hanna.fill('person', { ...PERSON, '@custom.jahre': '99' }), 400)
    await hanna.fill('person', { ...PERSON, '@custom.essen': 'anders' }, { press: 'update' })
    german('person: more', await hanna.open('person'))
    await hanna.fill('person', PERSON)
    german('tickets', await hanna.open('karten'))
    german('tickets: none', await hanna.fill('karten', {}), 400)
    german('tickets: code', await hanna.fill('karten', { 'one.karte': 'voll', '@discount.code': 'falsch' }), 400)
    german('tickets: many', await hanna.fill('karten', { 'one.karte': 'voll', '@product.gala': '9' }), 400)
    await hanna.fill('karten', { 'one.karte': 'voll', '@discount.code': 'treue' }, { press: 'guest-add' })
    german('tickets: guest', await hanna.open('karten?guest=1'))
    await hanna.fill('karten', { 'one.karte': 'voll', '@product.gala': '2', '@discount.code': 'treue' })
    german('tickets: held', await hanna.open('karten'))
    german('agreements', await hanna.open('zusagen'))
    german('agreements: none', await hanna.fill('zusagen', {}), 400)
    await hanna.fill('zusagen', { '@policy.agb': 'Hanna Berger' })
    german('summary', await hanna.open('summary'))
    await hanna.fill('summary', {}, { press: 'finish' })
    german('pay', await hanna.open('pay'))
    await hanna.fill('pay', { _method: 'bank' }, { press: 'finish' })
    german('done', await hanna.open('done'))
  })

  it('translates the waiting list page into German', async () => {
    const hanna = openFormAs(await germanVisitor(), scenario.event, 'anmeldung')
    await hanna.begin('warten@linden.example')
    await hanna.fill('person', { ...PERSON, '@participant.lastName': 'Warten' })
    await hanna.fill('karten', { 'one.karte': 'studium', _full: 'product:studium' })
    await hanna.fill('zusagen', { '@policy.agb': 'Hanna Warten', _method: 'bank' })
    german('summary: waits', await hanna.open('summary'))
    await hanna.fill('summary', {}, { press: 'finish' })
    german('done: waits', await hanna.open('done'))
  })

  it('translates the sign-in pages into German', async () => {
    const who = await germanVisitor()
    const path = `${home}/registration/sign-in`
    const email = 'code@linden.example'
    german('sign-in', await who.get(path))
    german('sign-in: no address', await who.post(path, { email: 'absent' }), 400)
    const sent = await who.post(path, { email })
    german('code', await who.get(sent.location!))
    const code = await readLatestCode(scenario.world, email)
    german('code: letters', await who.post(`${path}/code`, { email, code: 'abc' }, { from: sent.location! }), 400)
    german('code: wrong', await who.post(`${path}/code`, { email, code: chooseWrongCode(code) }, { from: sent.location! }), 400)
    const [{ text_body }] = (
      await scenario.world.database.pool.query<any>(`select text_body from messages where to_address = $1 order by id desc`, [email])
    ).rows
    const link = new URL(/https?:\/\/\S+token=\S+/.exec(text_body)![0])
    german('link', await who.get(`${link.pathname}${link.search}`))
    german('link: old', await who.get(`${path}/link?token=old`), 410)
    german('link to a registration: none', await who.get(`${home}/register/anmeldung?anew`))
    for (let i = 0; i < 2; i++) await who.post(path, { email })
    german('sign-in: too often', await who.post(path, { email }), 429)
  })

  it('translates every page of a participant’s own registration into German', async () => {
    const who = await germanVisitor()
    await registered(who, 'eigen@linden.example')
    const own = (path = '') => `${home}/registration${path}`
    german('own', await who.get(own()))
    german('own: saved', await who.get(own('?done=saved')))
    german('edit', await who.get(own('/edit')))
    german('edit: person', await who.get(own('/edit/person')))
    const fields = { _shown: ['company', 'essen', 'karte', 'extras'], '@participant.company': 'Linden', '@custom.essen': '' }
    german('edit: nothing', await who.post(own('/edit/person'), { ...fields, do: 'save' }), 400)
    german('edit: tickets', await who.get(own('/edit/karten')))
    german(
      'edit: confirm',
      await who.post(own('/edit/karten'), { _shown: ['karte', 'extras'], 'one.karte': 'tag', '@product.gala': '1', do: 'save' }),
    )
    german('pay', await who.get(own('/pay')))
    german('sharing', await who.get(own('/sharing')))
    german('cancel', await who.get(own('/cancel')))
    german('cancel: no tick', await who.post(own('/cancel'), {}), 400)
    await who.post(own('/cancel'), { agree: 'on' })
    german('own: cancelled', await who.get(own('?done=cancelled')))
    german('cancel: again', await who.get(own('/cancel')))
    german('edit: cancelled', await who.get(own('/edit')))
  })

  it('translates every group page into German, including joining', async () => {
    const who = await germanVisitor()
    const { code } = await scenario.group({ name: 'Acme', flowSlug: 'anmeldung', maxMembers: 3 })
    const at = (path = '') => `${home}/group/${code}${path}`
    const email = 'ada@acme.example'
    german('group: sign-in', await who.get(at('/sign-in')))
    const sent = await who.post(at('/sign-in'), { email })
    await who.post(at('/sign-in/code'), { email, code: await readLatestCode(scenario.world, email) }, { from: sent.location! })
    german('group: empty', await who.get(at()))
    german('group: not theirs', await who.get(`${home}/group/andere`), 404)
    german('group: add', await who.get(at('/add')))
    german('group: add nothing', await who.post(at('/add'), {}), 400)
    const added = await who.post(at('/add'), { ...PERSON, '@participant.email': 'neu@acme.example', '@product.voll': '1' })
    german('group: added', await who.get(added.location!))
    const known = await who.post(at('/add'), { ...PERSON, '@participant.email': 'neu@acme.example' })
    german('group: known', await who.get(known.location!))
    german('group: invite', await who.get(at('/invite')))
    german('group: invite invalid addresses', await who.post(at('/invite'), { emails: 'x', message: 'y'.repeat(1001) }), 400)
    const invited = await who.post(at('/invite'), { emails: 'gast@acme.example', role: 'leader' })
    german('group: invited', await who.get(invited.location!))
    const [member] = (await scenario.getGroup(code)).members
    german('group: member', await who.get(at(`/members/${member.participantId}`)))
    german('group: member wrong', await who.post(at(`/members/${member.participantId}`), {}), 400)
    const [token] = await scenario.listInvitationTokens('gast@acme.example')
    german('join', await who.get(at(`/join/${token}`)))
    german('join: old', await who.get(at('/join/lgi_old')), 410)
    german('join: declined', await who.post(at(`/join/${token}`), { do: 'decline' }))
    await scenario.call('update_managed_group', { groupCode: code, status: 'closed' })
    german('group: closed', await who.get(at()))
  })

  it('translates the pages for missing and expired addresses and the badge page into German', async () => {
    const who = await germanVisitor()
    german('missing', await who.get(`${home}/nowhere`), 404)
    german('no such form', await who.get(`${home}/register/nirgends`), 404)
    const { rows } = await scenario.world.database.pool.query<any>(`select badge_id from participants where status = 'complete' limit 1`)
    german('badge', await who.get(`/b/${rows[0].badge_id}`))
    await scenario.world.database.pool.query(`update events set status = 'archived' where id = $1`, [scenario.event.eventId])
    german('ended', await who.get(home), 410)
    expect(seen.length).toBeGreaterThan(50)
  })
})
