import { defineStates } from '../../kernel/states.ts'

export const HOLD_STATES = defineStates({
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
