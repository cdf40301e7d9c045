import type { z } from 'zod'
import { count, id, instant, list, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import { eventDb, joinRowsOfSameEvent } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import type { ExhibitorQueryContext } from '../context.ts'
import { LEAD_SOURCES } from './lead-shapes.ts'

/** A company that has a participant as a lead, with the notes of its staff. */
export const ParticipantLead = object({
  leadId: id('lead'),
  company: object({ companyId: text(), name: untrustedText() }),
  source: oneOf(LEAD_SOURCES),
  captures: count(),
  firstCapturedAt: instant().nullable(),
  lastCapturedAt: instant().nullable(),
  rating: count(0, 5).nullable(),
  notes: untrustedText().nullable(),
  tags: list(untrustedText()),
})

const toInstant = (date: Date | null) => (date === null ? null : formatInstant(date))

/** Lists the leads about a participant by the name of the company. Deleted ones are left out. */
export async function listParticipantLeads(ctx: ExhibitorQueryContext, participantId: string): Promise<z.input<typeof ParticipantLead>[]> {
  const rows = await eventDb(ctx)
    .selectFrom('leads')
    .innerJoin('companies', (join) => joinRowsOfSameEvent(join, 'companies.id', 'leads.company_id'))
    .selectAll('leads')
    .select('companies.name')
    .where('leads.participant_id', '=', participantId)
    .where('leads.status', '=', 'active')
    .orderBy('companies.name_norm')
    .orderBy('leads.id')
    .execute()
  return rows.map((row) => ({
    leadId: row.id,
    company: { companyId: row.company_id, name: row.name },
    source: row.source,
    captures: row.captures,
    firstCapturedAt: toInstant(row.first_captured_at),
    lastCapturedAt: toInstant(row.last_captured_at),
    rating: row.rating,
    notes: row.notes,
    tags: row.tags,
  }))
}
