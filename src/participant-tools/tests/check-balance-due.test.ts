import { describe, expect, it } from 'vitest'
import { createEventContextAt } from '../../../test/support/at-event.ts'
import { newAttendee, WORKED_EXAMPLE } from '../../../test/support/sales-scenario.ts'
import { readRegistrationToken } from '../../domains/registration/own/registration-token.ts'
import { congressStory, newEmail } from './congress.ts'

const scenario = congressStory(WORKED_EXAMPLE)

const euros = (amount: string) => ({ amount, currency: 'EUR' })
const buyer = async (products: Record<string, number>, data: object = {}) => {
  const email = newEmail()
  const { participant } = await scenario.register(products, { data: { '@participant.email': email, ...data } })
  return { ...(await scenario.signIn(email)), id: participant.id as string }
}

describe('check_balance_due', () => {
  it('returns 495.99 as the balance after 600.00 was paid on 1,095.99, like the invoices', async () => {
    const person = await buyer({ pass: 1, workshop: 1, dinner: 2 }, { '@discount.code': 'SAVE15' })
    const before = await person.call('check_balance_due')
    expect(before).toMatchObject({ paidBy: 'self', total: euros('1095.99'), paid: euros('0.00'), balance: euros('1095.99') })
    const [{ number }] = before.invoices
    await scenario.callConfirmed('record_manual_payment', {
      kind: 'payment',
      invoiceNumbers: [number],
      amount: euros('600.00'),
      method: 'bank',
      reference: 'B-1',
    })
    const due = await person.call('check_balance_due')
    expect(due).toEqual({
      paidBy: 'self',
      total: euros('1095.99'),
      paid: euros('600.00'),
      balance: euros('495.99'),
      creditHeld: euros('0.00'),
      dueOn: '2026-05-10',
      invoices: [{ number, kind: 'invoice', total: euros('1095.99'), balance: euros('495.99'), dueOn: '2026-05-10', status: 'open' }],
      payUrl: expect.any(String),
    })
    const { tenantCode, clientCode, eventCode, eventId } = scenario.event
    const [address, token] = due.payUrl.split('?token=')
    expect(address).toBe(`/tenant/${tenantCode}/client/${clientCode}/event/${eventCode}/registration/pay`)
    expect(
      await readRegistrationToken(await createEventContextAt(scenario.world, scenario.event), token, { audience: 'pay', eventId }),
    ).toMatchObject({
      state: 'valid',
      participantId: person.id,
    })
  })

  it('sums the balances of several invoices and credit notes, and lists credit separately', async () => {
    const person = await buyer({ pass: 1, dinner: 2 })
    await scenario.call('edit_participant', { participantId: person.id, data: { '@product.workshop': 1 } })
    await scenario.call('edit_participant', { participantId: person.id, data: { '@product.dinner': 1 }, credit: 'full' })
    const due = await person.call('check_balance_due')
    expect(due.invoices.map(({ kind }: any) => kind)).toEqual(['invoice', 'invoice', 'credit_note'])
    const sum = due.invoices.reduce((all: number, { balance }: any) => all + Math.round(Number(balance.amount) * 100), 0)
    expect(sum).toBe(Math.round(Number(due.balance.amount) * 100))
    const open = due.invoices.filter(({ status }: any) => status === 'open').map(({ number }: any) => number)
    await scenario.callConfirmed('record_manual_payment', {
      kind: 'payment',
      invoiceNumbers: open,
      amount: due.balance,
      method: 'bank',
      reference: 'B-2',
    })
    await scenario.call('edit_participant', { participantId: person.id, data: { '@product.dinner': 0 }, credit: 'full' })
    const held = await person.call('check_balance_due')
    expect(held).toMatchObject({ balance: euros('0.00'), creditHeld: euros('89.00') })
    expect(held).not.toHaveProperty('payUrl')
    expect(held).not.toHaveProperty('dueOn')
  })

  it('returns a balance of zero for a participant without purchases or with an unfinished registration', async () => {
    const email = newEmail()
    await (await scenario.signIn(email)).call('agent_submit_registration', { data: newAttendee() })
    expect(await (await scenario.signIn(email)).call('check_balance_due')).toEqual({
      paidBy: 'self',
      total: euros('0.00'),
      paid: euros('0.00'),
      balance: euros('0.00'),
      creditHeld: euros('0.00'),
      invoices: [],
    })
  })

  it('returns a balance of zero and no other amounts if the group or the host pays', async () => {
    await scenario.publish({
      products: [{ code: 'companion', name: 'Companion', category: 'guest', prices: [{ amount: '50.00' }] }],
      flows: [
        { slug: 'attendee', guests: { enabled: true, max: 3, types: [{ code: 'partner', name: 'Partner', productCode: 'companion' }] } },
      ],
    })
    const nothing = { total: euros('0.00'), paid: euros('0.00'), balance: euros('0.00'), creditHeld: euros('0.00'), invoices: [] }
    const host = await buyer({ pass: 1 })
    const email = newEmail()
    await scenario.call('add_participant', {
      flowSlug: 'attendee',
      hostId: host.id,
      data: { ...newAttendee({ '@participant.email': email }), '@guest.1.type': 'partner' },
    })
    expect(await (await scenario.signIn(email)).call('check_balance_due')).toEqual({ paidBy: 'host', ...nothing })
    expect((await host.call('check_balance_due')).balance).toEqual(euros('960.00'))

    await scenario.call('create_managed_group', { name: 'Acme', code: 'acme-pays', kind: 'company', flowSlug: 'attendee', payBy: 'group' })
    const member = newEmail()
    await scenario.call('update_managed_group_members', {
      groupCode: 'acme-pays',
      add: [{ data: { ...newAttendee({ '@participant.email': member }), '@product.pass': 1 } }],
    })
    expect(await (await scenario.signIn(member)).call('check_balance_due')).toEqual({ paidBy: 'group', ...nothing })
  })
})
