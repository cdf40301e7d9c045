import { type RawBuilder, sql } from 'kysely'

export const INVITE_STATES = ['queued', 'sent', 'bounced', 'accepted', 'declined', 'expired', 'revoked'] as const
export type InviteState = (typeof INVITE_STATES)[number]

/**
 * Marks emails about group invitations, by which the email of an invitation is found. Each time an invitation is sent, it gets a new email.
 */
export const GROUP_INVITE_EMAIL_SOURCE = 'groupInvite'

/**
 * Selects invitations with their current state. The state of an open invitation comes from its latest email until it expires; it is read
 * from the email's row, so that it is stored only once.
 */
export const buildGroupInvitesSql = (which: 'any' | 'open'): RawBuilder<unknown> => sql`(
  select i.* from (
    select i.*, m.sent_at as mailed_at, case
      when i.status not in ('queued', 'sent') then i.status
      when m.status in ('bounced', 'complained', 'failed') then 'bounced'
      when i.expires_at <= lanyard_now() then 'expired'
      when m.status in ('sent', 'delivered', 'kept') then 'sent'
      else 'queued' end as state, m.status as mail
    from group_invites i
    left join messages m on m.tenant_id = i.tenant_id and m.source_kind = ${GROUP_INVITE_EMAIL_SOURCE} and m.source_id = i.id
      and m.recipient_key = i.sent_count::text and m.resend_of is null) i
  where ${which === 'any' ? sql`true` : sql`i.state in ('queued', 'sent')`})`
