import { recordChange } from '../../kernel/audit.ts'
import { createFile } from '../files/files.ts'
import { fileLinks } from '../files/links.ts'
import type { StoredUpload } from '../files/upload.ts'
import { rulesOf } from '../configuration/flow/values.ts'
import { answersOf, columnsOf } from '../registration/answers.ts'
import { getParticipant, updateParticipant } from '../registration/people.ts'
import type { AtEvent } from '../registration/scene.ts'
import type { Progress } from './progress.ts'

/** A file that somebody answered with. */
export interface KeptFile {
  name: string
  isPicture: boolean
  /** Opens it for the person who sent it, for a while. */
  link: string
}

const LINK_SECONDS = 3600

/** Files among their answers, by id. */
export async function filesIn(ctx: AtEvent, { scene, row, answers }: Progress): Promise<Map<string, KeptFile>> {
  const ids = Object.entries(answers).flatMap(([binding, value]) =>
    typeof value === 'string' && rulesOf(scene.config, binding)?.type === 'file' ? [value] : [],
  )
  if (ids.length === 0) return new Map()
  const files = await ctx.db
    .selectFrom('files')
    .select(['id', 'name', 'mime', 'purpose'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('owner_id', '=', row.id)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute()
  const linkOf = await fileLinks(ctx, LINK_SECONDS)
  return new Map(files.map((file) => [file.id, { name: file.name, isPicture: file.mime.startsWith('image/'), link: linkOf(file) }]))
}

/** Makes uploads answers of this person. */
export async function answersFromUploads(
  ctx: AtEvent,
  { row }: Pick<Progress, 'row'>,
  uploads: readonly { field: string; upload: StoredUpload }[],
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const { field, upload } of uploads) {
    const { id } = await createFile(ctx, upload, {
      clientId: ctx.client.id,
      eventId: ctx.event.id,
      owner: { kind: 'participant', id: row.id },
      isTestData: row.is_test_data,
    })
    answers[field] = id
  }
  return answers
}

/** Files that somebody exchanges after they registered. */
export async function keepOwnFiles(
  ctx: AtEvent,
  participantId: string,
  uploads: readonly { field: string; upload: StoredUpload }[],
): Promise<void> {
  const row = await getParticipant(ctx, participantId)
  const stored = answersOf(row)
  const updated = await updateParticipant(ctx, row, columnsOf({ ...stored, ...(await answersFromUploads(ctx, { row }, uploads)) }))
  recordChange(ctx, { kind: 'participant', id: row.id, before: stored, after: answersOf(updated) })
}
