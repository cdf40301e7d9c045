import { digestOf } from '../../../kernel/canonical.ts'
import { type ConfirmedCall, confirmTokenFor, useConfirmToken } from '../../../kernel/confirm.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'

interface Confirmable {
  action: string
  /** What it is done to. */
  of: string
}

const callOf = ({ action, of }: Confirmable): ConfirmedCall => ({
  tool: action,
  digest: digestOf({ of }),
  preview: { ask: 'to confirm it on this page' },
})

/**
 * After the change and before it is kept: what asks to be confirmed is undone with a question, and done when the form comes back
 * with the answer. The token is the one that assistants get of a dry run, and as strict.
 */
export async function confirmed(ctx: ClientContext, change: Confirmable, token: string | undefined): Promise<void> {
  const why = ctx.effects.mustConfirm()
  if (!why) return
  if (token) return useConfirmToken(ctx, callOf(change), token)
  throw preconditionFailed(`${why}. If that is what you want, confirm it once more.`, {
    reason: 'unconfirmed',
    confirmToken: await confirmationOf(ctx, change),
  })
}

/** At the end of a dry run that a page tells: what lets exactly that be done. */
export const confirmationOf = (ctx: ClientContext, change: Confirmable): Promise<string> => confirmTokenFor(ctx, callOf(change))

/** For what always asks first: after it was done and before it is kept, whether it is what the page told. */
export const demandConfirmation = (ctx: ClientContext, change: Confirmable, token: string | undefined): Promise<void> =>
  useConfirmToken(ctx, callOf(change), token ?? '')
