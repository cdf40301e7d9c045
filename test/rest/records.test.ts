import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEntityObjectsById } from '../../src/domains/entities/represent.ts'
import { recordLeadCapture } from '../../src/domains/exhibitors/leads.ts'
import { getCurrencyDecimals, isCurrency, toMoney } from '../../src/kernel/money.ts'
import { createExhibitorFixtures, buildRectangle } from '../support/companies.ts'
import { createHotelAt, buildRoomAnswers, buildRoomSections, inEventTransaction } from '../support/hotels.ts'
import { type RestClient, createRestClient } from '../support/rest.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { createUploadFixtures } from '../support/uploads.ts'

/** The fixed time of the test clock. */
const NOW = '2026-04-10T10:00:00.000Z'

const SECTIONS = {
  ...buildRoomSections(),
  customFields: [
    {
      code: 'topics',
      name: 'Topics',
      responseType: 'multiChoice',
      choices: [
        { code: 'ai', name: 'Artificial intelligence' },
        { code: 'b2b', name: 'B2B' },
        { code: 'old', name: 'Old', retired: true },
      ],
    },
    { code: 'diet', name: 'Diet', responseType: 'text', sensitive: true },
    { code: 'paper', name: 'Paper', responseType: 'file' },
  ],
  exhibitorConfig: { leadVisibleFields: ['email', 'jobTitle', 'headshot'] },
}

let scenario: SalesScenario
let served: Served
let api: RestClient
const codes = () => ({ tenantCode: 'demo', clientCode: scenario.event.clientCode, eventCode: scenario.event.eventCode })

beforeAll(async () => {
  const baseUrl = await chooseFreeBaseUrl()
  scenario = await openSalesScenario(SECTIONS, { baseUrl })
  served = await serve(scenario.world)
  api = await createRestClient(scenario.world, served, scenario.event.tenantId, { clients: [scenario.event] })
})
afterAll(() => scenario.world.end())

const set = (id: string, columns: string, ...values: unknown[]) =>
  scenario.world.database.pool.query(`update participants set ${columns} where id = $1`, [id, ...values])

const registerParticipant = async (products: Record<string, number> = {}, data: Record<string, unknown> = {}): Promise<string> =>
  (await scenario.register(products, { data })).participant.id

