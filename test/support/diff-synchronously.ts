import { diffDocuments } from '../../src/domains/configuration/diff/diff.ts'
import { runSynchronously } from '../../src/kernel/cooperative.ts'

/** Runs the diff without yielding to the event loop. */
export const diffSynchronously = (...between: Parameters<typeof diffDocuments>) => runSynchronously(diffDocuments(...between))
