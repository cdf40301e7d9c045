import { defineStateMachine } from '../../kernel/states.ts'

export const BRIEF_STATES = defineStateMachine({
  column: 'briefs.status',
  kind: 'brief',
  noun: 'brief',
  initial: 'open',
  moves: {
    open: ['locked', 'archived'],
    locked: ['open', 'archived'],
    archived: ['open'],
  },
})
