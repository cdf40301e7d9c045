import { defineStateMachine } from '../../kernel/states.ts'

/** The states of a build of audience profiles. `unchanged` means that the visible profiles were made from the same data and options. */
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
