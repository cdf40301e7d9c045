import { defineStateMachine } from '../../kernel/states.ts'

export const REHEARSAL_STATES = defineStateMachine({
  column: 'rehearsals.status',
  kind: 'rehearsal',
  noun: 'test run of a flow',
  initial: 'queued',
  moves: {
    queued: ['running', 'cancelled', 'failed'],
    running: ['done', 'cancelled', 'failed'],
    done: [],
    failed: [],
    cancelled: [],
  },
})
