import { applyInParts, type Operation } from '../../src/domains/configuration/operations.ts'
import { reviewInParts } from '../../src/domains/configuration/review/review.ts'
import type { Scene } from '../../src/domains/configuration/review/scene.ts'
import type { ConfigDocument } from '../../src/domains/configuration/schema/event-config.ts'
import type { Surroundings } from '../../src/domains/configuration/validate/surroundings.ts'
import { issuesInParts } from '../../src/domains/configuration/validate/validate.ts'
import { atOnce } from '../../src/kernel/turns.ts'

/** Work that the product does in parts, where nobody else waits for a turn. */

export const applyOperations = (document: ConfigDocument, operations: readonly Operation[]) => atOnce(applyInParts(document, operations))

export const reviewFlows = (scene: Scene, slug?: string) => atOnce(reviewInParts(scene, slug))

export const issuesOf = (checked: Parameters<typeof issuesInParts>[0], around: Surroundings) => atOnce(issuesInParts(checked, around))
