import { recordChange } from '../../kernel/audit.ts'
import { toParticipantAnswerColumns } from './answers.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { insertParticipant } from './participant-rows.ts'
import type { RegistrationContext, EventSnapshot } from './event-snapshot.ts'
import type { RegistrationSubmission } from './submit.ts'
import { recalculateTags } from './tags.ts'

type Beginning = Pick<RegistrationSubmission, 'flow' | 'answers' | 'manualTags' | 'directoryTags' | 'source' | 'group' | 'host'> & {
  snapshot: Pick<EventSnapshot, 'config' | 'versionId' | 'isTest'>
}

/** Creates an incomplete registration. Required fields are not checked, no capacity is held and no products are sold. */
export async function createIncompleteRegistration(ctx: RegistrationContext, beginning: Beginning): Promise<ParticipantRow> {
  const { snapshot, flow, answers, manualTags, directoryTags = [], source, group, host } = beginning
  const participant = await insertParticipant(ctx, {
    ...toParticipantAnswerColumns(answers),
    flow_slug: flow.slug,
    manual_tags: [...manualTags],
    directory_tags: [...directoryTags],
    version_id: snapshot.versionId,
    group_id: group?.id ?? null,
    host_id: host?.id ?? null,
    is_test_data: snapshot.isTest,
    source,
  })
  recordChange(ctx, {
    kind: 'participant',
    id: participant.id,
    after: { ...answers, status: participant.status, flowSlug: flow.slug },
  })
  await recalculateTags(ctx, snapshot.config, [participant.id])
  return participant
}
