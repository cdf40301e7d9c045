import { createExhibitorFixtures } from '../../support/companies.ts'
import { openEventLedger } from '../../support/event-ledger.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event, registerNewParticipant } from './registration.ts'

const euros = (amount: string) => ({ amount, currency: 'EUR' })

/** Registers a participant who owes 900.00 for a pass. */
const registerDebtor = async (stage: Stage) => {
  const { participant, order, invoice } = await registerNewParticipant(stage, { data: { '@product.pass': 1 } })
  return { participantId: participant.id as string, orderNumber: order.number as string, invoiceNumber: invoice.number as string }
}

const transfer = (stage: Stage) => ({ method: 'bank', reference: stage.text() })

/** Registers a participant with a payment of 1,000.00, of which 100.00 are credit. */
async function registerOverpaid(stage: Stage) {
  const { orderNumber } = await registerDebtor(stage)
  const payment = { kind: 'payment', ...transfer(stage), orderNumber, amount: euros('1000.00'), allowOverpayment: true }
  const { payments } = await stage.admin.call('record_manual_payment', { ...event(stage), ...payment })
  return { orderNumber, paymentId: payments[0].id as string }
}

export const MONEY_EXAMPLES: Examples = {
  list_order_invoices: [
    async (stage) => {
      for (let i = 0; i < 3; i++) await registerDebtor(stage)
      return { ...event(stage), include: ['lines', 'entries'], search: stage.word }
    },
    async (stage) => {
      const { participantId, orderNumber } = await registerDebtor(stage)
      for (const fee of ['10.00', '20.00']) await stage.admin.call('edit_participant', { ...event(stage), participantId, fee: euros(fee) })
      return { ...event(stage), participantId, orderNumber }
    },
    async (stage) => {
      const { id: companyId } = await createExhibitorFixtures(stage.world, stage.home).company({ name: stage.text() })
      const books = openEventLedger(stage.world, stage.home)
      const { id } = await books.open({ companyId })
      for (let i = 0; i < 3; i++) await books.sell(id, [[100_00, 20_00]])
      return { ...event(stage), companyId }
    },
  ],
  record_manual_payment: [
    async (stage) => {
      const { invoiceNumber } = await registerDebtor(stage)
      const payment = { kind: 'payment', ...transfer(stage), invoiceNumbers: [invoiceNumber], amount: euros('600.00') }
      return { ...event(stage), ...payment, note: stage.text() }
    },
    async (stage) => ({ ...event(stage), kind: 'refund', ...transfer(stage), ...(await registerOverpaid(stage)), amount: euros('100.00') }),
    async (stage) => ({ ...event(stage), kind: 'reversal', paymentId: (await registerOverpaid(stage)).paymentId, amount: euros('900.00') }),
  ],
  write_off_invoices: [
    async (stage) => {
      const { invoiceNumber } = await registerDebtor(stage)
      return { ...event(stage), invoiceNumbers: [invoiceNumber], reason: stage.text() }
    },
    async (stage) => {
      const { invoiceNumber } = await registerDebtor(stage)
      await stage.admin.call('write_off_invoices', { ...event(stage), invoiceNumbers: [invoiceNumber], reason: stage.text() })
      return { ...event(stage), invoiceNumbers: [invoiceNumber], reason: stage.text(), reverse: true }
    },
  ],
  audit_event: async (stage) => {
    for (let i = 0; i < 3; i++) await registerDebtor(stage)
    return { ...event(stage), who: 'Olga', check: true }
  },
}
