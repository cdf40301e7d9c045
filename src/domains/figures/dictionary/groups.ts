import {
  choiceField,
  codeField,
  defineQueryEntity,
  instantField,
  integerField,
  listField,
  buildLookupSql,
  defineToManyRelation,
  moneyField,
  defineToOneRelation,
  textField,
} from './define.ts'
import type { QueryEntity } from './types.ts'

const group = defineQueryEntity({
  name: 'group',
  label: 'Groups',
  rowIs: 'one group of participants',
  area: 'registration',
  source: `(select mg.tenant_id, mg.event_id, mg.id, mg.is_test_data, mg.code, mg.name, mg.kind, mg.status, mg.pay_by, mg.max_members, mg.member_count,
  mg.tags, mg.created_at, mg.updated_at from managed_groups mg where mg.deleted_at is null)`,
  fields: {
    code: codeField('Code', 'code'),
    name: textField('Name', 'name'),
    kind: choiceField('Kind', 'kind', ['company', 'delegation', 'school', 'family', 'other']),
    status: choiceField('Status', 'status', ['open', 'closed']),
    payBy: choiceField('Paid by', 'pay_by', ['group', 'members']),
    maxMembers: integerField('Members at most', 'max_members'),
    memberCount: integerField('Members', 'member_count', { help: 'Without cancelled ones' }),
    balance: moneyField(
      'Balance',
      (row) => `coalesce(${buildLookupSql('go.balance', 'orders go', (of) => `go.group_id = ${of}.id`)(row)}, 0)`,
      {
        derived: true,
        help: "What is still owed on the group's order",
      },
    ),
    tags: listField('Tags', 'tags'),
  },
  relations: {
    order: { to: 'order', many: false, on: (from, to) => `${to}.group_id = ${from}.id` },
    members: defineToManyRelation('participant', 'group_id'),
    invites: defineToManyRelation('groupInvite', 'group_id'),
  },
})

const groupInvite = defineQueryEntity({
  name: 'groupInvite',
  label: 'Group invitations',
  rowIs: 'one invitation to a group',
  area: 'registration',
  source: `(select gi.tenant_id, gi.event_id, gi.id, gi.group_id, gi.email, gi.role, gi.status, gi.sent_at, gi.sent_count, gi.participant_id, gi.created_at,
  gg.is_test_data
  from group_invites gi join managed_groups gg on gg.tenant_id = gi.tenant_id and gg.event_id = gi.event_id and gg.id = gi.group_id)`,
  updated: null,
  fields: {
    email: textField('Email', 'email', { class: 'identity' }),
    role: choiceField('Role', 'role', ['admin', 'leader', 'member']),
    status: choiceField('Status', 'status', ['queued', 'sent', 'bounced', 'accepted', 'declined', 'expired', 'revoked']),
    sentAt: instantField('Sent', 'sent_at'),
    sentCount: integerField('Times sent', 'sent_count'),
  },
  one: { group: defineToOneRelation('group', 'group_id'), participant: defineToOneRelation('participant', 'participant_id') },
})

export const GROUP_ENTITIES: readonly QueryEntity[] = [group, groupInvite]
