import { sql } from 'kysely'
import type { GroupScope } from './groups.ts'
import { type InviteState, buildGroupInvitesSql } from './invite-states.ts'
import type { GroupRole, GroupInvitee } from './invitees.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'

export const GROUP_INVITE_SKIP_REASONS = ['already_member', 'open_invite', 'unsubscribed', 'bounced'] as const
export type GroupInviteSkipReason = (typeof GROUP_INVITE_SKIP_REASONS)[number]

export interface PendingGroupInvite {
  id: string
  status: string
  sent_count: number
}

interface EarlierInvite extends PendingGroupInvite {
  email_norm: string
  group_id: string
  role: GroupRole
  state: InviteState
  mail: string | null
}

interface RoleRow {
  email_norm: string
  leads: boolean
}

interface InviteEligibility {
  /** Why the invitee gets no invitation; null if an invitation is sent. */
  reason: GroupInviteSkipReason | null
  /** The open invitation of the invitee, which is sent again. */
  open: PendingGroupInvite | null
}

/** Reads the status of all invitees with a fixed number of statements. */
export async function readInviteEligibility(
  { db, tenantId, event }: GroupScope,
  groupId: string,
  invitees: readonly GroupInvitee[],
): Promise<(invitee: GroupInvitee, resend: boolean) => InviteEligibility> {
  const addresses = [...new Set(invitees.map(({ email }) => foldEmailCase(email)))]
  const at = sql`x.tenant_id = ${tenantId} and x.event_id = ${event.id} and x.email_norm = any(${addresses})`
  const members = await sql<RoleRow>`
    select x.email_norm, bool_or(x.group_leader) as leads from participants x where ${at} and x.group_id = ${groupId} group by 1`.execute(
    db,
  )
  const admins = await sql<RoleRow>`
    select x.email_norm, x.last_sign_in_at is not null as leads from group_admins x where ${at} and x.group_id = ${groupId}`.execute(db)
  const earlier = await sql<EarlierInvite>`
    select x.id, x.sent_count, x.email_norm, x.group_id, x.role, x.status, x.state, x.mail from ${buildGroupInvitesSql('any')} x where ${at}`.execute(
    db,
  )
  const leads = new Map(members.rows.map((one) => [one.email_norm, one.leads]))
  const signedIn = new Map(admins.rows.map((one) => [one.email_norm, one.leads]))
  const invites = Map.groupBy(earlier.rows, ({ email_norm }) => email_norm)

  return ({ email, role }, resend) => {
    const address = foldEmailCase(email)
    const all = invites.get(address) ?? []
    const own = all.filter((one) => one.group_id === groupId && one.role === role)
    const open = own.find(({ status }) => status === 'queued' || status === 'sent') ?? null
    return { reason: findSkipReason(), open }

    function findSkipReason(): GroupInviteSkipReason | null {
      if (hasJoined()) return 'already_member'
      // A spam complaint about an invitation counts as unsubscribed from invitations.
      if (all.some(({ mail }) => mail === 'complained')) return 'unsubscribed'
      if (all.some(({ state }) => state === 'bounced')) return 'bounced'
      return open && open.state !== 'expired' && !resend ? 'open_invite' : null
    }

    /**
     * Whether the invitee has joined. Adding an admin to the list sends no email, so an admin counts as joined only after the first sign-in
     * or an accepted invitation.
     */
    function hasJoined(): boolean {
      if (role === 'member') return leads.has(address)
      if (role === 'leader') return leads.get(address) === true
      return signedIn.get(address) === true || (signedIn.has(address) && own.some(({ status }) => status === 'accepted'))
    }
  }
}
