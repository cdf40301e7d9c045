import { isDeepStrictEqual } from 'node:util'

/** What a company notes of somebody it met. */
export interface LeadNotes {
  rating: number | null
  notes: string | null
  tags: string[]
  qualifiers: Record<string, unknown>
  staff_id: string | null
}

/** What one capture says of it. What it leaves out stays as it is. */
export interface SaidNotes {
  rating?: number | null | undefined
  notes?: string | null | undefined
  tags?: string[] | undefined
  /** Null takes an answer back. */
  qualifiers: Readonly<Record<string, unknown>>
  staffId: string | null
}

/** In the order in which things were said: the last word counts. */
export const noted = (before: LeadNotes, said: readonly SaidNotes[]): LeadNotes =>
  said.reduce(
    (now, { rating, notes, tags, qualifiers, staffId }) => ({
      rating: rating === undefined ? now.rating : rating,
      notes: notes === undefined ? now.notes : notes || null,
      tags: tags ?? now.tags,
      qualifiers: Object.fromEntries(Object.entries({ ...now.qualifiers, ...qualifiers }).filter(([, answer]) => answer !== null)),
      staff_id: staffId ?? now.staff_id,
    }),
    before,
  )

const TOLD = ['rating', 'notes', 'tags', 'qualifiers'] as const

/** Fields that integrators see a difference in. */
export const changedNotes = (before: LeadNotes, after: LeadNotes): string[] =>
  TOLD.filter((field) => !isDeepStrictEqual(before[field], after[field]))
