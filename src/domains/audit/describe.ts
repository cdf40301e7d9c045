import type { OrganizerAccess, AccountContext } from '../../kernel/context.ts'
import { type Permissions, permissionsOf } from '../../kernel/permissions.ts'
import { yieldToEventLoop } from '../../kernel/cooperative.ts'
import { PERSONAL_DATA_MASK, isHiddenAuditValue } from '../registration/personal-fields.ts'
import { type FindConfigItemName, readConfigItemNames, findConfigPointerOfAnswer } from './config-names.ts'
import { type ValueDifference, listValueDifferences, type FindFieldLabel, describeDraftConfigPath } from './differences.ts'
import { getRecordKindNoun } from './kinds.ts'
import type { AuditEntry, AuditedRecord } from './log.ts'
import { restoreShortenedAuditTexts } from './long-texts.ts'
import { MAX_RECORD_NAMES_PER_ENTRY, findRecordName, type RecordNames, readRecordNames, findConferenceSessionTitle } from './names.ts'
import { type AuditSentence, buildAuditSentence } from './sentence.ts'

export interface DescribedRecord {
  kind: string
  id: string
  noun: string
  name: string | null
  differences: ValueDifference[]
}

/** An audit log entry in readable form, without values that the reader may not see. */
export interface DescribedAuditEntry extends AuditEntry {
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
export async function describeEntries(ctx: AccountContext, listed: readonly AuditEntry[]): Promise<DescribedAuditEntry[]> {
  const [names, configNames, entries] = await Promise.all([
    readRecordNames(ctx, listed),
    readConfigItemNames(ctx, listed),
    restoreShortenedAuditTexts(ctx, listed),
  ])
  const described: DescribedAuditEntry[] = []
  for (const entry of entries) {
    await yieldToEventLoop()
    described.push(describeEntry(entry, getPermissionsAt(ctx.access, entry), names, configNames))
  }
  return described
}

function describeEntry(
  entry: AuditEntry,
  permissions: Permissions,
  names: RecordNames,
  configNames: FindConfigItemName,
): DescribedAuditEntry {
  const more = entry.targets.find(({ kind }) => kind === 'more')
  const targets = entry.targets.filter(({ kind }) => kind !== 'more').map((target) => hideValues(permissions, target))
  const labelsFor =
    (eventId: string | undefined): FindFieldLabel =>
    (field) => {
      const called = (pointer: string) => (eventId === undefined ? null : configNames(eventId, pointer))
      const answer = findConfigPointerOfAnswer(field)
      return answer ? called(answer) : (findConferenceSessionTitle(names, field) ?? describeDraftConfigPath(field, called))
    }
  const eventOf = ({ kind, id }: AuditedRecord) => (kind === 'configuration' ? id : entry.event?.id)
  const shown = { ...entry, targets }
  return {
    ...shown,
    sentence: buildAuditSentence(shown, names, labelsFor(entry.event?.id)),
    records: targets.slice(0, MAX_RECORD_NAMES_PER_ENTRY).map((target) => ({
      kind: target.kind,
      id: target.id,
      noun: getRecordKindNoun(target.kind),
      name: findRecordName(names, target),
      differences: listValueDifferences(target, labelsFor(eventOf(target))),
    })),
    moreRecords: Math.max(0, targets.length - MAX_RECORD_NAMES_PER_ENTRY) + (more ? Number(more.id) : 0),
    permissions,
  }
}

/** Replaces values that the reader of the audit log may not see. The reader still sees that they changed. */
function hideValues(permissions: Permissions, { kind, id, fields }: AuditedRecord): AuditedRecord {
  const side = (field: string, value: unknown) => {
    if (value === undefined || value === null) return value
    if (isHiddenAuditValue(permissions, kind, field)) return PERSONAL_DATA_MASK
    // The query string of a webhook URL is hidden, because it often contains an API key. Old entries still include it.
    return kind === 'webhook' && field === 'url' && typeof value === 'string' ? value.replace(/\?.*$/s, '?…') : value
  }
  const shown = Object.entries(fields).map(([field, { before, after }]) => [
    field,
    { before: side(field, before), after: side(field, after) },
  ])
  return { kind, id, fields: Object.fromEntries(shown) as AuditedRecord['fields'] }
}
