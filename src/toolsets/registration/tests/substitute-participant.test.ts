import { describe, expect, it } from 'vitest'
import { holdUnits } from '../../../domains/inventory/units.ts'
import { openEventLedger } from '../../../../test/support/event-ledger.ts'
import { useSalesScenario, newAttendee, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'

const scenario = useSalesScenario({
  ...WORKED_EXAMPLE,
  products: [
    ...WORKED_EXAMPLE.products,
    { code: 'plus-one', name: 'Plus one', category: 'guest', taxCode: 'vat-10', prices: [{ amount: '120.00' }] },
  ],
})

const euros = (amount: string) => ({ amount, currency: 'EUR' })

const counts = async () => {
  const { rows } = await scenario.world.database.pool.query<{ cancelled: number; substituted: number; invoiced: number; orders: number }>(`
    select (select json_agg(json_build_object('key', key, 'held', held, 'sold', sold) order by key) from inventory) as stock,
      (select sum(amount)::int from ledger_entries where kind = 'invoice') as invoiced,
      (select count(*)::int from participants where status = 'complete') as complete,
      (select count(*)::int from participants where status = 'cancelled') as cancelled,
      (select count(*)::int from participants where substituted_by_id is not null) as substituted,
      (select count(*)::int from orders) as orders`)
  return rows[0]!
}

describe('substitute_participant', () => {
  it('transfers a registration with its products to a substitute, and changes only the cancelled and substituted counts', async () => {
    const { participant } = await scenario.register({ pass: 1, dinner: 2 }, { tags: ['vip'] })
    const before = await counts()
    const done = await scenario.call('substitute_participant', { participantId: participant.id, replacement: newAttendee() })
    expect(done).toMatchObject({
      from: { id: participant.id, status: 'cancelled' },
      to: { status: 'complete', manualTags: ['vip'], substitutesId: participant.id },
      moved: { lines: 2, guests: 0 },
      missing: [],
      order: { total: euros('1078.00') },
    })
    expect(done.to.confirmationNumber).not.toBe(participant.confirmationNumber)
    expect(done.to.badgeId).not.toBe(participant.badgeId)
    expect(await counts()).toEqual({ ...before, cancelled: before.cancelled + 1, substituted: before.substituted + 1 })
  })

  const mailsOf = async (email: string) =>
    (
      await scenario.world.database.pool.query<{ email_code: string; text_body: string; attachments: number }>(
        `select m.email_code, m.text_body, (select count(*)::int from message_attachments a where a.message_id = m.id) as attachments
         from messages m where m.to_address = $1 order by m.id`,
        [email],
      )
    ).rows

  it('emails both the new and the former participant of a substitution', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    const coming = newAttendee()
    const done = await scenario.call('substitute_participant', { participantId: participant.id, replacement: coming })
    const [newEmail, ...others] = await mailsOf(String(coming['@participant.email']))
    expect([newEmail!.email_code, others]).toEqual(['registration.substituted', []])
    expect(newEmail!.text_body).toContain(`Your confirmation number is ${done.to.confirmationNumber}.`)
    expect(newEmail!.text_body).toContain('900.00')
    expect(newEmail!.text_body).not.toContain('still missing')
    // The attachments are the invoice and the calendar entry.
    expect(newEmail!.attachments).toBe(2)
    const [before] = (await mailsOf(participant.email)).slice(-1)
    expect(before!.email_code).toBe('registration.cancelled')
    expect(before!.text_body).toContain('has been transferred to another person')
    expect(before!.text_body).not.toContain('900.00')
    // The email of a plain cancellation does not mention a substitute.
    const { participant: other } = await scenario.register({ pass: 1 })
    await scenario.call('edit_participant', { participantId: other.id, status: 'cancelled', sendEmail: true })
    expect((await mailsOf(other.email)).at(-1)!.text_body).not.toContain('another person')
    const silent = newAttendee()
    await scenario.call('substitute_participant', { participantId: done.to.id, replacement: silent, sendEmail: false })
    expect(await mailsOf(String(silent['@participant.email']))).toEqual([])
    expect(await mailsOf(String(coming['@participant.email']))).toHaveLength(1)
  })

  it('leaves one order with the last of three participants after two substitutions', async () => {
    const { participant: a, order } = await scenario.register({ pass: 1 })
    const { to: b } = await scenario.call('substitute_participant', { participantId: a.id, replacement: newAttendee() })
    const { to: c, order: last } = await scenario.call('substitute_participant', { participantId: b.id, replacement: newAttendee() })
    expect(last.number).toBe(order.number)
    const { rows } = await scenario.world.database.pool.query('select participant_id from orders where participant_id = any($1)', [
      [a.id, b.id, c.id],
    ])
    expect(rows).toEqual([{ participant_id: c.id }])
  })

  it('accepts an incomplete registration as replacement, and invoices a fee separately', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    const { participant: other } = await scenario.register({}, { status: 'incomplete' })
    const done = await scenario.call('substitute_participant', {
      participantId: participant.id,
      replacementParticipantId: other.id,
      fee: euros('25.00'),
    })
    expect(done).toMatchObject({
      to: { id: other.id, status: 'complete' },
      money: { invoice: { total: euros('25.00') }, balanceAfter: euros('925.00') },
    })
  })

  it('drops the product choices of the replacement’s unfinished registration, so that no later edit sells them', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    const { participant: incomplete } = await scenario.register(
      { dinner: 2, workshop: 1 },
      {
        status: 'incomplete',
        data: { '@participant.company': 'Acme', '@discount.code': 'save15' },
      },
    )
    await openEventLedger(scenario.world, scenario.event).within((ctx) =>
      holdUnits(ctx, { participantId: incomplete.id }, [{ key: 'product:dinner', quantity: 2 }]),
    )
    const before = await counts()
    const { to } = await scenario.call('substitute_participant', { participantId: participant.id, replacementParticipantId: incomplete.id })
    expect(to).toMatchObject({ id: incomplete.id, company: 'Acme' })
    expect(await scenario.queryNumber(`select count(*)::int as figure from holds where status = 'active'`)).toBe(0)
    const edited = await scenario.call('edit_participant', { participantId: to.id, data: { '@participant.company': 'Corrected' } })
    expect(edited).toMatchObject({ changed: ['@participant.company'], money: { balanceAfter: euros('900.00') } })
    expect(edited.money).not.toHaveProperty('invoice')
    expect(await counts()).toMatchObject({ invoiced: before.invoiced, orders: before.orders })
    // Choices of a replacement that is entered with the call are dropped, too.
    const entered = newAttendee({ '@product.dinner': 1 })
    const next = await scenario.call('substitute_participant', { participantId: to.id, replacement: entered })
    expect(await scenario.call('edit_participant', { participantId: next.to.id, addTags: ['vip'] })).toMatchObject({
      changed: ['manualTags'],
      money: { balanceAfter: euros('900.00') },
    })
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it('rejects substitution by the same person or a registered person, and of a registration that is not complete', async () => {
    const data = newAttendee()
    const { participant } = await scenario.call('add_participant', { flowSlug: 'attendee', data })
    const { participant: other } = await scenario.register({ pass: 1 })
    const substitute = (args: object) => scenario.refused('substitute_participant', args as Record<string, unknown>)
    expect(await substitute({ participantId: participant.id, replacement: data })).toMatchObject({ code: 'invalid_arguments' })
    expect(await substitute({ participantId: other.id, replacement: data })).toMatchObject({ code: 'conflict' })
    expect(await substitute({ participantId: participant.id, replacementParticipantId: other.id })).toMatchObject({ code: 'conflict' })
    await scenario.call('edit_participant', { participantId: other.id, status: 'cancelled' })
    expect(await substitute({ participantId: other.id, replacement: newAttendee() })).toMatchObject({ code: 'precondition_failed' })
  })
})

