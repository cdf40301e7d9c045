import { filesNamedIn } from '../configuration/references.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import type { Surroundings } from '../configuration/validate/surroundings.ts'
import { libraryFiles } from '../files/library.ts'
import type { EventPlace } from './connections.ts'
import { connectionStates } from './states.ts'

/** What the event's document names outside of itself, as far as it is there. */
export const surroundingsOf = async (ctx: EventPlace, document: ConfigDocument): Promise<Surroundings> => ({
  connections: await connectionStates(ctx),
  files: await libraryFiles(ctx, filesNamedIn(document)),
})
