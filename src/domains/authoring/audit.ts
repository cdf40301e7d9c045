import { list, object, outsideText, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { cleanText } from '../../kernel/outside-text.ts'
import { toInstant } from '../../kernel/time.ts'
import { type EventAuditEntry, type EventAuditFilter, listEventAudit } from '../access/event-audit.ts'
import { checkIntegrity } from '../orders/integrity/check.ts'
import { withheldFrom } from '../registration/participant-shape.ts'
import { labelsOf } from '../registration/record-labels.ts'

export const AuditedChange = object({
  at: text(),
  who: text(),
  app: text(),
  tool: text(),
  target: object({ kind: text(), id: text(), label: outsideText().optional() }),
  changes: list(object({ path: text(2000), before: outsideText().optional(), after: outsideText().optional() })),
  more: text().optional(),
})

/** Who changed what at an event, and on demand whether everything that must be so about it is. */
export async function auditEvent(ctx: EventContext, { check, ...filter }: EventAuditFilter & { check: boolean }) {
  const { items, ...page } = await listEventAudit(ctx, filter)
  const labels = await labelsOf(
    ctx,
    items.flatMap(({ targets }) => targets.slice(0, 1).map(({ id }) => id)),
  )
  return {
    entries: items.map((entry) => toEntry(ctx, entry, labels)),
    ...(check ? { integrity: await checkIntegrity(ctx.db, ctx.tenantId, ctx.event.id) } : {}),
    ...page,
  }
}

const MAX_CHANGES = 50
const MAX_TEXT = 400

/** One call is one entry. What it changed beside the first record is told with that record's name before the field. */
function toEntry(ctx: EventContext, { at, actor, tool, targets }: EventAuditEntry, labels: ReadonlyMap<string, string>) {
  const [first = { kind: 'event', id: ctx.event.id, fields: {} }] = targets
  const changes = targets.flatMap((target, index) =>
    Object.entries(target.fields).map(([name, { before, after }]) => {
      const hidden = isPersonal(ctx, target.kind, name)
      return {
        path: index === 0 ? name : `${target.kind} ${target.id} ${name}`,
        ...asText('before', before, hidden),
        ...asText('after', after, hidden),
      }
    }),
  )
  const label = labels.get(first.id)
  return {
    at: toInstant(at),
    who: actor.name,
    app: actor.app,
    tool,
    target: { kind: first.kind, id: first.id, ...(label === undefined || label === '' ? {} : { label }) },
    changes: changes.slice(0, MAX_CHANGES),
    ...(changes.length > MAX_CHANGES ? { more: `${changes.length - MAX_CHANGES} more changes` } : {}),
  }
}

/** Nothing before or after is nothing said about it. */
function asText<Side extends 'before' | 'after'>(side: Side, value: unknown, hidden: boolean): Partial<Record<Side, string>> {
  if (value === undefined || value === null) return {}
  const shown = hidden ? '***' : cleanText(typeof value === 'string' ? value : JSON.stringify(value), MAX_TEXT)
  return { [side]: shown } as Record<Side, string>
}

/** Of people, what their record keeps from the caller, and every answer; of who is billed, all of it. */
function isPersonal({ permissions }: EventContext, kind: string, field: string): boolean {
  if (permissions.has('personal.read')) return false
  if (field === 'billTo') return true
  if (kind !== 'participant') return false
  const name = field.replace(/^@participant\./, '')
  return withheldFrom(permissions).includes(name) || name.startsWith('@')
}
