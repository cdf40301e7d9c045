import { diffDocuments } from '../../src/domains/configuration/diff/diff.ts'
import { runTaskSynchronously } from '../../src/kernel/cooperative.ts'

/** Runs the diff without yielding to the event loop. */
export const diffSynchronously = (...between: Parameters<typeof diffDocuments>) => runTaskSynchronously(diffDocuments(...between))
