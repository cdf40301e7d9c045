import { companies } from './companies.ts'
import type { Entity } from './entity.ts'
import { events } from './events.ts'
import { groups } from './groups.ts'
import { leads } from './leads.ts'
import { orders } from './orders.ts'
import { participants } from './participants.ts'
import { reservations } from './reservations.ts'
import { sessions } from './sessions.ts'

/** Every kind of record that programs read, in the order of the documentation. */
export const ENTITIES: readonly Entity[] = [participants, events, companies, leads, orders, sessions, groups, reservations]

export type EntityName = 'participant' | 'event' | 'company' | 'lead' | 'order' | 'session' | 'group' | 'reservation'

/** By the name that webhooks and deletions use. */
export function entityNamed(name: EntityName): Entity {
  return ENTITIES.find((entity) => entity.name === name)!
}
