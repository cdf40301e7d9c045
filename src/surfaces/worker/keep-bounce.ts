import { type Bounce, noteBounce } from '../../domains/messages/bounces.ts'
import type { Road } from '../road.ts'
import { keepStep } from './step.ts'

/** Keeps that a mail came back, and what is told of that, in one transaction. */
export const bounceKeeper =
  (road: Road) =>
  ({ tenantId, eventId, ...bounce }: Bounce & { tenantId: number; eventId: string }): Promise<void> =>
    keepStep<'event', void>(
      road,
      { name: 'send_email', tenantId, clientId: null, eventId, startedBy: { id: 'mail', name: 'Lanyard' } },
      (ctx) => noteBounce(ctx, bounce),
    )
