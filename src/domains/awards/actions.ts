import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { addDays } from '../../kernel/time.ts'

const SOON_DAYS = 3
const MILESTONE_DAYS = 14
const MAX_ACTIONS = 50

/** Lists the sourcing tasks that wait for the organizer, each with the tool that completes the task and the id of its record. */
export async function listPendingSourcingTasks({ db, tenantId, event }: EventContext, today: string) {
  const { rows } = await sql<{ what: string; tool: string; id: string }>`
    select x.what, x.tool, x.id from (
      select 1 as rank, 'answerQuestion' as what, 'post_rfp_question' as tool, q.id from rfp_questions q
      join rfps r on r.tenant_id = q.tenant_id and r.event_id = q.event_id and r.id = q.rfp_id and r.status = 'distributed'
      where q.tenant_id = ${tenantId} and q.event_id = ${event.id} and q.asked_by = 'supplier'
        and not exists (select from rfp_answers a where a.tenant_id = q.tenant_id and a.event_id = q.event_id and a.question_id = q.id
          and a.recipient_id is null)
      union all select 2, 'remindRecipient', 'list_rfps', p.id from rfp_recipients p
      join rfps r on r.tenant_id = p.tenant_id and r.event_id = p.event_id and r.id = p.rfp_id and r.status = 'distributed'
        and r.response_due_at < lanyard_now() + make_interval(days => ${SOON_DAYS})
      where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.status in ('sent', 'opened', 'acknowledged', 'inProgress')
      union all select 3, 'executeAward', 'execute_award', a.id from awards a
      where a.tenant_id = ${tenantId} and a.event_id = ${event.id} and a.status = 'proposed'
      union all select 4, 'publishAward', 'publish_award_to_block', a.id from awards a
      join rfps r on r.tenant_id = a.tenant_id and r.event_id = a.event_id and r.id = a.rfp_id
      where a.tenant_id = ${tenantId} and a.event_id = ${event.id} and a.status = 'executed' and r.requirements ->> 'needRooms' = 'true'
        and not exists (select from housing_contracts c where c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.award_id = a.id)
      union all select 5, 'answerRedlines', 'propose_contract_counter', k.id from supplier_contracts k
      where k.tenant_id = ${tenantId} and k.event_id = ${event.id} and k.status = 'redlinesReceived'
      union all select 6, 'milestone', 'list_milestones', m.contract_id from milestones m
      where m.tenant_id = ${tenantId} and m.event_id = ${event.id} and m.status in ('upcoming', 'due', 'missed')
        and m.due_on <= ${addDays(today, MILESTONE_DAYS)}::date
    ) x order by x.rank, x.id limit ${MAX_ACTIONS}`.execute(db)
  return rows
}
