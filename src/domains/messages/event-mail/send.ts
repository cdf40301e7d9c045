import { foldEmailCase } from '../../../kernel/email-address.ts'
import { composeEmail, type ComposedEmail, defineEmail, queueEmails } from '../../../kernel/email.ts'
import { yieldToEventLoop } from '../../../kernel/cooperative.ts'
import { chooseLanguage } from '../../../kernel/language/negotiation.ts'
import type { Attachment } from '../../../kernel/email-attachments.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'
import { buildEventPageUrls } from '../../tenancy/public-pages.ts'
import type { EmailRecipient, MergeFieldValue } from '../rendering/recipient.ts'
import type { RenderedEmail } from '../rendering/render.ts'
import { createBadgeQrCode } from '../../configuration/badge-code.ts'
import { createBadgeAttachment } from './badge.ts'
import { getEmailCategory } from './built-in.ts'
import { buildEventCalendar } from './calendar.ts'
import { getEmailDesign, type EventEmailDesign, type EmailTemplateSelection } from './email-design.ts'
import { type EventDataForEmails, readEventDataForEmails } from './email-facts.ts'
import { toEmailOrderData } from './order.ts'
import type { EmailParticipantRow } from './person.ts'
import { buildEmailRecipient, type EventEmailData } from './recipient.ts'
import type { EventEmailContext } from './email-context.ts'

/** The recipient of an event email, and the record it is about. */
export interface EventEmailTarget extends EmailTemplateSelection {
  participant: EmailParticipantRow | null
  to: { email: string; name?: string | null | undefined; locale?: string | null | undefined }
  /** Merge field values from the sender, such as `product.name`. They override record data. */
  values?: Readonly<Record<string, MergeFieldValue>>
  /** The order that the email is about, if it is not the participant's own order. */
  orderId?: string | undefined
  isTestData: boolean
}

export interface OutgoingEventEmail extends EventEmailTarget {
  attachments?: readonly Attachment[]
  /**
   * The type of the record that causes the email. Together with `sourceId` it is the idempotency key: one record causes one email per
   * address.
   */
  sourceKind: string
  sourceId: string
  /** Distinguishes several emails that one record causes to the same address. */
  recipientKey?: string | undefined
}

interface PreparedEmail {
  design: EventEmailDesign
  recipient: EmailRecipient
  locale: string
  attachments: Attachment[]
}

export interface SentEventEmail {
  emailCode: string | null
  subject: string
}

/**
 * Queues an event email in the caller's transaction. The named design is used, otherwise the event's design for the trigger, otherwise the
 * built-in one. Returns null if the event turned the email off or no design exists.
 */
export const sendEventEmail = async (ctx: EventEmailContext, mail: OutgoingEventEmail): Promise<SentEventEmail | null> =>
  (await sendEventEmails(ctx, [mail]))[0]!

/** Queues several event emails with a fixed number of SQL statements. Returns a result for each email, as `sendEventEmail` does. */
export async function sendEventEmails(ctx: EventEmailContext, mails: readonly OutgoingEventEmail[]): Promise<(SentEventEmail | null)[]> {
  if (mails.length === 0) return []
  const facts = await readEventDataForEmails(ctx, mails)
  const composed: ComposedEmail[] = []
  const sent: (SentEventEmail | null)[] = []
  for (const mail of mails) {
    const prepared = await prepareEmail(ctx, facts, mail, ctx.isPreview ?? false)
    const email = prepared && composeEventEmail(ctx, mail, prepared)
    if (email) composed.push(email)
    sent.push(email && { emailCode: prepared.design.code, subject: email.row.subject })
    await yieldToEventLoop()
  }
  await queueEmails(ctx, composed)
  return sent
}

