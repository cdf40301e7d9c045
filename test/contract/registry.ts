import type { Tool } from '../../src/kernel/tool.ts'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { fixtureToolset } from '../support/fixture-tools/index.ts'
import { PARTICIPANT_TOOLS_SERVED } from '../support/participants.ts'

/** The product's own tools of the organizer endpoint, without test fixtures. */
export const PRODUCT_TOOLS = ALL_TOOLSETS.flatMap((toolset) => toolset.tools)

/** Product tools and fixture tools: the fixtures cover combinations that no product tool has yet. */
export const ORGANIZER_TOOLS = [...PRODUCT_TOOLS, ...fixtureToolset.tools]

export const EVERY_TOOL = [...ORGANIZER_TOOLS, ...PARTICIPANT_TOOLS]

/** The toolsets that are checked against the contract, each by its file in `toolsets/`. */
export const CHECKED_TOOLSETS: ReadonlyMap<string, readonly Tool[]> = new Map([
  ...[...ALL_TOOLSETS, fixtureToolset].map(({ name, tools }): [string, readonly Tool[]] => [name, tools]),
  // The fixture that signs in writes nothing, so the check of changing tools cannot apply to it.
  ['participants', PARTICIPANT_TOOLS_SERVED.filter(({ name }) => name !== 'fixture_sign_in')],
  ['feedback', FEEDBACK_TOOLS],
])
