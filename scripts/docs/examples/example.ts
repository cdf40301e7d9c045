import { type Arguments, type DemoScenario, SUMMIT_CODES } from '../demo-scenario.ts'

/** Prepares what the call needs and returns its arguments. Calls without a dry run take effect, so reads come first. */
export type Example = (stage: DemoScenario) => Arguments | Promise<Arguments>
export type Examples = Readonly<Record<string, Example>>

export const SUMMIT_SCOPE = { eventCode: 'summit-2027' }
export const euros = (amount: string) => ({ amount, currency: 'EUR' })

/** A participant's answers to the summit's attendee form. */
export const attendeeAnswers = (firstName: string, lastName: string, company: string, more: Arguments = {}): Arguments => ({
  '@participant.firstName': firstName,
  '@participant.lastName': lastName,
  '@participant.email': emailOf(firstName),
  '@participant.company': company,
  '@participant.country': 'PT',
  '@custom.diet': 'vegetarian',
  '@product.conference-pass': 1,
  ...more,
})

/** Policies that organizers may accept for participants they add. */
export const ACCEPTED_POLICIES = { '@policy.conduct': true, '@policy.terms': true }

export const emailOf = (firstName: string) => `${firstName.toLowerCase()}@visitors.demo.example`

export interface RegisteredAttendee {
  participantId: string
  confirmationNumber: string
  orderNumber: string
  invoiceNumber: string
}

/** Registers a participant, who then has an open invoice. */
export async function registerAttendee(stage: DemoScenario, firstName: string, lastName: string, company: string, more: Arguments = {}): Promise<RegisteredAttendee> {
  const { data = {}, ...rest } = more
  const { participant, order, invoice } = await stage.call('add_participant', {
    ...SUMMIT_SCOPE,
    flowSlug: 'attendee',
    data: attendeeAnswers(firstName, lastName, company, { ...ACCEPTED_POLICIES, ...(data as Arguments) }),
    ...rest,
  })
  return { participantId: participant.id, confirmationNumber: participant.confirmationNumber, orderNumber: order?.number, invoiceNumber: invoice?.number }
}

/** The demo's summit, for preparations that no tool does. */
export async function findSummit({ world }: DemoScenario) {
  const { rows } = await world.database.pool.query<{ tenant_id: number; id: string; client_id: string }>(
    `select tenant_id, id, client_id from events where code = 'summit-2027'`,
  )
  const { tenant_id: tenantId, id: eventId, client_id: clientId } = rows[0]!
  return { ...SUMMIT_CODES, tenantId, clientId, eventId }
}
