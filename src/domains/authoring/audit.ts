import type { z } from 'zod'
import { list, object, untrustedText, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { jsonByteLength } from '../../kernel/bytes.ts'
import { cleanText } from '../../kernel/clean-text.ts'
import { formatInstant } from '../../kernel/time.ts'
import { type EventAuditEntry, type EventAuditFilter, listEventAuditEntries } from '../audit/event-log.ts'
import { splitIntoWords } from '../audit/kinds.ts'
import type { AuditedRecord } from '../audit/log.ts'
import { findRecordName, readRecordNames } from '../audit/names.ts'
import { checkBoothPlacement } from '../exhibitors/plans/check-placement.ts'
import { checkIntegrity } from '../orders/integrity/check.ts'
import { PERSONAL_DATA_MASK, isHiddenAuditValue } from '../registration/personal-fields.ts'

export const EventAuditEntryShape = object({
  at: text(),
  who: text(),
  app: text(),
  tool: text(),
  target: object({ kind: text(), id: text(), label: untrustedText().optional() }),
  changes: list(object({ path: text(2000), before: untrustedText().optional(), after: untrustedText().optional() })),
  more: text().optional(),
})

/** Lists the audit log entries of an event, and on request checks the integrity of its records. */
export async function listEventAuditLog(ctx: EventContext, { check, ...filter }: EventAuditFilter & { check: boolean }) {
  const firstTargets = new Map<Entry, AuditedRecord>()
  const { items, ...page } = await listEventAuditEntries(ctx, filter, (logged) => {
    const [first = { kind: 'event', id: ctx.event.id, fields: {} }] = logged.targets
    const entry = toEntry(ctx, logged, first, filter.field)
    firstTargets.set(entry, first)
    return entry
  })
  const names = await readRecordNames(
    ctx,
    items.map((entry) => ({ targets: [firstTargets.get(entry)!], event: ctx.event })),
  )
  return {
    entries: items.map((entry) => {
      const label = findRecordName(names, firstTargets.get(entry)!)
      return label === null ? entry : { ...entry, target: { ...entry.target, label } }
    }),
    ...(check ? { integrity: await checkEvent(ctx) } : {}),
    ...page,
  }
}

/** Runs all integrity checks in the order of their ids. The positions of booths (check X2) are compared outside the database. */
async function checkEvent(ctx: EventContext) {
  const checked = await checkIntegrity(ctx.db, ctx.tenantId, ctx.event.id)
  const later = checked.findIndex(({ id }) => id.startsWith('X') && Number(id.slice(1)) > 2)
  return checked.toSpliced(later < 0 ? checked.length : later, 0, await checkBoothPlacement(ctx))
}

type Entry = z.input<typeof EventAuditEntryShape>

const MAX_CHANGES = 50
const MAX_CHANGES_BYTES = 8_000
const MAX_TEXT = 400

/**
 * Converts one audit log entry for the result. Changes of further records in the same call have the record's name before the field. The
 * changes of the requested field come first, because the list of changes may be cut.
 */
function toEntry(ctx: EventContext, { at, actor, tool, targets }: EventAuditEntry, first: AuditedRecord, field: string | undefined): Entry {
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
  const wanted = splitIntoWords(field ?? '')
  const isOther = ({ path }: { path: string }) => wanted.some((word) => !path.toLowerCase().includes(word))
  const ordered = field === undefined ? changes : changes.toSorted((a, b) => Number(isOther(a)) - Number(isOther(b)))
  let bytes = 0
  const end = ordered.findIndex((change, i) => i === MAX_CHANGES || ((bytes += jsonByteLength(change)) > MAX_CHANGES_BYTES && i > 0))
  const shown = end < 0 ? ordered : ordered.slice(0, end)
  return {
    at: formatInstant(at),
    // An earlier demo has entries of people without an email address, whose name is empty.
    who: actor.name || 'unnamed',
    app: actor.app,
    tool,
    target: { kind: first.kind, id: first.id },
    changes: shown,
    ...(shown.length < changes.length ? { more: `${changes.length - shown.length} more changes` } : {}),
  }
}

/** Returns the old value (`before`) or new value (`after`) of a change as text; an empty object if there is no value. */
function asText<Side extends 'before' | 'after'>(side: Side, value: unknown, hidden: boolean): Partial<Record<Side, string>> {
  if (value === undefined || value === null) return {}
  const shown = hidden ? PERSONAL_DATA_MASK : cleanText(typeof value === 'string' ? value : JSON.stringify(value), MAX_TEXT)
  return { [side]: shown } as Record<Side, string>
}
