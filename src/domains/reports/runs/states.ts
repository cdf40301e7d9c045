import { states } from '../../../kernel/states.ts'

/** The states of a run. A restart runs it again from its first row. */
export const REPORT_RUN_STATES = states({
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
