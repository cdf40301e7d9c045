import { afterAll, beforeAll, expect, it } from 'vitest'
import { assignPassword } from '../support/browser.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let acme: ClientHandle
let summit: EventHandle
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme', name: 'Acme' })
  summit = await world.event({ code: 'summit', at: acme, name: 'Summit' })
  await world.database.pool.query(`update events set locale = 'de', locales = '{de,en}' where id = $1`, [summit.eventId])
  olga = await world.organizer({ at: acme, name: 'Olga' })
  served = await serve(world)
})
afterAll(() => world.end())

const findEmail = async ({ email }: { email: string }, code: string) => {
  const { rows } = await world.database.pool.query<{ locale: string; subject: string; html_body: string; text_body: string }>(
    'select locale, subject, html_body, text_body from messages where to_address = $1 and email_code = $2 order by id desc',
    [email, code],
  )
  return rows[0]!
}
const browser = (language: string) => visitor(served, { 'accept-language': language })

it('sends a password link in the language of the requesting browser', async () => {
  const rita = await world.organizer({ at: acme })
  await browser('de-DE,de;q=0.9').post('/console/forgot', { email: rita.email })
  const mail = await findEmail(rita, 'password-reset')
  expect([mail.locale, mail.subject]).toEqual(['de', 'Neues Passwort für Lanyard festlegen'])
  expect(mail.html_body).toContain('<html lang="de" dir="ltr"')
  expect(mail.html_body).toContain('>Neues Passwort festlegen</a>')
  expect(mail.text_body).toMatch(/Neues Passwort festlegen: http\S+token=lpw_/)
})

it('sends later emails in the language of the browser that the user last signed in with', async () => {
  const ruth = await world.organizer({ at: acme })
  await assignPassword(world, ruth)
  await browser('de').signIn(ruth)
  await browser('en').post('/console/forgot', { email: ruth.email })
  expect((await findEmail(ruth, 'password-reset')).locale).toBe('de')
  for (let i = 0; i < 10; i++) await browser('en').post('/console/sign-in', { email: ruth.email, password: 'wrong' })
  expect((await findEmail(ruth, 'sign-in-locked')).subject).toBe('Viele fehlgeschlagene Anmeldungen bei Ihrem Lanyard-Konto')
})

it('keeps the stored language of a user who signs in without the required second factor', async () => {
  const rosa = await world.organizer({ at: acme })
  await assignPassword(world, rosa)
  await world.database.pool.query(`update users set language = 'de', totp_secret = 'x', totp_confirmed_at = lanyard_now() where id = $1`, [
    rosa.userId,
  ])
  await browser('en').signIn(rosa)
  expect((await world.database.pool.query('select language from users where id = $1', [rosa.userId])).rows).toEqual([{ language: 'de' }])
})

it('sends an invitation in the language of the event, or in English if only the client is known', async () => {
  await olga.call('assign_event_staff', { eventCode: 'summit', email: 'neu@example.org', name: 'Nina', role: 'registrar' })
  const mail = await findEmail({ email: 'neu@example.org' }, 'organizer-invite')
  expect([mail.locale, mail.subject]).toEqual(['de', 'Olga lädt Sie zu Summit auf Lanyard ein'])
  expect(mail.html_body).toContain('Willkommen bei Summit')
})

it('escapes names in every part of an email', async () => {
  const name = '<b>{{links.pay}}</b> & "Co" {place}'
  const eve = await world.organizer({ at: acme, name })
  await eve.call('assign_event_staff', { eventCode: 'summit', email: 'eva@example.org', name: 'Eva', role: 'registrar' })
  const mail = await findEmail({ email: 'eva@example.org' }, 'organizer-invite')
  expect(mail.subject).toBe(`${name} lädt Sie zu Summit auf Lanyard ein`)
  expect(mail.text_body).toContain(`${name} hat Sie auf Lanyard`)
  expect(mail.html_body).toContain('&lt;b&gt;{{links.pay}}&lt;/b&gt; &amp; &quot;Co&quot; {place} hat Sie')
  expect(mail.html_body).not.toContain('<b>')
})
