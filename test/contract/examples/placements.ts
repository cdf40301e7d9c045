import { newId } from '../../../src/kernel/ids.ts'
import { createExhibitorFixtures, buildRectangle } from '../../support/companies.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { createApprovedApplication } from './applications.ts'
import { event } from './registration.ts'

let made = 0

/** A hall with four booths, of which a company has the first. */
async function hall({ world, home }: Stage): Promise<string> {
  const number = ++made
  const exhibitors = createExhibitorFixtures(world, home)
  const booths = [0, 1, 2, 3].map((i) => ({ number: `Q${number}-${i}`, polygon: buildRectangle(6 + 3 * i, 6, 3, 3) }))
  await exhibitors.plan({ code: `rated-${number}`, name: `Rated hall ${number}` }, booths)
  const { id } = await exhibitors.company({ name: `Rated company ${number}`, appointmentsEnabled: false })
  await exhibitors.assign(booths[0]!.number, id)
  return `rated-${number}`
}

/** Stores a proposal that assigns nothing. */
async function proposal({ world, home }: Stage): Promise<string> {
  const proposalId = newId()
  await world.database.pool.query(
    `insert into assignment_proposals (tenant_id, event_id, id, plan_revisions, input, result, by)
     select tenant_id, id, $2, '{}', '{}', '{"assigned": [], "unassigned": []}', 'test' from events where id = $1`,
    [home.eventId, proposalId],
  )
  return proposalId
}

/** An earlier event of the same client. */
async function earlierEvent({ world, home }: Stage): Promise<string> {
  const { eventCode } = await world.event({ at: home, code: `earlier-${++made}`, startsOn: '2020-05-11' })
  return eventCode
}

export const PLACEMENTS_EXAMPLES: Examples = {
  propose_booth_assignments: [
    async (stage) => {
      const { number, floorPlanCode } = await createApprovedApplication(stage)
      return {
        ...event(stage),
        floorPlanCodes: [floorPlanCode],
        applicationNumbers: [number],
        method: 'balanced',
        weights: { quality: 0.5 },
      }
    },
    async (stage) => {
      const { number, floorPlanCode } = await createApprovedApplication(stage)
      const made = { ...event(stage), floorPlanCodes: [floorPlanCode], applicationNumbers: [number] }
      return { ...event(stage), proposalId: (await stage.admin.call('propose_booth_assignments', made)).proposalId }
    },
  ],
  analyze_growth: [
    async (stage) => {
      for (let i = 0; i < 3; i++) await hall(stage)
      return { ...event(stage), compareEventCode: await earlierEvent(stage) }
    },
    async (stage) => ({ ...event(stage), compareEventCode: await earlierEvent(stage), asOf: 'days_out' }),
  ],
  analyze_placement: [
    async (stage) => ({ ...event(stage), floorPlanCode: await hall(stage) }),
    async (stage) => ({ ...event(stage), floorPlanCode: await hall(stage), proposalId: await proposal(stage) }),
    async (stage) => ({ ...event(stage), floorPlanCode: await hall(stage), weights: { exposure: 1, proximity: 0, openSides: 0 } }),
  ],
}
