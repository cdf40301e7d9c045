import { defineStateMachine } from '../../kernel/states.ts'

export const IMPORT_RUN_STATES = defineStateMachine({
  column: 'import_runs.status',
  kind: 'importRun',
  noun: 'import run',
  initial: 'queued',
  moves: {
    queued: ['running', 'done', 'failed'],
    running: ['done', 'failed'],
    done: [],
    failed: [],
  },
})

export const IMPORT_SETUP_STATES = defineStateMachine({
  column: 'import_setups.status',
  kind: 'importSetup',
  noun: 'import setup',
  initial: 'draft',
  moves: {
    draft: ['ready'],
    ready: ['draft'],
  },
})
