import { type Bounce, recordBounce } from '../../domains/messages/bounces.ts'
import { markBouncedRecipient } from '../../domains/rfps/bounces.ts'
import type { AppServices } from '../services.ts'
import { runBackgroundJobStep } from './step.ts'

/** Saves the bounce of an email and the webhook announcements about it in one transaction. */
export const createBounceSaver =
  (services: AppServices) =>
  ({ tenantId, eventId, ...bounce }: Bounce & { tenantId: number; eventId: string }): Promise<void> =>
    runBackgroundJobStep<'event', void>(
      services,
      { name: 'send_email', tenantId, clientId: null, eventId, startedBy: { id: 'mail', name: 'Lanyard' } },
      async (ctx) => {
        await recordBounce(ctx, bounce)
        await markBouncedRecipient(ctx, bounce.id)
      },
    )
