import { defineStates } from '../../kernel/states.ts'

export const EVENT_STATES = defineStates({
  column: 'events.status',
  kind: 'event',
  noun: 'event',
  initial: 'draft',
  moves: { draft: ['published', 'archived'], published: ['archived'], archived: [] },
})
