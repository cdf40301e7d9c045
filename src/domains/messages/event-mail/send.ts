import { defineEmail, sendEmail } from '../../../kernel/email.ts'
import { chooseLanguage } from '../../../kernel/language/choose.ts'
import type { Attachment } from '../../../kernel/mail-attachments.ts'
import { type Configuration, readDraft, readLive } from '../../configuration/read.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'
import { eventPages } from '../../tenancy/public-pages.ts'
import type { FieldValue } from '../rendering/recipient.ts'
import type { RenderedMail } from '../rendering/render.ts'
import { badgeAttachment } from './badge.ts'
import { categoryOf } from './built-in.ts'
import { calendarOf } from './calendar.ts'
import { designOf, type EventMailDesign, type Wanted } from './compiled.ts'
import { heldBy, readOrder } from './order.ts'
import type { ParticipantRow } from './person.ts'
import { recipientOf, type Told } from './recipient.ts'
import type { MailingEvent } from './mailing-event.ts'

/** Whom an event writes to, and about what. */
export interface EventMail extends Wanted {
  participant: ParticipantRow | null
  to: { email: string; name?: string | null | undefined; locale?: string | null | undefined }
  /** Fields that only the sender knows, by their names as `product.name`; they go before what the records say. */
  values?: Readonly<Record<string, FieldValue>>
  /** Where it is not the participant's own. */
  orderId?: string | undefined
  isTestData: boolean
}

export interface SentMail extends EventMail {
  attachments?: readonly Attachment[]
  /** What the mail is about: one source reaches one address once. */
  sourceKind: string
  sourceId: string
  /** Where one source writes to an address more than once. */
  recipientKey?: string | undefined
}

interface Prepared {
  design: EventMailDesign
  rendered: RenderedMail
  locale: string
  attachments: Attachment[]
}

/**
 * Writes a mail of the event into the outbox, in the caller's transaction: by the design that is named, else by the event's own for the trigger,
 * else by ours. Null where the event turned it off, or where neither has one.
 */
export async function sendEventEmail(ctx: MailingEvent, mail: SentMail): Promise<{ emailCode: string | null; subject: string } | null> {
  const prepared = await prepare(ctx, mail)
  if (prepared === null) return null
  const { design, rendered, locale, attachments } = prepared
  const { subject, text, html } = rendered
  const email = defineEmail<null>({
    code: design.code ?? mail.trigger,
    category: categoryOf(mail.trigger),
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
      recipientKey: mail.recipientKey ?? `${email.code}:${mail.to.email.toLowerCase()}`,
    },
    locale,
    eventId: ctx.event.id,
    fromName: design.fromName ?? design.config.details.name,
    ...(replyTo ? { replyTo } : {}),
    attachments: [...attachments, ...(mail.attachments ?? [])],
    isTestData: isTest(mail),
  })
  return { emailCode: design.code, subject }
}

/** The mail as it would be sent, for previews and dry runs. */
export async function renderEventEmail(ctx: MailingEvent, mail: EventMail): Promise<(RenderedMail & { emailCode: string | null }) | null> {
  const prepared = await prepare(ctx, mail)
  return prepared && { ...prepared.rendered, emailCode: prepared.design.code }
}

/** Test data stays test data, whatever its sender says of it. */
const isTest = ({ isTestData, participant }: EventMail) => isTestData || (participant?.is_test_data ?? false)

async function prepare(ctx: MailingEvent, mail: EventMail): Promise<Prepared | null> {
  const configuration = await configurationFor(ctx, isTest(mail))
  const { facts } = configuration
  const locale = chooseLanguage([mail.to.locale ?? mail.participant?.language ?? ''], [facts.locale, ...facts.locales]) ?? facts.locale
  const design = await designOf(ctx, configuration, mail, locale)
  if (design === null) return null
  const badge = await badgeFor(design, mail)
  const told: Told = {
    config: design.config,
    facts,
    locale,
    person: mail.participant,
    to: mail.to,
    order: await orderFor(ctx, mail, design),
    held: mail.participant ? await heldBy(ctx, mail.participant.id) : new Map(),
    group: await groupOf(ctx, mail.participant),
    sender: await senderOf(ctx, design),
    badge: badge && { src: `cid:${badge.contentId}`, alt: mail.participant!.badge_id! },
    values: mail.values ?? {},
  }
  const rendered = design.compiled.render(recipientOf(ctx, told))
  const calendar = design.attachments.includes('calendar') ? [calendarFor(ctx, told)] : []
  return { design, rendered, locale, attachments: [...(badge ? [badge] : []), ...calendar] }
}

/** Test data is written to from the draft, as it was made from it; everybody else from what is published. */
async function configurationFor(ctx: MailingEvent, isTestData: boolean): Promise<Configuration> {
  const draft = await readDraft(ctx)
  return isTestData ? draft : ((await readLive(ctx, draft)) ?? draft)
}

const has = (blocks: readonly EmailBlock[], type: EmailBlock['type']): boolean =>
  blocks.some((block) => block.type === type || (block.type === 'columns' && has(block.blocks as EmailBlock[], type)))

async function badgeFor({ blocks, attachments }: EventMailDesign, { participant }: EventMail): Promise<Attachment | null> {
  if (!participant?.badge_id || !(attachments.includes('badge') || has(blocks, 'qrBadge'))) return null
  return badgeAttachment(participant.badge_id)
}

const orderFor = (ctx: MailingEvent, { orderId, participant }: EventMail, { config }: EventMailDesign) =>
  orderId === undefined && participant === null
    ? Promise.resolve(null)
    : readOrder(ctx, orderId === undefined ? { participantId: participant!.id } : { orderId }, config)

async function groupOf(ctx: MailingEvent, participant: ParticipantRow | null) {
  if (!participant?.group_id) return null
  const group = await ctx.db
    .selectFrom('managed_groups')
    .select(['name', 'code'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', participant.group_id)
    .executeTakeFirst()
  return group ?? null
}

async function senderOf(ctx: MailingEvent, { config, fromName }: EventMailDesign): Promise<Told['sender']> {
  const { name, billing } = await ctx.db
    .selectFrom('clients')
    .select(['name', 'billing'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', ctx.client.id)
    .executeTakeFirstOrThrow()
  const postalAddress = [billing.legalName, billing.address].filter(Boolean).join('\n')
  return { name: fromName ?? billing.legalName ?? name, email: config.details.contactEmail ?? null, postalAddress: postalAddress || null }
}

function calendarFor(ctx: MailingEvent, { config, facts, person }: Told): Attachment {
  const { venue, name } = config.details
  return calendarOf({
    uid: `${person?.id ?? ctx.event.id}@${new URL(ctx.baseUrl).hostname}`,
    sequence: person?.revision ?? 0,
    at: facts.now,
    name,
    startsOn: facts.startsOn,
    endsOn: facts.endsOn,
    place: [venue?.name, venue?.address, venue?.city].filter(Boolean).join(', '),
    url: eventPages(ctx).home,
    cancelled: person?.status === 'cancelled',
  })
}
