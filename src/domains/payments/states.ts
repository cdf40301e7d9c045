import { defineStateMachine } from '../../kernel/states.ts'

export const CHARGE_STATES = defineStateMachine({
  column: 'charges.status',
  kind: 'charge',
  noun: 'charge',
  initial: 'pending',
  moves: {
    pending: ['succeeded', 'failed', 'unknown'],
    succeeded: [],
    failed: [],
    unknown: ['succeeded', 'failed'],
  },
})

export const CARD_SETUP_STATES = defineStateMachine({
  column: 'card_setups.status',
  kind: 'cardSetup',
  noun: 'card setup',
  initial: 'pending',
  moves: {
    pending: ['succeeded', 'failed'],
    succeeded: [],
    failed: [],
  },
})