function composeEventEmail(
  ctx: EventEmailContext,
  mail: OutgoingEventEmail,
  { design, recipient, locale, attachments }: PreparedEmail,
): ComposedEmail {
  const { subject, text, html } = ctx.isPreview
    ? { subject: design.compiled.renderSubject(recipient), text: '', html: '' }
    : design.compiled.render(recipient)
  const email = defineEmail<null>({
    code: design.code ?? mail.trigger,
    category: getEmailCategory(mail.trigger),
    render: () => ({ subject, text, html, locale }),
  })
  const { contactEmail } = design.config.details
  const replyTo = design.replyTo ?? contactEmail
  return composeEmail(ctx, email, {
    to: { address: mail.to.email, ...(mail.to.name ? { name: mail.to.name } : {}) },
    content: null,
    source: {
      kind: mail.sourceKind,
      id: mail.sourceId,
      recipientKey: mail.recipientKey ?? `${email.code}:${foldEmailCase(mail.to.email)}`,
    },
    locale,
    eventId: ctx.event.id,
    fromName: design.fromName ?? design.config.details.name,
    ...(replyTo ? { replyTo } : {}),
    attachments: [...attachments, ...(mail.attachments ?? [])],
    isTestData: isTestEmail(mail),
  })
}

/** Renders the email without sending it, for previews and dry runs. */
export async function renderEventEmail(
  ctx: EventEmailContext,
  mail: EventEmailTarget,
): Promise<(RenderedEmail & { emailCode: string | null }) | null> {
  const prepared = await prepareEmail(ctx, await readEventDataForEmails(ctx, [mail]), mail)
  return prepared && { ...prepared.design.compiled.render(prepared.recipient), emailCode: prepared.design.code }
}

/** Whether the email is test data. Emails to test participants always are. */
const isTestEmail = ({ isTestData, participant }: EventEmailTarget) => isTestData || (participant?.is_test_data ?? false)

async function prepareEmail(
  ctx: EventEmailContext,
  stored: EventDataForEmails,
  mail: EventEmailTarget,
  withoutFiles = false,
): Promise<PreparedEmail | null> {
  const configuration = await stored.configurationOf(isTestEmail(mail))
  const { facts } = configuration
  const locale = chooseLanguage([mail.to.locale ?? mail.participant?.language ?? ''], [facts.locale, ...facts.locales]) ?? facts.locale
  const design = await getEmailDesign(ctx, configuration, mail, locale)
  if (design === null) return null
  const badge = withoutFiles ? null : await createBadge(ctx, design, mail)
  const order = stored.orderOf(mail)
  const data: EventEmailData = {
    config: design.config,
    facts,
    locale,
    person: mail.participant,
    to: mail.to,
    order: order && toEmailOrderData(order, design.config),
    held: stored.heldBy(mail.participant),
    group: stored.groupOf(mail.participant),
    sender: toSender(stored, design),
    badge: badge && { src: `cid:${badge.contentId}`, alt: mail.participant!.badge_id! },
    values: mail.values ?? {},
  }
  const calendar = !withoutFiles && design.attachments.includes('calendar') ? [createCalendar(ctx, data)] : []
  return { design, recipient: buildEmailRecipient(ctx, data), locale, attachments: [...(badge ? [badge] : []), ...calendar] }
}

const containsBlock = (blocks: readonly EmailBlock[], type: EmailBlock['type']): boolean =>
  blocks.some((block) => block.type === type || (block.type === 'columns' && containsBlock(block.blocks as EmailBlock[], type)))

async function createBadge(
  ctx: EventEmailContext,
  { config, blocks, attachments }: EventEmailDesign,
  { participant }: EventEmailTarget,
): Promise<Attachment | null> {
  if (!participant || !(attachments.includes('badge') || containsBlock(blocks, 'qrBadge'))) return null
  const code = createBadgeQrCode(ctx, config.badge, participant)
  return code && createBadgeAttachment(code)
}

function toSender({ client: { name, billing } }: EventDataForEmails, { config, fromName }: EventEmailDesign): EventEmailData['sender'] {
  const postalAddress = [billing.legalName, billing.address].filter(Boolean).join('\n')
  return { name: fromName ?? billing.legalName ?? name, email: config.details.contactEmail ?? null, postalAddress: postalAddress || null }
}

function createCalendar(ctx: EventEmailContext, { config, facts, person }: EventEmailData): Attachment {
  const { venue, name } = config.details
  return buildEventCalendar({
    uid: `${person?.id ?? ctx.event.id}@${new URL(ctx.baseUrl).hostname}`,
    sequence: person?.revision ?? 0,
    at: facts.now,
    name,
    startsOn: facts.startsOn,
    endsOn: facts.endsOn,
    place: [venue?.name, venue?.address, venue?.city].filter(Boolean).join(', '),
    url: buildEventPageUrls(ctx).home,
    cancelled: person?.status === 'cancelled',
  })
}
