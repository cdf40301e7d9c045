import { z } from 'zod'
import { EmailBlock } from '../../../configuration/schema/emails.ts'
import { compileEmail, type EmailDesign } from '../render.ts'
import type { MergeFieldValue, EmailRecipient } from '../recipient.ts'

export const FIELDS = new Set([
  'participant.firstName',
  'participant.bio',
  'order.total',
  'event.startsOn',
  'custom.diet',
  'links.pay',
  'links.myRegistration',
  'links.offer',
])

export const blockOf = (block: z.input<typeof EmailBlock>) => EmailBlock.parse(block)

export const designOf = (design: Partial<EmailDesign>): EmailDesign => ({
  locale: 'en',
  subject: 'Subject',
  preheader: null,
  blocks: [],
  fields: FIELDS,
  sender: { name: 'Summit' },
  ...design,
})

export const recipientOf = (values: Record<string, MergeFieldValue> = {}, rest: Partial<EmailRecipient> = {}): EmailRecipient => ({
  value: (path) => (Object.hasOwn(values, path) ? values[path] : null),
  ...rest,
})

export const renderDesign = (
  design: Partial<EmailDesign>,
  values: Record<string, MergeFieldValue> = {},
  rest: Partial<EmailRecipient> = {},
) => compileEmail(designOf(design)).render(recipientOf(values, rest))

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Returns the visible text of the email card. */
export const readCardText = (html: string) =>
  html
    .slice(html.indexOf('<body'))
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)
    .replaceAll(/\s+/g, ' ')

/** Lists all link addresses in the HTML. */
export const listLinks = (html: string) =>
  [...html.matchAll(/<a\b[^>]*? href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&').replaceAll('&#39;', "'"))
