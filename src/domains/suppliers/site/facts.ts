import type { SupplierKind } from '../supplier-record.ts'
import type { MeetingRoom, SupplierAddress, SupplierContact } from '../tables.ts'

/** The facts about a supplier that a web page or a catalog can provide. */
export interface SupplierFacts {
  name: string
  kind: SupplierKind
  address: SupplierAddress
  point: { latitude: number; longitude: number }
  contacts: SupplierContact[]
  website: string
  chain: string
  stars: number
  sleepingRooms: number
  meetingRooms: MeetingRoom[]
  totalMeetingSqm: number
  amenities: string[]
}

export const FACT_CONFIDENCE_LEVELS = ['high', 'medium', 'low'] as const
export const FACT_SOURCES = ['json-ld', 'table', 'link', 'opengraph', 'page', 'provider'] as const

/** One fact about a supplier, with its source and confidence. */
export type SupplierFact = {
  [F in keyof SupplierFacts]: {
    name: F
    value: SupplierFacts[F]
    source: (typeof FACT_SOURCES)[number]
    confidence: (typeof FACT_CONFIDENCE_LEVELS)[number]
  }
}[keyof SupplierFacts]

type Origin = Pick<SupplierFact, 'source' | 'confidence'>

/** Converts data about a supplier to facts with the same source and confidence. Unknown values are left out. */
export const toSupplierFacts = (values: { [F in keyof SupplierFacts]?: SupplierFacts[F] | null }, origin: Origin): SupplierFact[] =>
  Object.entries(values)
    .filter(([, value]) => isKnown(value))
    .map(([name, value]) => ({ name, value, ...origin }) as SupplierFact)

const isKnown = (value: unknown): boolean =>
  value !== null && value !== undefined && (typeof value !== 'object' || Object.keys(value).length > 0)

/** Keeps the most reliable fact for each field of a supplier; the earlier one if they are equally reliable. */
export function chooseMostReliableFacts(found: readonly SupplierFact[]): SupplierFact[] {
  const chosen = new Map<string, SupplierFact>()
  for (const confidence of FACT_CONFIDENCE_LEVELS)
    for (const fact of found) if (fact.confidence === confidence && !chosen.has(fact.name)) chosen.set(fact.name, fact)
  return [...chosen.values()]
}

export const findFactValue = <F extends keyof SupplierFacts>(facts: readonly SupplierFact[], name: F): SupplierFacts[F] | null =>
  (facts.find((fact) => fact.name === name)?.value as SupplierFacts[F] | undefined) ?? null
