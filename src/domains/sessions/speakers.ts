import { recordChange } from '../../kernel/audit.ts'
import { conflict } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { EventScope } from './context.ts'

export interface NewSpeaker {
  firstName: string
  lastName: string
  email: string
  company?: string
  jobTitle?: string
  bio?: string
  country?: string
  status?: 'prospect' | 'invited' | 'confirmed'
}

/** Creates a speaker, who is identified by email address within the event. */
export async function createSpeaker(ctx: EventScope, speaker: NewSpeaker): Promise<{ id: string }> {
  const inserted = await ctx.db
    .insertInto('speakers')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      first_name: speaker.firstName,
      last_name: speaker.lastName,
      email: speaker.email,
      company: speaker.company ?? null,
      job_title: speaker.jobTitle ?? null,
      bio: speaker.bio ?? null,
      country: speaker.country ?? null,
      status: speaker.status ?? 'prospect',
    })
    .onConflict((c) => c.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) throw conflict(`Another speaker here has the email address ${speaker.email}. Edit that speaker instead`)
  recordChange(ctx, { kind: 'speaker', id: inserted.id, after: { ...speaker } })
  return inserted
}
