import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assignPassword } from '../support/browser.ts'
import { resetRateLimits, buildLegacyMessage, postMessage as ask, toolCallParams } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue, type Visitor, visitor, signedInVisitor } from '../support/visitor.ts'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'

const SETTINGS = '/console/clients/acme/settings'

let world: World
let served: Served
let acme: ClientHandle
let olga: OrganizerHandle
let admin: Visitor

const lastAudit = async () =>
  (await world.database.pool.query<any>(`select tool, app_name, actor_id, targets from audit_entries order by id desc limit 1`)).rows[0]
const countAudit = async () => (await world.database.pool.query<{ n: number }>(`select count(*)::int as n from audit_entries`)).rows[0]!.n

/** Returns all fields of the settings form, as a browser would send them. */
async function fieldsOf(who: Visitor): Promise<Record<string, string>> {
  const { html } = await who.get(SETTINGS)
  const form = html.slice(html.indexOf('class="sections"'), html.indexOf('Save settings'))
  const names = [...form.matchAll(/<(?:input|textarea|select)\b[^>]* name="([^"]+)"/g)]
    .map((m) => m[1]!)
    .filter((n) => n !== '_csrf' && !n.endsWith('/remove'))
  return Object.fromEntries(names.map((name) => [name, readFieldValue(form, name) ?? '']))
}

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme', name: 'Acme Events' })
  await world.event({ code: 'summit', at: acme })
  olga = await world.organizer({ at: acme })
  served = await serve(world)
  admin = await signedInVisitor(world, served, olga)
})
afterAll(() => world.end())

