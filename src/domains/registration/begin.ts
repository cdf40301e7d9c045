import { recordChange } from '../../kernel/audit.ts'
import { columnsOf } from './answers.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { insertParticipant } from './people.ts'
import type { AtEvent, Scene } from './scene.ts'
import type { Submission } from './submit.ts'
import { refreshTags } from './tags.ts'

type Beginning = Pick<Submission, 'flow' | 'answers' | 'manualTags' | 'directoryTags' | 'source' | 'group' | 'host'> & {
  scene: Pick<Scene, 'config' | 'versionId' | 'isTest'>
}

/** A registration that is begun: nothing is required yet, nothing held, nothing bought. */
export async function beginRegistration(ctx: AtEvent, beginning: Beginning): Promise<ParticipantRow> {
  const { scene, flow, answers, manualTags, directoryTags = [], source, group, host } = beginning
  const participant = await insertParticipant(ctx, {
    ...columnsOf(answers),
    flow_slug: flow.slug,
    manual_tags: [...manualTags],
    directory_tags: [...directoryTags],
    version_id: scene.versionId,
    group_id: group?.id ?? null,
    host_id: host?.id ?? null,
    is_test_data: scene.isTest,
    source,
  })
  recordChange(ctx, { kind: 'participant', id: participant.id, after: { ...answers, status: participant.status, flowSlug: flow.slug } })
  await refreshTags(ctx, scene.config, [participant.id])
  return participant
}
