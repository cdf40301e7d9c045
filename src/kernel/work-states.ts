import { defineStateMachine } from './states.ts'

/** The states of a job. A running job whose worker died goes back to the queue. */
export const JOB_STATES = defineStateMachine({
  column: 'jobs.status',
  kind: 'job',
  noun: 'job',
  initial: 'queued',
  moves: {
    queued: ['running', 'failed'],
    running: ['done', 'failed', 'queued'],
    done: [],
    failed: [],
  },
})

export const EXTERNAL_CALL_STATES = defineStateMachine({
  column: 'outside_calls.status',
  kind: 'externalCall',
  noun: 'external call',
  initial: 'waiting',
  moves: {
    waiting: ['calling'],
    calling: ['settled', 'waiting', 'givenUp'],
    settled: [],
    givenUp: [],
  },
})

/** The states of an email. `kept` emails wait in the mailbox of an installation without a mail server. */
export const EMAIL_STATES = defineStateMachine({
  column: 'messages.status',
  kind: 'message',
  noun: 'email',
  initial: 'queued',
  moves: {
    queued: ['claimed', 'skipped', 'held', 'cancelled'],
    claimed: ['handed', 'queued', 'failed'],
    handed: ['sent', 'queued', 'failed', 'bounced', 'uncertain'],
    sent: ['delivered', 'bounced', 'complained'],
    delivered: ['bounced', 'complained'],
    skipped: [],
    held: ['queued', 'cancelled'],
    cancelled: [],
    bounced: [],
    failed: ['queued'],
    uncertain: ['queued', 'sent'],
    complained: [],
    kept: ['queued'],
  },
})
