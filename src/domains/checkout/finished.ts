import { sql } from 'kysely'
import { answersOf } from '../registration/answers.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getFlow, openScene } from '../registration/scene.ts'
import type { AtEvent } from '../registration/scene.ts'
import { endVisit } from '../registration/visits.ts'
import { joinWaitlist } from '../registration/waitlist.ts'
import { applyForBooth } from './booth-request.ts'
import { leadOwnGroup } from './group-choice.ts'

/**
 * What follows from a finished registration beside it: the visit has ended, who was invited has come, who made a
 * group leads it, and single products are waited for.
 */
export async function noteFinished(ctx: AtEvent, participant: ParticipantRow): Promise<void> {
  const { id, status } = participant
  const progress = await ctx.db
    .selectFrom('registration_progress')
    .select(['visit_id', 'waits', 'booth_request'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('participant_id', '=', id)
    .executeTakeFirst()
  await sql`
    update invite_list_entries set status = 'registered'
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and participant_id = ${id} and status <> 'removed'`.execute(ctx.db)
  await leadOwnGroup(ctx, participant)
  if (!progress) return
  if (progress.visit_id !== null) await endVisit(ctx, progress.visit_id, status === 'waitlisted' ? 'waitlisted' : 'completed', id)
  const targets = progress.waits.filter((key) => key.startsWith('product:'))
  if (status !== 'complete' || (targets.length === 0 && progress.booth_request === null)) return
  const scene = await openScene(ctx)
  await applyForBooth(ctx, scene, participant, progress.booth_request)
  if (targets.length === 0) return
  const { manual_tags: manualTags, source, flow_slug } = participant
  await joinWaitlist(ctx, {
    scene,
    flow: getFlow(scene, flow_slug!),
    participant,
    answers: answersOf(participant),
    targets,
    manualTags,
    source,
  })
}
