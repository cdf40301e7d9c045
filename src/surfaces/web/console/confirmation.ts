import { hashCanonicalJson } from '../../../kernel/canonical.ts'
import { type ToolCallToConfirm, createConfirmToken, redeemConfirmToken } from '../../../kernel/confirm.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'

interface Confirmable {
  action: string
  /** The id of the record that the action changes. */
  of: string
}

const callOf = ({ action, of }: Confirmable): ToolCallToConfirm => ({
  tool: action,
  digest: hashCanonicalJson({ of }),
  preview: { ask: 'to confirm it on this page' },
})

/**
 * Called after a change and before its commit. If the change needs confirmation, the transaction is rolled back and the user is asked;
 * the form is then submitted again with a confirm token, the same kind of token that assistants get from a dry run.
 */
export async function requireConfirmationIfNeeded(ctx: ClientContext, change: Confirmable, token: string | undefined): Promise<void> {
  const why = ctx.effects.confirmationReason()
  if (!why) return
  if (token) return redeemConfirmToken(ctx, callOf(change), token)
  throw preconditionFailed(`${why}. To continue, confirm again.`, {
    reason: 'unconfirmed',
    confirmToken: await issueConfirmToken(ctx, change),
  })
}

/** Creates the confirm token for the dry run that the page shows. */
export const issueConfirmToken = (ctx: ClientContext, change: Confirmable): Promise<string> => createConfirmToken(ctx, callOf(change))

/**
 * Verifies, for changes that always need confirmation, that the token matches the dry run that the page has shown. Called before the
 * commit.
 */
export const requireConfirmation = (ctx: ClientContext, change: Confirmable, token: string | undefined): Promise<void> =>
  redeemConfirmToken(ctx, callOf(change), token ?? '')
