import { z } from 'zod'
import { EmailBlock } from '../../../configuration/schema/emails.ts'
import { compileMail, type MailDesign } from '../render.ts'
import type { FieldValue, Recipient } from '../recipient.ts'

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

export const designOf = (design: Partial<MailDesign>): MailDesign => ({
  locale: 'en',
  subject: 'Subject',
  preheader: null,
  blocks: [],
  fields: FIELDS,
  sender: { name: 'Summit' },
  ...design,
})

export const recipientOf = (values: Record<string, FieldValue> = {}, rest: Partial<Recipient> = {}): Recipient => ({
  value: (path) => (Object.hasOwn(values, path) ? values[path] : null),
  ...rest,
})

export const rendered = (design: Partial<MailDesign>, values: Record<string, FieldValue> = {}, rest: Partial<Recipient> = {}) =>
  compileMail(designOf(design)).render(recipientOf(values, rest))

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The card of a mail as somebody reads it. */
export const readOf = (html: string) =>
  html
    .slice(html.indexOf('<body'))
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)
    .replaceAll(/\s+/g, ' ')

/** Every address that the HTML leads to. */
export const linksIn = (html: string) =>
  [...html.matchAll(/<a\b[^>]*? href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&').replaceAll('&#39;', "'"))
