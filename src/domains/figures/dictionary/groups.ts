import { choice, code, defineEntity, instant, integer, list, lookup, toMany, money, toOne, text } from './define.ts'
import type { Entity } from './types.ts'

const group = defineEntity({
  name: 'group',
  label: 'Groups',
  rowIs: 'one group of participants',
  area: 'registration',
  source: `(select mg.tenant_id, mg.event_id, mg.id, mg.is_test_data, mg.code, mg.name, mg.kind, mg.status, mg.pay_by, mg.max_members, mg.member_count,
  mg.tags, mg.created_at, mg.updated_at from managed_groups mg where mg.deleted_at is null)`,
  fields: {
    code: code('Code', 'code'),
    name: text('Name', 'name'),
    kind: choice('Kind', 'kind', ['company', 'delegation', 'school', 'family', 'other']),
    status: choice('Status', 'status', ['open', 'closed']),
    payBy: choice('Paid by', 'pay_by', ['group', 'members']),
    maxMembers: integer('Members at most', 'max_members'),
    memberCount: integer('Members', 'member_count', { help: 'Without cancelled ones' }),
    balance: money('Balance', (row) => `coalesce(${lookup('go.balance', 'orders go', (of) => `go.group_id = ${of}.id`)(row)}, 0)`, {
      derived: true,
      help: "What is still owed on the group's order",
    }),
    tags: list('Tags', 'tags'),
  },
  relations: {
    order: { to: 'order', many: false, on: (from, to) => `${to}.group_id = ${from}.id` },
    members: toMany('participant', 'group_id'),
    invites: toMany('groupInvite', 'group_id'),
  },
})

const groupInvite = defineEntity({
  name: 'groupInvite',
  label: 'Group invitations',
  rowIs: 'one invitation to a group',
  area: 'registration',
  source: `(select gi.tenant_id, gi.event_id, gi.id, gi.group_id, gi.email, gi.role, gi.status, gi.sent_at, gi.sent_count, gi.participant_id, gi.created_at,
  gg.is_test_data
  from group_invites gi join managed_groups gg on gg.tenant_id = gi.tenant_id and gg.event_id = gi.event_id and gg.id = gi.group_id)`,
  updated: null,
  fields: {
    email: text('Email', 'email', { class: 'identity' }),
    role: choice('Role', 'role', ['admin', 'leader', 'member']),
    status: choice('Status', 'status', ['queued', 'sent', 'bounced', 'accepted', 'declined', 'expired', 'revoked']),
    sentAt: instant('Sent', 'sent_at'),
    sentCount: integer('Times sent', 'sent_count'),
  },
  one: { group: toOne('group', 'group_id'), participant: toOne('participant', 'participant_id') },
})

export const GROUP_ENTITIES: readonly Entity[] = [group, groupInvite]
