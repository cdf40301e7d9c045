import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestLead, ANA_BADGE, BEHIND_A_PROXY, type LeadRequest, openShowFloor, type ShowFloor } from '../support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { soakRounds } from '../support/soak.ts'
import { newWorld, type World } from '../support/world.ts'
import fc from 'fast-check'

let world: World
let served: Served
let floor: ShowFloor
let company: { id: string; code: string }
let asked = 0

/** Every test scans from its own IP address, so that failures do not count for other tests. */
const address = () => `10.1.${Math.floor(++asked / 250)}.${asked % 250}`
const scan = (question: Partial<LeadRequest>, from = address()) => requestLead(served, question, { from })
const leads = () => floor.exhibitors.figure('select count(*) as n from leads')
const captures = () => floor.exhibitors.figure('select count(*) as n from lead_captures')

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  floor = await openShowFloor(world)
  company = await floor.createLicensedCompany()
  served = await serve(world, { env: BEHIND_A_PROXY })
})
afterAll(() => world.end())

const problem = (code: string, status: number, title: string, detail: string) => ({
  type: `${served.baseUrl}/docs/errors#${code}`,
  title,
  status,
  detail,
  code,
  instance: expect.stringMatching(/^[0-9a-f]{16}$/),
  error: { code, message: detail },
})

const INVALID = 'The activation code is not valid for this tenant, client and event'

describe('lead scan', () => {
  it('records a lead for a scan and returns the attendee’s shared data', async () => {
    const { status, headers, body } = await scan(floor.leadRequest(company, ANA_BADGE))
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([
      'leadId',
      'badgeId',
      'source',
      'captures',
      'firstCapturedAt',
      'lastCapturedAt',
      'fields',
      'customFields',
    ])
    expect(body).toEqual({
      leadId: expect.stringMatching(/^[0-9a-f]{24}$/),
      badgeId: ANA_BADGE,
      source: 'sdk',
      captures: 1,
      firstCapturedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      lastCapturedAt: body.firstCapturedAt,
      fields: { firstName: 'Ana', lastName: 'Lima', email: 'ana@example.org', jobTitle: 'CTO' },
      customFields: [{ code: 'topics', label: 'Topics', value: 'Artificial intelligence, B2B' }],
    })
    const headerValue = (name: string) => headers.get(name)
    expect(
      ['content-type', 'cache-control', 'referrer-policy', 'access-control-allow-origin', 'etag', 'set-cookie'].map(headerValue),
    ).toEqual(['application/json', 'no-store', 'no-referrer', '*', null, null])
  })

  it('increments the count of a lead, keeps the first and updates the last scan time when a scan is repeated', async () => {
    const other = await floor.createLicensedCompany()
    const first = (await scan(floor.leadRequest(other, ANA_BADGE))).body
    await world.clock.advance('7 minutes')
    const second = (await scan(floor.leadRequest(other, ANA_BADGE))).body
    expect(second).toMatchObject({ leadId: first.leadId, captures: 2, firstCapturedAt: first.firstCapturedAt })
    expect(Date.parse(second.lastCapturedAt)).toBeGreaterThan(Date.parse(first.lastCapturedAt) + 6 * 60_000)
    const { rows } = await world.database.pool.query(
      'select captures, source, status, first_captured_at, last_captured_at from leads where id = $1',
      [first.leadId],
    )
    expect(rows).toEqual([
      {
        captures: 2,
        source: 'sdk',
        status: 'active',
        first_captured_at: new Date(first.firstCapturedAt),
        last_captured_at: new Date(second.lastCapturedAt),
      },
    ])
  })

  it("restores a deleted lead when the badge is scanned again, and increments the lead's count", async () => {
    const other = await floor.createLicensedCompany()
    const { leadId } = (await scan(floor.leadRequest(other, ANA_BADGE))).body
    await world.database.pool.query(`update leads set status = 'deleted' where id = $1`, [leadId])
    expect((await scan(floor.leadRequest(other, ANA_BADGE))).body).toMatchObject({ leadId, captures: 2 })
    expect(await floor.exhibitors.figure(`select count(*) as n from leads where id = '${leadId}' and status = 'active'`)).toBe(1)
  })

  it('accepts event and company codes in any case, and activation codes without dashes', async () => {
    const question = floor.leadRequest(company, ANA_BADGE)
    const shouted = Object.fromEntries(Object.entries(question).map(([name, value]) => [name, value.toUpperCase()]))
    expect((await scan(shouted)).status).toBe(200)
    expect((await scan({ ...question, activationCode: company.code.replaceAll('-', '').toLowerCase() })).status).toBe(200)
  })

  it('decodes a plus sign in a scan request’s parameters as a space', async () => {
    await floor.people.person({ badge_id: 'lima ana' })
    const { tenantCode, clientCode, eventCode } = floor.event
    const query = `tenantCode=${tenantCode}&clientCode=${clientCode}&eventCode=${eventCode}&activationCode=${company.code}&badgeId=Lima+Ana%7CX`
    const response = await fetch(served.url(`/api/public/lead-sdk?${query}`))
    expect([response.status, ((await response.json()) as { badgeId: string }).badgeId]).toEqual([200, 'lima ana'])
  })

  it('returns working links to the attendee’s pictures for a lead scan', async () => {
    const file = '0'.repeat(23) + '7'
    await floor.insertPicture(file, 'me.png')
    await floor.people.person({ badge_id: 'pictured', headshot: file, sharing: JSON.stringify({ headshot: 'share' }) })
    const { fields, photoUrl } = (await scan(floor.leadRequest(company, 'pictured'))).body
    expect(fields.headshot).toMatch(
      new RegExp(`^${served.baseUrl}/files/${file}/me\\.png\\?tenant=demo&for=headshot&until=\\d+&signature=`),
    )
    expect(photoUrl).toBe(fields.headshot)
    // The file's bytes do not exist here, but an invalid link would return 404.
    expect((await fetch(photoUrl, { method: 'HEAD' })).status).toBe(200)
    expect((await fetch(`${photoUrl}x`, { method: 'HEAD' })).status).toBe(404)
    await world.database.pool.query('update files set deleted_at = lanyard_now() where id = $1', [file])
    expect((await scan(floor.leadRequest(company, 'pictured'))).body).not.toHaveProperty('photoUrl')
  })
})

