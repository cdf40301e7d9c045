import { z } from 'zod'
import { toOneLine, code, count, list, money, object, oneOf, text } from '../kernel/args.ts'
import { personTool } from '../kernel/participant-tool.ts'
import { queryDirectoryForMemberImport } from '../domains/groups/look-up-members.ts'
import { ImportedMemberResult, importMembers } from '../domains/groups/import-members.ts'
import { omitErrorReasons } from '../domains/registration/own/own-answers.ts'

export default personTool({
  name: 'import_group_members',
  title: 'Register group members',
  description:
    "Sign up and register the person's team, colleagues or delegation in the group they manage, up to 50 names and emails, with rooms by @housing; this cannot be undone. All or none; dryRun shows it; no email, no payment. Columns: get_group_import_template. Returns each member, seats left and the order.",
  effect: 'destructive',
  openWorld: true,
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
    results: toOneLine(list(ImportedMemberResult), 'index, status, participantId, registration, ackNumber, waitlistRank, errors[]'),
    added: count(),
    seatsLeft: count().optional(),
    order: toOneLine(object({ total: money(), balance: money() }), 'total, balance').optional(),
    manageUrl: text(2000),
  },
  prefetch: (ctx, { groupCode, members }) => queryDirectoryForMemberImport(ctx, groupCode, members),
  run: async (...call) => omitErrorReasons(await importMembers(...call)),
})
