import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type OrganizerHandle, type ClientHandle, type World } from '../../../../test/support/world.ts'

let world: World
let acme: ClientHandle
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld()
  await world.clock.stopAt('2027-05-12 10:00Z')
  acme = await world.client({ code: 'acme', name: 'Acme Events' })
  await world.event({ code: 'now', startsOn: '2027-05-11', endsOn: '2027-05-13', at: acme })
  await world.event({ code: 'soon', startsOn: '2027-06-01', at: acme })
  await world.event({ code: 'later', startsOn: '2027-09-01', at: acme, status: 'draft' })
  await world.event({ code: 'gone', startsOn: '2026-09-01', at: acme, status: 'archived' })
  olga = await world.organizer({ at: [acme, await world.client({ code: 'beta', name: 'Beta Fairs' })] })
  await world.client({ code: 'gamma' })
})
afterAll(() => world.end())

describe('list_clients', () => {
  it('lists only the two of three clients that a user may access, with event counts that match list_events', async () => {
    const { clients } = await olga.call('list_clients')
    expect(clients).toEqual([
      {
        code: 'acme',
        name: 'Acme Events',
        aiAssistantsAllowed: true,
        active: true,
        role: 'admin',
        eventCounts: { draft: 1, published: 2, archived: 1 },
        nextEvent: { code: 'soon', name: 'Event soon', startsOn: '2027-06-01' },
      },
      {
        code: 'beta',
        name: 'Beta Fairs',
        aiAssistantsAllowed: true,
        active: true,
        role: 'admin',
        eventCounts: { draft: 0, published: 0, archived: 0 },
      },
    ])
    const { total } = await olga.call('list_events', { clientCode: 'acme', status: ['draft', 'published', 'archived'] })
    expect(total).toBe(4)
  })

  it('shows only the name of a client that has switched AI assistants off', async () => {
    const off = await world.client({ code: 'off', name: 'Off', ai: false })
    await world.event({ at: off })
    const person = await world.organizer({ at: off })
    expect((await person.call('list_clients')).clients).toEqual([{ code: 'off', name: 'Off', aiAssistantsAllowed: false }])
  })

  it('searches and filters clients, and omits clients whose settings the role may not see', async () => {
    expect((await olga.call('list_clients', { search: 'fair' })).clients.map((c: ClientHandle & { code: string }) => c.code)).toEqual([
      'beta',
    ])
    expect((await olga.call('list_clients', { active: false })).clients).toEqual([])
    const onsite = await world.organizer({ at: acme, role: 'onsite' })
    expect((await onsite.refused('list_clients')).message).toBe('Forbidden — list_clients requires the clients.read permission')
  })
})

describe('list_events', () => {
  it('lists events with the newest start first, archived events only on request, with the number of complete registrations', async () => {
    const { events, total } = await olga.call('list_events', { clientCode: 'acme' })
    expect(events.map((e: { code: string }) => e.code)).toEqual(['later', 'soon', 'now'])
    expect(total).toBe(3)
    expect(
      (await olga.call('list_events', { clientCode: 'acme', status: ['archived'] })).events.map((e: { code: string }) => e.code),
    ).toEqual(['gone'])
    await world.database.pool.query(
      `insert into participants (tenant_id, event_id, id, status, is_test_data, completed_at, confirmation_number, cancelled_at)
       select tenant_id, id, lpad(to_hex(i), 24, '0'), case when i <= 5 then 'complete' else 'cancelled' end, i = 5, lanyard_now(), i,
         case when i > 5 then lanyard_now() end from events, generate_series(1, 7) i where code = 'soon'`,
    )
    expect((await olga.call('list_events', { clientCode: 'acme', search: 'soon' })).events[0]).toMatchObject({
      participants: 4,
      draftChanged: false,
      imported: false,
    })
  })

  it('rejects a period that ends before it starts, and an unknown event status', async () => {
    expect(await olga.refused('list_events', { clientCode: 'acme', from: '2027-02-01', until: '2027-01-01' })).toMatchObject({
      code: 'invalid_arguments',
    })
    expect((await olga.refused('list_events', { clientCode: 'acme', status: ['open'] })).fields).toEqual([
      {
        path: 'status/0',
        message: '"open" is not one of draft, published, archived — did you mean "published"?',
        allowed: ['draft', 'published', 'archived'],
      },
    ])
  })
})

