import type { Surroundings } from '../configuration/validate/surroundings.ts'
import type { EventPlace } from './connections.ts'
import { connectionStates } from './states.ts'

/** What the event's document may name outside of itself. Files come with the library; until then there are none to name. */
export const surroundingsOf = async (ctx: EventPlace): Promise<Surroundings> => ({
  connections: await connectionStates(ctx),
  files: new Map(),
})
