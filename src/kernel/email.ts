import type { Context } from './context.ts'
import { newId } from './ids.ts'
import { type Words, wordsIn } from './language/words.ts'
import { type Attachment, attach } from './mail-attachments.ts'
import { headersOf, type MailHeaders } from './mail-headers.ts'
import { cleanText } from './outside-text.ts'

export type MailCategory = 'signin.code' | 'transactional' | 'operational' | 'marketing'

/** In which words a mail is written, and where its links lead. */
export interface MailSetting {
  words: Words
  baseUrl: string
}

/** A kind of mail. `code` names it in logs, audits and lists; `render` sees only what it is given. */
export interface Email<Content> {
  code: string
  category: MailCategory
  render: (content: Content, setting: MailSetting) => Rendered
}

interface Rendered {
  subject: string
  text: string
  html?: string
  /** Where the texts are in a language that our own words do not speak. */
  locale?: string
}

export const defineEmail = <Content>(email: Email<Content>): Email<Content> => email

/** Lower lanes leave first: a sign-in code never waits behind a newsletter. */
const LANES: Record<MailCategory, number> = { 'signin.code': 0, transactional: 1, operational: 2, marketing: 3 }

export interface Mailing<Content> {
  to: { address: string; name?: string }
  content: Content
  /** What the mail is about. One source reaches one recipient once, however often it is asked for. */
  source: { kind: string; id: string; recipientKey: string }
  /** The recipient's language; English where it is not known. */
  locale?: string | null
  eventId?: string
  fromName?: string
  replyTo?: string
  headers?: MailHeaders
  attachments?: readonly Attachment[]
  isTestData?: boolean
}

/** What a mail needs of a context, so that pages without a tool call can send one too. What is done at a client is mailed in its name. */
export type MailContext = Pick<Context, 'tenantId' | 'db' | 'effects' | 'baseUrl'> & { client?: { id: string } }

/** Writes the mail into the outbox, in the caller's transaction; the worker sends it after the commit. False: it was there already. */
export async function sendEmail<Content>(ctx: MailContext, email: Email<Content>, mailing: Mailing<Content>): Promise<boolean> {
  const words = wordsIn(mailing.locale ?? 'en')
  const { text, html, locale = words.locale, ...rendered } = email.render(mailing.content, { words, baseUrl: ctx.baseUrl })
  const subject = cleanText(rendered.subject).replace(/\s+/g, ' ').trim()
  const id = newId()
  const inserted = await ctx.db
    .insertInto('messages')
    .values({
      tenant_id: ctx.tenantId,
      id,
      client_id: ctx.client?.id ?? null,
      event_id: mailing.eventId ?? null,
      source_kind: mailing.source.kind,
      source_id: mailing.source.id,
      recipient_key: mailing.source.recipientKey,
      category: email.category,
      lane: LANES[email.category],
      email_code: email.code,
      to_address: mailing.to.address,
      to_name: mailing.to.name ?? null,
      from_name: mailing.fromName ?? null,
      reply_to: mailing.replyTo ?? null,
      locale,
      subject,
      text_body: text,
      html_body: html ?? null,
      headers: JSON.stringify(headersOf(email.category, mailing.headers)),
      // Test data is rendered and kept for the mailbox page, and never leaves.
      status: mailing.isTestData ? 'kept' : 'queued',
      message_id_header: `<${id}@${new URL(ctx.baseUrl).hostname}>`,
      is_test_data: mailing.isTestData ?? false,
    })
    .onConflict((c) => c.columns(['tenant_id', 'source_kind', 'source_id', 'recipient_key']).where('resend_of', 'is', null).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) return false
  await attach(ctx.db, { tenantId: ctx.tenantId, id }, mailing.attachments ?? [])
  ctx.effects.add('recipients', mailing.to.address.toLowerCase(), { email: mailing.to.address, subject })
  return true
}
