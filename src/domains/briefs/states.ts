import { defineStates } from '../../kernel/states.ts'

export const BRIEF_STATES = defineStates({
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
