import { beforeAll, describe, expect, it } from 'vitest'
import { createHotelAt, listNightCounts, buildRoomAnswers, buildRoomSections } from '../../../test/support/hotels.ts'
import type { PersonHandle } from '../../../test/support/participants.ts'
import { signInByEmail } from '../../../test/support/recommendations.ts'
import { useSalesScenario, newAttendee } from '../../../test/support/sales-scenario.ts'

const rooms = buildRoomSections()
const SECTIONS = {
  ...rooms,
  customFields: [
    {
      code: 'shirt',
      name: 'Shirt',
      responseType: 'choice',
      choices: [
        { code: 's', name: 'Small' },
        { code: 'l', name: '=Large' },
      ],
    },
    { code: 'proof', name: 'Proof', responseType: 'file' },
  ],
  taxes: [],
  policies: [{ code: 'rules', title: 'Rules', body: '<p>Be kind</p>', required: false }],
  products: rooms.products.map(({ taxCode: _tax, ...product }) => ({
    ...product,
    prices: product.code === 'pass' ? [...product.prices, { amount: '480.00', tags: ['acme'] }] : product.prices,
  })),
  flows: [
    ...rooms.flows.map((flow) => ({
      ...flow,
      pages: flow.pages.map((page) =>
        page.code === 'contact'
          ? {
              ...page,
              widgets: [
                ...page.widgets,
                { id: 'shirt', type: 'field', binding: '@custom.shirt', required: true },
                { id: 'proof', type: 'field', binding: '@custom.proof' },
              ],
            }
          : page,
      ),
    })),
    {
      slug: 'strict',
      name: 'Strict',
      pages: [
        {
          code: 'contact',
          widgets: [
            { id: 'name', type: 'name' },
            { id: 'email', type: 'field', binding: '@participant.email', required: true },
            { id: 'rules', type: 'policy', policy: 'rules' },
          ],
        },
        { code: 'done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
      ],
    },
  ],
}

describe('group registration by an assistant', () => {
  const scenario = useSalesScenario(SECTIONS)
  let ada: PersonHandle
  let hotelId: string
  const group = async (code: string, more: object = {}) =>
    (
      await scenario.call('create_managed_group', {
        name: `Group ${code}`,
        code,
        kind: 'company',
        payBy: 'group',
        tags: ['acme'],
        flowSlug: 'attendee',
        admins: [{ email: `${code}@acme.example`, name: 'Ada' }],
        ...more,
      })
    ).group
  const member = (more: object = {}) => ({ data: newAttendee({ '@custom.shirt': 's', '@product.pass': 1, ...more }) })
  const figures = async () => ({
    participants: await scenario.queryNumber('select count(*)::int as figure from participants'),
    orders: await scenario.queryNumber('select count(*)::int as figure from orders'),
    reservations: await scenario.queryNumber('select count(*)::int as figure from reservations'),
    mails: await scenario.queryNumber('select count(*)::int as figure from messages'),
  })

  beforeAll(async () => {
    hotelId = await createHotelAt(scenario.world, scenario.event)
    await group('crew', { maxMembers: 4 })
    ada = await signInByEmail(scenario, 'CREW@acme.example')
  })

  it('returns a template with the questions of the flow, the products and the hotel rooms', async () => {
    const { group: groupInfo, columns, csv, example } = await ada.call('get_group_import_template', { format: 'csv' })
    expect(groupInfo).toEqual({ code: 'crew', name: 'Group crew', seatsLeft: 4 })
    expect(columns.map(({ binding }: any) => binding)).toEqual([
      '@participant.firstName',
      '@participant.lastName',
      '@participant.email',
      '@participant.company',
      '@custom.shirt',
      '@product.pass',
      '@product.workshop',
      '@product.dinner',
      ...[
        'hotelId',
        'roomTypeCode',
        'checkIn',
        'checkOut',
        'occupants',
        'shareWith',
        'bedType',
        'smoking',
        'requests',
        'loyaltyNumber',
        'waitlist',
      ].map((name) => `@housing.${name}`),
    ])
    expect(columns[4]).toEqual({
      binding: '@custom.shirt',
      header: 'Shirt',
      required: true,
      type: 'choice',
      choices: [
        { code: 's', name: 'Small' },
        { code: 'l', name: '=Large' },
      ],
    })
    expect(columns[3]).toEqual({ binding: '@participant.company', header: 'Company', required: false, type: 'text' })
    expect(csv.split('\n')[0]).toMatch(/^participant\.firstName,participant\.lastName,participant\.email,/)
    expect(csv.split('\n')[1]).toMatch(/^First name,Last name,Email,Company,Shirt,Pass,/)
    expect((await ada.call('get_group_import_template')).csv).toBeUndefined()
    // The example can be sent unchanged.
    expect(await ada.call('import_group_members', { members: [example], dryRun: true })).toMatchObject({ status: 'imported', added: 1 })
  })

  it('registers members for a manager who does not attend: 3 × 480.00 on one invoice, 3 rooms, no email', async () => {
    const before = await figures()
    const stay = buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03')
    const wrong = [member(stay), member({ ...stay, '@custom.shirt': 'xl' }), member(stay)]
    const refused = await ada.call('import_group_members', { members: wrong })
    expect(refused).toEqual({
      status: 'validation_failed',
      results: [
        {
          index: 1,
          status: 'validation_failed',
          errors: [{ binding: '@custom.shirt', code: 'invalid', message: expect.any(String), allowed: ['s', 'l'] }],
        },
      ],
      added: 0,
      seatsLeft: 4,
      manageUrl: expect.stringMatching(/^\/tenant\/.*\/group\/crew$/),
    })
    expect(await figures()).toEqual(before)

    const members = [member(stay), member(stay), member(stay)]
    const preview = await ada.call('import_group_members', { members, dryRun: true })
    expect(preview).toMatchObject({ status: 'imported', added: 3, dryRun: true, order: { total: { amount: '1440.00' } } })
    expect(await figures()).toEqual(before)

    const call = { members, idempotencyKey: 'crew-1' }
    const done = await ada.call('import_group_members', call)
    expect(done).toMatchObject({
      status: 'imported',
      added: 3,
      seatsLeft: 1,
      order: { total: { amount: '1440.00', currency: 'EUR' }, balance: { amount: '1440.00', currency: 'EUR' } },
    })
    expect(done.results).toEqual(
      [0, 1, 2].map((index) => ({
        index,
        status: 'new',
        participantId: expect.stringMatching(/^[0-9a-f]{24}$/),
        registration: 'complete',
        ackNumber: expect.stringMatching(/^H/),
      })),
    )
    expect(await ada.call('import_group_members', call)).toEqual(done)
    expect(await figures()).toEqual({
      participants: before.participants + 3,
      orders: before.orders + 1,
      reservations: before.reservations + 3,
      mails: before.mails,
    })
    expect(await scenario.queryNumber('select count(*)::int as figure from invoices')).toBe(1)
    // Three rooms on each of two nights.
    expect((await listNightCounts(scenario.world, hotelId)).map(([, , , booked]) => booked)).toEqual([3, 3, 0])
    const { rows } = await scenario.world.database.pool.query(`select distinct source, tags from participants where group_id is not null`)
    expect(rows).toEqual([{ source: 'group', tags: ['acme'] }])
    const entries = await scenario.world.database.pool.query(
      `select actor_kind, actor_name, app_name from audit_entries where tool = 'import_group_members'`,
    )
    expect(entries.rows).toEqual([{ actor_kind: 'participant', actor_name: 'CREW@acme.example', app_name: 'Concierge' }])
  })

  it('accepts no more members than seats, and none while the group is closed', async () => {
    const before = await figures()
    const refused = await ada.refused('import_group_members', { members: [member(), member()] })
    expect(refused).toMatchObject({ code: 'limit_exceeded', message: 'Group crew is full: all 4 seats are taken' })
    await scenario.call('update_managed_group', { groupCode: 'crew', status: 'closed' })
    expect(await ada.refused('import_group_members', { members: [member()] })).toMatchObject({
      code: 'precondition_failed',
      message: 'Group crew is closed: it takes no new members',
    })
    await scenario.call('update_managed_group', { groupCode: 'crew', status: 'open' })
    expect(await figures()).toEqual(before)
  })

  it('leaves already registered people unchanged and reveals nothing about them', async () => {
    const known = newAttendee({ '@custom.shirt': 'l' })
    const { participant } = await scenario.call('add_participant', { flowSlug: 'attendee', data: known })
    const done = await ada.call('import_group_members', { members: [{ data: { ...known, '@custom.shirt': 's' } }] })
    expect(done).toMatchObject({ status: 'imported', added: 0, results: [{ index: 0, status: 'existing_complete' }] })
    expect(Object.keys(done.results[0])).toEqual(['index', 'status'])
    const seen = await scenario.call('get_participant', { participantId: participant.id })
    const { revision } = participant
    expect(seen.participant).toMatchObject({ revision, customFieldResponses: { shirt: 'l' } })
    expect(seen.participant.groupId).toBeUndefined()
  })

  it('reports the errors of all submitted group members together', async () => {
    const data = newAttendee({ '@custom.shirt': 's' })
    const members = [
      { data: { '@participant.firstName': 'Only' } },
      { data },
      { data: { ...data, '@participant.lastName': String(data['@participant.lastName']).toUpperCase() } },
      member({ '@policy.rules': true, '@custom.shrit': 's', '@product.pas': 1, '@product.pass': 'many' }),
    ]
    const { status, results } = await ada.call('import_group_members', { members, groupCode: 'crew' })
    expect(status).toBe('validation_failed')
    const faults = results.map(({ index, errors }: any) => [index, errors.map(({ binding, code }: any) => `${binding} ${code}`)])
    expect(faults).toEqual([
      [0, ['@participant.lastName required', '@participant.email required']],
      [2, ['@participant.email invalid']],
      [3, ['@policy.rules not_here', '@custom.shrit unknown', '@product.pass invalid', '@product.pas unknown']],
    ])
  })

  it('rolls back all members if one of them gets no hotel room, unless the members accept the waiting list', async () => {
    await group('many', { admins: [{ email: 'many@acme.example', name: 'Max' }] })
    const max = await signInByEmail(scenario, 'many@acme.example')
    const stay = buildRoomAnswers(hotelId, '2026-09-01', '2026-09-02')
    const before = await figures()
    const eight = Array.from({ length: 8 }, () => member(stay))
    const refused = await max.call('import_group_members', { members: eight })
    expect(refused).toMatchObject({ status: 'validation_failed', added: 0, results: [{ index: 7, status: 'validation_failed' }] })
    expect(await figures()).toEqual(before)
    const last = member({ ...stay, '@housing.waitlist': true })
    const done = await max.call('import_group_members', { members: [...eight.slice(0, 7), last] })
    expect(done.results[7]).toMatchObject({ status: 'new', waitlistRank: 1 })
    expect(done.results[7].ackNumber).toBeUndefined()
  })

  it('leaves choices and consents unanswered that only the member can give', async () => {
    await group('open', { payBy: 'members' })
    const open = await signInByEmail(scenario, 'open@acme.example')
    const { '@product.pass': _pass, ...data } = member().data as Record<string, unknown>
    const { '@custom.shirt': _shirt, ...unasked } = member().data as Record<string, unknown>
    const done = await open.call('import_group_members', { members: [{ data }, { data: unasked }, member()] })
    expect(done.results.map(({ registration }: any) => registration)).toEqual(['incomplete', 'incomplete', 'complete'])
    expect(done.order).toBeUndefined()
    await group('strict', { flowSlug: 'strict' })
    const strict = await signInByEmail(scenario, 'strict@acme.example')
    const { results } = await strict.call('import_group_members', { members: [{ data: newAttendee() }] })
    expect(results).toMatchObject([{ status: 'new', registration: 'incomplete' }])
  })

  it('allows group registration to group admins, and to group leaders if members pay for themselves', async () => {
    const lead = async (code: string) => {
      const { participant } = await scenario.call('add_participant', { flowSlug: 'attendee', data: newAttendee({ '@custom.shirt': 's' }) })
      await scenario.call('update_managed_group_members', { groupCode: code, add: [{ participantId: participant.id }] })
      await scenario.call('update_managed_group_leaders', { groupCode: code, add: [participant.id] })
      return signInByEmail(scenario, participant.email)
    }
    await group('paid')
    const ofPaid = await lead('paid')
    const none = { code: 'precondition_failed', message: 'You manage no group at this event' }
    expect(await ofPaid.refused('import_group_members', { members: [member()] })).toMatchObject(none)
    expect(await ofPaid.refused('get_group_import_template')).toMatchObject(none)
    const ofOpen = await lead('open')
    expect((await ofOpen.call('get_group_import_template')).group.code).toBe('open')
    const stranger = await signInByEmail(scenario, 'stranger@acme.example')
    expect(await stranger.refused('get_group_import_template', { groupCode: 'open' })).toMatchObject(none)
    expect(await ada.refused('get_group_import_template', { groupCode: 'open' })).toMatchObject({ code: 'not_found' })
  })

  it('requires the group code if the person manages several groups', async () => {
    await group('second', { admins: [{ email: 'crew@acme.example', name: 'Ada' }] })
    const refused = await ada.refused('get_group_import_template')
    expect(refused).toMatchObject({ code: 'ambiguous' })
    expect((refused as any).candidates).toEqual([
      { groupCode: 'crew', name: 'Group crew' },
      { groupCode: 'second', name: 'Group second' },
    ])
    expect((await ada.call('get_group_import_template', { groupCode: 'second' })).group.code).toBe('second')
  })
})
