import { sendEmail } from '../../kernel/email.ts'
import type { Attachment } from '../../kernel/email-attachments.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import type { Secret } from '../../kernel/secrets.ts'
import type { HousingContext } from '../housing/context.ts'
import { buildHeading, buildLinkButton, buildParagraphs, ONE_TIME_CODE_BLOCK, defineNoticeEmail } from '../messages/rendering/notice.ts'
import type { EnvelopeRow, SignerRow } from './tables.ts'
import { toSigningPath, deriveSigningLinkToken } from './links.ts'

interface EnvelopeNotice {
  client: string
  event: string
  number: string
  path: string
}

export const signatureRequestEmail = defineNoticeEmail<EnvelopeNotice & { message: string | null; day: string; isReminder: boolean }>({
  code: 'signature-request',
  category: 'transactional',
  write: ({ client, event, number, path, message, day, isReminder }, { words: { say }, baseUrl }) => ({
    sender: client,
    subject: say(isReminder ? 'mail.sign.reminder.subject' : 'mail.sign.subject', { number, event }),
    preheader: say('mail.sign.text', { client, number, event }),
    blocks: [
      buildHeading(say('mail.sign.heading', { number })),
      buildParagraphs(say('mail.sign.text', { client, number, event }), ...(message ? [message] : []), say('mail.sign.until', { day })),
      buildLinkButton(say('mail.sign.button'), `${baseUrl}${path}`),
      buildParagraphs(say('mail.sign.keep')),
    ],
  }),
})

export const signingCodeEmail = defineNoticeEmail<{ client: string; number: string; code: Secret }>({
  code: 'signature-code',
  category: 'signin.code',
  write: ({ client, number, code }, { words: { say } }) => ({
    sender: client,
    showCode: code.reveal(),
    subject: say('mail.signCode.subject', { number }),
    preheader: say('mail.signCode.text', { number }),
    blocks: [
      buildParagraphs(say('mail.signCode.text', { number })),
      ONE_TIME_CODE_BLOCK,
      buildParagraphs(say('mail.code.lifetime'), say('mail.code.ignore')),
    ],
  }),
})

export const envelopeEndedEmail = defineNoticeEmail<
  Omit<EnvelopeNotice, 'path'> & { how: 'voided' | 'declined' | 'expired'; name: string; reason: string }
>({
  code: 'signature-ended',
  category: 'transactional',
  write: ({ client, event, number, how, name, reason }, { words: { say } }) => ({
    sender: client,
    subject: say(`mail.signEnded.${how}.subject`, { number, event }),
    preheader: say(`mail.signEnded.${how}.text`, { number, client, name }),
    blocks: [
      buildHeading(say(`mail.signEnded.${how}.subject`, { number, event })),
      buildParagraphs(say(`mail.signEnded.${how}.text`, { number, client, name }), ...(reason === '' ? [] : [reason])),
    ],
  }),
})

export const signedCopyEmail = defineNoticeEmail<EnvelopeNotice>({
  code: 'signature-copy',
  category: 'transactional',
  write: ({ client, event, number, path }, { words: { say }, baseUrl }) => ({
    sender: client,
    subject: say('mail.signed.subject', { number, event }),
    preheader: say('mail.signed.text', { number }),
    blocks: [
      buildHeading(say('mail.signed.heading', { number })),
      buildParagraphs(say('mail.signed.text', { number }), say('mail.signed.attached')),
      buildLinkButton(say('mail.signed.button'), `${baseUrl}${path}`),
      buildParagraphs(say('mail.signed.verify', { address: `${baseUrl}/verify` })),
    ],
  }),
})

const addressee = (signer: SignerRow) => ({ address: signer.email, name: signer.name })

interface Letter {
  envelope: EnvelopeRow
  signer: SignerRow
  number: string
}

const commonOf = (ctx: HousingContext, { signer, number }: Letter) => ({
  client: ctx.client.name,
  event: ctx.event.name,
  number,
  path: toSigningPath(deriveSigningLinkToken(ctx.keys, { tenantId: ctx.tenantId, signerId: signer.id })),
})

const sourceOf = ({ envelope, signer }: Letter, what: string) => ({
  kind: 'envelope',
  id: envelope.id,
  recipientKey: `${what}:${signer.id}:${foldEmailCase(signer.email)}`,
})

/** Emails the signing link to a signer, as the first email or as a reminder. */
export const sendSigningLink = (
  ctx: HousingContext,
  letter: Letter,
  { day, reminder = 0 }: { day: string; reminder?: number },
): Promise<boolean> =>
  sendEmail(ctx, signatureRequestEmail, {
    to: addressee(letter.signer),
    content: { ...commonOf(ctx, letter), message: letter.envelope.message, day, isReminder: reminder > 0 },
    source: sourceOf(letter, `link${reminder}`),
    locale: letter.envelope.locale,
    eventId: ctx.event.id,
    fromName: ctx.client.name,
  })

export const sendSigningCode = (ctx: HousingContext, letter: Letter, { code, id }: { code: Secret; id: string }): Promise<boolean> =>
  sendEmail(ctx, signingCodeEmail, {
    to: addressee(letter.signer),
    content: { client: ctx.client.name, number: letter.number, code },
    source: sourceOf(letter, `code${id}`),
    locale: letter.envelope.locale,
    eventId: ctx.event.id,
    fromName: ctx.client.name,
  })

export const sendEnvelopeEndedEmail = (
  ctx: HousingContext,
  letter: Letter,
  ending: { how: 'voided' | 'declined' | 'expired'; name: string; reason: string },
): Promise<boolean> => {
  const { path: _, ...common } = commonOf(ctx, letter)
  return sendEmail(ctx, envelopeEndedEmail, {
    to: addressee(letter.signer),
    content: { ...common, ...ending },
    source: sourceOf(letter, ending.how),
    locale: letter.envelope.locale,
    eventId: ctx.event.id,
    fromName: ctx.client.name,
  })
}

export const sendSignedCopy = (ctx: HousingContext, letter: Letter, attachments: readonly Attachment[]): Promise<boolean> =>
  sendEmail(ctx, signedCopyEmail, {
    to: addressee(letter.signer),
    content: commonOf(ctx, letter),
    source: sourceOf(letter, 'copy'),
    locale: letter.envelope.locale,
    eventId: ctx.event.id,
    fromName: ctx.client.name,
    attachments,
  })
