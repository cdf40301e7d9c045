import { states } from '../../kernel/states.ts'

export const HOLD_STATES = states({
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