describe('participant record', () => {
  it('returns every documented property of a participant, with null for missing answers', async () => {
    const picture = await createUploadFixtures(scenario.world, scenario.event).file(PNG, { purpose: 'headshot' }, placeOf())
    const id = await registerParticipant(
      { pass: 1 },
      { '@participant.firstName': 'Ana', '@participant.lastName': 'Lima', '@participant.email': 'Ana@X.example' },
    )
    await set(
      id,
      `headshot = $2, job_title = 'CTO', custom_field_responses = $3, sharing = '{"email":"restrict"}', ai_profile = 'Builds things.', ai_profile_origin = '{}'`,
      picture.id,
      {
        topics: ['ai', 'b2b'],
        diet: 'vegan',
      },
    )
    const { status, json } = await api.get(`/v1/participants/${id}`)
    const { confirmationNumber, badgeId, orderId } = json
    expect(status).toBe(200)
    expect(json).toEqual({
      id,
      ...codes(),
      createdAt: NOW,
      updatedAt: json.updatedAt,
      revision: json.revision,
      ...NOTHING_ANSWERED,
      firstName: 'Ana',
      lastName: 'Lima',
      email: 'Ana@X.example',
      jobTitle: 'CTO',
      headshot: `/v1/files/${picture.id}`,
      status: 'complete',
      flowSlug: 'attendee',
      tags: [],
      customFieldResponses: { topics: ['ai', 'b2b'] },
      badgeId,
      confirmationNumber,
      groupId: null,
      hostId: null,
      contactId: json.contactId,
      orderId,
      sharing: { email: 'restrict' },
      visibleToParticipants: false,
      aiProfile: 'Builds things.',
      source: 'organizer',
      completedAt: NOW,
      cancelledAt: null,
      substitutedById: null,
    })
    expect(confirmationNumber).toMatch(/\S/)
    expect((await api.get(`/v1/orders/${orderId}`)).json.participantId).toBe(id)
    const file = await api.get(json.headshot)
    expect([file.status, file.headers['content-type'], file.headers['cache-control']]).toEqual([
      200,
      'image/png',
      'private, max-age=0, must-revalidate',
    ])
  })

  it('returns sensitive answers and files only to accounts with access to them', async () => {
    const id = await registerParticipant()
    const { file } = createUploadFixtures(scenario.world, scenario.event)
    const owner = { kind: 'participant', id }
    const upload = await file(PNG, { purpose: 'answer' }, { ...placeOf(), owner })
    await set(id, 'custom_field_responses = $2', { diet: 'vegan', paper: upload.id, topics: ['ai'] })
    const withSensitiveData = await createRestClient(scenario.world, served, scenario.event.tenantId, {
      clients: [scenario.event],
      sensitiveData: true,
    })
    const answersFor = async (client: RestClient) => (await client.get(`/v1/participants/${id}`)).json.customFieldResponses
    expect(await answersFor(api)).toEqual({ topics: ['ai'], paper: `/v1/files/${upload.id}` })
    expect(await answersFor(withSensitiveData)).toEqual({ diet: 'vegan', topics: ['ai'], paper: `/v1/files/${upload.id}` })
    expect((await api.get(`/v1/files/${upload.id}`)).status).toBe(200)

    await set(id, 'custom_field_responses = $2', { diet: upload.id })
    expect((await api.get(`/v1/files/${upload.id}`)).status).toBe(404)
    expect((await withSensitiveData.get(`/v1/files/${upload.id}`)).status).toBe(200)
  })

  it('excludes test participants and their records by default', async () => {
    const { participantId } = (
      await scenario.world.database.pool.query<{ participantId: string }>(
        `insert into participants (tenant_id, event_id, id, is_test_data) values ($1, $2, 'abcdefabcdefabcdefabcdef', true) returning id as "participantId"`,
        [scenario.event.tenantId, scenario.event.eventId],
      )
    ).rows[0]!
    const unknown = await api.get('/v1/participants/000000000000000000000001')
    const hidden = await api.get(`/v1/participants/${participantId}`)
    expect([unknown.status, hidden.status]).toEqual([404, 404])
    const plain = ({ json }: typeof hidden, id: string) => JSON.stringify({ ...json, instance: '' }).replaceAll(id, '')
    expect(plain(hidden, participantId)).toBe(plain(unknown, '000000000000000000000001'))
    const shown = await api.get(`/v1/participants/${participantId}?includeTestData=true`)
    expect([shown.status, shown.json.isTestData]).toEqual([200, true])
    expect((await api.all('/v1/participants')).some(({ id }) => id === participantId)).toBe(false)
    const all = await api.all('/v1/participants?includeTestData=true')
    expect(all.filter(({ isTestData }) => isTestData).map(({ id }) => id)).toEqual([participantId])
    expect(all.some((one) => 'isTestData' in one && one.isTestData !== true)).toBe(false)
  })

  it('filters participants by status, flow and email', async () => {
    const id = await registerParticipant({}, { '@participant.email': 'Mira@Example.org' })
    const ids = async (query: string) => (await api.all(`/v1/participants?${query}`)).map((one) => one.id)
    expect(await ids('email=mira@example.ORG')).toEqual([id])
    expect(await ids('email=mira@example.ORG&status=cancelled')).toEqual([])
    expect(await ids('email=mira@example.ORG&status=complete&flowSlug=attendee')).toEqual([id])
    expect(await ids('flowSlug=other')).toEqual([])
  })
})

describe('event record', () => {
  it("returns the products and questions of the event's published version", async () => {
    const { json } = await api.get(`/v1/events/${scenario.event.eventId}`)
    expect(json).toEqual({
      id: scenario.event.eventId,
      ...codes(),
      createdAt: json.createdAt,
      updatedAt: json.updatedAt,
      revision: json.revision,
      code: scenario.event.eventCode,
      name: `Event ${scenario.event.eventCode}`,
      status: 'published',
      timezone: 'Europe/Paris',
      startsOn: '2026-09-01',
      endsOn: '2026-09-01',
      currency: 'EUR',
      locale: 'en',
      locales: ['en'],
      venue: { name: 'Palais', address: null, city: 'Paris', country: 'FR', region: null, latitude: null, longitude: null },
      publishedVersion: 1,
      products: [
        { code: 'pass', name: 'Pass', category: 'admission', retired: false },
        { code: 'workshop', name: 'Workshop A', category: 'session', retired: false },
        { code: 'dinner', name: 'Dinner', category: 'meal', retired: false },
      ],
      customFields: [
        {
          code: 'topics',
          name: 'Topics',
          responseType: 'multiChoice',
          choices: [
            { code: 'ai', name: 'Artificial intelligence', retired: false },
            { code: 'b2b', name: 'B2B', retired: false },
            { code: 'old', name: 'Old', retired: true },
          ],
        },
        { code: 'diet', name: 'Diet', responseType: 'text', choices: [] },
        { code: 'paper', name: 'Paper', responseType: 'file', choices: [] },
      ],
      tags: [
        { code: 'member', name: 'Member' },
        { code: 'speaker', name: 'Speaker' },
        { code: 'vip', name: 'VIP' },
        { code: 'acme', name: 'Acme' },
      ],
    })
  })

  it('returns no products and questions before the event is published', async () => {
    const draft = await scenario.world.event({ at: scenario.event, status: 'draft' })
    const { json } = await api.get(`/v1/events/${draft.eventId}`)
    expect([json.status, json.publishedVersion, json.venue, json.products, json.customFields, json.tags]).toEqual([
      'draft',
      null,
      null,
      [],
      [],
      [],
    ])
    expect((await api.all('/v1/events?status=draft')).map(({ id }) => id)).toEqual([draft.eventId])
  })
})

