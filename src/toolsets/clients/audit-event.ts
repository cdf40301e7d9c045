import { z } from 'zod'
import { count, day, flag, list, object, pageArguments, pageResult, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { listEventAuditLog, EventAuditEntryShape } from '../../domains/authoring/audit.ts'

export default eventTool({
  name: 'audit_event',
  title: 'Audit an event',
  description:
    'Who changed, edited or altered a price, record or registration, and when: the audit trail (traces, history) of an event by user, app and tool, when no one admits it; check proves ledger integrity. Not for comparing releases (use diff_versions). Returns who, when, values before and after.',
  effect: 'read',
  toleratesLag: true,
  permission: 'clients.read',
  input: {
    from: day().optional(),
    until: day().optional(),
    who: text(200).optional(),
    app: text(200).optional(),
    tool: text(100).optional(),
    targetKind: text(60).optional(),
    targetId: text(100).optional(),
    field: text(200).optional(),
    check: flag().default(false),
    ...pageArguments,
  },
  output: {
    entries: list(EventAuditEntryShape),
    integrity: list(object({ id: text(), ok: flag(), violations: count(), samples: list(z.string(), 5) })).optional(),
    ...pageResult,
  },
  run: listEventAuditLog,
})
