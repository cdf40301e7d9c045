import type { Job } from './kernel/jobs.ts'

/** Every kind of background work, by its domain. */
export const JOBS: readonly Job[] = []
