import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../../../../test/support/world.ts'

let world: World
let acme: ClientHandle
let beta: ClientHandle
let olga: OrganizerHandle
let made = 0

beforeAll(async () => {
  world = await newWorld()
  acme = await world.client({ code: 'acme' })
  beta = await world.client({ code: 'beta' })
  olga = await world.organizer({ at: [acme, beta] })
  await olga.call('create_event', {
    clientCode: 'acme',
    code: 'y26',
    name: 'Annual 2026',
    startsOn: '2026-06-09',
    endsOn: '2026-06-11',
    timezone: 'Europe/Paris',
  })
  await olga.call('update_event', { eventCode: 'y26', locales: ['en', 'fr'] })
  await olga.call('create_directory_connection', {
    eventCode: 'y26',
    name: 'Members',
    preset: 'generic-rest',
    baseUrl: 'https://members.example/api',
  })
  const lookup = {
    path: '/m',
    query: { email: '{{input.email}}' },
    headers: { 'x-key': '{{secret.key}}' },
    inputs: ['email'],
    resultPath: '$',
  }
  await olga.call('configure_directory_requests', { eventCode: 'y26', connection: 'members', lookup })
  await olga.call('set_directory_credential', { eventCode: 'y26', connection: 'members', name: 'key', value: 'do-not-copy-this-one' })
  await olga.call('configure_event', { eventCode: 'y26', sections })
  await olga.call('config_set', {
    eventCode: 'y26',
    operations: [
      {
        op: 'set',
        path: '/translations',
        valueJson: JSON.stringify({ fr: { '/details/name': entry('Annuel 2026'), '/products/admission/name': entry('Entrée') } }),
      },
      { op: 'set', path: '/products/old/retired', valueJson: 'true' },
      { op: 'set', path: '/policies/old-terms/retired', valueJson: 'true' },
    ],
  })
})
afterAll(() => world.end())

const entry = (text: string) => ({ text, sourceHash: '0123456789abcdef', state: 'reviewed' })

const sections = {
  customFields: [{ code: 'diet', name: 'Diet', responseType: 'text' }],
  products: [
    // Midnight in Paris, in the night in which the clocks go forward.
    {
      code: 'admission',
      prices: [
        { amount: '300.00', until: '2026-03-28T23:00:00.000Z' },
        { amount: '450.00', from: '2026-03-29T00:00:00+01:00' },
      ],
    },
    {
      code: 'gala',
      name: 'Gala',
      category: 'meal',
      prices: [{ amount: '90.00', until: '2026-05-31' }],
      requires: ['old'],
      startsAt: '2026-06-10T17:00:00Z',
      endsAt: '2026-06-10T21:00:00Z',
    },
    { code: 'old', name: 'Old', category: 'other', prices: [{ amount: '1.00' }] },
  ],
  discounts: [
    { code: 'early', name: 'Early', kind: 'percent', value: '10', until: '2026-04-30' },
    { code: 'old-only', name: 'Only the old one', kind: 'percent', value: '50', products: ['old'] },
  ],
  policies: [{ code: 'old-terms', title: 'Old terms', body: '<p>Old</p>', required: false }],
  flows: [
    {
      slug: 'attendee',
      directory: 'members',
      pages: [
        {
          code: 'contact',
          widgets: [
            { id: 'more', type: 'products', products: ['gala', 'old'] },
            { id: 'old-terms', type: 'policy', policy: 'old-terms' },
          ],
        },
      ],
    },
  ],
}

const clone = (more: object = {}) => {
  const newCode = `clone-${++made}`
  return olga.call('clone_event', { eventCode: 'y26', newCode, newName: 'Annual 2027', startsOn: '2027-06-08', ...more })
}
const read = async (eventCode: string, path: string, more: object = {}) => {
  const { valueJson } = await olga.call('config_explore', { eventCode, path, depth: 0, ...more })
  return valueJson === undefined ? undefined : JSON.parse(valueJson)
}

