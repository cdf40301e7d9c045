import { code, list, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { editLeaders } from '../../domains/groups/leaders.ts'
import { Member } from '../../domains/groups/list.ts'
import { participantReferenceSchema } from '../../domains/registration/find/resolve-participant.ts'

export default eventTool({
  name: 'update_managed_group_leaders',
  title: 'Change the leaders of a group',
  description:
    'Make delegates leaders within their group (head of delegation, team lead, teacher): grant roster-view rights and correcting names, no billing; or take that away. Not for people who do not attend (use set_managed_group_admins). Returns the leaders and whose role changed.',
  effect: 'change',
  permission: 'registration.write',
  idempotent: true,
  input: {
    groupCode: code(),
    add: list(participantReferenceSchema(), 500).default([]),
    remove: list(participantReferenceSchema(), 500).default([]),
  },
  output: { leaders: list(Member), changed: list(text()) },
  run: editLeaders,
})
