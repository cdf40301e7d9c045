import type { EventContext } from '../../kernel/context.ts'
import { countComplete } from '../registration/participants.ts'

/** How many orders the event has. Each complete registration has exactly one, also when it costs nothing, so those are counted. */
export const ordersExist = async (ctx: EventContext): Promise<number> => (await countComplete(ctx, [ctx.event.id])).get(ctx.event.id) ?? 0
