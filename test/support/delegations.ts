import { acceptInvite, type Accepted } from '../../src/domains/groups/accept-invite.ts'
import { getParticipant } from '../../src/domains/registration/participant-rows.ts'
import type { Db } from '../../src/kernel/columns.ts'
import { contextAt } from './at-event.ts'
import { type Selling, sellingStory, somebody, WORKED_EXAMPLE } from './selling.ts'

const [pass, ...others] = WORKED_EXAMPLE.products

/** The worked example, with a price of 400.00 for participants from Acme. */
export const WITH_ACME = {
  ...WORKED_EXAMPLE,
  products: [{ ...pass!, prices: [...pass!.prices, { amount: '400.00', tags: ['acme'] }] }, ...others],
}

export interface Delegations extends Selling {
  /** Creates a group of Acme, which pays for its members. */
  group: (more?: Record<string, unknown>) => Promise<any>
  update: (groupCode: string, change: Record<string, unknown>) => Promise<any>
  /** Reads one group with all details. */
  look: (groupCode: string) => Promise<any>
  /** The invitation tokens sent to this address, newest last. */
  tokensMailedTo: (email: string) => Promise<string[]>
  /** Records a payment for an order. */
  pay: (orderNumber: string, amount: string) => Promise<unknown>
  /** Accepts an invitation, and completes the registration that it started. */
  accept: (token: string, answers?: Record<string, unknown>, participantId?: string) => Promise<Accepted>
}

/** Answers of participants who buy one pass each. */
export const delegates = (count: number) => Array.from({ length: count }, () => ({ data: somebody({ '@product.pass': 1 }) }))

export function delegationStory(...[sections = WITH_ACME, options]: Parameters<typeof sellingStory>): Delegations {
  const story = sellingStory(sections, options) as Delegations
  return Object.assign(story, {
    group: async (more: Record<string, unknown> = {}) => {
      const admins = [{ email: 'ada@acme.example', name: 'Ada' }]
      const asked = { name: 'Acme', kind: 'company', payBy: 'group', tags: ['acme'], flowSlug: 'attendee', admins, ...more }
      return (await story.call('create_managed_group', asked)).group
    },
    update: (groupCode: string, change: Record<string, unknown>) => story.call('update_managed_group_members', { groupCode, ...change }),
    look: (groupCode: string) => story.call('list_managed_groups', { groupCode, limit: 100 }),
    async tokensMailedTo(email: string) {
      const { rows } = await story.world.database.pool.query<{ text_body: string }>(
        'select text_body from messages where to_address = $1 order by id',
        [email],
      )
      return rows.map(({ text_body }) => /lgi_[\w-]{43}/.exec(text_body)![0])
    },
    pay: (orderNumber: string, amount: string) =>
      story.call('record_manual_payment', {
        kind: 'payment',
        amount: { amount, currency: 'EUR' },
        orderNumber,
        method: 'bank',
        reference: `transfer for ${orderNumber}`,
      }),
    async accept(token: string, answers: Record<string, unknown> = {}, participantId?: string) {
      const at = (db: Db) => contextAt(story.world, story.event, db)
      const accepted = await story.world.database.transact(async (db) => acceptInvite(await at(db), token, { participantId }))
      if (accepted.participant?.status !== 'incomplete' || Object.keys(answers).length === 0) return accepted
      await story.call('edit_participant', { participantId: accepted.participant.id, data: answers, status: 'complete' })
      return { ...accepted, participant: await getParticipant(await at(story.world.database.write), accepted.participant.id) }
    },
  })
}
