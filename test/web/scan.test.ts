import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANA_BADGE, openShowFloor, type ShowFloor } from '../support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue, visitor } from '../support/visitor.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let floor: ShowFloor
let company: { id: string; code: string }

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  floor = await openShowFloor(world)
  company = await floor.createLicensedCompany()
  served = await serve(world)
})
afterAll(() => world.end())

describe('scanner page without scripts', () => {
  it('prefills the scanner page for the test event, and shows the test lead', async () => {
    const who = visitor(served)
    const page = await who.get('/scan')
    expect(page.status).toBe(200)
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    const fields = Object.fromEntries(
      ['tenantCode', 'clientCode', 'eventCode', 'activationCode'].map((name) => [name, readFieldValue(page.html, name)!]),
    )
    expect(fields['activationCode']).toBe('0')
    const shown = await who.post('/scan', { ...fields, badgeId: '77' })
    expect(shown.status).toBe(200)
    for (const text of ['Test Attendee', 'Test event', 'Event Manager', 'Example Company', 'test.attendee@example.com'])
      expect(shown.text).toContain(text)
    expect(shown.html.split('<template')[0]).not.toContain('Sample')
  })

  it('prefills the scanner page with the event of a link, but not with the activation code', async () => {
    const { tenantCode, clientCode, eventCode } = floor.leadRequest(company, '')
    const { html } = await visitor(served).get(`/scan?${new URLSearchParams({ tenantCode, clientCode, eventCode }).toString()}`)
    const fields = ['tenantCode', 'clientCode', 'eventCode', 'activationCode'].map((name) => readFieldValue(html, name))
    expect(fields).toEqual([tenantCode, clientCode, eventCode, ''])
  })

  it('records a scan on the scanner page, keeps the event and company codes and clears the badge field', async () => {
    const who = visitor(served)
    const shown = await who.post('/scan', { ...floor.leadRequest(company, `${ANA_BADGE}|Ana`) })
    for (const text of ['Ana Lima', 'Scanned once', 'CTO', 'Topics', 'Artificial intelligence, B2B']) expect(shown.text).toContain(text)
    expect([readFieldValue(shown.html, 'activationCode'), readFieldValue(shown.html, 'badgeId')]).toEqual([company.code, ''])
    expect((await who.post('/scan', { ...floor.leadRequest(company, ANA_BADGE) })).text).toContain('Scanned 2 times')
    expect((await who.post('/scan', { ...floor.leadRequest(company, '0') })).text).toContain('Sample Attendee')
  })

  it('shows validation errors next to the typed values of the scanner form', async () => {
    const who = visitor(served)
    const unknown = await who.post('/scan', { ...floor.leadRequest(company, 'absent') })
    expect([unknown.status, readFieldValue(unknown.html, 'badgeId')]).toEqual([404, 'absent'])
    expect(unknown.text).toContain('No participant of this event has this badge')
    const wrong = await who.post('/scan', { ...floor.leadRequest(company, ANA_BADGE), activationCode: 'AAAA' })
    expect(wrong.status).toBe(401)
    const empty = await who.post('/scan', { ...floor.leadRequest(company, ''), eventCode: ' ' })
    expect(empty.status).toBe(400)
    for (const text of ['Enter the event code', 'Enter the badge']) expect(empty.text).toContain(text)
    expect(empty.html).toContain('href="#badgeId"')
  })

  it('rejects a scanner form without a valid CSRF token', async () => {
    const before = await floor.exhibitors.figure('select count(*) as n from lead_captures')
    const page = await visitor(served).post('/scan', { ...floor.leadRequest(company, ANA_BADGE) }, { csrf: 'forged' })
    expect([page.status, page.location]).toEqual([303, '/scan'])
    expect(await floor.exhibitors.figure('select count(*) as n from lead_captures')).toBe(before)
  })

  it('escapes participants’ names on the scanner page', async () => {
    await floor.people.person({ first_name: '<img src=x onerror=alert(1)>', badge_id: 'marked' })
    const { html } = await visitor(served).post('/scan', { ...floor.leadRequest(company, 'marked') })
    expect(html).toContain('&lt;img src=x')
    expect(html).not.toContain('<img src=x')
  })

  it('serves the modules of the scanner page’s client library and barcode reader', async () => {
    const { html } = await visitor(served).get('/scan')
    const script = await (await fetch(served.url(/src="(\/assets\/scan\.[^"]+)"/.exec(html)![1]!))).text()
    const index = /from '(\/assets\/lead-sdk\.[0-9a-f]{10}\/index\.js)'/.exec(script)![1]!
    for (const module of ['index', 'asking', 'client', 'device', 'errors', 'queue', 'store']) {
      const response = await fetch(served.url(index.replace('index.js', `${module}.js`)))
      expect([module, response.status, response.headers.get('content-type')]).toEqual([module, 200, 'text/javascript; charset=utf-8'])
    }
    const reader = await (await fetch(served.url(/'(\/assets\/read-codes\.[0-9a-f]{10}\.js)'/.exec(script)![1]!))).text()
    const types: Record<string, string | null> = {}
    for (const [, path, name] of reader.matchAll(/'(\/assets\/zxing\.[0-9a-f]{10}\/([^']+))'/g))
      types[name!] = (await fetch(served.url(path!))).headers.get('content-type')
    expect(types).toEqual({ 'reader/index.js': 'text/javascript; charset=utf-8', 'reader/zxing_reader.wasm': 'application/wasm' })
    expect((await fetch(served.url('/assets/lead-sdk.0000000000/index.js'))).status).toBe(404)
    expect((await fetch(served.url('/assets/../package.json'))).status).toBe(404)
  })
})
