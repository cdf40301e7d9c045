import type { EventContext } from '../../../kernel/context.ts'
import { ENTITIES } from './index.ts'
import type { Entity } from './types.ts'

/** The dictionary of an event: all entities, with the event's own fields of participants. */
export const readDictionary = async (_ctx: Pick<EventContext, 'db' | 'tenantId' | 'event'>): Promise<ReadonlyMap<string, Entity>> =>
  ENTITIES
