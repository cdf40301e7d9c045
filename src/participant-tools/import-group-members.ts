import { z } from 'zod'
import { brief, code, count, list, money, object, oneOf, text } from '../kernel/args.ts'
import { personTool } from '../kernel/participant-tool.ts'
import { ImportedMember, importMembers } from '../domains/groups/import-members.ts'

export default personTool({
  name: 'import_group_members',
  title: 'Register group members',
  description:
    'Register colleagues as members of the group, team or delegation the person looks after: up to 50 names and emails with answers, and hotel rooms by @housing fields; all or none. Ask first; dryRun shows what would happen. Sends no email and takes no payment. Columns: get_group_import_template. Returns each member, seats, order.',
  effect: 'destructive',
  dryRun: true,
  keyed: true,
  input: {
    groupCode: code().optional(),
    members: z
      .array(object({ data: z.record(text(), z.unknown()) }))
      .min(1, 'name at least one member')
      .max(50, 'at most 50 members'),
  },
  output: {
    status: oneOf(['imported', 'validation_failed']),
    results: brief(list(ImportedMember), 'index, status, participantId, registration, ackNumber, waitlistRank, errors[]'),
    added: count(),
    seatsLeft: count().optional(),
    order: brief(object({ total: money(), balance: money() }), 'total, balance').optional(),
    manageUrl: text(2000),
  },
  run: (ctx, input) => importMembers(ctx, input),
})
