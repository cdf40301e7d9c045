import { sql } from 'kysely'
import type { Context } from './context.ts'
import { foldEmailCase } from './email-address.ts'
import { newId } from './ids.ts'
import { type Translator, chooseTranslator } from './language/translator.ts'
import { type Attachment, saveAttachments } from './email-attachments.ts'
import { buildEmailHeaders, type EmailHeaders } from './email-headers.ts'
import { cleanText } from './clean-text.ts'

export type EmailCategory = 'signin.code' | 'transactional' | 'operational' | 'marketing'

/** The language an email is written in, and the base URL of its links. */
export interface EmailRenderContext {
  words: Translator
  baseUrl: string
}

/** A kind of email. `code` identifies it in logs, audits and lists; `render` receives only the content. */
export interface EmailDefinition<Content> {
  code: string
  category: EmailCategory
  render: (content: Content, setting: EmailRenderContext) => RenderedEmail
}

interface RenderedEmail {
  subject: string
  text: string
  html?: string
  /** The language of the email, if Lanyard's own texts are not available in this language. */
  locale?: string
}

export const defineEmail = <Content>(email: EmailDefinition<Content>): EmailDefinition<Content> => email

/** Sending priority by category. Lower numbers are sent first, so that a sign-in code never waits behind a newsletter. */
const LANE_BY_CATEGORY: Record<EmailCategory, number> = { 'signin.code': 0, transactional: 1, operational: 2, marketing: 3 }

export interface EmailRequest<Content> {
  to: { address: string; name?: string }
  content: Content
  /** Identifies why the email is sent. A repeated request with the same source and recipient sends no second email. */
  source: { kind: string; id: string; recipientKey: string }
  /** The recipient's language; English if unknown. */
  locale?: string | null
  eventId?: string
  fromName?: string
  replyTo?: string
  headers?: EmailHeaders
  attachments?: readonly Attachment[]
  isTestData?: boolean
  /**
   * False to write no email. The email is rendered and the statement runs all the same, so that the time of a response does not reveal
   * whether an email was sent.
   */
  when?: boolean
}

/**
 * The fields of `Context` that are needed to send an email, also from pages without a tool call. Emails about a client are sent in the name
 * of the client.
 */
export type EmailContext = Pick<Context, 'tenantId' | 'db' | 'effects' | 'baseUrl'> & { client?: { id: string } }

/** An email as a row of the outbox, with its attachments. */
export interface ComposedEmail {
  row: { id: string; to_address: string; subject: string } & Record<string, unknown>
  attachments: readonly Attachment[]
}

export function composeEmail<Content>(
  ctx: Omit<EmailContext, 'db' | 'effects'>,
  email: EmailDefinition<Content>,
  mailing: EmailRequest<Content>,
): ComposedEmail {
  const words = chooseTranslator(mailing.locale ?? 'en')
  const { text, html, locale = words.locale, ...rendered } = email.render(mailing.content, { words, baseUrl: ctx.baseUrl })
  const id = newId()
  const row = {
    tenant_id: ctx.tenantId,
    id,
    client_id: ctx.client?.id ?? null,
    event_id: mailing.eventId ?? null,
    source_kind: mailing.source.kind,
    source_id: mailing.source.id,
    recipient_key: mailing.source.recipientKey,
    category: email.category,
    lane: LANE_BY_CATEGORY[email.category],
    email_code: email.code,
    to_address: mailing.to.address,
    to_name: mailing.to.name ?? null,
    from_name: mailing.fromName ?? null,
    reply_to: mailing.replyTo ?? null,
    locale,
    subject: cleanText(rendered.subject).replace(/\s+/g, ' ').trim(),
    text_body: text,
    html_body: html ?? null,
    headers: buildEmailHeaders(email.category, mailing.headers),
    // Emails of test data are stored for the test mailbox page and never sent.
    status: mailing.isTestData ? 'kept' : 'queued',
    message_id_header: `<${id}@${new URL(ctx.baseUrl).hostname}>`,
    is_test_data: mailing.isTestData ?? false,
  }
  return { row, attachments: mailing.attachments ?? [] }
}

/**
 * Writes the email to the outbox in the caller's transaction; the worker sends it after the commit. Returns false if the outbox already
 * has it.
 */
export const sendEmail = async <Content>(
  ctx: EmailContext,
  email: EmailDefinition<Content>,
  mailing: EmailRequest<Content>,
): Promise<boolean> => (await queueEmails(ctx, [composeEmail(ctx, email, mailing)], mailing.when ?? true)) === 1

/** Writes emails to the outbox with one statement. Those that the outbox already has are left out. Returns the number of new emails. */
export async function queueEmails(ctx: EmailContext, composed: readonly ComposedEmail[], when = true): Promise<number> {
  const inserted = await insertMessages(
    ctx,
    composed.map(({ row }) => row),
    when,
  )
  for (const { row, attachments } of composed) {
    if (!inserted.has(row.id)) continue
    await saveAttachments(ctx.db, { tenantId: ctx.tenantId, id: row.id }, attachments)
    ctx.effects.add('recipients', foldEmailCase(row.to_address), { email: row.to_address, subject: row.subject })
  }
  return inserted.size
}

/** Inserts emails into the outbox if `when` is true. Returns the ids of those that the outbox did not have. */
async function insertMessages(
  { db }: Pick<EmailContext, 'db'>,
  messages: readonly ComposedEmail['row'][],
  when: boolean,
): Promise<ReadonlySet<string>> {
  const [first] = messages
  if (!first) return new Set()
  const columns = sql.join(Object.keys(first).map((name) => sql.ref(name)))
  // PostgreSQL accepts no unpaired surrogates in JSON.
  const values = JSON.stringify(messages, (_name, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value))
  const { rows } = await sql<{ id: string }>`
    insert into messages (${columns})
    select ${columns} from jsonb_populate_recordset(null::messages, ${values}::jsonb) where ${when}
    on conflict (tenant_id, source_kind, source_id, recipient_key) where resend_of is null do nothing
    returning id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