describe('sample lead', () => {
  it('returns the sample lead that the organizer configured for the event, and stores nothing', async () => {
    const before = [await leads(), await captures()]
    const { status, body } = await scan(floor.leadRequest(company, '0'))
    expect(status).toBe(200)
    expect(body).toEqual({
      leadId: '000000000000000000000000',
      badgeId: '0',
      source: 'sdk',
      captures: 1,
      firstCapturedAt: expect.any(String),
      lastCapturedAt: body.firstCapturedAt,
      fields: { firstName: 'Sample', lastName: 'Attendee', email: 'sample.attendee@example.com', jobTitle: 'Head of Events' },
      customFields: [{ code: 'topics', label: 'Topics', value: 'Artificial intelligence' }],
      isTest: true,
    })
    expect([await leads(), await captures()]).toEqual(before)
  })

  it('returns a sample lead with a picture that exists', async () => {
    const response = await fetch(served.url('/assets/sample-headshot.png'))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
  })

  it('returns a sample lead for the activation code 0 at any event, and stores nothing', async () => {
    const before = [await leads(), await captures()]
    const anywhere = { tenantCode: 'no', clientCode: 'such', eventCode: 'place', activationCode: '0' }
    const { status, headers, body } = await scan({ ...anywhere, badgeId: ' raw|x' })
    expect([status, headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual([200, 'no-store', '*'])
    expect(body).toMatchObject({ leadId: 'test-lead', badgeId: ' raw|x', captures: 1, customFields: [], testEvent: true })
    expect((await scan({ ...anywhere, badgeId: '0' })).body).toMatchObject({ leadId: 'test-lead', badgeId: '0', testEvent: true })
    expect([await leads(), await captures()]).toEqual(before)
  })
})

describe('rejected lead scans', () => {
  it('rejects lead scans with every method other than GET', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
      const { status, headers, body } = await requestLead(served, floor.leadRequest(company, ANA_BADGE), { method })
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET'])
      if (method !== 'HEAD') expect(body).toEqual(problem('method_not_allowed', 405, 'Method not allowed', 'Only GET is served here'))
    }
  })

  it('names all missing parameters of a lead scan in one response, before anything else is checked', async () => {
    const whole = floor.leadRequest(company, ANA_BADGE)
    for (const name of Object.keys(whole)) {
      const { [name as keyof typeof whole]: _, ...rest } = whole
      for (const question of [rest, { ...whole, [name]: '' }]) {
        const { status, headers, body } = await scan(question)
        expect([name, status, headers.get('content-type')]).toEqual([name, 400, 'application/problem+json'])
        const detail = `Required query parameters: ${name} is missing or empty`
        expect(body).toEqual({
          ...problem('missing_parameter', 400, 'Missing parameter', detail),
          errors: [{ parameter: name, message: 'is missing or empty' }],
        })
      }
    }
    const none = await scan({})
    expect(none.body.errors.map(({ parameter }: { parameter: string }) => parameter)).toEqual(Object.keys(whole))
    const twice = await fetch(
      served.url(`/api/public/lead-sdk?${new URLSearchParams({ ...whole }).toString()}&badgeId=2&eventCode=${whole.eventCode}`),
    )
    expect(twice.status).toBe(400)
    expect(((await twice.json()) as { errors: unknown }).errors).toEqual([
      { parameter: 'eventCode', message: 'is given more than once' },
      { parameter: 'badgeId', message: 'is given more than once' },
    ])
    expect((await scan({ activationCode: '0' })).status).toBe(400)
  })

  it('returns the same message for every kind of wrong code in a lead scan', async () => {
    const question = floor.leadRequest(company, ANA_BADGE)
    const elsewhere = await openShowFloor(world)
    const foreign = await elsewhere.createLicensedCompany()
    const cancelled = await floor.createLicensedCompany()
    await world.database.pool.query(`update companies set status = 'cancelled' where id = $1`, [cancelled.id])
    const wrong: Partial<LeadRequest>[] = [
      { ...question, activationCode: 'AAAA-AAAA-AAAA-AAAA' },
      { ...question, activationCode: '00' },
      { ...question, activationCode: `${company.code}\u0000` },
      { ...question, tenantCode: 'other' },
      { ...question, clientCode: elsewhere.event.clientCode },
      { ...question, eventCode: elsewhere.event.eventCode },
      { ...question, eventCode: 'a\u0000b' },
      { ...question, clientCode: "x' or true --" },
      floor.leadRequest(foreign, ANA_BADGE),
      floor.leadRequest(cancelled, ANA_BADGE),
    ]
    const before = await leads()
    for (const one of wrong) {
      const { status, headers, body } = await scan(one)
      expect([one, status, headers.get('content-type')]).toEqual([one, 401, 'application/problem+json'])
      expect(body).toEqual(problem('invalid_activation', 401, 'Invalid activation', INVALID))
    }
    expect(await leads()).toBe(before)
  })

  it('rejects lead scans of an inactive client or archived event until the client or event is active again', async () => {
    const place = await openShowFloor(world)
    const its = await place.createLicensedCompany()
    const question = place.leadRequest(its, ANA_BADGE)
    const { tenantId, clientId, eventId } = place.event
    const set = (text: string, id: string) => world.database.pool.query(`${text} where tenant_id = $1 and id = $2`, [tenantId, id])
    await set('update clients set active = false', clientId)
    expect((await scan(question)).status).toBe(401)
    await set('update clients set active = true', clientId)
    await set(`update events set status = 'archived'`, eventId)
    expect((await scan(question)).status).toBe(401)
    await set(`update events set status = 'published'`, eventId)
    expect((await scan(question)).status).toBe(200)
  })

  it('rejects scans of companies without an SDK licence, also for a sample lead', async () => {
    const bare = await floor.exhibitors.company({ appointmentsEnabled: false })
    await floor.license(bare.id, ['device'])
    const detail = 'This company has no licence for lead retrieval by SDK at this event'
    for (const badge of [ANA_BADGE, '0', 'absent']) {
      const { status, body } = await scan(floor.leadRequest(bare, badge))
      expect(status).toBe(403)
      expect(body).toEqual(problem('not_licensed', 403, 'Not licensed', detail))
    }
    const granted = await floor.license(bare.id)
    expect((await scan(floor.leadRequest(bare, ANA_BADGE))).status).toBe(200)
    await world.database.pool.query(`update lead_licences set status = 'revoked', revoked_at = lanyard_now() where id = $1`, [granted])
    expect((await scan(floor.leadRequest(bare, ANA_BADGE))).status).toBe(403)
  })

  it('rejects badges of participants who are not registered', async () => {
    const elsewhere = await openShowFloor(world)
    await elsewhere.people.person({ badge_id: 'foreign' })
    await floor.people.person({ badge_id: 'cancelled', status: 'cancelled' })
    await floor.people.person({ badge_id: 'incomplete', status: 'incomplete' })
    await floor.people.person({ badge_id: 'waitlisted', status: 'waitlisted' })
    await floor.people.person({ badge_id: 'tested', is_test_data: true })
    const before = await leads()
    const badges = [
      'foreign',
      'cancelled',
      'incomplete',
      'waitlisted',
      'tested',
      'absent',
      '00',
      '|',
      ' ',
      '\u0000',
      'x'.repeat(600),
      '😀',
      '%',
    ]
    for (const badge of badges) {
      const { status, body } = await scan(floor.leadRequest(company, badge))
      expect([badge, status]).toEqual([badge, 404])
      expect(body).toEqual(problem('badge_not_found', 404, 'Badge not found', 'No participant of this event has this badge'))
    }
    expect(await leads()).toBe(before)
  })

  it('does not find a real participant’s badge in a scan of a test company', async () => {
    const tried = await floor.exhibitors.company({ appointmentsEnabled: false, isTestData: true })
    await floor.license(tried.id)
    expect((await scan(floor.leadRequest(tried, ANA_BADGE))).status).toBe(404)
    expect((await scan(floor.leadRequest(tried, '0'))).status).toBe(200)
  })
})

