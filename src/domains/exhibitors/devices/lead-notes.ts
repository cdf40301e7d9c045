import { isDeepStrictEqual } from 'node:util'

export interface LeadNotes {
  rating: number | null
  notes: string | null
  tags: string[]
  qualifiers: Record<string, unknown>
  staff_id: string | null
}

/** The notes that a device sends with one badge scan. Omitted fields stay unchanged. */
export interface LeadCaptureNotes {
  rating?: number | null | undefined
  notes?: string | null | undefined
  tags?: string[] | undefined
  /** Answers by question code. Null removes an answer. */
  qualifiers: Readonly<Record<string, unknown>>
  staffId: string | null
}

/** Applies the notes of several captures in order; the last value of a field wins. */
export const applyLeadCaptureNotes = (before: LeadNotes, captures: readonly LeadCaptureNotes[]): LeadNotes =>
  captures.reduce(
    (now, { rating, notes, tags, qualifiers, staffId }) => ({
      rating: rating === undefined ? now.rating : rating,
      notes: notes === undefined ? now.notes : notes || null,
      tags: tags ?? now.tags,
      qualifiers: Object.fromEntries(Object.entries({ ...now.qualifiers, ...qualifiers }).filter(([, answer]) => answer !== null)),
      staff_id: staffId ?? now.staff_id,
    }),
    before,
  )

const ANNOUNCED_FIELDS = ['rating', 'notes', 'tags', 'qualifiers'] as const

/** Lists the note fields that changed, for the announcement to integrations. */
export const listChangedNotes = (before: LeadNotes, after: LeadNotes): string[] =>
  ANNOUNCED_FIELDS.filter((field) => !isDeepStrictEqual(before[field], after[field]))
