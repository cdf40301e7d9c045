import { diffDocuments } from '../../src/domains/configuration/diff/diff.ts'
import { atOnce } from '../../src/kernel/turns.ts'

/** Of documents that nobody else waits for. */
export const differences = (...between: Parameters<typeof diffDocuments>) => atOnce(diffDocuments(...between))