describe('client settings', () => {
  it('saves every settings field in one change with one audit row', async () => {
    const before = await countAudit()
    const answer = await admin.post(SETTINGS, {
      ...(await fieldsOf(admin)),
      name: 'Acme Events AG',
      establishedIn: 'de',
      defaultCurrency: 'chf',
      defaultTimezone: 'Europe/Zurich',
      'brand/color': '#112233',
      'brand/website': 'https://acme.example',
      'billing/legalName': 'Acme Events AG',
      paymentTermsDays: '14',
      'confirmThresholds/recipients': '10',
      'confirmThresholds/deletes': '5',
      embedHosts: 'https://www.acme.example/\nshop.acme.example',
      'taxRegistrations/0/country': 'DE',
      'taxRegistrations/0/number': 'DE 123 456 789',
      'taxRegistrations/0/from': '2020-01-01',
    })
    expect([answer.status, answer.location]).toEqual([303, `${SETTINGS}?done=saved`])
    const { rows } = await world.database.pool.query<any>('select * from clients where id = $1', [acme.clientId])
    expect(rows[0]).toMatchObject({
      name: 'Acme Events AG',
      default_currency: 'CHF',
      default_timezone: 'Europe/Zurich',
      established_in: 'DE',
      brand: { color: '#112233', website: 'https://acme.example' },
      billing: { legalName: 'Acme Events AG' },
      payment_terms_days: 14,
      confirm_recipients: 10,
      confirm_deletes: 5,
      embed_hosts: ['www.acme.example', 'shop.acme.example'],
      tax_registrations: [{ country: 'DE', number: 'DE123456789', from: '2020-01-01' }],
    })
    expect(await countAudit()).toBe(before + 1)
    const audit = await lastAudit()
    expect(audit).toMatchObject({ tool: 'update_client', app_name: 'console', actor_id: olga.userId })
    expect(Object.keys(audit.targets[0].fields)).toContain('confirmThresholds')
    expect((await admin.get(`${SETTINGS}?done=saved`)).text).toContain('Saved.')
  })

  it('shows each settings error in plain words at its field and keeps all input', async () => {
    const answer = await admin.post(SETTINGS, {
      ...(await fieldsOf(admin)),
      name: '',
      defaultCurrency: 'XXZ',
      paymentTermsDays: 'soon',
      'brand/accent': 'blue',
      embedHosts: 'javascript:alert(1)',
      'billing/address': '1 <Main> Street',
      'taxRegistrations/1/country': 'FR',
    })
    expect(answer.status).toBe(400)
    for (const sentence of [
      'Name: must not be empty',
      'Currency: not a currency code of ISO 4217',
      'Accent colour: a colour is written #rrggbb',
      'Host 1: a host is written like www.example.org',
      'Registration 2, tax number: must not be empty',
      'Payment terms: must be a whole number from 0 to 365',
    ])
      expect(answer.text).toContain(sentence)
    expect(readFieldValue(answer.html, 'defaultCurrency')).toBe('XXZ')
    expect(readFieldValue(answer.html, 'billing/address')).toBe('1 <Main> Street')
    expect(readFieldValue(answer.html, 'taxRegistrations/1/country')).toBe('FR')
    expect(answer.html).not.toContain('1 <Main>')
  })

  it('offers countries, current currencies and time zones by name, on a page that stays small with three tax registrations', async () => {
    await world.database.pool.query(
      `update clients set tax_registrations = '[{"country":"DE","number":"DE123456789","from":"2020-01-01"},{"country":"KE","number":"K1","from":"2020-01-01"},{"country":"US","region":"NY","number":"U1","from":"2020-01-01"}]', default_timezone = 'Europe/Kiev', default_currency = 'HRK' where id = $1`,
      [acme.clientId],
    )
    const { html, text } = await admin.get(SETTINGS)
    for (const choice of [
      '>Germany (DE)<',
      '>Kenya (KE)<',
      '>Euro (EUR)<',
      '>Kenyan Shilling (KES)<',
      '<optgroup label="Europe">',
      '>Europe/Kyiv<',
    ])
      expect(html).toContain(choice)
    // Only "Established in" offers the list of countries; a new tax registration takes a typed country.
    expect(html.match(/>Germany \(/g)).toHaveLength(1)
    expect(text).toContain('Code or name, such as DE or Germany')
    expect(html).not.toContain('>Croatian Kuna')
    expect(text).toContain('Registration 2: Kenya (KE)')
    // A saved currency or time zone stays selected, even if it is no longer offered.
    expect([
      readFieldValue(html, 'defaultTimezone'),
      readFieldValue(html, 'defaultCurrency'),
      readFieldValue(html, 'taxRegistrations/1/country'),
    ]).toEqual(['Europe/Kiev', 'HRK', 'KE'])
    expect(Buffer.byteLength(html)).toBeLessThan(50_000)
    expect(
      (await admin.post(SETTINGS, { ...(await fieldsOf(admin)), 'taxRegistrations/1/remove': 'on', 'taxRegistrations/2/remove': 'on' }))
        .status,
    ).toBe(303)
    const { rows } = await world.database.pool.query<any>('select * from clients where id = $1', [acme.clientId])
    expect(rows[0]).toMatchObject({
      default_timezone: 'Europe/Kiev',
      default_currency: 'HRK',
      tax_registrations: [{ country: 'DE', number: 'DE123456789' }],
    })
  })

  it('removes a tax registration that is marked for removal, and rejects two registrations for the same country', async () => {
    const two = {
      ...(await fieldsOf(admin)),
      'taxRegistrations/1/country': 'DE',
      'taxRegistrations/1/number': 'DE999999999',
      'taxRegistrations/1/from': '2024-01-01',
    }
    expect((await admin.post(SETTINGS, two)).text).toContain('Registration 2: overlaps registration 1 for DE')
    expect((await admin.post(SETTINGS, { ...two, 'taxRegistrations/0/remove': 'on' })).status).toBe(303)
    const fields = await fieldsOf(admin)
    expect([fields['taxRegistrations/0/number'], fields['taxRegistrations/1/number']]).toEqual(['DE999999999', ''])
  })

  it.each([
    ['ke', 'KE'],
    ['Kenia', 'KE'],
    [' kenya ', 'KE'],
  ])('reads %j as the country of a new tax registration', async (typed, country) => {
    const fields = await fieldsOf(admin)
    const row = { 'taxRegistrations/1/country': typed, 'taxRegistrations/1/number': 'P051234567X', 'taxRegistrations/1/from': '2024-01-01' }
    expect((await admin.post(SETTINGS, { ...fields, ...row })).status).toBe(303)
    expect((await fieldsOf(admin))['taxRegistrations/1/country']).toBe(country)
    expect((await admin.post(SETTINGS, { ...(await fieldsOf(admin)), 'taxRegistrations/1/remove': 'on' })).status).toBe(303)
  })

  it('rejects an unknown country of a new tax registration at its field and keeps the text', async () => {
    const row = { 'taxRegistrations/1/country': 'Atlantis', 'taxRegistrations/1/number': 'A1', 'taxRegistrations/1/from': '2024-01-01' }
    const answer = await admin.post(SETTINGS, { ...(await fieldsOf(admin)), ...row })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Registration 2, country: not a known country. Write a code or a name, such as DE or Germany')
    expect(readFieldValue(answer.html, 'taxRegistrations/1/country')).toBe('Atlantis')
    expect(answer.html).toMatch(/<input id="taxRegistrations\/1\/country"[^>]*aria-invalid="true"/)
  })

  it('reports a concurrent change of the settings and keeps the input', async () => {
    const stale = await fieldsOf(admin)
    await admin.post(SETTINGS, { ...stale, name: 'Acme the second' })
    const answer = await admin.post(SETTINGS, { ...stale, name: 'Acme the third' })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Another user saved these settings')
    expect(readFieldValue(answer.html, 'name')).toBe('Acme the third')
    expect(
      (await admin.post(SETTINGS, { ...stale, name: 'Acme the third', revision: readFieldValue(answer.html, 'revision')! })).status,
    ).toBe(303)
  })

  it('rejects a settings form from another site or without its CSRF token', async () => {
    const fields = await fieldsOf(admin)
    const before = await countAudit()
    const sent = { ...fields, name: 'Planted' }
    for (const options of [{ csrf: null }, { csrf: 'x'.repeat(43) }, { origin: 'https://evil.example' }]) {
      const answer = await admin.post(SETTINGS, sent, options)
      expect(answer.status).toBe(400)
      expect(answer.text).toContain('did not come from this site')
    }
    const other = visitor(served)
    await other.signIn(olga)
    const foreign = readFieldValue((await other.get(SETTINGS)).html, '_csrf')!
    expect((await admin.post(SETTINGS, sent, { csrf: foreign })).status).toBe(400)
    expect(await countAudit()).toBe(before)
    expect((await admin.post(SETTINGS, { ...fields, name: 'Acme' })).status).toBe(303)
  })
})

describe('permissions for client settings', () => {
  it('lets an analyst view the client settings without a form', async () => {
    const anna = await world.organizer({ at: acme, role: 'analyst' })
    await assignPassword(world, anna)
    const analyst = visitor(served)
    await analyst.signIn(anna)
    const page = await analyst.get(SETTINGS)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Only administrators can change them')
    expect(page.html).not.toContain(`action="${SETTINGS}"`)
    const csrf = readFieldValue(page.html, '_csrf')!
    for (const [path, fields] of [
      [SETTINGS, { name: 'X' }],
      [`${SETTINGS}/assistants`, { allow: 'no' }],
      [`${SETTINGS}/active`, { active: 'no' }],
    ] as const) {
      const answer = await analyst.post(path, fields, { csrf })
      expect(answer.status).toBe(403)
      expect(answer.text).toContain('needs the clients.admin permission')
    }
  })

  it('refuses client settings to a registrar, names the missing permission, and hides the client from users of other clients', async () => {
    const rita = await world.organizer({ at: acme, role: 'registrar' })
    await assignPassword(world, rita)
    const registrar = visitor(served)
    await registrar.signIn(rita)
    const page = await registrar.get(SETTINGS)
    expect([page.status, page.text.includes('clients.read permission')]).toEqual([403, true])
    expect((await admin.get('/console/clients/other/settings')).status).toBe(404)
    const anybody = await visitor(served).get(SETTINGS)
    expect(anybody.location).toBe(`/console/sign-in?next=${encodeURIComponent(SETTINGS)}`)
  })
})

describe('switch that turns assistants of a client on and off', () => {
  const call = async (token: string, name: string, args: object) => {
    await resetRateLimits(world)
    return (await ask(served, token, buildLegacyMessage('tools/call', toolCallParams(name, args)))).json.result
  }

  it('applies the assistant switch to the next request of every organizer, and allows turning it on again only in the console', async () => {
    const people = [
      await world.organizer({ at: acme }),
      await world.organizer({ at: acme, role: 'manager' }),
      await world.organizer({ at: acme, role: 'analyst' }),
    ]
    const seen = async (token: string) => (await call(token, 'list_my_events', {})).structuredContent.total
    for (const { token } of people) expect(await seen(token)).toBe(1)
    expect((await admin.post(`${SETTINGS}/assistants`, { allow: 'no', sure: 'yes' }, { from: SETTINGS })).status).toBe(303)
    for (const { token } of people) {
      expect(await seen(token)).toBe(0)
      const refused = await call(token, 'list_events', { clientCode: 'acme' })
      expect(refused.content[0].text).toContain('AI assistant access is turned off for client acme')
    }
    const on = await call(people[0]!.token, 'update_client', { clientCode: 'acme', aiAssistantsAllowed: true })
    expect(on.content[0].text).toContain('AI assistant access is turned off for client acme')
    expect((await admin.get(SETTINGS)).text).toContain('Turn on AI assistants')
    expect((await admin.post(`${SETTINGS}/assistants`, { allow: 'yes' }, { from: SETTINGS })).status).toBe(303)
    expect(await lastAudit()).toMatchObject({
      app_name: 'console',
      targets: [{ fields: { aiAssistantsAllowed: { before: false, after: true } } }],
    })
    for (const { token } of people) expect(await seen(token)).toBe(1)
  })

  it('hides the switch that turns off AI assistants from users with the role manager', async () => {
    const max = await world.organizer({ at: acme, role: 'manager' })
    await assignPassword(world, max)
    const manager = visitor(served)
    await manager.signIn(max)
    const page = await manager.get(SETTINGS)
    expect(page.text).toContain('Allow AI assistants for this client')
    expect(page.text).not.toContain('Turn off AI assistants')
    const answer = await manager.post(`${SETTINGS}/assistants`, { allow: 'no' }, { csrf: readFieldValue(page.html, '_csrf')! })
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('clients.admin')
  })
})
