import { defineStateMachine } from '../../../kernel/states.ts'

/** The states of a report run. A run that is restarted writes its file again from the first row. */
export const REPORT_RUN_STATES = defineStateMachine({
  column: 'report_runs.status',
  kind: 'reportRun',
  noun: 'run',
  initial: 'queued',
  moves: {
    queued: ['running', 'failed', 'cancelled'],
    running: ['running', 'done', 'failed', 'cancelled'],
    done: ['expired'],
    failed: [],
    cancelled: [],
    expired: [],
  },
})
