import { defineStates } from '../../kernel/states.ts'

export const SUPPLIER_STATES = defineStates({
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
