import type { Condition } from '../../../kernel/conditions.ts'
import type { Translator } from '../../../kernel/language/translator.ts'
import type { Money } from '../../../kernel/money.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'

/** The value of a merge field before formatting, which depends on the language of the email. */
export type MergeFieldValue =
  | string
  | number
  | boolean
  | Money
  | { day: string }
  | { from: string; until: string }
  | { instant: Date; zone: string }
  | readonly string[]
  | null
  | undefined

type Of<Type extends EmailBlock['type']> = Extract<EmailBlock, { type: Type }>

export interface EmailProduct {
  name: string
  description?: string
  price?: Money
}

export interface SessionInEmail {
  title: string
  startsAt: Date
  zone: string
  room?: string
}

export interface EmailEventDetails {
  name: string
  startsOn: string
  endsOn: string
  venue?: string
  address?: string
  website?: string
  mapUrl?: string
  calendarUrl?: string
}

export interface EmailOrderSummary {
  /** The items of the order before the discount, without taxes that are added to their prices. A cancelled item has the quantity zero. */
  lines: readonly { name: string; quantity: number; amount: Money }[]
  discount?: { code: string | null; amount: Money } | null
  /** The taxes that are added to the prices of the order. */
  taxes: readonly { name: string; percent: number; amount: Money }[]
  total: Money
  includedTaxes?: readonly { name: string; percent: number; amount: Money }[]
  paid: Money
  writtenOff?: Money | null
  balance: Money
  /** The amount that is owed to the recipient; shown instead of the balance. */
  credit?: Money | null
}

/** An image in an email: a URL, or an attachment as `cid:…`. */
export interface EmailPicture {
  src: string
  alt: string
  href?: string
}

/** The data of one recipient that an email can show. The email omits what is missing. */
export interface EmailRecipient {
  value: (path: string) => MergeFieldValue
  shows?: (condition: Condition) => boolean
  code?: string
  event?: EmailEventDetails
  order?: EmailOrderSummary
  badge?: EmailPicture
  products?: (block: Of<'productList'> | Of<'offer'>) => readonly EmailProduct[]
  sessions?: (block: Of<'sessionList'>) => readonly SessionInEmail[]
  ad?: (placement: Of<'adSlot'>['placement']) => EmailPicture | null
  footer?: { postalAddress?: string; why?: string; preferences?: string; unsubscribe?: string }
}

/** An email recipient together with state that exists only while the email is rendered. */
export interface EmailRenderingContext extends EmailRecipient {
  words: Translator
  /** The locale for formatting values. It may be a language that the built-in texts are not translated to. */
  locale: string
  missing: Set<string>
  /** Cache of formatted merge field values, by field path. */
  written: Map<string, string>
}

/** A piece of a compiled email: text that is equal for all recipients, or a function that renders the piece for one recipient. */
export type TemplatePiece = string | ((to: EmailRenderingContext) => string)

export const renderCompiledTemplate = (pieces: readonly TemplatePiece[], to: EmailRenderingContext): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : piece(to))).join('')
