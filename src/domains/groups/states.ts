import { states } from '../../kernel/states.ts'

export const GROUP_STATES = states({
  column: 'managed_groups.status',
  kind: 'group',
  noun: 'group',
  initial: 'open',
  moves: {
    open: ['closed'],
    closed: ['open'],
  },
})

/** `sent`, `bounced` and `expired` are usually derived from the email and the clock. */
export const GROUP_INVITE_STATES = states({
  column: 'group_invites.status',
  kind: 'groupInvite',
  noun: 'group invitation',
  initial: 'queued',
  moves: {
    queued: ['sent', 'bounced', 'accepted', 'declined', 'expired', 'revoked'],
    sent: ['bounced', 'accepted', 'declined', 'expired', 'revoked'],
    bounced: ['revoked'],
    accepted: [],
    declined: [],
    expired: ['revoked'],
    revoked: [],
  },
})
