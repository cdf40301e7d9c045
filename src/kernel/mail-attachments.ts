import type { Db } from './columns.ts'
import { AppError } from './errors.ts'
import { cleanText } from './outside-text.ts'

export interface Attachment {
  name: string
  mime: string
  content: Buffer
  /** Shown inside the HTML as `cid:<contentId>` instead of beside it. */
  contentId?: string
}

const MB = 1024 * 1024
const MAX_EACH = 5 * MB
/** Mail servers refuse more, and what is attached grows by a third on its way. */
const MAX_ALL = 15 * MB
const MAX_COUNT = 20

const MIME = /^[a-z]+\/[\w.+-]+(?:; [a-z]+=[\w.-]+)*$/i
const CONTENT_ID = /^[\w.-]{1,64}$/

/** Writes the attachments beside their message. What names they were given decides neither a path nor a header. */
export async function attach(db: Db, message: { tenantId: number; id: string }, attachments: readonly Attachment[]): Promise<void> {
  if (attachments.length === 0) return
  const all = attachments.reduce((sum, { content }) => sum + content.length, 0)
  if (attachments.length > MAX_COUNT) throw tooMuch(`A mail carries at most ${MAX_COUNT} attachments`)
  if (attachments.some(({ content }) => content.length > MAX_EACH)) throw tooMuch(`An attachment has at most ${MAX_EACH / MB} MB`)
  if (all > MAX_ALL) throw tooMuch(`The attachments of a mail have at most ${MAX_ALL / MB} MB together`)
  await db
    .insertInto('message_attachments')
    .values(
      attachments.map(({ name, mime, content, contentId }, position) => ({
        tenant_id: message.tenantId,
        message_id: message.id,
        position,
        name: fileName(name),
        mime: MIME.test(mime) ? mime : 'application/octet-stream',
        content_id: contentId !== undefined && CONTENT_ID.test(contentId) ? contentId : null,
        size: content.length,
        bytes: content,
      })),
    )
    .execute()
}

const fileName = (name: string) =>
  cleanText(name, 150)
    .replace(/[/\\:*?"<>|\s]+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '') || 'attachment'

const tooMuch = (sentence: string) => new AppError('limit_exceeded', sentence)