describe('badges that another system issued', () => {
  it('matches a badge exactly first, otherwise case-insensitively if only one participant matches', async () => {
    const place = await openShowFloor(world, { badge: { provider: 'external', delimiter: ';', segmentIndex: 2 } } as never)
    const its = await place.createLicensedCompany()
    const ids = ['B-1009', 'b-2000', 'B-2000', 'gone']
    for (const badge_id of ids) await place.people.person({ badge_id, status: badge_id === 'gone' ? 'cancelled' : 'complete' })
    await place.people.person({ badge_id: 'GONE' })
    const found = async (badge: string) => {
      const { status, body } = await scan(place.leadRequest(its, badge))
      return status === 200 ? body.badgeId : status
    }
    expect(await found('X;44;B-1009;')).toBe('B-1009')
    expect(await found('X;44;b-1009')).toBe('B-1009')
    expect(await found('X;44')).toBe(404)
    expect(await found(';;b-2000')).toBe('b-2000')
    expect(await found(';;B-2000')).toBe('B-2000')
    // Two participants match case-insensitively, so neither is returned.
    expect(await found(';;b-20ß00')).toBe(404)
    await place.people.person({ badge_id: 'c-1' })
    await place.people.person({ badge_id: 'C-1', status: 'cancelled' })
    expect(await found(';;C-1')).toBe(404)
    expect(await found(';;c-1')).toBe('c-1')
    await place.people.person({ badge_id: 'Dd-1' })
    await place.people.person({ badge_id: 'dD-1' })
    expect(await found(';;dd-1')).toBe(404)
    // The participant with exactly this spelling has cancelled, and no other participant is returned instead.
    expect(await found(';;gone')).toBe(404)
    expect(await found(';;GONE')).toBe('GONE')
  })

  it('reads badges in an earlier format in lead scans after a new badge format is published', async () => {
    const place = await openShowFloor(world)
    const its = await place.createLicensedCompany()
    const found = async (badge: string) => (await scan(place.leadRequest(its, badge))).status
    expect(await found(`${ANA_BADGE}|Ana`)).toBe(200)
    expect(await found(`${ANA_BADGE}^Ana`)).toBe(404)
    await place.exhibitors.publish({ badge: { delimiter: '^' } } as never)
    expect(await found(`${ANA_BADGE}^Ana`)).toBe(200)
    expect(await found(`${ANA_BADGE}|Ana`)).toBe(200)
    await place.exhibitors.publish({ badge: { provider: 'external', delimiter: ';', segmentIndex: 1 } } as never)
    expect(await found(`X;${ANA_BADGE}`)).toBe(200)
    expect(await found(`${ANA_BADGE}^Ana`)).toBe(200)
    expect(await found(`${ANA_BADGE}|Ana`)).toBe(200)
    expect(await found(`${served.baseUrl}/b/${ANA_BADGE}`)).toBe(200)
    expect(await found(`${ANA_BADGE}.Ana`)).toBe(404)
  })

  it('never fails with a server error for any text scanned as a badge', async () => {
    const its = await floor.createLicensedCompany()
    const raw = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ maxLength: 60 }),
      fc.constantFrom('0', '|', `${ANA_BADGE}|`),
    )
    await fc.assert(
      fc.asyncProperty(raw, async (badge) => {
        const { status } = await scan(floor.leadRequest(its, badge), address())
        // Status 429 occurs because of the limit of 600 scans a minute per code.
        expect([200, 400, 404, 429]).toContain(status)
      }),
      { numRuns: soakRounds(150) },
    )
  })
})
