import { recordChange } from '../../kernel/audit.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { createFile } from '../files/files.ts'
import { createFileLinker } from '../files/links.ts'
import type { StoredUpload } from '../files/upload.ts'
import { findBindingRules } from '../configuration/flow/answer-rules.ts'
import { answersOf, toAnswerColumns } from '../registration/answers.ts'
import { getParticipant, updateParticipant } from '../registration/participant-rows.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import type { Progress } from './progress.ts'

export interface UploadedFile {
  name: string
  isPicture: boolean
  /** A temporary link for the participant who uploaded the file. */
  link: string
}

const LINK_SECONDS = 3600

/** Uploaded files in the answers, by file ID. */
export async function listUploadedFiles(ctx: EventScope, { snapshot, row, answers }: Progress): Promise<Map<string, UploadedFile>> {
  const ids = Object.entries(answers).flatMap(([binding, value]) =>
    typeof value === 'string' && findBindingRules(snapshot.config, binding)?.type === 'file' ? [value] : [],
  )
  if (ids.length === 0) return new Map()
  const files = await eventDb(ctx)
    .selectFrom('files')
    .select(['id', 'name', 'mime', 'purpose'])
    .where('owner_id', '=', row.id)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute()
  const linkOf = await createFileLinker(ctx, LINK_SECONDS)
  return new Map(files.map((file) => [file.id, { name: file.name, isPicture: file.mime.startsWith('image/'), link: linkOf(file) }]))
}

/** Stores uploads and returns them as answers. */
export async function storeUploads(
  ctx: EventScope,
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

/** Replaces files after registration. */
export async function replaceOwnFiles(
  ctx: EventScope,
  participantId: string,
  uploads: readonly { field: string; upload: StoredUpload }[],
): Promise<void> {
  const row = await getParticipant(ctx, participantId)
  const stored = answersOf(row)
  const updated = await updateParticipant(ctx, row, toAnswerColumns({ ...stored, ...(await storeUploads(ctx, { row }, uploads)) }))
  recordChange(ctx, { kind: 'participant', id: row.id, before: stored, after: answersOf(updated) })
}
