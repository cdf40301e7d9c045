import type { Examples } from '../examples.ts'
import type { Arguments, Stage } from '../stage.ts'
import { event, newcomer, openSales, registered } from './registration.ts'

let made = 0

/** A group of the stage with these many new members. */
export async function groupWith(stage: Stage, members = 0, more: Arguments = {}): Promise<any> {
  await openSales(stage)
  const { group } = await stage.admin.call('create_managed_group', { ...event(stage), ...newGroup(stage), ...more })
  const add = Array.from({ length: members }, () => ({ data: newcomer(stage, { '@product.pass': 1 }) }))
  if (members > 0) await stage.admin.call('update_managed_group_members', { ...event(stage), groupCode: group.code, add })
  return group
}

/** Codes carry no word, as those of places. */
const newGroup = (stage: Stage) => ({
  name: stage.text(),
  code: `group-${++made}`,
  kind: 'company',
  payBy: 'members',
  flowSlug: 'attendee',
  tags: ['acme'],
  admins: [{ email: `admin${made}@${stage.word}.example`, name: stage.text() }],
})

async function membersOf(stage: Stage, groupCode: string): Promise<string[]> {
  const { members } = await stage.admin.call('list_managed_groups', { ...event(stage), groupCode })
  return members.map(({ participantId }: { participantId: string }) => participantId)
}

export const GROUP_EXAMPLES: Examples = {
  list_managed_groups: async (stage) => {
    for (let i = 0; i < 3; i++) await groupWith(stage)
    return { ...event(stage), search: stage.word, status: 'open', kind: 'company' }
  },
  create_managed_group: async (stage) => {
    await openSales(stage)
    return { ...event(stage), ...newGroup(stage), maxMembers: 20, billTo: { company: stage.text(), country: 'FR' } }
  },
  update_managed_group: async (stage) => {
    const { code } = await groupWith(stage, 1)
    return { ...event(stage), groupCode: code, name: stage.text(), tags: ['vip'], maxMembers: 50 }
  },
  update_managed_group_members: [
    async (stage) => {
      const { code } = await groupWith(stage, 1)
      const [member] = await membersOf(stage, code)
      const { participant } = await registered(stage)
      return {
        ...event(stage),
        groupCode: code,
        add: [{ participantId: participant.id }, { data: newcomer(stage, { '@product.pass': 1 }) }],
        remove: [{ participantId: member }],
      }
    },
    async (stage) => {
      const { code } = await groupWith(stage, 0, { payBy: 'group' })
      const { participant } = await registered(stage, { data: { '@product.pass': 1 } })
      return { ...event(stage), groupCode: code, add: [{ participantId: participant.id }], moveOrders: true }
    },
  ],
  set_managed_group_admins: async (stage) => {
    const { code } = await groupWith(stage)
    return { ...event(stage), groupCode: code, admins: [{ email: `next${++made}@${stage.word}.example`, name: stage.text() }] }
  },
  update_managed_group_leaders: async (stage) => {
    const { code } = await groupWith(stage, 2)
    const [first, second] = await membersOf(stage, code)
    await stage.admin.call('update_managed_group_leaders', { ...event(stage), groupCode: code, add: [first] })
    return { ...event(stage), groupCode: code, add: [second], remove: [first] }
  },
  send_group_invite: [
    async (stage) => {
      const { code } = await groupWith(stage)
      return {
        ...event(stage),
        groupCode: code,
        emails: [{ email: `guest${++made}@${stage.word}.example`, role: 'member', name: stage.text() }],
        message: stage.text(),
      }
    },
    async (stage) => ({ ...event(stage), groupCode: (await groupWith(stage)).code, roles: ['admin'] }),
  ],
  delete_managed_group: async (stage) => ({ ...event(stage), groupCode: (await groupWith(stage, 2)).code }),
}
