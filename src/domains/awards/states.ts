import { defineStateMachine } from '../../kernel/states.ts'

export const AWARD_STATES = defineStateMachine({
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
