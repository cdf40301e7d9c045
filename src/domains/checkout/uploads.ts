import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { FieldError } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { createFile, deleteFile } from '../files/files.ts'
import { createFileLinkBuilder } from '../files/links.ts'
import type { StoredUpload } from '../files/upload.ts'
import { findQuestionRules } from '../configuration/flow/answer-rules.ts'
import { readStoredAnswers, toParticipantAnswerColumns } from '../registration/answers.ts'
import { getParticipant, updateParticipant } from '../registration/participant-rows.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import type { RegistrationProgress } from './progress.ts'

export interface UploadedFile {
  name: string
  isPicture: boolean
  /** A temporary URL of the file, for the participant who uploaded it. */
  link: string
}

const LINK_SECONDS = 3600

/** Lists the uploaded files in the answers, by file id. */
export async function listUploadedFiles(
  ctx: RegistrationContext,
  { snapshot, row, answers }: RegistrationProgress,
): Promise<Map<string, UploadedFile>> {
  const ids = Object.entries(answers).flatMap(([binding, value]) =>
    typeof value === 'string' && findQuestionRules(snapshot.config, binding)?.type === 'file' ? [value] : [],
  )
  if (ids.length === 0) return new Map()
  const files = await eventDb(ctx)
    .selectFrom('files')
    .select(['id', 'name', 'mime', 'purpose'])
    .where('owner_id', '=', row.id)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute()
  const linkOf = await createFileLinkBuilder(ctx, LINK_SECONDS)
  return new Map(files.map((file) => [file.id, { name: file.name, isPicture: file.mime.startsWith('image/'), link: linkOf(file) }]))
}

/** The total size of the files that one registration may hold. */
const MAX_REGISTRATION_UPLOAD_BYTES = 50 * 1024 * 1024

interface StoredAnswers {
  answers: Record<string, string>
  /** The errors of uploads that exceed the size limit of the registration. No file was created from them. */
  errors: FieldError[]
}

/**
 * Stores uploads and returns them as answers, up to the size limit of the registration. Files that are replaced do not count towards the
 * limit.
 */
export async function storeUploads(
  ctx: RegistrationContext,
  { row, answers: previous }: Pick<RegistrationProgress, 'row' | 'answers'>,
  uploads: readonly { field: string; upload: StoredUpload }[],
): Promise<StoredAnswers> {
  if (uploads.length === 0) return { answers: {}, errors: [] }
  const sizes = await readUploadSizes(ctx, row.id)
  const answers: Record<string, string> = {}
  const errors: FieldError[] = []
  // Subtracts the sizes of all replaced files first, because the uploads of a form come in any order.
  for (const { field } of uploads) sizes.delete(String(previous[field]))
  for (const { field, upload } of uploads) {
    if (answers[field] !== undefined) sizes.delete(answers[field])
    const total = [...sizes.values()].reduce((sum, size) => sum + size, upload.size)
    if (total > MAX_REGISTRATION_UPLOAD_BYTES) {
      errors.push(toFieldError(field, 'error.uploads'))
      continue
    }
    sizes.set(upload.id, upload.size)
    const { id } = await createFile(ctx, upload, {
      clientId: ctx.client.id,
      eventId: ctx.event.id,
      owner: { kind: 'participant', id: row.id },
      isTestData: row.is_test_data,
    })
    answers[field] = id
  }
  return { answers, errors }
}

async function readUploadSizes(ctx: RegistrationContext, participantId: string): Promise<Map<string, number>> {
  const files = await eventDb(ctx)
    .selectFrom('files')
    .select(['id', 'size'])
    .where('owner_kind', '=', 'participant')
    .where('owner_id', '=', participantId)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(files.map(({ id, size }) => [id, size]))
}

/** Whether an answer of the registration is an uploaded file. */
export const hasUploadedFiles = ({ snapshot, answers }: Pick<RegistrationProgress, 'snapshot' | 'answers'>): boolean =>
  Object.entries(answers).some(([binding, value]) => value !== null && findQuestionRules(snapshot.config, binding)?.type === 'file')

/**
 * Deletes uploaded files that no answer refers to any more, because they were replaced or their answer was cleared. Returns their IDs:
 * `purgeDeletedFiles` deletes their bytes after the commit.
 */
export async function deleteUnusedUploads(ctx: RegistrationContext, participantId: string): Promise<string[]> {
  const unused = await eventDb(ctx)
    .selectFrom('files')
    .select('id')
    .where('owner_kind', '=', 'participant')
    .where('owner_id', '=', participantId)
    .where('purpose', 'in', ['headshot', 'answer'])
    .where('deleted_at', 'is', null)
    .where(
      sql<boolean>`not exists (select from participants p where p.tenant_id = files.tenant_id and p.event_id = files.event_id and p.id = files.owner_id
        and (files.id in (p.headshot, p.ai_avatar_file_id) or position(files.id in p.custom_field_responses::text) > 0))`,
    )
    .execute()
  for (const { id } of unused) await deleteFile(ctx, { fileId: id })
  return unused.map(({ id }) => id)
}

/** Replaces uploaded files after the registration is complete. */
export async function replaceUploadedFiles(
  ctx: RegistrationContext,
  participantId: string,
  uploads: readonly { field: string; upload: StoredUpload }[],
): Promise<{ errors: FieldError[]; deletedFiles: string[] }> {
  const row = await getParticipant(ctx, participantId)
  const stored = readStoredAnswers(row)
  const { answers, errors } = await storeUploads(ctx, { row, answers: stored }, uploads)
  const updated = await updateParticipant(ctx, row, toParticipantAnswerColumns({ ...stored, ...answers }))
  recordChange(ctx, { kind: 'participant', id: row.id, before: stored, after: readStoredAnswers(updated) })
  return { errors, deletedFiles: await deleteUnusedUploads(ctx, participantId) }
}
