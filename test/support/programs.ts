import { wallTimeToInstant } from '../../src/kernel/time.ts'
import { createSession, type NewSession } from '../../src/domains/sessions/sessions.ts'
import { createSpeaker } from '../../src/domains/sessions/speakers.ts'
import { inEventTransaction } from './hotels.ts'
import { WORKED_EXAMPLE } from './worked-example.ts'
import type { EventHandle, World } from './world.ts'

/** Configuration of an event that sells passes and offers program sessions on a separate page of its form. */
export const programSections = (widget: object = {}) => ({
  ...WORKED_EXAMPLE,
  sessions: {
    tracks: [
      { code: 'build', name: 'Building' },
      { code: 'run', name: 'Running' },
    ],
    formats: [
      { code: 'talk', name: 'Talk', minutes: 40 },
      { code: 'workshop', name: 'Workshop', minutes: 180 },
    ],
    rooms: [
      { code: 'hall', name: 'Great hall' },
      { code: 'attic', name: 'Attic' },
    ],
  },
  flows: WORKED_EXAMPLE.flows.map((flow) => ({
    ...flow,
    pages: [
      ...flow.pages.slice(0, -1),
      { code: 'program', title: 'Program', widgets: [{ id: 'talks', type: 'sessions', ...widget }] },
      ...flow.pages.slice(-1),
    ],
  })),
})

export interface PlannedSession extends Omit<Partial<NewSession>, 'startsAt' | 'endsAt'> {
  /** Local time at the event, such as `2026-09-01T10:00`. */
  from?: string
  until?: string
}

let made = 0

/** Creates a session: by default 40 minutes on the first day at ten, without a room. */
export const createSessionAt = (
  world: World,
  place: EventHandle,
  { from = '2026-09-01T10:00', until, ...more }: PlannedSession = {},
): Promise<string> =>
  inEventTransaction(world, place, async (ctx) => {
    const at = (wallTime: string) => wallTimeToInstant(ctx.event.timezone, wallTime)
    const title = more.title ?? `Session ${++made}`
    const row = await createSession(ctx, {
      trackCode: 'build',
      formatCode: 'talk',
      startsAt: at(from),
      ...(until === undefined ? {} : { endsAt: at(until) }),
      ...more,
      title,
    })
    return row.id
  })

export const createSpeakerAt = async (world: World, place: EventHandle, firstName = 'Marta'): Promise<string> =>
  inEventTransaction(
    world,
    place,
    async (ctx) =>
      (await createSpeaker(ctx, { firstName, lastName: 'Nunes', email: `speaker-${++made}@example.org`, status: 'confirmed' })).id,
  )

/** The participants enrolled in a session, and its waiting list in order, by id. */
export async function listSessionPeople(world: World, sessionId: string): Promise<{ enrolled: string[]; waiting: string[]; sold: number }> {
  const { rows } = await world.database.pool.query<{ id: string; status: string }>(
    `select participant_id as id, status from session_enrolments where session_id = $1 and status <> 'cancelled' order by position, participant_id`,
    [sessionId],
  )
  const stock = await world.database.pool.query<{ sold: number }>(`select sold from inventory where key = 'session:' || $1`, [sessionId])
  const of = (status: string) => rows.filter((row) => row.status === status).map(({ id }) => id)
  return { enrolled: of('enrolled'), waiting: of('waitlisted'), sold: stock.rows[0]!.sold }
}
