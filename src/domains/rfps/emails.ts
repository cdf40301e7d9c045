import { sendEmail } from '../../kernel/email.ts'
import type { Attachment } from '../../kernel/email-attachments.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { formatInstantWithTimeZone } from '../../kernel/language/format.ts'
import type { Translator } from '../../kernel/language/translator.ts'
import { readDraftConfiguration } from '../configuration/read.ts'
import type { HousingContext } from '../housing/context.ts'
import { buildHeading, buildLinkButton, buildParagraphs, defineNoticeEmail } from '../messages/rendering/notice.ts'
import { createSupplierLink } from '../suppliers/links.ts'
import { getSupplierLinkExpiryDay } from './rfps.ts'
import type { RecipientRow, RfpRow } from './tables.ts'

/** What an email to a supplier is about, with the texts that it contains. */
export type RfpEmailOccasion =
  | { kind: 'request'; supplier: string; message?: string | undefined; files: readonly string[] }
  | { kind: 'reminder' }
  | { kind: 'question'; body: string }
  | { kind: 'answer'; question: string; body: string }
  | { kind: 'cancelled'; reason: string }
  | { kind: 'link' }

interface NoticeValues {
  rfp: Pick<RfpRow, 'number' | 'sealed' | 'response_due_at' | 'questions_due_at'>
  event: { name: string; timezone: string }
  client: string
  /** The path of the supplier's page, with the recipient's token. */
  path: string
  news: RfpEmailOccasion
}

/** Writes the texts of an email to a supplier: subject, heading and paragraphs. */
function writeNews({ rfp, event: { name: event, timezone }, client, news }: NoticeValues, { say, locale }: Translator) {
  const { number } = rfp
  const moment = formatInstantWithTimeZone(locale, rfp.response_due_at, timezone)
  switch (news.kind) {
    case 'request':
      return {
        subject: say('mail.rfp.subject', { number, event }),
        heading: say('mail.rfp.heading', { number }),
        texts: [
          say('mail.rfp.text', { client, supplier: news.supplier, event }),
          ...(news.message ? news.message.split(/\n+/) : []),
          say('mail.rfp.due', { moment, questions: formatInstantWithTimeZone(locale, rfp.questions_due_at, timezone) }),
          ...(rfp.sealed ? [say('mail.rfp.sealed', { client })] : []),
          say('mail.rfp.attached'),
          ...(news.files.length === 0 ? [] : [say('mail.rfp.files', { names: news.files.join(', ') })]),
        ],
      }
    case 'reminder':
      return {
        subject: say('mail.rfp.reminder.subject', { number, moment }),
        heading: say('mail.rfp.reminder.heading'),
        texts: [say('mail.rfp.reminder.text', { number, event, moment }), say('mail.rfp.reminder.turnDown')],
      }
    case 'question':
      return {
        subject: say('mail.rfp.ask.subject', { number, client }),
        heading: say('mail.rfp.ask.subject', { number, client }),
        texts: [say('mail.rfp.ask.text', { client, number, event }), say('mail.rfp.question', { text: news.body })],
      }
    case 'answer':
      return {
        subject: say('mail.rfp.answer.subject', { number }),
        heading: say('mail.rfp.answer.heading'),
        texts: [say('mail.rfp.question', { text: news.question }), say('mail.rfp.answer', { text: news.body })],
      }
    case 'cancelled':
      return {
        subject: say('mail.rfp.cancelled.subject', { number }),
        heading: say('mail.rfp.cancelled.subject', { number }),
        texts: [say('mail.rfp.cancelled.text', { client, number, event }), say('mail.rfp.reason', { reason: news.reason })],
      }
    case 'link':
      return {
        subject: say('mail.rfp.link.subject', { number }),
        heading: say('mail.rfp.link.subject', { number }),
        texts: [say('mail.rfp.link.text', { number, event })],
      }
  }
}

export const rfpEmail = defineNoticeEmail<NoticeValues>({
  code: 'rfp',
  category: 'transactional',
  write: (values, { words, baseUrl }) => {
    const { subject, heading, texts } = writeNews(values, words)
    return {
      subject,
      preheader: texts[0]!,
      sender: values.client,
      blocks: [
        buildHeading(heading),
        buildParagraphs(...texts),
        buildLinkButton(words.say('mail.rfp.button'), `${baseUrl}${values.path}`),
        buildParagraphs(words.say('mail.hotelLink.keep')),
      ],
    }
  },
})

/**
 * Reads how emails to suppliers are sent: in the language of the event and in the name of the client, with replies to the event's contact.
 */
export async function readRfpEmailSettings(ctx: HousingContext) {
  const { facts, config } = await readDraftConfiguration(ctx)
  const { contactEmail } = config.details
  return {
    locale: facts.locale,
    eventId: ctx.event.id,
    fromName: ctx.client.name,
    ...(contactEmail === undefined || contactEmail === null ? {} : { replyTo: contactEmail }),
  }
}

export interface RfpEmail {
  news: RfpEmailOccasion
  /** Identifies what the email is about, so that a recipient gets at most one email about it. */
  occasion: string
  attachments?: readonly Attachment[]
}

/** Emails one recipient of an RFP, with a personal link. */
export async function sendRfpEmail(
  ctx: HousingContext,
  rfp: RfpRow,
  recipient: RecipientRow,
  { news, occasion, attachments }: RfpEmail,
  setting?: Awaited<ReturnType<typeof readRfpEmailSettings>>,
): Promise<void> {
  const token = await createSupplierLink(ctx, {
    supplierId: recipient.supplier_id,
    record: { rfpRecipientId: recipient.id },
    to: { name: recipient.contact_name, email: recipient.contact_email },
    until: getSupplierLinkExpiryDay(rfp, ctx.event, await getDatabaseTime(ctx)),
  })
  await sendEmail(ctx, rfpEmail, {
    to: { address: recipient.contact_email, ...(recipient.contact_name === null ? {} : { name: recipient.contact_name }) },
    content: { rfp, event: ctx.event, client: ctx.client.name, path: `/supplier/${token.reveal()}`, news },
    source: { kind: 'rfpRecipient', id: recipient.id, recipientKey: occasion },
    ...(setting ?? (await readRfpEmailSettings(ctx))),
    ...(attachments ? { attachments } : {}),
  })
}
