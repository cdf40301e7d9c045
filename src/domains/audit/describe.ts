import type { OrganizerAccess, AccountContext } from '../../kernel/context.ts'
import { type Permissions, permissionsOf } from '../../kernel/permissions.ts'
import { yieldToEventLoop } from '../../kernel/cooperative.ts'
import { HIDDEN_VALUE, isHiddenAuditValue } from '../registration/personal-fields.ts'
import { type ConfigNames, readConfigNames, toAnswerPointer } from './config-names.ts'
import { type ValueDifference, listDifferences, type FieldLabels, describeDraftPath } from './differences.ts'
import { getRecordKindNoun } from './kinds.ts'
import type { AuditEntry, AuditTarget } from './log.ts'
import { restoreLongTexts } from './long-texts.ts'
import { MAX_NAMED_RECORDS, findRecordName, type RecordNames, readRecordNames, findSessionName } from './names.ts'
import { type AuditSentence, buildSentence } from './sentence.ts'

export interface DescribedRecord {
  kind: string
  id: string
  noun: string
  name: string | null
  differences: ValueDifference[]
}

/** An audit log entry in readable form, without values that the reader may not see. */
export interface DescribedEntry extends AuditEntry {
  sentence: AuditSentence
  records: DescribedRecord[]
  /** Number of changed records beyond those in `records`. */
  moreRecords: number
  /** The permissions that the reader of the log has at the client or event of the change. */
  permissions: Permissions
}

const getPermissionsAt = (access: OrganizerAccess, { client, event }: AuditEntry): Permissions =>
  permissionsOf([
    ...(access.clients.find(({ id }) => id === client?.id)?.roles ?? []),
    ...access.staff.filter(({ eventId }) => eventId === event?.id).map(({ role }) => role),
  ])

/** Describes log entries with the current names of their records. Reads the names and the texts that were shortened in the log, in bulk. */
export async function describeEntries(ctx: AccountContext, listed: readonly AuditEntry[]): Promise<DescribedEntry[]> {
  const [names, configNames, entries] = await Promise.all([
    readRecordNames(ctx, listed),
    readConfigNames(ctx, listed),
    restoreLongTexts(ctx, listed),
  ])
  const described: DescribedEntry[] = []
  for (const entry of entries) {
    await yieldToEventLoop()
    described.push(describeEntry(entry, getPermissionsAt(ctx.access, entry), names, configNames))
  }
  return described
}

function describeEntry(entry: AuditEntry, permissions: Permissions, names: RecordNames, configNames: ConfigNames): DescribedEntry {
  const more = entry.targets.find(({ kind }) => kind === 'more')
  const targets = entry.targets.filter(({ kind }) => kind !== 'more').map((target) => hideValues(permissions, target))
  const labelsFor =
    (eventId: string | undefined): FieldLabels =>
    (field) => {
      const called = (pointer: string) => (eventId === undefined ? null : configNames(eventId, pointer))
      const answer = toAnswerPointer(field)
      return answer ? called(answer) : (findSessionName(names, field) ?? describeDraftPath(field, called))
    }
  const eventOf = ({ kind, id }: AuditTarget) => (kind === 'configuration' ? id : entry.event?.id)
  const shown = { ...entry, targets }
  return {
    ...shown,
    sentence: buildSentence(shown, names, labelsFor(entry.event?.id)),
    records: targets.slice(0, MAX_NAMED_RECORDS).map((target) => ({
      kind: target.kind,
      id: target.id,
      noun: getRecordKindNoun(target.kind),
      name: findRecordName(names, target),
      differences: listDifferences(target, labelsFor(eventOf(target))),
    })),
    moreRecords: Math.max(0, targets.length - MAX_NAMED_RECORDS) + (more ? Number(more.id) : 0),
    permissions,
  }
}

/** Replaces values that the reader of the audit log may not see. The reader still sees that they changed. */
function hideValues(permissions: Permissions, { kind, id, fields }: AuditTarget): AuditTarget {
  const side = (field: string, value: unknown) => {
    if (value === undefined || value === null) return value
    if (isHiddenAuditValue(permissions, kind, field)) return HIDDEN_VALUE
    // The query string of a webhook URL is hidden, because it often contains an API key. Old entries still include it.
    return kind === 'webhook' && field === 'url' && typeof value === 'string' ? value.replace(/\?.*$/s, '?…') : value
  }
  const shown = Object.entries(fields).map(([field, { before, after }]) => [
    field,
    { before: side(field, before), after: side(field, after) },
  ])
  return { kind, id, fields: Object.fromEntries(shown) as AuditTarget['fields'] }
}
