import { notFound } from '../../../kernel/errors.ts'
import { chooseTranslator } from '../../../kernel/language/translator.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { listMergeFieldNames } from '../../configuration/data-fields.ts'
import { deriveAppearance } from '../../configuration/appearance.ts'
import type { Configuration } from '../../configuration/read.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import { translateConfig } from '../../configuration/translate-config.ts'
import { listEventPictureLinks } from '../../files/event-pictures.ts'
import { type CompiledEmail, compileEmail } from '../rendering/render.ts'
import { findBuiltInEmail, type EmailTrigger, isAlwaysSentEmail, type EmailTemplate, type EmailAudience } from './built-in.ts'
import type { EventEmailContext } from './email-context.ts'
import { addRequiredEmailBlocks } from './required-content.ts'

/** An event email in one language, ready to render for any recipient. */
export interface EventEmailDesign extends EmailTemplate {
  /** The code of the email in the event configuration; null for a built-in email. */
  code: string | null
  fromName: string | null
  replyTo: string | null
  config: EventConfig
  compiled: CompiledEmail
}

export interface EmailTemplateSelection {
  trigger: EmailTrigger
  emailCode?: string | null | undefined
  /** Whether the built-in text addresses a participant or a company. */
  reader?: EmailAudience | undefined
}

type SourceTemplate = Omit<EventEmailDesign, 'config' | 'compiled'>

const MAX_CACHED_DESIGNS = 500
const designCache = new Map<string, EventEmailDesign>()

/**
 * Returns the compiled email, which is compiled once per configuration document and language. The cache key contains the day, so that image
 * links are renewed daily.
 */
export async function getEmailDesign(
  ctx: EventEmailContext,
  configuration: Configuration,
  wanted: EmailTemplateSelection,
  locale: string,
): Promise<EventEmailDesign | null> {
  const { sha256, facts } = configuration
  const key = [
    ctx.event.id,
    sha256,
    locale,
    wanted.trigger,
    wanted.emailCode ?? '',
    wanted.reader ?? '',
    toDayInZone('UTC', facts.now),
  ].join('|')
  const known = sha256 === null ? undefined : designCache.get(key)
  if (known) return known
  const { config } = translateConfig(configuration.config, locale)
  const written = chooseTemplate(config, wanted, locale)
  if (written === null) return null
  const pictures = await listEventPictureLinks(
    ctx,
    [...listFileIds(written.blocks), ...(config.theme.logoFileId ? [config.theme.logoFileId] : [])],
    PICTURE_LINK_SECONDS,
  )
  const logo = pictures.get(config.theme.logoFileId ?? '')
  const compiled = compileEmail({
    locale,
    subject: written.subject,
    preheader: written.preheader,
    blocks: written.blocks,
    fields: listMergeFieldNames(config),
    sender: { name: config.details.name, ...(logo ? { logo } : {}) },
    look: deriveAppearance(config.theme),
    picture: (fileId) => pictures.get(fileId) ?? null,
  })
  const design = { ...written, config, compiled }
  if (designCache.size >= MAX_CACHED_DESIGNS) designCache.clear()
  if (sha256 !== null) designCache.set(key, design)
  return design
}

/**
 * Returns the custom email of the event, otherwise the built-in one. Returns null if the event turned off this email, unless it is always
 * sent.
 */
function chooseTemplate(
  { emails }: EventConfig,
  { trigger, emailCode, reader }: EmailTemplateSelection,
  locale: string,
): SourceTemplate | null {
  const named = emailCode ? emails.filter(({ code }) => code === emailCode) : emails.filter((email) => email.trigger === trigger)
  if (emailCode && named.length === 0) {
    throw notFound(`No email ${emailCode} in this event; it has ${emails.map(({ code }) => code).join(', ') || 'none of its own'}`)
  }
  const own = named.find(({ enabled }) => enabled)
  const words = chooseTranslator(locale)
  // A custom email without a trigger, such as a flow's confirmation, gets the required content of the built-in email it replaces.
  if (own) return { ...own, blocks: addRequiredEmailBlocks(own.trigger === 'none' ? trigger : own.trigger, own.blocks, words) }
  if (named.length > 0 && !isAlwaysSentEmail(trigger)) return null
  const ours = findBuiltInEmail(trigger, words, reader)
  return ours && { ...ours, code: null, fromName: null, replyTo: null }
}

const listFileIds = (blocks: readonly EmailBlock[]): string[] =>
  blocks.flatMap((block) =>
    block.type === 'columns' ? listFileIds(block.blocks as EmailBlock[]) : block.type === 'image' ? [block.fileId] : [],
  )

/** How long image links in emails stay valid. Recipients open emails long after they were sent. */
const PICTURE_LINK_SECONDS = 400 * 86_400