describe('configure_registration_guests', () => {
  it('lets a host bring two guests at 120.00 including 10 % tax: 240.00 on the host’s order, tax 21.82, and rejects a third', async () => {
    const settings = { flowSlug: 'attendee', max: 2, types: [{ code: 'adult', name: 'Adult', productCode: 'plus-one' }] }
    const set = await scenario.call('configure_registration_guests', settings)
    expect(set).toMatchObject({ guests: { enabled: true, max: 2 }, needsPublish: true })
    expect((await scenario.call('configure_registration_guests', settings)).changed).toEqual([])
    await scenario.call('publish_event', { acceptWarnings: true })
    const guest = (n: number) => ({
      [`@guest.${n}.firstName`]: 'Gus',
      [`@guest.${n}.lastName`]: `Guest ${n}`,
      [`@guest.${n}.type`]: 'adult',
    })
    const { participant, order } = await scenario.register({ pass: 1 }, { data: { ...guest(1) } })
    expect(order.total).toEqual(euros('1020.00'))
    const second = await scenario.call('add_participant', {
      flowSlug: 'attendee',
      hostId: participant.id,
      data: { '@participant.firstName': 'Gina', '@participant.lastName': 'Guest' },
    })
    expect(second).toMatchObject({
      participant: { hostId: participant.id, status: 'complete' },
      order: { number: order.number, total: euros('1140.00') },
    })
    const { rows } = await scenario.world.database.pool.query(
      `select tax from order_lines where product_code = 'plus-one' order by position`,
    )
    expect(rows).toEqual([{ tax: 1091 }, { tax: 1091 }])
    expect(
      await scenario.refused('add_participant', {
        flowSlug: 'attendee',
        hostId: participant.id,
        data: { '@participant.firstName': 'Gerd', '@participant.lastName': 'Guest' },
      }),
    ).toMatchObject({ code: 'limit_exceeded' })
    const gone = await scenario.refused('configure_registration_guests', { ...settings, types: [] })
    expect(gone).toMatchObject({ code: 'precondition_failed', message: '2 guests use adult' })
    const lower = await scenario.call('configure_registration_guests', { ...settings, max: 1 })
    expect(lower.warnings[0]).toBe('1 host has more than 1 guests; those stay')
  })

  it('rejects a product for a guest that is not sold to guests', async () => {
    const refusal = await scenario.refused('configure_registration_guests', {
      flowSlug: 'attendee',
      types: [
        { code: 'adult', name: 'Adult', productCode: 'plus-one' },
        { code: 'x', name: 'X', productCode: 'pass' },
      ],
    })
    expect(refusal).toMatchObject({ code: 'invalid_arguments', fields: [{ path: 'types.1.productCode' }] })
  })
})

