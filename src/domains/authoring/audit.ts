import { list, object, untrustedText, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import { formatInstant } from '../../kernel/time.ts'
import { type EventAuditEntry, type EventAuditFilter, listEventAudit } from '../audit/event-log.ts'
import { findRecordName, type RecordNames, readRecordNames } from '../audit/names.ts'
import { checkIntegrity } from '../orders/integrity/check.ts'
import { HIDDEN_VALUE, isHiddenAuditValue } from '../registration/personal-fields.ts'

export const AuditedChange = object({
  at: text(),
  who: text(),
  app: text(),
  tool: text(),
  target: object({ kind: text(), id: text(), label: untrustedText().optional() }),
  changes: list(object({ path: text(2000), before: untrustedText().optional(), after: untrustedText().optional() })),
  more: text().optional(),
})

/** Lists the audit log entries of an event, and on request checks the integrity of its records. */
export async function auditEvent(ctx: EventContext, { check, ...filter }: EventAuditFilter & { check: boolean }) {
  const { items, ...page } = await listEventAudit(ctx, filter)
  const names = await readRecordNames(
    ctx,
    items.map(({ targets }) => ({ targets: targets.slice(0, 1), event: ctx.event })),
  )
  return {
    entries: items.map((entry) => toEntry(ctx, entry, names)),
    ...(check ? { integrity: await checkIntegrity(ctx.db, ctx.tenantId, ctx.event.id) } : {}),
    ...page,
  }
}

const MAX_CHANGES = 50
const MAX_TEXT = 400

/** Converts one audit log entry for the result. Changes of further records in the same call have the record's name before the field. */
function toEntry(ctx: EventContext, { at, actor, tool, targets }: EventAuditEntry, names: RecordNames) {
  const [first = { kind: 'event', id: ctx.event.id, fields: {} }] = targets
  const changes = targets.flatMap((target, index) =>
    Object.entries(target.fields).map(([name, { before, after }]) => {
      const hidden = isHiddenAuditValue(ctx.permissions, target.kind, name)
      return {
        path: index === 0 ? name : `${target.kind} ${target.id} ${name}`,
        ...asText('before', before, hidden),
        ...asText('after', after, hidden),
      }
    }),
  )
  const label = findRecordName(names, first)
  return {
    at: formatInstant(at),
    who: actor.name,
    app: actor.app,
    tool,
    target: { kind: first.kind, id: first.id, ...(label === null ? {} : { label }) },
    changes: changes.slice(0, MAX_CHANGES),
    ...(changes.length > MAX_CHANGES ? { more: `${changes.length - MAX_CHANGES} more changes` } : {}),
  }
}

/** Formats the old or new value of a change as text; returns no property if the value is missing. */
function asText<Side extends 'before' | 'after'>(side: Side, value: unknown, hidden: boolean): Partial<Record<Side, string>> {
  if (value === undefined || value === null) return {}
  const shown = hidden ? HIDDEN_VALUE : cleanText(typeof value === 'string' ? value : JSON.stringify(value), MAX_TEXT)
  return { [side]: shown } as Record<Side, string>
}
