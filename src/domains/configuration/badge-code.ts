import { createBadgePayload } from '../../kernel/badge-signature.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import type { EventConfig } from './schema/event-config.ts'

interface BadgeScope {
  keys: DerivedKeys
  baseUrl: string
  event: { id: string; code: string }
}

/** The database columns of a participant that a badge's QR code can contain. */
export interface BadgeHolder {
  badge_id: string | null
  first_name: string | null
  last_name: string | null
  company: string | null
  job_title: string | null
}

export interface BadgeQrCode {
  /** The text that the badge's QR code encodes. */
  text: string
  ecc: 'L' | 'M' | 'Q' | 'H'
}

/** The fields that a vCard may contain besides the name, if they are also printed on the badge. */
const CARD_FIELDS = [
  { binding: '@participant.company', property: 'ORG', column: 'company' },
  { binding: '@participant.jobTitle', property: 'TITLE', column: 'job_title' },
] as const

/** Maximum length of a value in a vCard, because scanners read at most 512 characters of a code. */
const MAX_CARD_VALUE = 80
const escapeCardText = (text: string) =>
  text
    .slice(0, MAX_CARD_VALUE)
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\s+/g, ' ')

/**
 * Creates the QR code of a badge: by default the signed badge id, otherwise a URL or a vCard that contains the id, as configured. If the
 * event uses another badge provider, the QR code contains only the badge id. Returns null if the person has no badge.
 */
export function createBadgeQrCode(ctx: BadgeScope, badge: EventConfig['badge'], person: BadgeHolder): BadgeQrCode | null {
  const { badge_id: id } = person
  if (id === null) return null
  const { content, ecc } = badge.qr ?? { content: 'badgeId', ecc: 'M' }
  if (badge.provider !== 'own') return { text: id, ecc }
  if (content === 'url') return { text: `${ctx.baseUrl}/b/${id}`, ecc }
  return { text: content === 'vcard' ? toCard(badge, person) : createBadgePayload(ctx.keys, ctx.event, id, badge.delimiter), ecc }
}

/**
 * Formats a vCard. The badge id comes first, because it could not be distinguished from a name in the output of scanners that remove line
 * breaks.
 */
function toCard({ fields }: EventConfig['badge'], person: BadgeHolder): string {
  const [first, last] = [person.first_name, person.last_name].map((name) => escapeCardText(name ?? ''))
  const more = CARD_FIELDS.filter(({ binding, column }) => fields.includes(binding) && person[column]).map(
    ({ property, column }) => `${property}:${escapeCardText(person[column]!)}`,
  )
  const name = [first, last].filter(Boolean).join(' ')
  return ['BEGIN:VCARD', 'VERSION:3.0', `UID:${person.badge_id}`, `N:${last};${first};;;`, `FN:${name}`, ...more, 'END:VCARD'].join('\r\n')
}