describe('update_client', () => {
  it('changes only the given client settings, and returns their names', async () => {
    const { client, changed, warnings } = await olga.call('update_client', {
      clientCode: 'beta',
      name: 'Beta',
      defaultCurrency: 'usd',
      billing: { legalName: 'Beta Ltd' },
    })
    expect(changed.toSorted()).toEqual(['billing', 'defaultCurrency', 'name'])
    expect(client).toMatchObject({
      name: 'Beta',
      defaultCurrency: 'USD',
      billing: { legalName: 'Beta Ltd' },
      defaultTimezone: 'UTC',
      revision: 2,
    })
    expect(warnings).toEqual(['The new defaults apply to events created from now on.'])
    const again = await olga.call('update_client', { clientCode: 'beta', name: 'Beta', billing: { legalName: 'Beta Ltd' } })
    expect(again).toMatchObject({ changed: [], client: { revision: 2 } })
    expect((await olga.call('update_client', { clientCode: 'beta', billing: null })).client.billing).toEqual({})
    expect((await olga.call('update_client', { clientCode: 'beta', establishedIn: 'de', clear: ['brand'] })).changed).toEqual([
      'establishedIn',
    ])
    // `clear` given as a single name instead of a list, and null for another field.
    expect((await olga.call('update_client', { clientCode: 'beta', clear: 'establishedIn', brand: null })).changed).toEqual([
      'establishedIn',
    ])
  })

  it('merges changes into the brand and billing settings of a client: an omitted key keeps its value, null clears it', async () => {
    const edit = (more: object) => olga.call('update_client', { clientCode: 'beta', ...more })
    await edit({ brand: { color: '#112233', website: 'https://beta.example' }, billing: { legalName: 'Beta Ltd', address: '1 Main St' } })
    const merged = await edit({ brand: { accent: '#445566' }, billing: { address: '2 Side St' } })
    expect(merged.changed).toEqual(['brand', 'billing'])
    expect(merged.client).toMatchObject({
      brand: { color: '#112233', accent: '#445566', website: 'https://beta.example' },
      billing: { legalName: 'Beta Ltd', address: '2 Side St' },
    })
    const cleared = await edit({ brand: { website: null }, billing: { address: null, bankDetails: null } })
    expect([cleared.client.brand, cleared.client.billing]).toEqual([{ color: '#112233', accent: '#445566' }, { legalName: 'Beta Ltd' }])
    // `billing` given as JSON text, which some assistants send, and an empty `brand`: nothing changes.
    expect((await edit({ billing: '{"legalName":"Beta Ltd"}', brand: {} })).changed).toEqual([])
    expect((await olga.refused('update_client', { clientCode: 'beta', brand: { color: 'red' } })).fields![0]!.path).toBe('brand/color')
    expect((await edit({ clear: ['brand', 'billing'] })).client).toMatchObject({ brand: {}, billing: {} })
  })

  it('finds a client by its name in any Unicode normalization', async () => {
    await olga.call('update_client', { clientCode: 'beta', name: 'Cafe\u0301 Beta' })
    const found = (search: string) =>
      olga.call('list_clients', { search }).then(({ clients }) => clients.map(({ code }: { code: string }) => code))
    expect(await found('Cafe\u0301')).toEqual(['beta'])
    expect(await found('caf\u00e9')).toEqual(['beta'])
  })

  it('rejects client changes with an outdated revision or an unknown currency, time zone or country', async () => {
    expect(await olga.refused('update_client', { clientCode: 'beta', name: 'x', ifRevision: 1 })).toMatchObject({ code: 'conflict' })
    const refused = await olga.refused('update_client', {
      clientCode: 'beta',
      defaultCurrency: 'XXZ',
      defaultTimezone: 'Mars/Base',
      establishedIn: 'ZZ',
    })
    expect(refused.fields?.map((f) => f.path)).toEqual(['defaultCurrency', 'defaultTimezone', 'establishedIn'])
  })

  it('checks tax numbers by country, and rejects two tax registrations for the same country or region', async () => {
    const set = (taxRegistrations: object[]) => ({ clientCode: 'beta', taxRegistrations })
    const { client } = await olga.call('update_client', set([{ country: 'de', number: 'DE 123 456 789', from: '2020-01-01' }]))
    expect(client.taxRegistrations).toEqual([{ country: 'DE', number: 'DE123456789', from: '2020-01-01' }])
    expect((await olga.refused('update_client', set([{ country: 'DE', number: 'DE12', from: '2020-01-01' }]))).message).toContain(
      'does not look like a tax number of DE',
    )
    const us = (region: string, from: string, until?: string) => ({
      country: 'US',
      region,
      number: '12-3456789',
      from,
      ...(until ? { until } : {}),
    })
    expect((await olga.refused('update_client', set([us('CA', '2020-01-01', '2024-12-31'), us('CA', '2024-12-31')]))).message).toContain(
      'overlaps taxRegistrations/0 for US-CA',
    )
    expect(
      (await olga.call('update_client', set([us('CA', '2020-01-01', '2024-12-31'), us('CA', '2025-01-01'), us('NY', '2020-01-01')])))
        .changed,
    ).toEqual(['taxRegistrations'])
  })

  it('rejects deactivating a client while a published event is running, and hides the events of an inactive client', async () => {
    expect(await olga.refused('update_client', { clientCode: 'acme', active: false })).toMatchObject({
      code: 'precondition_failed',
      message: 'Event now is running until 2027-05-13: client acme cannot be made inactive before it ends',
    })
    await world.clock.stopAt('2027-05-15 10:00Z')
    await world.renewTokens()
    expect((await olga.call('update_client', { clientCode: 'acme', active: false })).client.active).toBe(false)
    expect((await olga.call('list_my_events')).events).toEqual([])
    expect(await olga.refused('list_events', { clientCode: 'acme' })).toMatchObject({
      code: 'precondition_failed',
      fix: { tool: 'update_client', arguments: { clientCode: 'acme', active: true } },
    })
    await olga.call('update_client', { clientCode: 'acme', active: true })
    expect((await olga.call('list_my_events')).total).toBe(4)
  })

  it('blocks all assistants from the next request on when a client switches them off; assistants cannot switch them on again', async () => {
    const { warnings } = await olga.call('update_client', { clientCode: 'acme', aiAssistantsAllowed: false })
    expect(warnings[0]).toContain('AI assistants are now off for client acme')
    expect((await olga.call('list_my_events')).events).toEqual([])
    expect((await olga.refused('update_client', { clientCode: 'acme', aiAssistantsAllowed: true })).message).toBe(
      'AI assistant access is turned off for client acme',
    )
    expect((await olga.refused('fixture_list_notes', { eventCode: 'now' })).message).toBe(
      'AI assistant access is turned off for client acme',
    )
  })

  it('allows changes of client settings to administrators only', async () => {
    const manager = await world.organizer({ at: await world.client({ code: 'managed' }), role: 'manager' })
    expect((await manager.refused('update_client', { clientCode: 'managed', name: 'x' })).message).toBe(
      'Forbidden — update_client requires the clients.admin permission',
    )
  })

  it('saves all changes when eight users edit different fields of a client concurrently', async () => {
    const place = await world.client({ code: 'busy' })
    const people = await Promise.all(Array.from({ length: 8 }, () => world.organizer({ at: place })))
    const edits = [
      { name: 'Busy' },
      { defaultCurrency: 'CHF' },
      { defaultTimezone: 'Europe/Zurich' },
      { establishedIn: 'CH' },
      { paymentTermsDays: 14 },
      { brand: { color: '#112233' } },
      { billing: { legalName: 'B' } },
      { taxRegistrations: [] },
    ]
    await Promise.all(people.map((person, i) => person.call('update_client', { clientCode: 'busy', ...edits[i] })))
    const { client } = await people[0]!.call('update_client', { clientCode: 'busy' })
    expect(client).toMatchObject({
      name: 'Busy',
      defaultCurrency: 'CHF',
      defaultTimezone: 'Europe/Zurich',
      establishedIn: 'CH',
      paymentTermsDays: 14,
      brand: { color: '#112233' },
      billing: { legalName: 'B' },
      revision: 8,
    })
  })
})
