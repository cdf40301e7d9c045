import { states } from '../../kernel/states.ts'

export const BRIEF_STATES = states({
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
