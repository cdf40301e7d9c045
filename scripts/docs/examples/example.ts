import type { Arguments, DemoStage } from '../demo-stage.ts'

/** Prepares what the call needs and returns its arguments. Calls without a dry run take effect, so reads come first. */
export type Example = (stage: DemoStage) => Arguments | Promise<Arguments>
export type Examples = Readonly<Record<string, Example>>

export const SUMMIT = { eventCode: 'summit-2027' }
export const euros = (amount: string) => ({ amount, currency: 'EUR' })

/** A participant's answers to the summit's attendee form. */
export const attendee = (firstName: string, lastName: string, company: string, more: Arguments = {}): Arguments => ({
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
export const AGREED = { '@policy.conduct': true, '@policy.terms': true }

export const emailOf = (firstName: string) => `${firstName.toLowerCase()}@visitors.demo.example`

export interface Registered {
  participantId: string
  confirmationNumber: string
  orderNumber: string
  invoiceNumber: string
}

/** Registers a participant, who then has an open invoice. */
export async function registered(stage: DemoStage, firstName: string, lastName: string, company: string, more: Arguments = {}): Promise<Registered> {
  const { data = {}, ...rest } = more
  const { participant, order, invoice } = await stage.call('add_participant', {
    ...SUMMIT,
    flowSlug: 'attendee',
    data: attendee(firstName, lastName, company, { ...AGREED, ...(data as Arguments) }),
    ...rest,
  })
  return { participantId: participant.id, confirmationNumber: participant.confirmationNumber, orderNumber: order?.number, invoiceNumber: invoice?.number }
}
