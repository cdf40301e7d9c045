import type { Db } from './columns.ts'
import { AppError } from './errors.ts'
import { cleanText } from './clean-text.ts'

export interface Attachment {
  name: string
  mime: string
  content: Buffer
  /** The content ID of an image that the HTML shows as `cid:<contentId>`; undefined for an ordinary attachment. */
  contentId?: string
}

const MB = 1024 * 1024
/** Maximum size of one attachment. Callers send a link to a larger file instead. */
export const MAX_ATTACHMENT_BYTES = 10 * MB
/** Maximum size of all attachments of a message: mail servers reject larger messages, and base64 adds a third to the size. */
const MAX_TOTAL_BYTES = 15 * MB
const MAX_COUNT = 20

const MIME = /^[a-z]+\/[\w.+-]+(?:; [a-z]+=[\w.-]+)*$/i
const CONTENT_ID = /^[\w.-]{1,64}$/

/** Saves the attachments of a message. Their names are sanitized, because they are used as file names and in email headers. */
export async function saveAttachments(
  db: Db,
  message: { tenantId: number; id: string },
  attachments: readonly Attachment[],
): Promise<void> {
  if (attachments.length === 0) return
  const all = attachments.reduce((sum, { content }) => sum + content.length, 0)
  if (attachments.length > MAX_COUNT) throw limitExceeded(`An email can have at most ${MAX_COUNT} attachments`)
  if (attachments.some(({ content }) => content.length > MAX_ATTACHMENT_BYTES))
    throw limitExceeded(`An attachment can have at most ${MAX_ATTACHMENT_BYTES / MB} MB`)
  if (all > MAX_TOTAL_BYTES) throw limitExceeded(`The attachments of an email can have at most ${MAX_TOTAL_BYTES / MB} MB together`)
  await db
    .insertInto('message_attachments')
    .values(
      attachments.map(({ name, mime, content, contentId }, position) => ({
        tenant_id: message.tenantId,
        message_id: message.id,
        position,
        name: sanitizeFileName(name),
        mime: MIME.test(mime) ? mime : 'application/octet-stream',
        content_id: contentId !== undefined && CONTENT_ID.test(contentId) ? contentId : null,
        size: content.length,
        bytes: content,
      })),
    )
    .execute()
}

const sanitizeFileName = (name: string) =>
  cleanText(name, 150)
    .replace(/[/\\:*?"<>|\s]+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '') || 'attachment'

const limitExceeded = (sentence: string) => new AppError('limit_exceeded', sentence)
