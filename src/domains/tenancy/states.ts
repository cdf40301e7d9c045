import { defineStateMachine } from '../../kernel/states.ts'

export const EVENT_STATES = defineStateMachine({
  column: 'events.status',
  kind: 'event',
  noun: 'event',
  initial: 'draft',
  moves: { draft: ['published', 'archived'], published: ['archived'], archived: [] },
})
