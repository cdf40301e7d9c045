import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EMAIL_CONTENT_SECURITY_POLICY } from '../../src/surfaces/web/content-policy.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue } from '../support/visitor.ts'
import { ConsoleBrowser } from './console-browser.ts'

const WELCOME = {
  code: 'welcome',
  name: 'Our welcome',
  trigger: 'registration.completed',
  subject: 'Welcome to {{event.name}}, {{participant.firstName|friend}}',
  blocks: [
    { id: 'head', type: 'heading', text: 'Good to have you' },
    { id: 'words', type: 'text', markdown: 'Bring **warm** clothes.' },
    { id: 'rich', type: 'text', html: '<p>See <a href="https://example.org/">the map</a></p>' },
  ],
}

let scenario: SalesScenario
let served: Served
let olga: ConsoleBrowser
let base: string

beforeAll(async () => {
  scenario = await openSalesScenario(
    { ...WORKED_EXAMPLE, details: { ...WORKED_EXAMPLE.details, name: 'Paris Forum' }, emails: [WELCOME] },
    { baseUrl: await chooseFreeBaseUrl() },
  )
  await scenario.world.database.pool.query(`update events set locales = '{en,de}'`)
  served = await serve(scenario.world)
  olga = await new ConsoleBrowser(served).enter(scenario.world, scenario.olga)
  base = `/console/events/${scenario.event.clientCode}/${scenario.event.eventCode}/emails`
})
afterAll(() => scenario.world.end())

const messages = () => scenario.queryNumber('select count(*)::int as figure from messages')

describe('emails of an event in the console', () => {
  it('lists the emails of the event and the built-in emails with readable subjects', async () => {
    const page = await olga.get(base)
    for (const words of [
      'Our welcome',
      'Welcome to Paris Forum, friend',
      'Own text',
      'Seat offered from the waiting list',
      'Built in',
      'With an offer from the waiting list',
    ])
      expect(page.text).toContain(words)
    // The own email replaces the built-in confirmation.
    expect(page.html).not.toContain('emails/registration.completed"')
  })

  it('previews an email in a sandbox, as text and in each language, without sending it', async () => {
    const before = await messages()
    const page = await olga.get(`${base}/waitlist.offered`)
    expect(page.text).toContain('Paris Forum')
    expect(page.html).toMatch(/<iframe[^>]* sandbox=""[^>]* src="[^"]*\/emails\/waitlist.offered\/html"/)
    const html = await olga.get(`${base}/waitlist.offered/html`)
    expect([html.status, html.headers.get('content-security-policy')]).toEqual([200, EMAIL_CONTENT_SECURITY_POLICY])
    expect(html.text).toContain('Pass')
    const german = await olga.get(`${base}/waitlist.offered?lang=de`)
    expect(german.text).not.toBe(page.text)
    expect((await olga.get(`${base}/welcome`)).text).toContain('Welcome to Paris Forum, Ana')
    for (const missing of ['nothing', 'none', 'x.y', '%00'])
      expect([missing, (await olga.get(`${base}/${missing}`)).status]).toEqual([missing, 404])
    expect(await messages()).toBe(before)
  })

  it('saves a new email text in the draft after a preview, and leaves the live text unchanged', async () => {
    const path = `${base}/welcome/edit`
    const form = await olga.get(path)
    expect(readFieldValue(form.html, 'block-words')).toBe('Bring **warm** clothes.')
    // Formatted text cannot be edited as plain text.
    expect(readFieldValue(form.html, 'block-rich')).toBeUndefined()
    const revision = readFieldValue(form.html, 'revision')!
    const fields = {
      revision,
      subject: 'Hello {{participant.firstName}}',
      preheader: '',
      'block-head': 'Good to have you',
      'block-words': 'Bring an umbrella.',
      enabled: 'on',
    }
    expect((await olga.submit(path, path, { ...fields, subject: ' ' })).text).toContain('Subject: must not be empty')
    const preview = await olga.submit(path, path, fields)
    for (const words of ['Hello Ana', 'Bring an umbrella.', 'People get it after you publish']) expect(preview.text).toContain(words)
    expect((await olga.get(`${base}/welcome?version=draft`)).text).not.toContain('umbrella')
    const done = await olga.submit(path, path, { ...fields, sure: 'yes' })
    expect([done.status, done.location]).toEqual([303, `${base}/welcome?version=draft&done=saved`])
    expect((await olga.get(`${base}/welcome?version=draft`)).text).toContain('Bring an umbrella.')
    expect((await olga.get(`${base}/welcome`)).text).toContain('Bring warm clothes.')
    const late = await olga.submit(path, path, { ...fields, subject: 'Late', sure: 'yes' })
    expect([late.status, late.text.includes('Another user changed the draft')]).toEqual([400, true])
    const current = readFieldValue((await olga.get(path)).html, 'revision')!
    expect((await olga.submit(path, path, { ...fields, revision: current })).text).toContain('There is no change to save.')
    const shorter = await olga.submit(path, path, { ...fields, revision: current, 'block-words': '' })
    expect([shorter.text.includes('Good to have you'), shorter.text.includes('umbrella')]).toEqual([true, false])
  })

  it('replaces a built-in email by an email text of the event, and reports an unknown merge field', async () => {
    const path = `${base}/waitlist.offered/edit`
    const form = await olga.get(path)
    const revision = readFieldValue(form.html, 'revision')!
    const text = readFieldValue(form.html, 'block-text')!
    expect(text).toContain('{{product.name|')
    for (const [code, name] of [
      ['participant.firstName', 'First name'],
      ['event.name', 'Event name'],
      ['product.price', 'Product price'],
    ])
      expect(form.html).toMatch(new RegExp(`data-insert="{{${code}}}"><bdi>${name}<`))
    const fields = {
      revision,
      subject: 'A seat for you',
      preheader: '',
      'block-heading': 'A seat',
      'block-text': `${text}\n\nSee you soon.`,
      'block-button': 'Accept',
      enabled: 'on',
    }
    const wrong = await olga.submit(path, path, { ...fields, 'block-text': 'Dear {{participant.shoeSize}}' })
    expect(wrong.text).toContain('shoeSize')
    const preview = await olga.submit(path, path, fields)
    for (const words of ['See you soon.', 'Save this text in the draft?']) expect(preview.text).toContain(words)
    const done = await olga.submit(path, path, { ...fields, sure: 'yes' })
    expect(done.location).toBe(`${base}/waitlist-offered?version=draft&done=saved`)
    const own = await olga.get(`${base}/waitlist-offered?version=draft`)
    expect([own.status, own.text.includes('See you soon.')]).toEqual([200, true])
    expect((await olga.get(`${base}/waitlist.offered`)).status).toBe(200)
    expect((await olga.get(`${base}/waitlist.offered?version=draft`)).status).toBe(404)
  })

  it('marks an email that is turned off', async () => {
    await scenario.call('config_set', { operations: [{ op: 'set', path: '/emails/waitlist-offered/enabled', valueJson: 'false' }] })
    const page = await olga.get(`${base}/waitlist-offered?version=draft`)
    expect(page.text).toContain('This email is turned off, so it is not sent.')
    expect((await olga.get(`${base}/waitlist-offered/html?version=draft`)).status).toBe(404)
    expect((await olga.get(`${base}?version=draft`)).text).toMatch(/Seat offered from the waiting list .* Off/)
  })
})
