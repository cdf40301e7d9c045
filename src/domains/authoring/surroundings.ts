import type { EventContext } from '../../kernel/context.ts'
import type { Surroundings } from '../configuration/validate/surroundings.ts'
import { connectionStates } from '../directories/states.ts'

/** What the event's document may name outside of itself. Files come with the library; until then there are none to name. */
export const surroundingsOf = async (ctx: EventContext): Promise<Surroundings> => ({
  connections: await connectionStates(ctx),
  files: new Map(),
})
