import { defineStateMachine } from '../../kernel/states.ts'

/** The states of a job that builds audience profiles. `unchanged`: data and options are the same as before, so the profiles were kept. */
export const AUDIENCE_BUILD_STATES = defineStateMachine({
  column: 'audience_builds.status',
  kind: 'audienceBuild',
  noun: 'build of audience profiles',
  initial: 'queued',
  moves: {
    queued: ['running', 'failed'],
    running: ['done', 'unchanged', 'failed'],
    done: [],
    unchanged: [],
    failed: [],
  },
})

export type AudienceBuildStatus = (typeof AUDIENCE_BUILD_STATES.all)[number]
