import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { FieldError } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import type { Progress } from './progress.ts'

export type Invite = Selectable<Tables['invite_list_entries']>

const INVITE_CODE = '@invite.code'

/**
 * Stored in place of a valid invitation code. The code itself is never stored; the participant is linked to the entry of the invite list.
 */
export const ACCEPTED_INVITE = 'listed'

const hashOf = (code: string) => createHash('sha256').update(code.trim()).digest()

/** Finds an entry of a flow's invite list by email address or code. */
export async function findInvite(
  ctx: EventScope,
  { slug }: Flow,
  by: { email: string } | { code: string },
): Promise<Invite | null> {
  const listed = eventDb(ctx)
    .selectFrom('invite_list_entries')
    .selectAll()
    .where('flow_slug', '=', slug)
    .where('status', '<>', 'removed')
  const found = 'email' in by ? listed.where('email_norm', '=', by.email.toLowerCase()) : listed.where('token_hash', '=', hashOf(by.code))
  return (await found.executeTakeFirst()) ?? null
}

/** An invitation is for one person: after they have registered, it cannot be used again. */
export const isInviteUsed = ({ status, participant_id }: Invite, participantId: string | null): boolean =>
  status === 'registered' && participant_id !== participantId

export async function linkInvite(ctx: EventScope, { id, status }: Invite, participantId: string): Promise<void> {
  await eventDb(ctx)
    .updateTable('invite_list_entries')
    .set({ participant_id: participantId, ...(status === 'invited' ? { status: 'opened' as const } : {}) })
    .where('id', '=', id)
    // Does not reassign an invitation that another participant has already registered with.
    .where((eb) => eb.or([eb('status', '<>', 'registered'), eb('participant_id', '=', participantId)]))
    .execute()
}

/** If two people use the same code, the last one to enter it keeps it. The other gets this error when finishing. */
export async function checkInviteStillHeld(ctx: EventScope, { row, answers, walk }: Progress): Promise<readonly FieldError[]> {
  if (answers[INVITE_CODE] !== ACCEPTED_INVITE || walk.answer(INVITE_CODE) === undefined) return []
  const own = await eventDb(ctx)
    .selectFrom('invite_list_entries')
    .select('id')
    .where('participant_id', '=', row.id)
    .where('status', '<>', 'removed')
    .forNoKeyUpdate()
    .executeTakeFirst()
  return own ? [] : [{ path: INVITE_CODE, message: 'inviteUsed' }]
}

interface InviteChoice {
  /** The answers with the code replaced by `ACCEPTED_INVITE` or null. */
  answers: Progress['answers']
  errors: readonly FieldError[]
  invite: Invite | null
}

/** Validates the invitation code entered on a page. A code accepted earlier stays valid. */
export async function readInviteCode(ctx: EventScope, { row, flow, answers: before }: Progress, answers: Progress['answers']): Promise<InviteChoice> {
  const code = answers[INVITE_CODE]
  if (before[INVITE_CODE] === ACCEPTED_INVITE) return { answers: { ...answers, [INVITE_CODE]: ACCEPTED_INVITE }, errors: [], invite: null }
  if (typeof code !== 'string') return { answers, errors: [], invite: null }
  const invite = await findInvite(ctx, flow, { code })
  const wrong = !invite ? await explainUnknownCode(ctx, code) : isInviteUsed(invite, row.id) ? 'inviteUsed' : null
  if (wrong !== null) return { answers: { ...answers, [INVITE_CODE]: null }, errors: [{ path: INVITE_CODE, message: wrong }], invite: null }
  return { answers: { ...answers, [INVITE_CODE]: ACCEPTED_INVITE }, errors: [], invite }
}

/** Distinguishes an unknown code from a revoked one and from one for another flow. */
async function explainUnknownCode(ctx: EventScope, code: string): Promise<'inviteUnknown' | 'inviteEnded' | 'inviteOther'> {
  const entry = await eventDb(ctx)
    .selectFrom('invite_list_entries')
    .select('status')
    .where('token_hash', '=', hashOf(code))
    .executeTakeFirst()
  if (!entry) return 'inviteUnknown'
  return entry.status === 'removed' ? 'inviteEnded' : 'inviteOther'
}
