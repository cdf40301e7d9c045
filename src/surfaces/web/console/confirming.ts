import { digestOf } from '../../../kernel/canonical.ts'
import { type ConfirmedCall, confirmTokenFor, useConfirmToken } from '../../../kernel/confirm.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'

/**
 * After the change and before it is kept: what asks to be confirmed is undone with a question, and done when the form comes back
 * with the answer. The token is the one that assistants get of a dry run, and as strict.
 */
export async function confirmed(ctx: ClientContext, change: { action: string; of: string }, token: string | undefined): Promise<void> {
  const why = ctx.effects.mustConfirm()
  if (!why) return
  const call: ConfirmedCall = { tool: change.action, digest: digestOf({ of: change.of }), preview: { ask: 'to confirm it on this page' } }
  if (token) return useConfirmToken(ctx, call, token)
  throw preconditionFailed(`${why}. If that is what you want, confirm it once more.`, {
    reason: 'unconfirmed',
    confirmToken: await confirmTokenFor(ctx, call),
  })
}
