import { foldEmail } from '../../../kernel/email-address.ts'
import { defineEmail, sendEmail } from '../../../kernel/email.ts'
import { chooseLanguage } from '../../../kernel/language/negotiation.ts'
import type { Attachment } from '../../../kernel/email-attachments.ts'
import { eventDb, tenantDb } from '../../../kernel/scoped-db.ts'
import { type Configuration, readDraft, readLiveConfiguration } from '../../configuration/read.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'
import { buildEventPageUrls } from '../../tenancy/public-pages.ts'
import type { EmailRecipient, FieldValue } from '../rendering/recipient.ts'
import type { RenderedEmail } from '../rendering/render.ts'
import { createBadgeCode } from '../../configuration/badge-code.ts'
import { createBadgeAttachment } from './badge.ts'
import { getEmailCategory } from './built-in.ts'
import { buildEventCalendar } from './calendar.ts'
import { getEmailDesign, type EventEmailDesign, type EmailSelection } from './email-design.ts'
import { readHeldQuantities, readOrder } from './order.ts'
import type { ParticipantRow } from './person.ts'
import { buildRecipient, type EmailData } from './recipient.ts'
import type { EventEmailContext } from './email-context.ts'

/** The recipient of an event email, and the record it is about. */
export interface EventEmail extends EmailSelection {
  participant: ParticipantRow | null
  to: { email: string; name?: string | null | undefined; locale?: string | null | undefined }
  /** Merge field values from the sender, such as `product.name`. They override record data. */
  values?: Readonly<Record<string, FieldValue>>
  /** The order that the email is about, if it is not the order of the participant. */
  orderId?: string | undefined
  isTestData: boolean
}

export interface OutgoingEventEmail extends EventEmail {
  attachments?: readonly Attachment[]
  /** The type of the record that causes the email. With the source id it is the idempotency key: one source sends one email per address. */
  sourceKind: string
  sourceId: string
  /** Distinguishes several emails of one source to the same address. */
  recipientKey?: string | undefined
}

interface PreparedEmail {
  design: EventEmailDesign
  recipient: EmailRecipient
  locale: string
  attachments: Attachment[]
}

/**
 * Queues an event email in the caller's transaction. The named design is used, otherwise the event's design for the trigger, otherwise the
 * built-in one. Returns null if the event turned the email off or no design exists.
 */
export async function sendEventEmail(
  ctx: EventEmailContext,
  mail: OutgoingEventEmail,
): Promise<{ emailCode: string | null; subject: string } | null> {
  const prepared = await prepareEmail(ctx, mail, ctx.isPreview ?? false)
  if (prepared === null) return null
  const { design, recipient, locale, attachments } = prepared
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
  await sendEmail(ctx, email, {
    to: { address: mail.to.email, ...(mail.to.name ? { name: mail.to.name } : {}) },
    content: null,
    source: {
      kind: mail.sourceKind,
      id: mail.sourceId,
      recipientKey: mail.recipientKey ?? `${email.code}:${foldEmail(mail.to.email)}`,
    },
    locale,
    eventId: ctx.event.id,
    fromName: design.fromName ?? design.config.details.name,
    ...(replyTo ? { replyTo } : {}),
    attachments: [...attachments, ...(mail.attachments ?? [])],
    isTestData: isTestEmail(mail),
  })
  return { emailCode: design.code, subject }
}

/** Renders the email without sending it, for previews and dry runs. */
export async function renderEventEmail(
  ctx: EventEmailContext,
  mail: EventEmail,
): Promise<(RenderedEmail & { emailCode: string | null }) | null> {
  const prepared = await prepareEmail(ctx, mail)
  return prepared && { ...prepared.design.compiled.render(prepared.recipient), emailCode: prepared.design.code }
}

/** Whether the email is test data. Emails to test participants always are. */
const isTestEmail = ({ isTestData, participant }: EventEmail) => isTestData || (participant?.is_test_data ?? false)

async function prepareEmail(ctx: EventEmailContext, mail: EventEmail, withoutFiles = false): Promise<PreparedEmail | null> {
  const configuration = await readEmailConfiguration(ctx, isTestEmail(mail))
  const { facts } = configuration
  const locale = chooseLanguage([mail.to.locale ?? mail.participant?.language ?? ''], [facts.locale, ...facts.locales]) ?? facts.locale
  const design = await getEmailDesign(ctx, configuration, mail, locale)
  if (design === null) return null
  const badge = withoutFiles ? null : await createBadge(ctx, design, mail)
  const data: EmailData = {
    config: design.config,
    facts,
    locale,
    person: mail.participant,
    to: mail.to,
    order: await readEmailOrder(ctx, mail, design),
    held: mail.participant ? await readHeldQuantities(ctx, mail.participant.id) : new Map(),
    group: await readGroup(ctx, mail.participant),
    sender: await readSender(ctx, design),
    badge: badge && { src: `cid:${badge.contentId}`, alt: mail.participant!.badge_id! },
    values: mail.values ?? {},
  }
  const calendar = !withoutFiles && design.attachments.includes('calendar') ? [createCalendar(ctx, data)] : []
  return { design, recipient: buildRecipient(ctx, data), locale, attachments: [...(badge ? [badge] : []), ...calendar] }
}

/**
 * Loads the event configuration for an email. Emails about test data use the draft, because test data is created from the draft; all other
 * emails use the published version.
 */
async function readEmailConfiguration(ctx: EventEmailContext, isTestData: boolean): Promise<Configuration> {
  const draft = await readDraft(ctx)
  return isTestData ? draft : ((await readLiveConfiguration(ctx, draft)) ?? draft)
}

const containsBlock = (blocks: readonly EmailBlock[], type: EmailBlock['type']): boolean =>
  blocks.some((block) => block.type === type || (block.type === 'columns' && containsBlock(block.blocks as EmailBlock[], type)))

async function createBadge(
  ctx: EventEmailContext,
  { config, blocks, attachments }: EventEmailDesign,
  { participant }: EventEmail,
): Promise<Attachment | null> {
  if (!participant || !(attachments.includes('badge') || containsBlock(blocks, 'qrBadge'))) return null
  const code = createBadgeCode(ctx, config.badge, participant)
  return code && createBadgeAttachment(code)
}

const readEmailOrder = (ctx: EventEmailContext, { orderId, participant }: EventEmail, { config }: EventEmailDesign) =>
  orderId === undefined && participant === null
    ? Promise.resolve(null)
    : readOrder(ctx, orderId === undefined ? { participantId: participant!.id } : { orderId }, config)

async function readGroup(ctx: EventEmailContext, participant: ParticipantRow | null) {
  if (!participant?.group_id) return null
  const group = await eventDb(ctx)
    .selectFrom('managed_groups')
    .select(['name', 'code'])
    .where('id', '=', participant.group_id)
    .executeTakeFirst()
  return group ?? null
}

async function readSender(ctx: EventEmailContext, { config, fromName }: EventEmailDesign): Promise<EmailData['sender']> {
  const { name, billing } = await tenantDb(ctx)
    .selectFrom('clients')
    .select(['name', 'billing'])
    .where('id', '=', ctx.client.id)
    .executeTakeFirstOrThrow()
  const postalAddress = [billing.legalName, billing.address].filter(Boolean).join('\n')
  return { name: fromName ?? billing.legalName ?? name, email: config.details.contactEmail ?? null, postalAddress: postalAddress || null }
}

function createCalendar(ctx: EventEmailContext, { config, facts, person }: EmailData): Attachment {
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
