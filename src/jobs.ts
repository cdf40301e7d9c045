import { retryLookup } from './domains/directories/retry.ts'
import type { Job } from './kernel/jobs.ts'

/** Every kind of background work, by its domain. */
export const JOBS: readonly Job[] = [retryLookup as Job]
