import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { toDayInZone } from '../../kernel/time.ts'
import { readTodayAtEvent } from '../housing/context.ts'
import { MILESTONE_DUE_WINDOW_DAYS, getOpenMilestoneStatus } from './milestone-plan.ts'
import { MILESTONE_STATES } from './states.ts'

/** Marks milestones as due a week before their date, and as missed after it, in the time zone of the event. */
export const updateMilestoneStatuses: RecurringTask = {
  name: 'milestones',
  schedule: { everySeconds: 3600 },
  async run({ transact, commitEach }) {
    const events = await transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string }>`
        select distinct m.tenant_id as "tenantId", m.event_id as "eventId" from milestones m
        join events e on e.tenant_id = m.tenant_id and e.id = m.event_id
        where m.status = 'upcoming' and m.due_on <= (lanyard_now() at time zone e.timezone)::date + ${sql.lit(MILESTONE_DUE_WINDOW_DAYS)}
          or m.status = 'due' and m.due_on < (lanyard_now() at time zone e.timezone)::date
        order by 1, 2`.execute(db)
      return rows
    })
    await commitEach(events, moveMilestones)
  },
}

async function moveMilestones(ctx: EventContext): Promise<void> {
  const today = await readTodayAtEvent(ctx)
  const rows = await eventDb(ctx)
    .selectFrom('milestones')
    .selectAll()
    .where('status', 'in', ['upcoming', 'due'])
    .orderBy('due_on')
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const row of rows) {
    const to = getOpenMilestoneStatus(today, { dueOn: row.due_on, createdOn: toDayInZone(ctx.event.timezone, row.created_at) })
    // A due milestone stays due when an organizer moves its date; only generate_milestones sets it back to upcoming.
    if (to !== row.status && to !== 'upcoming') await changeRecordState(ctx, MILESTONE_STATES, row, to)
  }
}