describe('add_invite_list_participants', () => {
  it('adds six of ten rows to an invite list, without a duplicate, an invalid address and two registered people', async () => {
    const there = [newAttendee(), newAttendee()]
    for (const data of there) await scenario.call('add_participant', { flowSlug: 'attendee', data })
    const before = await counts()
    const fresh = Array.from({ length: 6 }, (_, n) => ({ email: `guest.${n}@list.example`, firstName: 'Greta' }))
    const rows = [
      ...fresh,
      { email: 'GUEST.0@list.example', tags: ['vip'] },
      { email: 'no address' },
      ...there.map((one) => ({ email: one['@participant.email'] })),
    ]
    const done = await scenario.call('add_invite_list_participants', { flowSlug: 'attendee', rows })
    expect(done).toMatchObject({
      added: 6,
      alreadyListed: 1,
      alreadyRegistered: 2,
      invalid: [{ row: 8, value: 'no address' }],
      listSize: 8,
    })
    expect(await counts()).toEqual(before)
    const again = await scenario.call('add_invite_list_participants', { flowSlug: 'attendee', rows: fresh, tags: ['member'] })
    expect(again).toMatchObject({ added: 0, alreadyListed: 6, listSize: 8 })
    const { rows: listed } = await scenario.world.database.pool.query(
      `select tags from invite_list_entries where email = 'guest.0@list.example'`,
    )
    expect(listed).toEqual([{ tags: ['member', 'vip'] }])
  })

  it('rejects an invite list with an unknown tag, an unknown flow or too many rows', async () => {
    const rows = [{ email: 'a@list.example' }]
    expect(await scenario.refused('add_invite_list_participants', { flowSlug: 'atendee', rows })).toMatchObject({
      code: 'invalid_arguments',
    })
    expect(await scenario.refused('add_invite_list_participants', { flowSlug: 'attendee', rows, tags: ['vipp'] })).toMatchObject({
      code: 'invalid_arguments',
    })
    const many = Array.from({ length: 5001 }, (_, n) => ({ email: `m${n}@list.example` }))
    expect(await scenario.refused('add_invite_list_participants', { flowSlug: 'attendee', rows: many })).toMatchObject({
      code: 'limit_exceeded',
    })
  })
})
