import { createRegistrationFixtures } from '../../support/registrations.ts'
import type { World } from '../../support/world.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

const peopled = new WeakMap<World, Map<string, Promise<void>>>()

async function insertPeople({ world, home, word }: Stage): Promise<void> {
  const desk = createRegistrationFixtures(world, home)
  for (const n of [1, 2, 3]) await desk.person({ first_name: word, last_name: `Reported ${n}` })
}

/** The event with three more people, so that lists have pages. */
export async function addThreePeople(stage: Stage): Promise<ReturnType<typeof event>> {
  const events = peopled.get(stage.world) ?? new Map<string, Promise<void>>()
  peopled.set(stage.world, events)
  const inserted = events.get(stage.home.eventId) ?? insertPeople(stage)
  events.set(stage.home.eventId, inserted)
  await inserted
  return event(stage)
}

const acrossEvents = (query: Record<string, unknown>) => async (stage: Stage) => {
  await addThreePeople(stage)
  return query
}

export const REPORTS_QUERY_EXAMPLES: Examples = {
  query_data: [
    async (stage) => ({
      ...(await addThreePeople(stage)),
      entity: 'participant',
      fields: ['status', 'lastName'],
      orderBy: ['lastName'],
      total: true,
    }),
    async (stage) => ({ ...(await addThreePeople(stage)), entity: 'participant', groupBy: ['id'], aggregates: ['count'] }),
  ],
  query_across_events: [
    acrossEvents({ entity: 'participant', fields: ['status', 'event.code'] }),
    acrossEvents({ entity: 'participant', groupBy: ['id', 'event.code'], aggregates: ['count'] }),
  ],
  get_my_events_stats: [() => ({ status: ['draft', 'published', 'archived'] })],
}
