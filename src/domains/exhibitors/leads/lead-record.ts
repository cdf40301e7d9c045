import { z } from 'zod'
import { toOneLine, count, id, list, text } from '../../../kernel/args.ts'
import { defineRecord } from '../../../kernel/records.ts'
import { LEAD_STATES } from '../states.ts'

/** The parts of a lead that the company, or an organizer for it, may edit. */
export const LEAD_RECORD = defineRecord({
  table: 'leads',
  kind: 'lead',
  noun: 'Lead',
  name: (row) => row.id,
  primaryKey: ['tenant_id', 'event_id', 'id'],
  announced: { updated: 'lead.updated' },
  states: LEAD_STATES,
  fields: {
    rating: { column: 'rating', empty: null, type: count(0, 5), meaning: 'Rating by the booth staff, from 0 to 5.' },
    notes: { column: 'notes', empty: null, type: text(2000), meaning: 'Notes of the booth staff.' },
    tags: { column: 'tags', empty: [], type: list(text(60), 50), meaning: 'Tags of the lead. Replaces the whole list.' },
    qualifiers: {
      column: 'qualifiers',
      json: 'merged',
      empty: {},
      type: toOneLine(z.record(z.string().max(200), z.unknown()), 'answers by question code; null removes one'),
      meaning: 'Answers to the lead questions of the event.',
    },
    staffId: { column: 'staff_id', empty: null, type: id('exhibitorStaff'), meaning: 'Booth staff member who looks after the lead.' },
  },
})
