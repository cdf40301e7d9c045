import { newId } from '../../../src/kernel/ids.ts'
import { createRegistrationFixtures } from '../../support/registrations.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

/** A session at which one person was scanned. */
async function attendedSession({ world, home }: Stage): Promise<string> {
  const at = { tenant_id: home.tenantId, event_id: home.eventId }
  const [sessionId, now] = [newId(), await world.clock.now()]
  await world.database.write
    .insertInto('sessions')
    .values({ ...at, id: sessionId, code: `talk-${sessionId}`, title: 'Talk', track_code: 'main', format_code: 'talk' })
    .execute()
  const participantId = await createRegistrationFixtures(world, home).person({ last_name: 'Visitor' })
  await world.database.write
    .insertInto('attendance_scans')
    .values({
      ...at,
      id: newId(),
      participant_id: participantId,
      scope: 'session',
      session_id: sessionId,
      direction: 'in',
      at: now,
      method: 'scan',
      result: 'accepted',
    })
    .execute()
  return sessionId
}

export const PRESENCE_EXAMPLES: Examples = {
  get_attendance_summary: async (stage) => ({
    ...event(stage),
    by: 'session',
    sessionIds: [await attendedSession(stage)],
    includeOccupancy: true,
  }),
}
