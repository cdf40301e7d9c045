import type { Examples } from '../examples.ts'
import type { Arguments, Stage } from '../stage.ts'
import { event, newParticipantAnswers, openSales, registerNewParticipant } from './registration.ts'

let made = 0

export async function createGroup(stage: Stage, members = 0, more: Arguments = {}): Promise<any> {
  await openSales(stage)
  const { group } = await stage.admin.call('create_managed_group', { ...event(stage), ...newGroup(stage), ...more })
  const add = Array.from({ length: members }, () => ({ data: newParticipantAnswers(stage, { '@product.pass': 1 }) }))
  if (members > 0) await stage.admin.call('update_managed_group_members', { ...event(stage), groupCode: group.code, add })
  return group
}

/** Group codes must not contain the stage's word, because error messages repeat codes. */
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
    for (let i = 0; i < 3; i++) await createGroup(stage)
    return { ...event(stage), search: stage.word, status: 'open', kind: 'company' }
  },
  create_managed_group: async (stage) => {
    await openSales(stage)
    return { ...event(stage), ...newGroup(stage), maxMembers: 20, billTo: { company: stage.text(), country: 'FR' } }
  },
  update_managed_group: async (stage) => {
    const { code } = await createGroup(stage, 1)
    return { ...event(stage), groupCode: code, name: stage.text(), tags: ['vip'], maxMembers: 50 }
  },
  update_managed_group_members: [
    async (stage) => {
      const { code } = await createGroup(stage, 1)
      const [member] = await membersOf(stage, code)
      const { participant } = await registerNewParticipant(stage)
      return {
        ...event(stage),
        groupCode: code,
        add: [{ participantId: participant.id }, { data: newParticipantAnswers(stage, { '@product.pass': 1 }) }],
        remove: [{ participantId: member }],
      }
    },
    async (stage) => {
      const { code } = await createGroup(stage, 0, { payBy: 'group' })
      const { participant } = await registerNewParticipant(stage, { data: { '@product.pass': 1 } })
      return { ...event(stage), groupCode: code, add: [{ participantId: participant.id }], moveOrders: true }
    },
  ],
  set_managed_group_admins: async (stage) => {
    const { code } = await createGroup(stage)
    return { ...event(stage), groupCode: code, admins: [{ email: `next${++made}@${stage.word}.example`, name: stage.text() }] }
  },
  update_managed_group_leaders: async (stage) => {
    const { code } = await createGroup(stage, 2)
    const [first, second] = await membersOf(stage, code)
    await stage.admin.call('update_managed_group_leaders', { ...event(stage), groupCode: code, add: [first] })
    return { ...event(stage), groupCode: code, add: [second], remove: [first] }
  },
  send_group_invite: [
    async (stage) => {
      const { code } = await createGroup(stage)
      return {
        ...event(stage),
        groupCode: code,
        emails: [{ email: `guest${++made}@${stage.word}.example`, role: 'member', name: stage.text() }],
        message: stage.text(),
      }
    },
    async (stage) => ({ ...event(stage), groupCode: (await createGroup(stage)).code, roles: ['admin'] }),
  ],
  delete_managed_group: [
    async (stage) => ({ ...event(stage), groupCode: (await createGroup(stage, 2)).code }),
    async (stage) => ({ ...event(stage), groupCode: (await createGroup(stage, 1)).code, cancelMembers: true }),
  ],
}
