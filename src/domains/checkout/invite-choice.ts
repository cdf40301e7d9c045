import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { FieldError } from '../../kernel/errors.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { AtEvent } from '../registration/scene.ts'
import type { Progress } from './progress.ts'

export type Invite = Selectable<Tables['invite_list_entries']>

const CODE = '@invite.code'

/** Kept in the place of a code that was good, which itself is kept nowhere: whoever has it is known by their entry in the list. */
export const LISTED = 'listed'

const hashOf = (code: string) => createHash('sha256').update(code.trim()).digest()

/** Who is on a flow's list by their address, or by the code that they were given. */
export async function findInvited(
  { db, tenantId, event }: AtEvent,
  { slug }: Flow,
  by: { email: string } | { code: string },
): Promise<Invite | null> {
  const listed = db
    .selectFrom('invite_list_entries')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('flow_slug', '=', slug)
    .where('status', '<>', 'removed')
  const found = 'email' in by ? listed.where('email_norm', '=', by.email.toLowerCase()) : listed.where('token_hash', '=', hashOf(by.code))
  return (await found.executeTakeFirst()) ?? null
}

/** An invitation is one person's: once they have registered, nobody else comes by it. */
export const isUsed = ({ status, participant_id }: Invite, participantId: string | null): boolean =>
  status === 'registered' && participant_id !== participantId

export async function noteOpened({ db, tenantId, event }: AtEvent, { id, status }: Invite, participantId: string): Promise<void> {
  await db
    .updateTable('invite_list_entries')
    .set({ participant_id: participantId, ...(status === 'invited' ? { status: 'opened' as const } : {}) })
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', id)
    // Whoever has registered with it meanwhile keeps it.
    .where((eb) => eb.or([eb('status', '<>', 'registered'), eb('participant_id', '=', participantId)]))
    .execute()
}

/** Of two who came by one code, whoever gave it last has it: the other is told at the end. */
export async function inviteLost({ db, tenantId, event }: AtEvent, { row, answers, walk }: Progress): Promise<readonly FieldError[]> {
  if (answers[CODE] !== LISTED || walk.answer(CODE) === undefined) return []
  const own = await db
    .selectFrom('invite_list_entries')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('participant_id', '=', row.id)
    .where('status', '<>', 'removed')
    .forNoKeyUpdate()
    .executeTakeFirst()
  return own ? [] : [{ path: CODE, message: 'inviteUsed' }]
}

interface Chosen {
  /** In the place of what was typed. */
  answers: Progress['answers']
  errors: readonly FieldError[]
  invite: Invite | null
}

/** What comes of a code that a page was given. What was good before stays, whatever is typed now. */
export async function inviteChosen(ctx: AtEvent, { row, flow, answers: before }: Progress, answers: Progress['answers']): Promise<Chosen> {
  const code = answers[CODE]
  if (before[CODE] === LISTED) return { answers: { ...answers, [CODE]: LISTED }, errors: [], invite: null }
  if (typeof code !== 'string') return { answers, errors: [], invite: null }
  const invite = await findInvited(ctx, flow, { code })
  const wrong = !invite ? await whyNone(ctx, code) : isUsed(invite, row.id) ? 'inviteUsed' : null
  if (wrong !== null) return { answers: { ...answers, [CODE]: null }, errors: [{ path: CODE, message: wrong }], invite: null }
  return { answers: { ...answers, [CODE]: LISTED }, errors: [], invite }
}

/** A code that is good for nothing here: it never was, was taken back, or is for another form. */
async function whyNone({ db, tenantId, event }: AtEvent, code: string): Promise<'inviteUnknown' | 'inviteEnded' | 'inviteOther'> {
  const entry = await db
    .selectFrom('invite_list_entries')
    .select('status')
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('token_hash', '=', hashOf(code))
    .executeTakeFirst()
  if (!entry) return 'inviteUnknown'
  return entry.status === 'removed' ? 'inviteEnded' : 'inviteOther'
}
