import { newId } from '../../../kernel/ids.ts'
import { evaluateFlow } from '../../configuration/flow/walk.ts'
import type { RegistrationContext } from '../event-snapshot.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { RegistrationSubmission } from '../submit.ts'
import { createSkippedPageVisit } from './visits.ts'

/** Records a registration made by an organizer as a visit of zero length, through the pages that the participant would have seen. */
export async function recordOrganizerVisit(
  ctx: RegistrationContext,
  { snapshot, flow, answers, manualTags, group }: RegistrationSubmission,
  participant: Pick<ParticipantRow, 'id' | 'status' | 'is_test_data'>,
): Promise<void> {
  const { at, timezone, config, versionId } = snapshot
  const walk = evaluateFlow(config, flow, { answers, tags: new Set([...manualTags, ...(group?.tags ?? [])]), timezone, now: at })
  const pages = walk.pages.map(({ code, visible }) => ({ ...createSkippedPageVisit(code, at.toISOString()), skipped: !visible }))
  await ctx.db
    .insertInto('flow_visits')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      flow_slug: flow.slug,
      version_id: versionId,
      participant_id: participant.id,
      is_test_data: participant.is_test_data,
      device: 'organizer',
      utm: '{}',
      pages: JSON.stringify(pages),
      outcome: participant.status === 'waitlisted' ? 'waitlisted' : 'completed',
      started_at: at,
      last_seen_at: at,
      completed_at: at,
    })
    .execute()
}
