import { newId } from '../../../src/kernel/ids.ts'
import { createExhibitorFixtures } from '../../support/companies.ts'
import { createRegistrationFixtures } from '../../support/registrations.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import type { EventHandle } from '../../support/world.ts'
import { storeSheetFile } from './imports.ts'
import { event } from './registration.ts'

let made = 0

/** Creates an event that takes place today: gates refuse scans from before its first setup day. */
async function openEvent({ world, home }: Stage): Promise<EventHandle> {
  const today = (await world.clock.now()).toISOString().slice(0, 10)
  return world.event({ at: home, code: `door-${home.eventCode}-${++made}`, startsOn: today, endsOn: today })
}

/** A session of an event, without the program's configuration. */
async function talk({ world }: Stage, { tenantId, eventId }: EventHandle): Promise<string> {
  const id = newId()
  await world.database.write
    .insertInto('sessions')
    .values({ tenant_id: tenantId, event_id: eventId, id, code: `talk-${id}`, title: 'Talk', track_code: 'main', format_code: 'talk' })
    .execute()
  return id
}

/** Creates people with badges. */
async function visitors({ world, home }: Pick<Stage, 'world' | 'home'>, number = 1): Promise<{ id: string; badge: string }[]> {
  const desk = createRegistrationFixtures(world, home)
  const people: { id: string; badge: string }[] = []
  for (let n = 0; n < number; n++) {
    const badge = newId().slice(-16)
    people.push({ id: await desk.person({ badge_id: badge, last_name: `Visitor ${++made}` }), badge })
  }
  return people
}

/** Stores three scans at the event, of one person or of three, or one scan at a session. */
async function scanned(stage: Stage, of: { participantId?: string; sessionId?: string } = {}): Promise<void> {
  const now = await stage.world.clock.now()
  const people = of.participantId ? [] : await visitors(stage, 3)
  for (let n = 0; n < (of.sessionId ? 1 : 3); n++)
    await stage.world.database.write
      .insertInto('attendance_scans')
      .values({
        tenant_id: stage.home.tenantId,
        event_id: stage.home.eventId,
        id: newId(),
        participant_id: of.participantId ?? people[n]!.id,
        scope: of.sessionId ? 'session' : 'event',
        session_id: of.sessionId ?? null,
        direction: 'in',
        at: new Date(now.getTime() - n * 60_000),
        method: 'scan',
        result: 'refused',
        reason: 'unpaid',
      })
      .execute()
}

export const ONSITE_EXAMPLES: Examples = {
  get_onsite_summary: async (stage) => {
    await scanned(stage)
    return { ...event(stage), bucketMinutes: 60 }
  },
  list_attendance: [
    async (stage) => {
      await scanned(stage)
      return event(stage)
    },
    async (stage) => {
      const participantId = (await visitors(stage))[0]!.id
      await scanned(stage, { participantId })
      return { ...event(stage), participantId }
    },
    async (stage) => {
      const sessionId = await talk(stage, stage.home)
      await scanned(stage, { sessionId })
      return { ...event(stage), sessionId }
    },
  ],
  record_attendance: [
    async (stage) => {
      const home = await openEvent(stage)
      const [person] = await visitors({ ...stage, home })
      return { eventCode: home.eventCode, scans: [{ badge: person!.badge, method: 'scan', deviceName: 'Desk 1', nonce: newId() }] }
    },
    async (stage) => {
      const home = await openEvent(stage)
      const [person] = await visitors({ ...stage, home })
      return { eventCode: home.eventCode, scans: [{ participantId: person!.id, sessionId: await talk(stage, home), direction: 'in' }] }
    },
  ],
  import_attendance: [
    async (stage) => {
      const home = await openEvent(stage)
      const [person] = await visitors({ ...stage, home })
      return {
        eventCode: home.eventCode,
        rows: [{ badge: person!.badge, at: (await stage.world.clock.now()).toISOString(), direction: 'in', deviceName: 'Handheld 3' }],
      }
    },
    async (stage) => {
      const home = await openEvent(stage)
      const [person] = await visitors({ ...stage, home })
      const lines = ['badge,time,direction,device', `${person!.badge},${(await stage.world.clock.now()).toISOString()},in,Handheld 3`]
      return { eventCode: home.eventCode, fileId: await storeSheetFile({ ...stage, home }, lines.join('\n')) }
    },
    async (stage) => {
      const jobId = newId()
      await stage.world.database.write
        .insertInto('jobs')
        .values({
          tenant_id: stage.home.tenantId,
          id: jobId,
          event_id: stage.home.eventId,
          name: 'import-attendance',
          input: '{}',
          created_by: 'olga',
          created_by_name: 'Olga',
        })
        .execute()
      return { ...event(stage), jobId }
    },
  ],
  rotate_badge_id: async (stage) => ({
    ...event(stage),
    participantIds: (await visitors(stage, 2)).map(({ id }) => id),
    reason: 'lost',
  }),
  import_appointment_offerings: [
    (stage) => meetingHours(stage),
    async (stage) => {
      const { eventCode, rows } = await meetingHours(stage)
      const { company, day, from, until } = rows[0]!
      return { eventCode, fileId: await storeSheetFile(stage, `company,day,from,until\n${company},${day},${from},${until}\n`) }
    },
  ],
}

async function meetingHours(stage: Stage) {
  const { id } = await createExhibitorFixtures(stage.world, stage.home).company({
    name: `Meeting company ${++made}`,
    appointmentsEnabled: false,
  })
  const [row] = (
    await stage.world.database.pool.query<{ day: string }>(`select starts_on::text as day from events where id = $1`, [stage.home.eventId])
  ).rows
  return { ...event(stage), rows: [{ company: id, day: row!.day, from: '09:00', until: '12:00', minutes: 30, breakMinutes: 5 }] }
}
