/** How the badges of an event are written, as some version of its configuration said. */
export interface BadgeFormat {
  provider: 'own' | 'external'
  delimiter: string
  /** From 0. */
  segmentIndex: number
}

/** What a scanned text may name: a badge id, and whether another spelling of it will do. */
export interface BadgeName {
  id: string
  anyCase: boolean
}

const MAX_LENGTH = 512
const CONTROL = /[\p{Cc}\uFEFF]+/gu

/**
 * The badge ids that a scanned text may name, the likeliest first: by the format of today, then by those that badges were printed in before.
 * The one reader of badges, for leads, devices and doors.
 */
export function badgeNamesIn(scanned: string, formats: readonly BadgeFormat[], baseUrl: string): BadgeName[] {
  const text = scanned.replace(CONTROL, '').trim()
  if (text === '' || text.length > MAX_LENGTH) return []
  const names = new Map<string, BadgeName>()
  for (const format of formats) {
    const id = format.provider === 'own' ? ownId(scanned, text, format, baseUrl) : segmentOf(text, format)
    if (id === null) continue
    const name = { id, anyCase: format.provider === 'external' }
    if (!names.has(id) || name.anyCase) names.set(id, name)
  }
  return [...names.values()]
}

/** Ours are written in lower case; scanners and people need not. */
function ownId(scanned: string, text: string, format: BadgeFormat, baseUrl: string): string | null {
  const lower = text.toLowerCase()
  const address = `${baseUrl}/b/`.toLowerCase()
  if (lower.startsWith(address)) return lower.slice(address.length).split(/[?#/]/, 1)[0] || null
  if (lower.startsWith('begin:vcard')) return cardId(scanned) ?? cardId(text)
  return segmentOf(text, { ...format, segmentIndex: 0 })?.toLowerCase() ?? null
}

/** Of a card with its lines the one that begins so: a name on the card may hold the same letters. Many scanners take the line ends away. */
function cardId(card: string): string | null {
  const lines = card.split(/[\r\n]+/)
  const line = lines.length > 1 ? lines.find((one) => /^uid[:;]/i.test(one)) : card
  return /uid(?:;[^:]*)?:\s*([0-9a-f]{16})/i.exec(line ?? '')?.[1]?.toLowerCase() ?? null
}

/** Literally: no quoting, no patterns, and what is empty counts. Whoever types an id by hand types no delimiter. */
function segmentOf(text: string, { delimiter, segmentIndex }: BadgeFormat): string | null {
  if (!text.includes(delimiter)) return text
  return text.split(delimiter)[segmentIndex]?.trim() || null
}
