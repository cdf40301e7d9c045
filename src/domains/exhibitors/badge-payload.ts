/** The format of badge QR codes in one configuration version. */
export interface BadgeFormat {
  provider: 'own' | 'external'
  delimiter: string
  /** Position of the badge id among the delimited parts of the QR code text, starting at 0. */
  segmentIndex: number
}

/** A badge id found in a scanned text, and whether it may be matched case-insensitively. */
export interface ScannedBadgeId {
  id: string
  anyCase: boolean
}

const MAX_BADGE_CHARACTERS = 512
const CONTROL_CHARACTERS = /[\p{Cc}\uFEFF]+/gu

/**
 * Extracts the badge ids that a scanned text may contain: first by the current format, then by the formats of earlier versions. Shared by
 * leads, devices and check-in.
 */
export function parseBadgeIds(scanned: string, formats: readonly BadgeFormat[], baseUrl: string): ScannedBadgeId[] {
  const text = scanned.replace(CONTROL_CHARACTERS, '').trim()
  if (text === '' || text.length > MAX_BADGE_CHARACTERS) return []
  const names = new Map<string, ScannedBadgeId>()
  for (const format of formats) {
    const id = format.provider === 'own' ? parseOwnId(scanned, text, format, baseUrl) : parseSegment(text, format)
    if (id === null) continue
    const name = { id, anyCase: format.provider === 'external' }
    if (!names.has(id) || name.anyCase) names.set(id, name)
  }
  return [...names.values()]
}

/** Finds a badge id that Lanyard generated. Generated ids are lower case, but scanned or typed text may be upper case. */
function parseOwnId(scanned: string, text: string, format: BadgeFormat, baseUrl: string): string | null {
  const lower = text.toLowerCase()
  const address = `${baseUrl}/b/`.toLowerCase()
  if (lower.startsWith(address)) return lower.slice(address.length).split(/[?#/]/, 1)[0] || null
  if (lower.startsWith('begin:vcard')) return parseVCardId(scanned) ?? parseVCardId(text)
  return parseSegment(text, { ...format, segmentIndex: 0 })?.toLowerCase() ?? null
}

/**
 * Finds the badge id in a vCard. Only a line that starts with UID counts, because a name on the card could contain the same letters. Many
 * scanners remove line breaks.
 */
function parseVCardId(card: string): string | null {
  const lines = card.split(/[\r\n]+/)
  const line = lines.length > 1 ? lines.find((one) => /^uid[:;]/i.test(one)) : card
  return /uid(?:;[^:]*)?:\s*([0-9a-f]{16})/i.exec(line ?? '')?.[1]?.toLowerCase() ?? null
}

/**
 * Returns the part of the scanned text that holds the badge id. Splits at the delimiter without quoting or patterns; empty parts count.
 * An id typed by hand contains no delimiter.
 */
function parseSegment(text: string, { delimiter, segmentIndex }: BadgeFormat): string | null {
  if (!text.includes(delimiter)) return text
  return text.split(delimiter)[segmentIndex]?.trim() || null
}
