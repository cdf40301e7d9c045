import { states } from '../../kernel/states.ts'

export const IMPORT_RUN_STATES = states({
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

export const IMPORT_SETUP_STATES = states({
  column: 'import_setups.status',
  kind: 'importSetup',
  noun: 'import setup',
  initial: 'draft',
  moves: {
    draft: ['ready'],
    ready: ['draft'],
  },
})
