import { sql } from 'kysely'
import type { AccountContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/page.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../kernel/search.ts'
import { EMAIL_STATES } from '../../kernel/work-states.ts'
import { buildCanReadUserRecordsSql, type PermittedScopes, listPermittedScopes } from '../access/reach.ts'
import { containsCredential } from './credentials.ts'

export const MESSAGE_STATUSES = EMAIL_STATES.all
export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

interface MailboxRequest {
  /** Search words for the subject, address or name. */
  search?: string | undefined
  status?: MessageStatus | undefined
  eventCode?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** Whether sign-in codes and links may be shown, which is only the case if emails do not leave this machine. */
interface MailboxOptions {
  showCredentials: boolean
}

const HIDDEN_CODE_SUBJECT = 'One-time code'

/** Lists emails, newest first, without their content. */
export async function listMessages(ctx: AccountContext, request: MailboxRequest, { showCredentials }: MailboxOptions) {
  let rows = selectReadableMessages(ctx).select(['id', 'category', 'subject', 'to_address', 'to_name', 'status', 'queued_at', EVENT_NAME])
  if (request.status) rows = rows.where('status', '=', request.status)
  if (request.eventCode)
    rows = rows.where(sql<boolean>`event_id in (select id from events where tenant_id = ${ctx.tenantId} and code = ${request.eventCode})`)
  if (request.search) {
    // The column `searched` lacks subjects with a sign-in code, because searching for one digit after another could reveal the code.
    const found = buildWordMatchCondition(sql`messages.searched`, request.search)
    const code = buildWordMatchCondition(sql`lanyard_searched(subject, to_address, to_name)`, request.search)
    rows = rows.where(showCredentials ? sql<boolean>`(${found} or (category = 'signin.code' and ${code}))` : found)
  }
  return readPage(ctx, request, {
    rows,
    order: [{ by: sql`messages.id`, type: 'text', descending: true, of: (row) => row.id }],
    shape: (row) => ({
      id: row.id,
      subject: !showCredentials && row.category === 'signin.code' ? HIDDEN_CODE_SUBJECT : row.subject,
      to: { address: row.to_address, name: row.to_name },
      status: row.status as MessageStatus,
      queuedAt: row.queued_at,
      eventName: row.eventName,
    }),
  })
}

/** Returns one email. Its text and HTML are null if they contain a credential that may not be shown. */
export async function getMessage(ctx: AccountContext, id: string, { showCredentials }: MailboxOptions) {
  const row = await selectReadableMessages(ctx).selectAll('messages').select(EVENT_NAME).where('messages.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('This message does not exist, or you have no access to it')
  const hidden = !showCredentials && containsCredential({ category: row.category, text: row.text_body, html: row.html_body })
  return {
    id: row.id,
    subject: hidden && row.category === 'signin.code' ? HIDDEN_CODE_SUBJECT : row.subject,
    to: { address: row.to_address, name: row.to_name },
    fromName: row.from_name,
    replyTo: row.reply_to,
    category: row.category,
    emailCode: row.email_code,
    eventName: row.eventName,
    status: row.status as MessageStatus,
    attempts: row.attempts,
    nextAttemptAt: row.status === 'queued' ? row.next_attempt_at : null,
    queuedAt: row.queued_at,
    handedAt: row.handed_at,
    sentAt: row.sent_at,
    lastError: row.last_error as { class?: string; enhancedCode?: string; text?: string } | null,
    messageIdHeader: row.message_id_header,
    headers: row.headers,
    isTestData: row.is_test_data,
    hidden,
    text: hidden ? null : row.text_body,
    html: hidden ? null : row.html_body,
    language: row.locale,
    attachments: hidden ? [] : await listAttachments(ctx, row.id),
  }
}

const listAttachments = (ctx: AccountContext, id: string) =>
  tenantDb(ctx)
    .selectFrom('message_attachments')
    .select(['position', 'name', 'mime', 'size', 'content_id as contentId'])
    .where('message_id', '=', id)
    .orderBy('position')
    .execute()

/** Finds an attachment of an email. The caller has read the email before. Null if the attachment was deleted. */
export async function findAttachment(ctx: AccountContext, { id, position }: { id: string; position: number }): Promise<Buffer | null> {
  const row = await tenantDb(ctx)
    .selectFrom('message_attachments')
    .select('bytes')
    .where('message_id', '=', id)
    .where('position', '=', position)
    .executeTakeFirst()
  return row?.bytes ?? null
}

const EVENT_NAME = sql<string | null>`(select e.name from events e where e.tenant_id = messages.tenant_id and e.id = messages.event_id)`.as(
  'eventName',
)

function selectReadableMessages(ctx: AccountContext) {
  const at = ({ clientIds, eventIds }: PermittedScopes) => sql<boolean>`(messages.event_id = any(${eventIds})
    or messages.event_id in (select id from events where tenant_id = ${ctx.tenantId} and client_id = any(${clientIds})))`
  const readable = at(listPermittedScopes(ctx.access, 'email.read'))
  const admin = listPermittedScopes(ctx.access, 'clients.admin')
  const administered = at(admin)
  const recipient = sql`(select u.id from users u where u.tenant_id = messages.tenant_id and u.email_norm = lanyard_fold_email(messages.to_address))`
  const ofNoEvent = sql<boolean>`case when messages.client_id is null then ${buildCanReadUserRecordsSql(ctx, recipient)}
    else messages.client_id = any(${admin.clientIds}) or ${recipient} = ${ctx.actor.id} end`
  return tenantDb(ctx)
    .selectFrom('messages')
    .where(
      sql<boolean>`((messages.event_id is null and ${ofNoEvent})
        or (messages.category <> 'signin.code' and ${readable}) or (messages.category = 'signin.code' and ${administered}))`,
    )
}
