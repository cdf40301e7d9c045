import { sendEventEmail } from '../messages/event-mail/send.ts'
import { formatFullName } from '../messages/event-mail/person.ts'
import type { SessionContext } from './context.ts'

interface PromotedEnrolment {
  sessionId: string
  participantId: string
  /** The revision of the enrolment. Each revision has its own email, so a participant who is promoted again is notified again. */
  revision: number
}

/** Emails a participant who moved up from the waiting list. For a guest without an address, the host gets the email. */
export async function sendWaitlistPromotionEmail(
  ctx: SessionContext,
  { sessionId, participantId, revision }: PromotedEnrolment,
): Promise<void> {
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
    to: { email, name: formatFullName(person) || null },
    values: { 'product.name': title },
    isTestData: person.is_test_data,
    sourceKind: 'sessionEnrolment',
    sourceId: sessionId,
    recipientKey: `${participantId}:${revision}`,
  })
}
