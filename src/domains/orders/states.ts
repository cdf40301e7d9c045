import { defineStateMachine } from '../../kernel/states.ts'

/** The states of an invoice. The database derives the status from the ledger. */
export const INVOICE_STATES = defineStateMachine({
  column: 'invoices.status',
  kind: 'invoice',
  noun: 'invoice',
  initial: 'open',
  moves: {
    open: ['paid', 'written_off', 'void'],
    paid: ['open'],
    written_off: ['open'],
    void: [],
  },
})
