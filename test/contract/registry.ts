import type { Tool } from '../../src/kernel/tool.ts'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { TOOLSETS_IN_ORDER } from '../../src/toolsets/index.ts'
import { fixtureToolset } from '../support/fixture-tools/index.ts'
import { PARTICIPANT_TOOLS_SERVED } from '../support/participants.ts'

/** What organizers are served. */
export const PRODUCT_TOOLS = TOOLSETS_IN_ORDER.flatMap((toolset) => toolset.tools)

/** All that takes the organizer's road: the fixture tools are of kinds that the product may not have yet. */
export const ORGANIZER_TOOLS = [...PRODUCT_TOOLS, ...fixtureToolset.tools]

export const EVERY_TOOL = [...ORGANIZER_TOOLS, ...PARTICIPANT_TOOLS]

/** The lists that are held to the contract, each by its file in `toolsets/`. */
export const LISTS: ReadonlyMap<string, readonly Tool[]> = new Map([
  ...[...TOOLSETS_IN_ORDER, fixtureToolset].map(({ name, tools }): [string, readonly Tool[]] => [name, tools]),
  // The fixture that signs in writes nothing, so it cannot be held to changing something.
  ['participants', PARTICIPANT_TOOLS_SERVED.filter(({ name }) => name !== 'fixture_sign_in')],
  ['feedback', FEEDBACK_TOOLS],
])
