import { extname } from 'node:path'
import { invalidArguments } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import type { Context } from '../../kernel/context.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { CustomField, EventConfig } from '../configuration/schema/event-config.ts'
import { createFile, deleteFile } from '../files/files.ts'
import { createFileLinkBuilder } from '../files/links.ts'
import type { StoredUpload } from '../files/upload.ts'
import type { SessionQueryContext, SessionContext } from '../sessions/context.ts'
import { updateSubmission } from './submissions.ts'
import type { SubmissionRow } from './tables.ts'

/** An upload that answers the question with this code. */
export interface AnswerUpload {
  code: string
  upload: StoredUpload
}

/** A file of a proposal, with a temporary link. */
export interface ProposalFile {
  fileId: string
  name: string
  url: string
}

/** The maximum total size of the files of one proposal. */
const MAX_PROPOSAL_BYTES = 50 * 1024 * 1024
const LINK_SECONDS = 3600
const OWNER_KIND = 'submission'

/** Lists the questions of the call for papers that are answered with a file. */
export const listFileQuestions = ({ customFields, sessions }: Pick<EventConfig, 'customFields' | 'sessions'>): CustomField[] =>
  customFields.filter(({ code, retired, responseType }) => responseType === 'file' && !retired && sessions.submissionFields.includes(code))

/**
 * Stores uploads as answers of a submission, and returns the files that they replace. Files are named after the submission, because the
 * original file names may reveal to reviewers who wrote it.
 */
export async function storeAnswerFiles(ctx: SessionContext, row: SubmissionRow, uploads: readonly AnswerUpload[]): Promise<string[]> {
  if (uploads.length === 0) return []
  const stored = await listOwnFiles(ctx, row.id)
  const replaced = stored.filter(({ id }) => uploads.some(({ code }) => row.answers[code] === id))
  const kept = stored.filter((file) => !replaced.includes(file))
  const total = [...kept, ...uploads.map(({ upload }) => upload)].reduce((sum, { size }) => sum + size, 0)
  if (total > MAX_PROPOSAL_BYTES) throw invalidArguments([toFieldError(`answers.${uploads[0]!.code}`, 'error.proposalUploads')])
  const answers: Record<string, string> = {}
  for (const { code, upload } of uploads) {
    const name = `${row.number}-${code}${extname(upload.name).toLowerCase()}`
    const owner = { kind: OWNER_KIND, id: row.id }
    answers[code] = (await createFile(ctx, { ...upload, name }, { clientId: ctx.client.id, eventId: ctx.event.id, owner })).id
  }
  await updateSubmission(ctx, row.number, { answers })
  for (const { id } of replaced) await deleteFile(ctx, { fileId: id })
  return replaced.map(({ id }) => id)
}

const listOwnFiles = (ctx: SessionQueryContext, submissionId: string) =>
  eventDb(ctx)
    .selectFrom('files')
    .select(['id', 'name', 'size', 'purpose'])
    .where('owner_kind', '=', OWNER_KIND)
    .where('owner_id', '=', submissionId)
    .where('deleted_at', 'is', null)
    .execute()

/**
 * Reads the files of a submission by id. Ids of files that do not belong to the submission are not found, so that an answer cannot give
 * access to other files.
 */
export async function readAnswerFiles(
  ctx: SessionQueryContext & Pick<Context, 'keys' | 'baseUrl' | 'tenantCode'>,
  { id, answers }: Pick<SubmissionRow, 'id' | 'answers'>,
): Promise<Map<string, ProposalFile>> {
  const named = new Set(Object.values(answers).filter((value) => typeof value === 'string'))
  const files = named.size === 0 ? [] : (await listOwnFiles(ctx, id)).filter((file) => named.has(file.id))
  if (files.length === 0) return new Map()
  const linkOf = await createFileLinkBuilder(ctx, LINK_SECONDS)
  return new Map(files.map((file) => [file.id, { fileId: file.id, name: file.name, url: linkOf(file) }]))
}
