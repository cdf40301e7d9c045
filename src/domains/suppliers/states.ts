import { defineStateMachine } from '../../kernel/states.ts'

export const SUPPLIER_STATES = defineStateMachine({
  column: 'suppliers.status',
  kind: 'supplier',
  noun: 'supplier',
  initial: 'unverified',
  moves: {
    unverified: ['verified', 'blocked'],
    verified: ['unverified', 'blocked'],
    blocked: ['unverified', 'verified'],
  },
})
