import type { EventHandle, OrganizerHandle, World } from './world.ts'
import { createExhibitorFixtures } from './companies.ts'
import { programSections, createSessionAt, type PlannedSession } from './programs.ts'
import { type Registrations, createRegistrationFixtures } from './registrations.ts'

/** An event on its first day, with gates, people with badges, and scans through the tool. */
export interface DoorFixtures {
  desk: Registrations
  /** A complete participant; the badge id is `badge-<n>`. */
  person: (columns?: Parameters<Registrations['person']>[0]) => Promise<{ id: string; badge: string }>
  session: (session?: PlannedSession) => Promise<string>
  /** Publishes the given settings of gates and re-entry. */
  rules: (onsite: object) => Promise<void>
  scan: (...scans: object[]) => Promise<any>
  /** The result and reason of one scan, as `accepted` or `refused unpaid`. */
  decide: (scan: object) => Promise<string>
  rows: <T extends object>(query: string, ...values: unknown[]) => Promise<T[]>
}

export const DOOR_DAY = '2027-03-02'
/** A time on the first day of the event, whose zone is UTC. */
export const doorTime = (time: string) => `${DOOR_DAY}T${time.length === 5 ? `${time}:00` : time}.000Z`
export const DOOR_EVENT = { startsOn: DOOR_DAY, endsOn: '2027-03-04', timezone: 'UTC', status: 'draft' as const }

let made = 0

export function createDoorFixtures(world: World, event: EventHandle, organizer: OrganizerHandle): DoorFixtures {
  const desk = createRegistrationFixtures(world, event)
  const scan = (...scans: object[]) => organizer.call('record_attendance', { eventCode: event.eventCode, scans })
  return {
    desk,
    async person(columns = {}) {
      const badge = `badge-${++made}`
      return { id: await desk.person({ badge_id: badge, ...columns }), badge: columns.badge_id ?? badge }
    },
    session: (session = {}) => createSessionAt(world, event, session),
    rules: (onsite) => createExhibitorFixtures(world, event).publish({ ...programSections(), onsite } as never),
    scan,
    async decide(one) {
      const { result, reason } = (await scan(one)).results[0]
      return [result, reason].filter(Boolean).join(' ')
    },
    rows: async <T extends object>(query: string, ...values: unknown[]) => (await world.database.pool.query<T>(query, values)).rows,
  }
}
