import { toOneLine, code, count, id, list, object, untrustedText, text } from '../../kernel/args.ts'
import { defineImportTool } from '../../domains/imports/import-tool.ts'
import { readInvitedPeople } from '../../domains/imports/invited-people.ts'
import { addToInviteList } from '../../domains/registration/invitations/invite-list.ts'

const Row = object({
  email: text(254),
  firstName: text(100).optional(),
  lastName: text(100).optional(),
  company: text(200).optional(),
  tags: list(code(), 50).optional(),
})

export default defineImportTool({
  name: 'add_invite_list_participants',
  title: 'Add to the invite list',
  description:
    'Whitelist people for an invitation-only form closed to the public (VIPs, press, board, hosted buyers): load addresses of people who may get in (also from a file), with tags they get on registering. Sends nothing. Not for registering them (use add_participant). Returns counts and invalid rows.',
  effect: 'change',
  permission: 'registration.write',
  keyed: true,
  dryRun: true,
  input: {
    flowSlug: code(),
    rows: toOneLine(list(Row, 100_000).min(1, 'needs a row'), 'email, firstName, lastName, company, tags[]; up to 5,000').optional(),
    fileId: id('file').optional(),
    tags: list(code(), 50).default([]),
  },
  output: {
    added: count(),
    alreadyListed: count(),
    alreadyRegistered: count(),
    invalid: list(object({ row: count(1), value: untrustedText(), reason: text() })),
    invalidCount: count(),
    listSize: count(),
  },
  prefetch: readInvitedPeople,
  run: (ctx, { flowSlug, tags }, rows) => addToInviteList(ctx, { flowSlug, tags, rows }),
})
