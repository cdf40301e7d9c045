import { defineStateMachine } from '../../kernel/states.ts'

export const HOLD_STATES = defineStateMachine({
  column: 'holds.status',
  kind: 'hold',
  noun: 'hold',
  initial: 'active',
  moves: {
    active: ['converted', 'released', 'expired'],
    converted: [],
    released: [],
    expired: [],
  },
})
