import type { Condition } from '../../../kernel/conditions.ts'
import type { Words } from '../../../kernel/language/words.ts'
import type { Money } from '../../../kernel/money.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'

/** A value as it is known; how it is written follows from the language of the mail. */
export type FieldValue =
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

export interface MailProduct {
  name: string
  description?: string
  price?: Money
}

export interface MailSession {
  title: string
  startsAt: Date
  zone: string
  room?: string
}

export interface MailEvent {
  name: string
  startsOn: string
  endsOn: string
  venue?: string
  address?: string
  website?: string
  mapUrl?: string
  calendarUrl?: string
}

export interface MailOrder {
  lines: readonly { name: string; quantity: number; amount: Money }[]
  taxes: readonly { name: string; percent: string; amount: Money }[]
  total: Money
  paid: Money
  balance: Money
}

/** A picture that a mail shows: at a web address, or attached to the mail and named `cid:…`. */
export interface MailPicture {
  src: string
  alt: string
  href?: string
}

/** Everything a mail may say of one recipient. What is left out is not shown. */
export interface Recipient {
  value: (path: string) => FieldValue
  shows?: (condition: Condition) => boolean
  code?: string
  event?: MailEvent
  order?: MailOrder
  badge?: MailPicture
  products?: (block: Of<'productList'> | Of<'offer'>) => readonly MailProduct[]
  sessions?: (block: Of<'sessionList'>) => readonly MailSession[]
  ad?: (placement: Of<'adSlot'>['placement']) => MailPicture | null
  footer?: { postalAddress?: string; why?: string; preferences?: string; unsubscribe?: string }
}

/** A recipient while their mail is written. */
export interface Filling extends Recipient {
  words: Words
  /** Of values: that of the texts, which may be one that our own words do not speak. */
  locale: string
  missing: Set<string>
  /** Values that were asked for already. */
  written: Map<string, string>
}

/** A part of a mail: the same for everybody, or written for each. */
export type Piece = string | ((to: Filling) => string)

export const fill = (pieces: readonly Piece[], to: Filling): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : piece(to))).join('')
