import { sendEventEmail } from '../messages/event-mail/send.ts'
import { fullName } from '../messages/event-mail/person.ts'
import type { AtEvent } from './at-event.ts'

interface Promoted {
  sessionId: string
  participantId: string
  /** Of their place: who leaves and moves up again is told again. */
  revision: number
}

/** Tells somebody who waited that they have a place now. A guest without an address is told through their host. */
export async function tellPromoted(ctx: AtEvent, { sessionId, participantId, revision }: Promoted): Promise<void> {
  const at = { tenant: ctx.tenantId, event: ctx.event.id }
  const { title } = await ctx.db
    .selectFrom('sessions')
    .select('title')
    .where('tenant_id', '=', at.tenant)
    .where('event_id', '=', at.event)
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow()
  const people = ctx.db.selectFrom('participants').selectAll().where('tenant_id', '=', at.tenant).where('event_id', '=', at.event)
  const person = await people.where('id', '=', participantId).executeTakeFirstOrThrow()
  const host = person.email === null && person.host_id !== null ? await people.where('id', '=', person.host_id).executeTakeFirst() : null
  const email = person.email ?? host?.email ?? null
  if (email === null) return
  await sendEventEmail(ctx, {
    trigger: 'waitlist.promoted',
    participant: person,
    to: { email, name: fullName(person) || null },
    values: { 'product.name': title },
    isTestData: person.is_test_data,
    sourceKind: 'sessionEnrolment',
    sourceId: sessionId,
    recipientKey: `${participantId}:${revision}`,
  })
}