describe('clone_event', () => {
  it('clones the draft of an event that was never published, and warns about it', async () => {
    const { event, warnings } = await clone()
    expect(event).toMatchObject({
      clientCode: 'acme',
      status: 'draft',
      testMode: true,
      publishedVersion: null,
      timezone: 'Europe/Paris',
      currency: 'EUR',
      locales: ['en', 'fr'],
    })
    expect(event).toMatchObject({ name: 'Annual 2027', startsOn: '2027-06-08', endsOn: '2027-06-10' })
    expect(warnings).toEqual(['y26 was never published: its draft was cloned'])
    expect(
      (await olga.refused('clone_event', { eventCode: 'y26', newCode: 'x', newName: 'X', startsOn: '2027-06-08', fromVersion: 'live' }))
        .message,
    ).toContain('the event was never published')
  })

  it('shifts the dates of a cloned event by whole days and keeps their local time, even across clock changes', async () => {
    const { event, dateChanges } = await clone()
    expect(dateChanges.count).toBe(6)
    // 364 days later it is winter in Paris: midnight is 23:00 in UTC.
    expect(await read(event.code, '/products/admission/prices')).toEqual([
      { amount: '300.00', until: '2027-03-27T23:00:00.000Z' },
      { amount: '450.00', from: '2027-03-27T23:00:00.000Z' },
    ])
    expect(await read(event.code, '/products/gala')).toMatchObject({
      prices: [{ amount: '90.00', until: '2027-05-30' }],
      startsAt: '2027-06-09T17:00:00.000Z',
    })
    expect(await read(event.code, '/discounts/early/until')).toBe('2027-04-29')
    const [kept, cleared] = [await clone({ dateShift: 'keep' }), await clone({ dateShift: 'clear' })]
    expect(await read(kept.event.code, '/discounts/early/until')).toBe('2026-04-30')
    expect(await read(cleared.event.code, '/products/admission/prices')).toEqual([{ amount: '300.00' }, { amount: '450.00' }])
    expect(cleared.event).toMatchObject({ startsOn: '2027-06-08', endsOn: '2027-06-10' })
  })

  it('does not clone retired configuration items and items that depend on them', async () => {
    const { event, copied, cleared } = await clone()
    expect(copied).toMatchObject({ products: 2, discounts: 1, policies: 1, flows: 1, emails: 2, customFields: 1 })
    expect(await read(event.code, '/products/gala/requires')).toEqual([])
    const widgets = await read(event.code, '/flows/attendee/pages/contact/widgets')
    expect(widgets.find(({ id }: { id: string }) => id === 'more')).toMatchObject({ products: ['gala'] })
    expect(widgets.some(({ id }: { id: string }) => id === 'old-terms')).toBe(false)
    // Without its only product the discount would apply to all products.
    expect(cleared).toEqual([
      '/discounts/old-only',
      '/flows/attendee/pages/contact/widgets/more/products/1',
      '/flows/attendee/pages/contact/widgets/old-terms',
      '/products/gala/requires/0',
      '/translations/fr/~1details~1name',
      'credentials of the directory connection members',
    ])
  })

  it('copies directory connections as drafts without their secrets, and the translations of copied texts', async () => {
    const { event } = await clone()
    const { connections } = await olga.call('list_directory_connections', { eventCode: event.code })
    expect(connections).toMatchObject([{ code: 'members', status: 'draft', usedBy: ['/flows/attendee'] }])
    const { connection } = await olga.call('describe_directory_connection', { eventCode: event.code, connection: 'members' })
    expect(connection).toMatchObject({ credentials: [{ name: 'key', set: false }] })
    const [source] = (await olga.call('list_directory_connections', { eventCode: 'y26' })).connections
    expect(connections[0].id).not.toBe(source.id)
    expect(Object.keys((await read(event.code, '/translations')).fr)).toEqual(['/products/admission/name'])
  })

  it('creates a cloned event that differs from its source only in dates, name and code', async () => {
    const { event: source } = await clone({ toClientCode: 'beta', startsOn: '2026-06-09' })
    await olga.call('publish_event', { eventCode: source.code })
    await olga.call('assign_event_staff', {
      eventCode: source.code,
      email: 'helper@example.org',
      name: 'Helper',
      role: 'onsite',
      sendInvite: false,
    })
    await olga.call('configure_event', { eventCode: source.code, sections: { tags: [{ code: 'later', name: 'Not live' }] } })
    const { event, warnings, cleared, dateChanges } = await clone({ eventCode: source.code, startsOn: '2026-06-09', newName: 'Again' })
    expect({ warnings, cleared, moved: dateChanges.count }).toEqual({ warnings: [], cleared: [], moved: 0 })
    const [was, is] = [await read(source.code, '', { source: 'live' }), await read(event.code, '')]
    expect(is).toEqual({ ...was, details: { ...was.details, name: 'Again' } })
    const { staff } = await olga.call('list_event_staff', { eventCode: event.code })
    expect(staff.map(({ via }: { via: string }) => via)).toEqual(['membership'])
  })

  it('clones only the requested sections of the event configuration', async () => {
    const { copied, event, warnings } = await clone({ include: ['details', 'taxes', 'policies'] })
    expect(copied).toEqual({ details: 1, policies: 1 })
    expect(await read(event.code, '/details/contactEmail')).toBe(olga.email)
    expect(warnings).toHaveLength(1)
    const bare = await clone({ include: ['policies'] })
    expect(bare.warnings[1]).toBe('/details/contactEmail: is required to publish')
    expect(
      (await olga.refused('clone_event', { eventCode: 'y26', newCode: 'x', newName: 'X', startsOn: '2027-06-08', include: ['product'] }))
        .fields?.[0],
    ).toMatchObject({
      path: 'include/0',
      message: expect.stringContaining('did you mean products?'),
    })
    expect(
      (await olga.refused('clone_event', { eventCode: 'y26', newCode: 'x', newName: 'X', startsOn: '2027-06-08', fromVersion: '9' })).code,
    ).toBe('not_found')
  })

  it('omits directory connections from an event cloned to another client, and lists them in the result', async () => {
    const { event, cleared } = await clone({ toClientCode: 'beta' })
    expect(event.clientCode).toBe('beta')
    expect(cleared).toContain('/flows/attendee/directory')
    expect(cleared).toContain('directory connection members')
    expect((await olga.call('list_directory_connections', { eventCode: event.code })).connections).toEqual([])
    expect(await read(event.code, '/flows/attendee/directory')).toBeNull()
    expect((await olga.call('validate_schema', { eventCode: event.code })).valid).toBe(true)
  })

  it('rejects a clone with an event code in use, at an unknown or inactive client, or without permission there', async () => {
    const args = { eventCode: 'y26', clientCode: 'acme', newName: 'X', startsOn: '2027-06-08' }
    expect(await olga.refused('clone_event', { ...args, newCode: 'y26' })).toMatchObject({ code: 'conflict' })
    expect(await olga.refused('clone_event', { ...args, newCode: 'x', toClientCode: 'absent' })).toMatchObject({ code: 'not_found' })
    const reader = await world.organizer({ at: [acme] })
    await world.database.pool.query(`insert into memberships (tenant_id, user_id, client_id, role) values ($1, $2, $3, 'analyst')`, [
      beta.tenantId,
      reader.userId,
      beta.clientId,
    ])
    expect(await (await fresh(reader)).refused('clone_event', { ...args, newCode: 'x', toClientCode: 'beta' })).toMatchObject({
      code: 'forbidden',
      message: 'Forbidden — clone_event requires the clients.write permission at client beta',
    })
    const { rows } = await world.database.pool.query<{ id: string }>(`select id from events where code = 'y26'`)
    const staff = await world.organizer({ staffOf: { ...acme, eventId: rows[0]!.id, eventCode: 'y26' }, staffRole: 'manager' })
    expect(await staff.refused('clone_event', { ...args, newCode: 'x' })).toMatchObject({ code: 'forbidden' })
    const closed = await world.client({ code: 'closed', active: false })
    const member = await world.organizer({ at: [acme, closed] })
    expect(await member.refused('clone_event', { ...args, newCode: 'x', toClientCode: 'closed' })).toMatchObject({
      code: 'not_found',
    })
  })

  /** Roles set directly in the database revoke the app's token, so the organizer signs in again. */
  async function fresh(person: OrganizerHandle): Promise<OrganizerHandle> {
    await world.database.pool.query(
      `update oauth_grants g set access_version = u.access_version from users u where u.id = g.user_id and u.id = $1`,
      [person.userId],
    )
    return person
  }
})
