import { defineStates } from '../../kernel/states.ts'

export const AWARD_STATES = defineStates({
  column: 'awards.status',
  kind: 'award',
  noun: 'award',
  initial: 'proposed',
  moves: {
    proposed: ['executed', 'withdrawn'],
    executed: [],
    withdrawn: [],
  },
  refusal: 'conflict',
  announced: { executed: 'award.executed' },
})
