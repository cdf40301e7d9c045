import type { Db } from '../../kernel/columns.ts'
import { announce } from '../../kernel/announce.ts'
import type { Road } from '../road.ts'
import { keepStep } from './step.ts'

export interface BouncedMail {
  tenantId: number
  eventId: string
  id: string
}

/** Writes down that an address does not exist, and tells those who listen, in one transaction. */
export const bounceKeeper =
  (road: Road) =>
  ({ tenantId, eventId, id }: BouncedMail, settle: (db: Db) => Promise<unknown>): Promise<void> =>
    keepStep<'event', void>(
      road,
      { name: 'send_email', tenantId, clientId: null, eventId, startedBy: { id: 'mail', name: 'Lanyard' } },
      async (ctx) => {
        await settle(ctx.db)
        announce(ctx, { kind: 'email.bounced', entity: 'email', id, changed: ['status'], isTestData: false })
      },
    )
