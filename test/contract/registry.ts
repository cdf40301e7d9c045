import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { TOOLSETS_IN_ORDER } from '../../src/toolsets/index.ts'
import { fixtureToolset } from '../support/fixture-tools/index.ts'

/** What organizers are served. */
export const PRODUCT_TOOLS = TOOLSETS_IN_ORDER.flatMap((toolset) => toolset.tools)

/** All that takes the organizer's road: the fixture tools are of kinds that the product may not have yet. */
export const ORGANIZER_TOOLS = [...PRODUCT_TOOLS, ...fixtureToolset.tools]

export const EVERY_TOOL = [...ORGANIZER_TOOLS, ...PARTICIPANT_TOOLS]