describe('order record', () => {
  it('returns lines, invoices and payments of an order with amounts of money', async () => {
    const id = await registerParticipant({ pass: 1, dinner: 2 })
    const { orderId } = (await api.get(`/v1/participants/${id}`)).json
    const { number } = (await api.get(`/v1/orders/${orderId}`)).json
    await scenario.call('record_manual_payment', {
      kind: 'payment',
      amount: { amount: '500.50', currency: 'EUR' },
      orderNumber: number,
      method: 'bank',
      reference: 'transfer 7',
    })
    const { json } = await api.get(`/v1/orders/${orderId}`)
    const eur = (amount: string) => ({ amount, currency: 'EUR' })
    expect(json).toEqual({
      id: orderId,
      ...codes(),
      createdAt: NOW,
      updatedAt: json.updatedAt,
      revision: json.revision,
      number,
      participantId: id,
      groupId: null,
      companyId: null,
      lines: [
        { ...line('pass', 'Pass', id), unitPrice: eur('750.00'), discount: eur('0.00'), tax: eur('150.00'), total: eur('900.00') },
        { ...line('dinner', 'Dinner', id, 2), unitPrice: eur('89.00'), discount: eur('0.00'), tax: eur('16.18'), total: eur('178.00') },
      ],
      invoices: [
        {
          number: json.invoices[0].number,
          kind: 'invoice',
          total: eur('1078.00'),
          balance: eur('577.50'),
          status: 'open',
          dueOn: '2026-05-10',
        },
      ],
      payments: [{ method: 'bank', amount: eur('500.50'), receivedAt: NOW, reference: 'transfer 7' }],
      total: eur('1078.00'),
      paid: eur('500.50'),
      balance: eur('577.50'),
      status: 'open',
    })
    expect((await api.all(`/v1/orders?participantId=${id}`)).map((order) => order.id)).toEqual([orderId])
    expect(await api.all(`/v1/orders?participantId=${id}&status=paid`)).toEqual([])
  })

  it('formats every currency with its number of decimal digits', async () => {
    const currencies = Intl.supportedValuesOf('currency').filter(isCurrency)
    const { rows } = await scenario.world.database.pool.query<{ currency: string; shown: object[] }>(
      `select c as currency, array[money_shown(12345, c), money_shown(-5, c), money_shown(0, c), money_shown(9007199254740991, c)] as shown from unnest($1::text[]) c`,
      [currencies],
    )
    expect(rows).toEqual(
      currencies.map((currency) => ({ currency, shown: [12345, -5, 0, Number.MAX_SAFE_INTEGER].map((minor) => toMoney(minor, currency)) })),
    )
    expect(new Set(currencies.map(getCurrencyDecimals))).toEqual(new Set([0, 2, 3]))
  })

  it('formats amounts in SQL to the same bytes as json_build_object, also without an amount or currency', async () => {
    const { rows } = await scenario.world.database.pool.query(
      `select money_shown(a, c)::text as shown, json_build_object('amount', round(a * 0.01, 2)::text, 'currency', c)::text as expected
       from unnest('{98765,-7,null}'::bigint[]) a, unnest('{CHF,null}'::text[]) c`,
    )
    expect(rows).toHaveLength(6)
    for (const { shown, expected } of rows as { shown: string; expected: string }[]) expect(shown).toBe(expected)
  })

  it('formats amounts with an SQL function that PostgreSQL inlines, unlike functions in PL/pgSQL', async () => {
    const explain = async (expression: string) => {
      const { rows } = await scenario.world.database.pool.query<Record<string, string>>(
        `explain (verbose) select ${expression} from orders`,
      )
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    expect(await explain('money_shown(total, currency)')).not.toContain('money_shown')
    expect(await explain('lanyard_has_listeners(tenant_id)')).toContain('lanyard_has_listeners')
  })
})

describe('group record', () => {
  it('returns the members and leaders of a group', async () => {
    const { group } = await scenario.call('create_managed_group', {
      name: 'Acme',
      kind: 'company',
      payBy: 'members',
      tags: ['acme'],
      flowSlug: 'attendee',
      maxMembers: 9,
    })
    const [first, second] = [await registerParticipant(), await registerParticipant()]
    await scenario.call('update_managed_group_members', {
      groupCode: group.code,
      add: [{ participantId: first }, { participantId: second }],
    })
    await scenario.call('update_managed_group_leaders', { groupCode: group.code, add: [second] })
    const [json] = await api.all('/v1/groups')
    expect(json).toEqual({
      id: json.id,
      ...codes(),
      createdAt: NOW,
      updatedAt: json.updatedAt,
      revision: json.revision,
      code: 'acme',
      name: 'Acme',
      kind: 'company',
      status: 'open',
      payBy: 'members',
      maxMembers: 9,
      memberIds: [first, second].toSorted(),
      leaderIds: [second],
      tags: ['acme'],
    })
  })
})

describe('company and lead records', () => {
  it('returns the booth of a company, and the participant fields of a lead that are shared with exhibitors', async () => {
    const exhibitors = createExhibitorFixtures(scenario.world, scenario.event)
    await exhibitors.plan({ code: 'hall-1' }, [{ number: '101', polygon: buildRectangle(1, 1, 3, 3) }] as never)
    const { id } = await exhibitors.company({ name: 'Borealis', contact: { name: 'Connie', email: 'connie@borealis.example' } })
    await exhibitors.assign('101', id)
    const company = (await api.get(`/v1/companies/${id}`)).json
    expect(company).toMatchObject({
      code: 'borealis',
      name: 'Borealis',
      description: null,
      categories: [],
      booths: [{ floorPlanCode: 'hall-1', number: '101' }],
      contact: { name: 'Connie', email: 'connie@borealis.example' },
      sponsorLevel: null,
      appointmentsEnabled: true,
      status: 'active',
    })
    expect(JSON.stringify(company)).not.toMatch(/activation/i)

    const personId = await registerParticipant({}, { '@participant.firstName': 'Lea', '@participant.email': 'lea@example.org' })
    await set(personId, `job_title = 'CTO', mobile_phone = '+49 30 1', custom_field_responses = $2, badge_id = '9f3a51c2d4e5f607'`, {
      topics: ['ai', 'b2b'],
      diet: 'vegan',
    })
    const leadId = await inEventTransaction(scenario.world, scenario.event, (ctx) =>
      recordLeadCapture(ctx, { companyId: id, participantId: personId, isTestData: false, type: 'sdk', at: new Date(NOW) }),
    )
    const lead = async () => (await api.get(`/v1/leads/${leadId}`)).json
    const first = await lead()
    expect(first).toEqual({
      id: leadId,
      ...codes(),
      createdAt: NOW,
      updatedAt: first.updatedAt,
      revision: first.revision,
      companyId: id,
      participantId: personId,
      badgeId: '9f3a51c2d4e5f607',
      source: 'sdk',
      captures: 1,
      firstCapturedAt: NOW,
      lastCapturedAt: NOW,
      rating: null,
      notes: null,
      tags: [],
      qualifiers: {},
      fields: { firstName: 'Lea', lastName: first.fields.lastName, email: 'lea@example.org', jobTitle: 'CTO' },
      customFields: [],
    })
    await set(personId, `sharing = '{"email":"restrict","mobilePhone":"share","cf:topics":"share","cf:diet":"share"}'`)
    const later = await lead()
    expect(later.fields).toEqual({ firstName: 'Lea', lastName: first.fields.lastName, jobTitle: 'CTO', mobilePhone: '+49 30 1' })
    expect(later.customFields).toEqual([{ code: 'topics', label: 'Topics', value: 'Artificial intelligence, B2B' }])
    expect(later.revision).toBeGreaterThan(first.revision)
    const picture = await createUploadFixtures(scenario.world, scenario.event).file(PNG, { purpose: 'headshot' }, placeOf())
    await set(personId, 'headshot = $2', picture.id)
    expect((await lead()).fields.headshot).toBe(`/v1/files/${picture.id}`)
    expect((await api.all(`/v1/leads?companyId=${id}`)).map((one) => one.id)).toEqual([leadId])
    expect(await api.all(`/v1/leads?companyId=${personId}`)).toEqual([])

    const objects = await readEntityObjectsById(scenario.world.database.write, 'lead', scenario.event.tenantId, [leadId, personId])
    expect([...objects]).toEqual([[leadId, await lead()]])
  })
})

describe('reservation record', () => {
  it('returns hotel, dates and guest of a reservation', async () => {
    const hotelId = await createHotelAt(scenario.world, scenario.event)
    const id = await registerParticipant({}, buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    const [json] = await api.all(`/v1/reservations?hotelId=${hotelId}&status=confirmed`)
    expect(json).toEqual({
      id: json.id,
      ...codes(),
      createdAt: NOW,
      updatedAt: json.updatedAt,
      revision: json.revision,
      ackNumber: json.ackNumber,
      participantId: id,
      hotelId,
      hotelName: 'Grand',
      roomTypeCode: 'king',
      checkIn: '2026-09-01',
      checkOut: '2026-09-03',
      occupants: 1,
      status: 'confirmed',
      hotelConfirmationNumber: null,
      groupId: null,
    })
    expect(json.ackNumber).toMatch(/\S/)
  })
})

describe('test records of every record type', () => {
  it('returns test records of every type only with includeTestData, and marks them', async () => {
    await scenario.call('update_event', { testMode: true })
    const hotelId = await createHotelAt(scenario.world, scenario.event, { code: 'test-grand', name: 'Test' })
    const personId = await registerParticipant({ pass: 1 }, buildRoomAnswers(hotelId, '2026-09-01', '2026-09-02'))
    await scenario.call('create_managed_group', { name: 'Rehearsal', kind: 'other', payBy: 'members', flowSlug: 'attendee' })
    await scenario.call('update_event', { testMode: false })
    const { id: companyId } = await createExhibitorFixtures(scenario.world, scenario.event).company({ name: 'Rehearsing' })
    await scenario.world.database.pool.query('update companies set is_test_data = true where id = $1', [companyId])
    await inEventTransaction(scenario.world, scenario.event, (ctx) =>
      recordLeadCapture(ctx, { companyId, participantId: personId, isTestData: true, type: 'sdk', at: new Date(NOW) }),
    )
    for (const path of ['participants', 'orders', 'groups', 'reservations', 'companies', 'leads']) {
      const real = await api.all(`/v1/${path}`)
      const all = await api.all(`/v1/${path}?includeTestData=true`)
      const tests = all.filter(({ isTestData }) => isTestData)
      expect([path, tests.length > 0, all.length]).toEqual([path, true, real.length + tests.length])
      expect(real.filter((record) => 'isTestData' in record)).toEqual([])
      for (const { id } of tests) {
        expect([path, (await api.get(`/v1/${path}/${id}`)).status]).toEqual([path, 404])
        expect((await api.get(`/v1/${path}/${id}?includeTestData=true`)).json.isTestData).toBe(true)
      }
    }
  })
})

describe('account record', () => {
  it('returns the coverage and rate limit of the account', async () => {
    const { json } = await api.get('/v1/me')
    expect(json).toEqual({
      account: {
        id: api.accountId,
        name: 'Data warehouse',
        tenantCode: 'demo',
        restAccess: true,
        canActAsParticipantAgent: false,
        sensitiveData: false,
      },
      coverage: { tenants: [], clients: [{ tenantCode: 'demo', clientCode: scenario.event.clientCode }], events: [] },
      limits: { rateLimitPerMinute: 1_000_000, defaultPageSize: 50, maximumPageSize: 200 },
    })
  })
})

const line = (productCode: string, description: string, participantId: string, quantity = 1) => ({
  kind: 'sale',
  productCode,
  description,
  quantity,
  participantId,
})

const NOTHING_ANSWERED = Object.fromEntries(
  `prefix firstName lastName suffix preferredName pronouns email jobTitle company department bio headshot website linkedin workPhone mobilePhone
  address1 address2 city region postalCode country language dietary accessibility emergencyName emergencyPhone`
    .split(/\s+/)
    .map((name) => [name, null]),
)

const placeOf = () => ({ clientId: scenario.event.clientId, eventId: scenario.event.eventId })

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
