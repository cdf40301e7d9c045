import { notFound } from '../../../kernel/errors.ts'
import { wordsIn } from '../../../kernel/language/words.ts'
import { dayIn } from '../../../kernel/time.ts'
import { knownTokens } from '../../configuration/data-fields.ts'
import { lookOf } from '../../configuration/look.ts'
import type { Configuration } from '../../configuration/read.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import { translatedInto } from '../../configuration/translated.ts'
import { eventPictures } from '../../files/event-pictures.ts'
import { type CompiledMail, compileMail } from '../rendering/render.ts'
import { builtIn, type EmailTrigger, isAlwaysSent, type MailText, type Reader } from './built-in.ts'
import type { MailingEvent } from './mailing-event.ts'

/** A mail of an event in one language, ready to be filled in for anybody. */
export interface EventMailDesign extends MailText {
  /** Null for one that we wrote. */
  code: string | null
  fromName: string | null
  replyTo: string | null
  config: EventConfig
  compiled: CompiledMail
}

export interface Wanted {
  trigger: EmailTrigger
  emailCode?: string | null | undefined
  /** Whom our own words speak to, where there are two sides. */
  reader?: Reader | undefined
}

type Written = Omit<EventMailDesign, 'config' | 'compiled'>

const MAX_KEPT = 500
const kept = new Map<string, EventMailDesign>()

/** The same for everybody who reads a document in one language, so it is made once; pictures are linked anew every day. */
export async function designOf(
  ctx: MailingEvent,
  configuration: Configuration,
  wanted: Wanted,
  locale: string,
): Promise<EventMailDesign | null> {
  const { sha256, facts } = configuration
  const key = [ctx.event.id, sha256, locale, wanted.trigger, wanted.emailCode ?? '', wanted.reader ?? '', dayIn('UTC', facts.now)].join('|')
  const known = sha256 === null ? undefined : kept.get(key)
  if (known) return known
  const { config } = translatedInto(configuration.config, locale)
  const written = writtenFor(config, wanted, locale)
  if (written === null) return null
  const pictures = await eventPictures(
    ctx,
    [...fileIdsIn(written.blocks), ...(config.theme.logoFileId ? [config.theme.logoFileId] : [])],
    PICTURES_FOR_SECONDS,
  )
  const logo = pictures.get(config.theme.logoFileId ?? '')
  const compiled = compileMail({
    locale,
    subject: written.subject,
    preheader: written.preheader,
    blocks: written.blocks,
    fields: knownTokens(config),
    sender: { name: config.details.name, ...(logo ? { logo } : {}) },
    look: lookOf(config.theme),
    picture: (fileId) => pictures.get(fileId) ?? null,
  })
  const design = { ...written, config, compiled }
  if (kept.size >= MAX_KEPT) kept.clear()
  if (sha256 !== null) kept.set(key, design)
  return design
}

/** The event's own mail, or ours where it has none; null where the event turned it off and nobody counts on it. */
function writtenFor({ emails }: EventConfig, { trigger, emailCode, reader }: Wanted, locale: string): Written | null {
  const named = emailCode ? emails.filter(({ code }) => code === emailCode) : emails.filter((email) => email.trigger === trigger)
  if (emailCode && named.length === 0) {
    throw notFound(`No email ${emailCode} in this event; it has ${emails.map(({ code }) => code).join(', ') || 'none of its own'}`)
  }
  const own = named.find(({ enabled }) => enabled)
  if (own) return own
  if (named.length > 0 && !isAlwaysSent(trigger)) return null
  const ours = builtIn(trigger, wordsIn(locale), reader)
  return ours && { ...ours, code: null, fromName: null, replyTo: null }
}

const fileIdsIn = (blocks: readonly EmailBlock[]): string[] =>
  blocks.flatMap((block) =>
    block.type === 'columns' ? fileIdsIn(block.blocks as EmailBlock[]) : block.type === 'image' ? [block.fileId] : [],
  )

/** Mails are read long after they were sent. */
const PICTURES_FOR_SECONDS = 400 * 86_400
