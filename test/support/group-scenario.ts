import { acceptInvite, type AcceptedInvite } from '../../src/domains/groups/accept-invite.ts'
import { getParticipant } from '../../src/domains/registration/participant-rows.ts'
import type { Db } from '../../src/kernel/columns.ts'
import { createEventContextAt } from './at-event.ts'
import { type SalesScenario, useSalesScenario, newAttendee, WORKED_EXAMPLE } from './sales-scenario.ts'

const [pass, ...others] = WORKED_EXAMPLE.products

/** The products of the specification's worked example, with a price of 400.00 for participants from Acme. */
export const ACME_PRICING = {
  ...WORKED_EXAMPLE,
  products: [{ ...pass!, prices: [...pass!.prices, { amount: '400.00', tags: ['acme'] }] }, ...others],
}

export interface GroupScenario extends SalesScenario {
  /** Creates a group of Acme, which pays for its members. */
  group: (more?: Record<string, unknown>) => Promise<any>
  update: (groupCode: string, change: Record<string, unknown>) => Promise<any>
  /** Returns the result of list_managed_groups for one group. */
  getGroup: (groupCode: string) => Promise<any>
  /** The invitation tokens sent to the given address, newest last. */
  listInvitationTokens: (email: string) => Promise<string[]>
  /** Records a payment for an order. */
  pay: (orderNumber: string, amount: string) => Promise<unknown>
  /** Accepts a group invitation, and completes the registration that it started. */
  accept: (token: string, answers?: Record<string, unknown>, participantId?: string) => Promise<AcceptedInvite>
}

/** Answers of participants who buy one pass each. */
export const memberEntries = (count: number) => Array.from({ length: count }, () => ({ data: newAttendee({ '@product.pass': 1 }) }))

export function useGroupScenario(...[sections = ACME_PRICING, options]: Parameters<typeof useSalesScenario>): GroupScenario {
  const scenario = useSalesScenario(sections, options) as GroupScenario
  return Object.assign(scenario, {
    group: async (more: Record<string, unknown> = {}) => {
      const admins = [{ email: 'ada@acme.example', name: 'Ada' }]
      const asked = { name: 'Acme', kind: 'company', payBy: 'group', tags: ['acme'], flowSlug: 'attendee', admins, ...more }
      return (await scenario.call('create_managed_group', asked)).group
    },
    update: (groupCode: string, change: Record<string, unknown>) => scenario.call('update_managed_group_members', { groupCode, ...change }),
    getGroup: (groupCode: string) => scenario.call('list_managed_groups', { groupCode, limit: 100 }),
    async listInvitationTokens(email: string) {
      const { rows } = await scenario.world.database.pool.query<{ text_body: string }>(
        'select text_body from messages where to_address = $1 order by id',
        [email],
      )
      return rows.map(({ text_body }) => /lgi_[\w-]{43}/.exec(text_body)![0])
    },
    pay: (orderNumber: string, amount: string) =>
      scenario.call('record_manual_payment', {
        kind: 'payment',
        amount: { amount, currency: 'EUR' },
        orderNumber,
        method: 'bank',
        reference: `transfer for ${orderNumber}`,
      }),
    async accept(token: string, answers: Record<string, unknown> = {}, participantId?: string) {
      const at = (db: Db) => createEventContextAt(scenario.world, scenario.event, db)
      const accepted = await scenario.world.database.transact(async (db) => acceptInvite(await at(db), token, { participantId }))
      if (accepted.participant?.status !== 'incomplete' || Object.keys(answers).length === 0) return accepted
      await scenario.call('edit_participant', { participantId: accepted.participant.id, data: answers, status: 'complete' })
      return { ...accepted, participant: await getParticipant(await at(scenario.world.database.write), accepted.participant.id) }
    },
  })
}
